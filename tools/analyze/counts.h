/*
 * counts.h - the lines of what perf stat counted: one an event, or an event on a CPU.
 *
 * Where a counter had to share the PMU with others, what it would have counted is
 * estimated: for each CPU or thread, counted * enabled / running, as perf stat does.
 */
#ifndef PERFTAB_COUNTS_H
#define PERFTAB_COUNTS_H

#include "bill.h"

struct count_line {
	const struct tally_event *event;
	int64_t cpu;	 /* by CPU; INT_NONE: wherever the threads ran */
	int64_t counted; /* not scaled */
	int64_t enabled_ns, running_ns;
	int64_t estimate;      /* INT_NONE: never counted */
	bool is_scaled;	       /* the estimate is one; else it is what was counted */
	int64_t places;	       /* CPUs and threads where it counted */
	int64_t never_counted; /* those where it never got onto the PMU */
	size_t position;       /* as the trace has them */
};

struct counts {
	const struct report *report;
	bool by_cpu;
	struct count_line *lines;
	size_t line_count;
	bool is_scaled; /* any of them */
	int64_t never_counted;
};

/* False: out of memory.  What was made is freed by counts_release() in either case. */
bool counts_make(struct counts *counts, const struct report *report, enum bill_by by);
void counts_release(struct counts *counts);

/* Sorts by a column as CSV names them; NULL: as the trace has them.  False: no such. */
bool counts_sort(struct counts *counts, const char *column);

#endif
