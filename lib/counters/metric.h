/*
 * metric.h - ratios derived from pairs of counters, as a table (metrics.def).
 *
 * Counters are found by their role (role.h), not by their spelling.
 */
#ifndef PERFTAB_METRIC_H
#define PERFTAB_METRIC_H

#include "counters/role.h"

struct metric {
	const char *name; /* "IPC" */
	enum role numerator, denominator;
	double scale;	   /* factor of the quotient */
	bool adds;	   /* the ratio of sums over kinds of cores is meaningful */
	bool of_idle;	   /* the part of one counter that idle has or shares */
	const char *unit;  /* "%", "" */
	const char *words; /* explanation for users */
};

extern const struct metric metrics[];
extern const size_t metric_count;

struct metric_counter {
	struct role_counter counter;
	int64_t group;
};

/* The counters of a trace, and the machine they were counted on. */
struct metric_trace {
	const struct metric_counter *counters;
	size_t count;
	struct str arch, cpu_model; /* or empty */
};

/* A metric that two counters of a trace allow. */
struct metric_use {
	const struct metric *metric;
	char name[64];	  /* of the metric; with the PMU, or #2, #3, ... of several */
	size_t numerator; /* index of the counter */
	size_t denominator;
	/* One of several in a row: their name is that of the sum's ratio. */
	bool is_part;
	char kind[32]; /* of core: the PMU's name; "": there is one */
};

/*
 * Which metrics the counters allow; both must be of the same group and PMU and carry the
 * same modifiers, so instructions:u goes with cycles:u only.  A share of idle needs one
 * counter, which is numerator and denominator.  Counters of a group
 * follow one another.  Fills at most `room`, returns how many; 0 also if out of memory.
 */
size_t metrics_possible(const struct metric_trace *trace, struct metric_use *uses,
			size_t room);

/* Why there is no ratio of hardware counters, as a sentence. */
void metrics_missing(const struct metric_trace *trace, char *to, size_t size);

/* False when the denominator is 0 or less: there is no such ratio. */
bool metric_value(const struct metric_use *use, int64_t numerator, int64_t denominator,
		  double *value);

#endif
