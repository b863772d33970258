/*
 * when.h - parses times and durations of the command line.
 */
#ifndef PERFTAB_COMMON_WHEN_H
#define PERFTAB_COMMON_WHEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/record.h"

enum when_kind {
	WHEN_NONE,	 /* not given */
	WHEN_CLOCK,	 /* nanoseconds of the trace's clock */
	WHEN_FROM_START, /* nanoseconds after the first time in the trace */
	WHEN_WALL,	 /* nanoseconds since 1970, UTC */
};

struct when {
	enum when_kind kind;
	int64_t ns;
};

/* "123", "+3s", "+500ms", "2026-11-22T10:00:00.5Z" (or a blank for the T, no Z). */
bool when_parse(const char *text, struct when *when);
/* "100ms", "1.5s", "2m"; without a unit it is seconds.  Above 0. */
bool when_parse_duration(const char *text, int64_t *ns);
/* The same with a sign or without, and 0: "-1.5s", "+250ms". */
bool when_parse_shift(const char *text, int64_t *ns);

/* The time on the trace's clock; false: the trace does not say how to find it. */
bool when_resolve(const struct when *when, const struct trace_row *trace, int64_t *ns);

/*
 * "2026-11-22T10:00:00.123456Z" of a time of the trace; empty if wall time is not known.
 */
#define WHEN_UTC_BYTES 40
void when_utc(char to[WHEN_UTC_BYTES], const struct trace_row *trace, int64_t ns);
/* The same of 100 ns since 1601, as Windows counts; empty for INT_NONE. */
void when_filetime(char to[WHEN_UTC_BYTES], int64_t filetime);
/* Of nanoseconds since 1970. */
void when_format(char to[WHEN_UTC_BYTES], int64_t unix_ns);

#endif
