/*
 * series.h - the bill over time: the charges of each thread and CPU in each interval.
 *
 * It collects switches while a trace is read.  When its totals are complete, the books of
 * each interval in turn replace those of the whole trace, and a bill is made from them.
 * An interval between two switches belongs to the one in which it ends.
 */
#ifndef PERFTAB_REPORT_SERIES_H
#define PERFTAB_REPORT_SERIES_H

#include "report/totals.h"

/* Intervals of one trace: more of them are a mistake. */
#define SERIES_INTERVALS_MAX 1000000
/* Memory for books. */
#define SERIES_BYTES_MAX ((size_t)2 << 30)

/* What a group counted in an interval, by status. */
struct series_status {
	struct status_summary_row summary;
	int64_t *values;
	struct series_status *next;
};

struct series_thread {
	int64_t thread_id;
	struct totals_book book; /* of one group */
	struct series_thread *next;
};

struct series_cpu {
	struct totals_cpu cpu; /* of one group */
	int64_t group_id;
	struct series_cpu *next;
};

struct series_interval {
	struct series_thread *threads;
	struct series_cpu *cpus;
	struct series_status *statuses;
	int64_t switches;
};

struct series {
	int64_t from_ns, interval_ns; /* set before the first switch */
	size_t interval_count;
	struct series_interval *intervals; /* grows up to the last one that is used */
	size_t room;
	struct arena arena;
	size_t bytes;
	struct map threads, cpus, statuses; /* by interval, and what they are of */
};

/* False: too many intervals. */
bool series_begin(struct series *series, int64_t from_ns, int64_t to_ns,
		  int64_t interval_ns);
void series_end(struct series *series);
/*
 * A context_switch or group_read with the counters of its group; in_interrupt: the
 * interval is charged to an interrupt.  False: out of memory.
 */
bool series_add(struct series *series, const struct record *record, bool in_interrupt);

static inline int64_t series_start(const struct series *series, size_t interval)
{
	return series->from_ns + (int64_t)interval * series->interval_ns;
}

/*
 * Puts the books of an interval in the place of those in the totals, and leaves only the
 * threads that have some in their list: they are not those of the trace any more.  False:
 * out of memory, or rows that do not fit.
 */
bool series_load(const struct series *series, size_t interval, struct totals *totals);

#endif
