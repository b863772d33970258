/*
 * private.h - what the parts of the event names share; not for the recorder.
 *
 * A part asked for a name answers ST_OK (its events are added), ST_END (not mine), or
 * an error that is put into words already.
 */
#ifndef PERFTAB_EVENTS_PRIVATE_H
#define PERFTAB_EVENTS_PRIVATE_H

#include "base/str.h"
#include "capture/linux/events/event.h"
#include "capture/linux/events/sysfs.h"

/* One call of event_list_parse(). */
struct event_scope {
	struct event_list *list;
	const struct event_sources *sources;
	struct error *error;
	uint64_t offset;      /* of the name at work, for messages */
	struct pmu_list pmus; /* read when first needed */
	bool pmus_read;
};

/* --- events/list.c --- */

/* A new event at the end of the list; *event stays valid until the next one is added. */
enum status event_add(struct event_scope *scope, struct str name, uint32_t type,
		      uint64_t config, struct capture_event **event) MUST_CHECK;
/* Removes the events from `count` on. */
void event_list_cut(struct event_list *list, size_t count);
/* A copy to be freed, with a NUL after it; NULL: out of memory. */
char *event_copy(struct str text);
/* "a/b/", a new text or NULL. */
char *event_join(const char *a, const char *slash, struct str b, const char *end);

/* For messages: safe for a terminal, and short. */
struct event_shown {
	char text[200];
};
struct event_shown event_shown(struct str text);
enum status event_fail(struct event_scope *scope, enum status status, const char *format,
		       ...) PRINTF_LIKE(3, 4);

/* "12", "0x3f": all of the text; false: not a number, or over 64 bits. */
bool event_number(struct str text, uint64_t *value);
bool event_hex(struct str text, uint64_t *value);

/* --- events/parse.c --- */

/*
 * event_list_parse() for many lists: the PMUs are read once, and released by the caller.
 */
enum status event_parse(struct event_scope *scope, const char *names) MUST_CHECK;

/* --- events/names.c: hardware, software and cache events --- */

struct event_name {
	const char *name;
	const char *alias; /* or NULL */
	uint32_t type;
	uint64_t config;
};
extern const struct event_name event_names[];
extern const size_t event_name_count;

/* The attr's type and config of such a name; ST_UNSUPPORTED: perf has no such event. */
enum status event_name_find(struct str name, uint32_t *type, uint64_t *config);
enum status event_cache_find(struct str name, uint64_t *config);
/* The usual name of the index-th cache event; false: there are no more. */
bool event_cache_name(size_t index, char *to, size_t size, uint64_t *config);
#define EVENT_CACHE_NAME_MAX 32
/* Adds what hardware, software, cache, rHEX and TYPE:CONFIG names mean. */
enum status event_add_name(struct event_scope *scope, struct str name) MUST_CHECK;

/* --- events/breakpoint.c --- */

/* mem:ADDRESS[/LENGTH][:rwx][:modifiers] */
enum status event_add_breakpoint(struct event_scope *scope, struct str text) MUST_CHECK;

/* --- events/modifier.c --- */

/* Whether all of it are letters that can follow the colon. */
bool event_are_modifiers(struct str letters);
/* Applies them to an event, its name included, as further to those it has. */
enum status event_modify(struct event_scope *scope, struct capture_event *event,
			 struct str letters) MUST_CHECK;

/* --- events/pmu.c --- */

/* PMU/TERM,.../ and what the name before the first slash stands for. */
enum status event_add_pmu(struct event_scope *scope, struct str pmu, struct str terms,
			  struct str whole) MUST_CHECK;
/* A name without slashes that some PMU has below events/. */
enum status event_add_bare(struct event_scope *scope, struct str name) MUST_CHECK;
/* Reads the PMUs unless they were. */
enum status event_pmus(struct event_scope *scope) MUST_CHECK;
/* The folder and the CPUs of the PMU that the event is of. */
enum status event_set_pmu(struct event_scope *scope, struct capture_event *event,
			  const struct pmu *pmu) MUST_CHECK;

/* --- events/terms.c --- */

enum status event_apply_terms(struct event_scope *scope, struct capture_event *event,
			      const struct pmu *pmu, struct str terms) MUST_CHECK;

/* --- events/tracepoint.c --- */

/* SYSTEM:NAME, each may be a glob; ST_END when there is no such. */
enum status event_add_tracepoint(struct event_scope *scope, struct str text) MUST_CHECK;
/* "'/sys/kernel/tracing' cannot be read: ..." into the scope's error; ST_OK: it can. */
enum status event_tracepoints_unreadable(struct event_scope *scope, struct str text,
					 const char *why);

/* --- events/pfm.c --- */

/* NULL: libpfm is there; else why it is not. */
const char *event_pfm_missing(void);
/* pfm_library.c: that function of it, "pfm_initialize"; NULL: it is not there. */
void *event_pfm_function(const char *name);
/* ST_END: libpfm has none by this name, and says so in `why` (may be empty). */
enum status event_add_model(struct event_scope *scope, struct str name, char *why,
			    size_t size) MUST_CHECK;
/* Names of the processor's own events, one call each; returns how many there are. */
size_t event_model_names(void (*each)(void *context, const char *name, const char *what),
			 void *context);

/* --- events/unknown.c --- */

/* Says that nothing has this name, and what comes near. */
enum status event_unknown(struct event_scope *scope, struct str name, const char *why);

#endif
