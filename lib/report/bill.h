/*
 * bill.h - the bill: a line for what each process, thread or CPU was charged, and the
 * lines for idle, with idle, interrupts and unattributed.
 *
 * Made once from the totals of a trace.
 */
#ifndef PERFTAB_REPORT_BILL_H
#define PERFTAB_REPORT_BILL_H

#include "counters/metric.h"
#include "report/cut.h"

#define METRIC_USES_MAX 64

/* Which lines get the intervals that are not charged to one thread. */
struct bill_rule {
	bool unproven_to_threads;   /* all go to threads, as perf script does */
	bool with_idle_to_threads;  /* those of a thread and idle go to the thread */
	bool interrupts_to_threads; /* those of interrupts go to the interrupted thread */
};

/* Counts of a line, after those of cut.h; from BILL_RUNNING on nanoseconds by group. */
enum bill_count {
	BILL_WITH_IDLE_SWITCHES = CUT_END,
	BILL_TIMELESS_SWITCHES,
	BILL_PROVEN, /* switches of all groups that the rule does not keep apart */
	BILL_RUNNING,
};

struct bill {
	struct view view;
	const struct totals *totals;
	enum cut_by by;
	struct bill_rule rule;
	/* First cells of arrays in a line. */
	size_t values;	   /* by counter of the totals */
	size_t with_idle;  /* by counter: shared with idle, whether or not in `values` */
	size_t interrupts; /* by counter: of interrupts, whether or not in `values` */
	size_t group_switches, group_seen; /* by group; seen: with unproven ones */
	size_t matches;			   /* threads that pass the filter */
	size_t heaviest; /* index of the counter with the largest total, or SIZE_MAX */
	struct metric_trace metrics; /* the counters, in the terms of metrics */
	struct metric_use uses[METRIC_USES_MAX];
	size_t use_count;
	size_t sums; /* cells: numerator and denominator of each ratio of sums */
	size_t sum_count;
	size_t idle; /* cells: idle's part and the total of each share of idle */
	size_t idle_count;
};

/* False: out of memory.  What was made is freed by bill_release() in either case. */
bool bill_make(struct bill *bill, const struct totals *totals, enum cut_by by,
	       struct bill_rule rule, const struct cut_filter *filter);
void bill_release(struct bill *bill);

/* Adds columns of ratios, in CSV, in JSON and in a table of their own. */
void bill_add_ratios(struct bill *bill);

/* --- between the files of this header: bill_ratios.c --- */

/* Finds the ratios that the counters allow; call it before adding lines. */
bool bill_find_ratios(struct bill *bill);
/* Adds up, in each line, the operands of ratios of several kinds of cores and of idle. */
void bill_add_up_ratios(struct bill *bill);
/* Adds the idle part of a counter to the line of a CPU. */
void bill_add_idle(const struct bill *bill, struct view_line *line, size_t counter,
		   int64_t idle);

/* Returns whether a use is the first of those that add up to one ratio. */
bool bill_begins_sum(const struct bill *bill, size_t use);

/*
 * For text: moves what counters went down by from (unattributed) and the total to a line
 * of its own, LINE_FALLS.  False: out of memory.
 */
bool bill_set_falls_apart(struct bill *bill);
/* Returns the sum of intervals in which a counter went down, if negative, else 0. */
int64_t bill_fall(const struct totals *totals, size_t counter);

/* Returns whether a counter is a software leader, which only counts switches. */
bool bill_is_leader(const struct totals *totals, size_t counter);
/* Returns whether it counts edges of interrupts, which have a table of their own. */
bool bill_is_edge(const struct totals *totals, size_t counter);
/*
 * Returns the counter with the largest of these sums by counter; SIZE_MAX: there are only
 * counters of these two kinds.
 */
size_t bill_heaviest(const struct totals *totals, const int64_t *sums);
/* Adds a column for each counter in these forms; `first` is the cell of the first one. */
void bill_add_counters(const struct bill *bill, struct view *view, unsigned int forms,
		       size_t first);

#endif
