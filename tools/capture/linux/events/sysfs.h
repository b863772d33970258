/*
 * sysfs.h - small files and folders of sysfs and tracefs, read with limits.
 *
 * Also for trees that are not trusted: whatever is not a regular file, too large, or
 * holds a NUL is refused; names never lead out of a folder.
 */
#ifndef PERFTAB_EVENTS_SYSFS_H
#define PERFTAB_EVENTS_SYSFS_H

#include <limits.h>
#include <stdint.h>

#include "base/str.h"
#include "capture/linux/events/event.h"

struct sysfs_text {
	char text[EVENT_FILE_MAX + 1]; /* without white space at its end */
	size_t length;
};

struct sysfs_names {
	char **names; /* sorted, "_2" before "_10"; none begins with a dot */
	size_t count, room;
};

struct pmu {
	char name[NAME_MAX + 1];
	uint32_t type;
	bool is_core; /* counts what processors do */
};

struct pmu_list {
	struct pmu *pmus;
	size_t count, room;
	size_t cores;
};

/*
 * Whether it can be one part of a path: no slash, no NUL, no leading dot, not too long.
 */
bool sysfs_is_name(struct str name);

/* ST_END: there is no such file.  `offset` and `error` are for what cannot be read. */
enum status sysfs_read(struct sysfs_text *to, struct error *error, uint64_t offset,
		       const char *format, ...) PRINTF_LIKE(4, 5) MUST_CHECK;
/* ST_END: there is no such folder. */
enum status sysfs_list(struct sysfs_names *names, struct error *error, uint64_t offset,
		       const char *format, ...) PRINTF_LIKE(4, 5) MUST_CHECK;
void sysfs_names_release(struct sysfs_names *names);

/* All PMUs; a sysfs that is not there has none. */
enum status pmu_list_read(struct pmu_list *list, const char *sysfs, struct error *error,
			  uint64_t offset) MUST_CHECK;
void pmu_list_release(struct pmu_list *list);

/* Whether a file below events/ is an event, not the scale or unit of one. */
bool pmu_is_event(const char *file);

/* Which bits of which word a term's value goes to. */
struct pmu_format {
	unsigned int word; /* config, config1, ... */
	uint64_t bits;
};
/* "config1:0-7,21"; false: it is not of that form. */
bool pmu_format_parse(struct pmu_format *format, const char *text);
unsigned int pmu_format_width(const struct pmu_format *format);
/* The value's bits spread over the format's, the rest of `word` kept. */
uint64_t pmu_format_write(const struct pmu_format *format, uint64_t word, uint64_t value);

/* config, config1, ... of an attr; NULL: this attr has no such word. */
__u64 *event_config_word(struct perf_event_attr *attr, unsigned int word);

#endif
