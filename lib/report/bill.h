/*
 * bill.h - the bill: what each process, thread or CPU was charged, and the lines that
 * always are.
 *
 * Made once from the totals of a trace.
 */
#ifndef PERFTAB_REPORT_BILL_H
#define PERFTAB_REPORT_BILL_H

#include "counters/metric.h"
#include "report/cut.h"

#define METRIC_USES_MAX 64

/* Who gets the intervals that are not proven to be of one thread. */
struct bill_rule {
	bool unproven_to_threads;   /* all of them, as perf script does */
	bool with_idle_to_threads;  /* those that are of a thread and of idle */
	bool interrupts_to_threads; /* and what interrupts cost, to the interrupted */
};

/* Counts of a line, after those of cut.h; running[] is nanoseconds by group. */
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
	/* Cells of a line: the first of each array. */
	size_t values;	   /* by counter of the totals */
	size_t with_idle;  /* by counter: shared with idle, in `values` or apart */
	size_t interrupts; /* by counter: of interrupts, likewise */
	size_t group_switches, group_seen; /* by group; seen: with those not proven */
	size_t matches;			   /* threads that pass the filter */
	size_t heaviest; /* index of the counter with the largest total, or SIZE_MAX */
	struct metric_trace metrics; /* the counters, in the terms of metrics */
	struct metric_use uses[METRIC_USES_MAX];
	size_t use_count;
	size_t sums; /* cells: numerator and denominator of each ratio of sums */
	size_t sum_count;
	size_t idle; /* cells: idle's part and the whole of each share of idle */
	size_t idle_count;
};

/* False: out of memory.  What was made is freed by bill_release() in either case. */
bool bill_make(struct bill *bill, const struct totals *totals, enum cut_by by,
	       struct bill_rule rule, const struct cut_filter *filter);
void bill_release(struct bill *bill);

/* Columns of ratios, in CSV, in JSON and in a table of their own. */
void bill_add_ratios(struct bill *bill);

/* --- between the files of this header: bill_ratios.c --- */

/* Finds the ratios that the counters allow; before there are lines. */
bool bill_find_ratios(struct bill *bill);
/* What ratios of several kinds of cores and shares of idle divide, in each line. */
void bill_add_up_ratios(struct bill *bill);
/* The part of idle in a line by CPU, by counter. */
void bill_add_idle(const struct bill *bill, struct view_line *line, size_t counter,
		   int64_t idle);

/* The first of those that add up to one ratio? */
bool bill_begins_sum(const struct bill *bill, size_t use);

/*
 * For text: by how much counters went down gets a line of its own, LINE_FALLS, and is no
 * longer in (unattributed) and the total.  False: out of memory.
 */
bool bill_set_falls_apart(struct bill *bill);
/* By how much a counter went down, 0 or less, if that outweighs its other intervals. */
int64_t bill_fall(const struct totals *totals, size_t counter);

/* Counters of software leaders say no more than `switches`. */
bool bill_is_leader(const struct totals *totals, size_t counter);
/* Those where interrupts begin and end: the table of interrupts says what they count. */
bool bill_is_edge(const struct totals *totals, size_t counter);
/*
 * The counter with the largest total, of these by counter; SIZE_MAX: none but those two
 * kinds.
 */
size_t bill_heaviest(const struct totals *totals, const int64_t *sums);
/* A column for each counter, in these forms; the first one's values are at `first`. */
void bill_add_counters(const struct bill *bill, struct view *view, unsigned int forms,
		       size_t first);

#endif
