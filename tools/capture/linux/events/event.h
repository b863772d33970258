/*
 * event.h - names of events, as users of perf type them, to what the kernel is asked for.
 *
 * Hardware, software, cache and raw events, pmu/term=value,.../ through sysfs,
 * tracepoints, breakpoints, modifiers, {groups}, and the names of processor models
 * through libpfm where it is built in.  Nothing here opens an event: whether the kernel
 * counts one is asked through event_sources.counts.  Files below event_sources.sysfs and
 * .tracefs are bounded and checked like any other input.
 */
#ifndef PERFTAB_EVENT_H
#define PERFTAB_EVENT_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/error.h"

#define EVENT_TEXT_MAX 65536	 /* bytes of one list of names */
#define EVENT_NAME_MAX 1024	 /* bytes of one name */
#define EVENT_LIST_MAX 4096	 /* events of one recording */
#define EVENT_EXPANSION_MAX 1024 /* events that one name may stand for */
#define EVENT_TERMS_MAX 64	 /* terms between the slashes of one name */
#define EVENT_FILE_MAX 4096	 /* bytes of one file in sysfs or tracefs */
#define EVENT_PMUS_MAX 1024	 /* folders in sysfs */
#define EVENT_ENTRIES_MAX 65536	 /* files of one folder that are looked at */
#define EVENT_MODIFIERS_MAX 16

struct capture_event {
	/*
	 * As the user wrote it, modifiers included, those of its group too.  Where one
	 * name stands for several events, each has the name that means it alone:
	 * "cpu_core/cycles/u", "uncore_imc_0/cas_count_read/", "sched:sched_switch".
	 * Owned.
	 */
	char *name;
	/*
	 * size, type, config, config1, config2, bp_*, exclude_*, precise_ip, pinned and
	 * exclusive are set, the rest is zero and the recorder's.
	 */
	struct perf_event_attr attr;
	char *pmu;    /* folder in sysfs where one was named or found, or NULL; owned */
	char *unit;   /* "Joules", or NULL; owned */
	double scale; /* the count times this is in `unit`; 1: none */
	/*
	 * The only CPUs to open it on: "0,4-7"; digits, commas and dashes, no more of it
	 * is checked.  NULL: all of them.  Owned.
	 */
	char *cpus;
	char *tracepoint_system, *tracepoint_name; /* NULL unless a tracepoint; owned */
	/*
	 * The same number for those in one {...}, 0: in none.  On machines with several
	 * kinds of cores each kind gets a group of its own, and their events interleave.
	 */
	size_t group;
	/* An interrupt begins or ends: sampled each time, with all of its group. */
	bool is_edge;
	bool precise_max; /* :P; precise_ip may be lowered until the kernel accepts it */
	bool is_named; /* the term name= gave the name; modifiers are not added to it */
	char modifiers[EVENT_MODIFIERS_MAX]; /* its letters, its group's after its own */
};

/* All zero is the empty list. */
struct event_list {
	struct capture_event *events;
	size_t count, room;
	size_t groups; /* the highest group number so far */
};

struct event_sources {
	const char *sysfs;   /* "/sys/bus/event_source/devices"; tests supply a folder */
	const char *tracefs; /* "/sys/kernel/tracing"; NULL: there is none to be read */
	/* Whether the kernel here opens it, on a CPU of event->cpus; NULL: not asked. */
	bool (*counts)(void *context, const struct capture_event *event);
	void *context;
	bool model_names; /* libpfm is asked for names that nothing else knows */
};

/*
 * Adds the events that a comma-separated list names; may be called for several lists.  On
 * failure the list is as it was, and error->offset is the byte of `text` at fault.
 */
enum status event_list_parse(struct event_list *list, const struct event_sources *sources,
			     const char *text, struct error *error) MUST_CHECK;

/*
 * Adds what is counted by default: cycles, instructions, branches, branch-misses,
 * cache-references and cache-misses as far as the kernel counts them, else task-clock,
 * page-faults, and msr/tsc/ where there is one.
 */
enum status event_list_default(struct event_list *list,
			       const struct event_sources *sources,
			       struct error *error) MUST_CHECK;

void event_list_release(struct event_list *list);

/*
 * What can be counted here, as text or as one JSON document (schema_version 1).
 * `filter`: only names that match this glob, or that contain it if it has no wildcard;
 * without one (NULL) tracepoints and libpfm's names are counted, not listed.
 */
enum status event_list_print(FILE *to, const struct event_sources *sources,
			     const char *filter, bool json,
			     struct error *error) MUST_CHECK;

#endif
