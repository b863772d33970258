/*
 * metric.h - ratios derived from pairs of counters, as a table (metrics.def).
 */
#ifndef PERFTAB_METRIC_H
#define PERFTAB_METRIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

struct metric {
	const char *name;      /* "IPC" */
	const char *numerator; /* event names without modifiers */
	const char *denominator;
	double scale;	   /* factor of the quotient */
	const char *unit;  /* "%", "" */
	const char *words; /* how to read the number */
};

extern const struct metric metrics[];
extern const size_t metric_count;

/* A metric that two counters of a trace allow. */
struct metric_use {
	const struct metric *metric;
	char name[32];	  /* the metric's; #2, #3, ... if several pairs allow it */
	size_t numerator; /* index of the counter */
	size_t denominator;
};

/*
 * Which metrics `names` allow; both counters must be of the same group (`groups[i]`) and
 * carry the same modifiers, so instructions:u goes with cycles:u only.  Fills at most
 * `room`, returns how many.
 */
size_t metrics_possible(const struct str *names, const int64_t *groups, size_t count,
			struct metric_use *uses, size_t room);

/* False when the denominator is 0 or less: there is no such ratio. */
bool metric_value(const struct metric_use *use, int64_t numerator, int64_t denominator,
		  double *value);

#endif
