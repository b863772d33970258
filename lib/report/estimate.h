/*
 * estimate.h - estimates from samples, by process, thread or CPU.
 *
 * A sample stands for as many events as its period says, so these are estimates.  Time on
 * a CPU is measured, from SWITCH records.  Made once from the totals of a trace.
 */
#ifndef PERFTAB_REPORT_ESTIMATE_H
#define PERFTAB_REPORT_ESTIMATE_H

#include "report/cut.h"

/* Counts of a line, after those of cut.h; the arrays are by event. */
enum estimate_count { ESTIMATE_SAMPLES = CUT_END, ESTIMATE_EVENT_SAMPLES };

struct estimate {
	struct view view;
	const struct totals *totals;
	enum cut_by by;
	const struct tally_event **events; /* those that have samples */
	size_t event_count;
	size_t sums;	 /* cell of the first sum of periods; INT_NONE in it: unknown */
	bool is_timed;	 /* there are SWITCH records */
	size_t matches;	 /* samples that pass the filter, at least */
	size_t heaviest; /* event with the largest total, or SIZE_MAX */
};

/* Returns whether there are samples, or, without groups, times of SWITCH records. */
bool estimate_any(const struct totals *totals);

/* False: out of memory.  What was made is freed by estimate_release() in either case. */
bool estimate_make(struct estimate *estimate, const struct totals *totals, enum cut_by by,
		   const struct cut_filter *filter);
void estimate_release(struct estimate *estimate);

/* Adds the columns of an event: one of its samples, one of their periods. */
void estimate_add_event(const struct estimate *estimate, struct view *view, size_t i,
			size_t samples, size_t sum);

/* Returns whether the samples of an event have periods; else only their number counts. */
bool estimate_has_periods(const struct estimate *estimate, size_t event);

#endif
