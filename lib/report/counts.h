/*
 * counts.h - the counts of perf stat: a line for each event, or event and CPU.
 *
 * Counts are of the whole recording.  Where counters took turns on the PMU, an estimate
 * is made for each CPU or thread and added up, as perf stat does.
 */
#ifndef PERFTAB_REPORT_COUNTS_H
#define PERFTAB_REPORT_COUNTS_H

#include "counters/metric.h"
#include "report/totals.h"
#include "report/view.h"

struct counts {
	struct view view;
	const struct totals *totals;
	bool by_cpu;
	bool is_scaled;	       /* some events counted only part of the time */
	int64_t never_counted; /* CPUs and threads where an event was never on the PMU */
	/* Of the estimates of all CPUs and threads: */
	struct metric_trace metrics;
	struct metric_use *uses;
	size_t use_count;
	int64_t *sums; /* by counter of `metrics` */
};

/* False: out of memory.  What was made is freed by counts_release() in either case. */
bool counts_make(struct counts *counts, const struct totals *totals, bool by_cpu);
/* False: a counter of the ratio never counted. */
bool counts_ratio(const struct counts *counts, size_t use, double *value);
void counts_release(struct counts *counts);

#endif
