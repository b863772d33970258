/*
 * series.h - bill and estimates over time: what each thread or CPU had in each interval.
 *
 * It collects what the totals count while a trace is read.  When its totals are complete,
 * the books of each interval in turn replace those of the whole trace, and a bill is made
 * from them.  An interval between two switches belongs to the one in which it ends.
 */
#ifndef PERFTAB_REPORT_SERIES_H
#define PERFTAB_REPORT_SERIES_H

#include "report/cut.h"

/* Intervals of one trace: more of them are a mistake. */
#define SERIES_INTERVALS_MAX 1000000
/* Books in memory and in the temporary file. */
#define SERIES_BYTES_MAX ((size_t)2 << 30)
/* Books in memory: more of them go to a temporary file. */
#define SERIES_MEMORY_MAX ((size_t)8 << 20)

/* Books found last are looked at first: a power of two. */
#define SERIES_RECENT 1024

/* What a group counted in an interval, by status. */
struct series_status {
	size_t number; /* of the interval */
	size_t slots;
	struct status_summary_row summary;
	int64_t *values;
	struct series_status *next;
};

struct series_thread {
	int64_t thread_id;
	size_t number; /* of the interval */
	size_t slots;
	struct totals_book book;  /* of one group */
	struct series_thread *of; /* a part: what it is a part of; else NULL */
	struct series_thread *next;
};

struct series_cpu {
	size_t number; /* of the interval */
	size_t slots;
	struct totals_cpu cpu; /* of one group */
	int64_t group_id;
	struct series_cpu *next;
};

/* Samples of a counter, or time between SWITCH records, of a thread or on a CPU. */
struct series_samples {
	int64_t counter_id;	 /* INT_NONE: time */
	int64_t thread_id;	 /* by CPU: INT_NONE, as where it is not known */
	int64_t cpu;		 /* by CPU */
	int64_t cgroup_id;	 /* by control group; 0: all of the thread's */
	size_t number;		 /* of the interval */
	int64_t samples, events; /* of time: switches, nanoseconds */
	struct series_samples *next;
};

struct series_interval {
	struct series_thread *threads;
	struct series_cpu *cpus;
	struct series_status *statuses;
	struct series_samples *samples, *on_cpu;
	uint64_t segment; /* in the temporary file: the last one; 0: none */
};

struct series {
	int64_t from_ns, interval_ns; /* set before the first switch */
	enum cut_by by;		      /* likewise: only the sums of that cut are kept */
	size_t interval_count;
	struct series_interval *intervals; /* grows up to the last one that is used */
	size_t room;
	struct arena arena;
	size_t bytes, spooled_bytes;
	size_t first_used, last_used; /* intervals with books in memory */
	int64_t recent_ns;	      /* where the last one that was found begins, */
	size_t recent_number;	      /* and which it is; SIZE_MAX: none */
	struct series_spool *spool;   /* NULL: all books are in memory, */
	bool has_no_spool;	      /* also when they fill it */
	struct map threads, cpus, statuses; /* by interval, and what they are of */
	struct map samples, on_cpu;
	struct series_thread *recent[SERIES_RECENT]; /* by thread */
	struct series_status *recent_status[CHARGE_STATUSES];
};

/* False: too many intervals. */
bool series_begin(struct series *series, enum cut_by by, int64_t from_ns, int64_t to_ns,
		  int64_t interval_ns);
/* Joins neighbours until there are at most `most`; before the first switch. */
void series_coarsen(struct series *series, size_t most);
void series_end(struct series *series);
/*
 * An interval as a context_switch with the counters of its group; in_interrupt: it is
 * charged to an interrupt.  False: out of memory.
 */
bool series_add(struct series *series, const struct record *record, bool in_interrupt);
/* Likewise; series_samples.c. */
bool series_add_sample(struct series *series, const struct sample_row *row);
bool series_add_on_cpu(struct series *series, const struct switch_record_row *row);

static inline int64_t series_start(const struct series *series, size_t interval)
{
	return series->from_ns + (int64_t)interval * series->interval_ns;
}

/*
 * Puts the books of an interval in the place of those in the totals, and leaves only the
 * threads that have some in their list: they are not those of the trace any more.  False:
 * out of memory, or rows that do not fit.
 */
bool series_load(struct series *series, size_t interval, struct totals *totals);

/* --- between the files of this header --- */

/* The interval of a time, made if needed; NULL with *done: in none; else: no memory. */
struct series_interval *series_make_interval(struct series *series, int64_t ts_ns,
					     size_t *number, bool *done);
/* Zeroed; NULL: out of memory, or SERIES_BYTES_MAX is reached. */
void *series_allocate(struct series *series, size_t size);
/* Drops the books in memory. */
void series_clear(struct series *series);
/*
 * The book of the thread and group of the row, or its part of a control group, made if
 * there is none; NULL: out of memory.  Likewise of a CPU and of a status.
 */
struct series_thread *series_make_thread(struct series *series, size_t number,
					 const struct context_switch_row *row,
					 int64_t cgroup_id, size_t slots);
struct series_cpu *series_cpu_at(struct series *series, size_t number,
				 const struct context_switch_row *row, size_t slots);
struct series_status *series_make_status(struct series *series, size_t number,
					 const struct context_switch_row *row,
					 size_t slots);

/* The same, most often without a search. */
static inline struct series_interval *series_interval_at(struct series *series,
							 int64_t ts_ns, size_t *number,
							 bool *done)
{
	if (series->recent_number == SIZE_MAX ||
	    (uint64_t)ts_ns - (uint64_t)series->recent_ns >=
		    (uint64_t)series->interval_ns)
		return series_make_interval(series, ts_ns, number, done);
	*number = series->recent_number;
	return &series->intervals[*number];
}

static inline bool series_is_thread(const struct series_thread *thread, size_t number,
				    const struct context_switch_row *row,
				    int64_t cgroup_id)
{
	return thread->thread_id == row->prev_thread_id && thread->number == number &&
	       thread->book.summary.group_id == row->group_id &&
	       thread->book.cgroup_id == cgroup_id;
}

static inline struct series_thread *series_thread_at(struct series *series, size_t number,
						     const struct context_switch_row *row,
						     int64_t cgroup_id, size_t slots)
{
	uint64_t place = (uint64_t)row->prev_thread_id + (uint64_t)cgroup_id * 31 +
			 (uint64_t)row->group_id * 257;
	struct series_thread **recent = &series->recent[place % SERIES_RECENT];

	if (!*recent || !series_is_thread(*recent, number, row, cgroup_id))
		*recent = series_make_thread(series, number, row, cgroup_id, slots);
	return *recent;
}

static inline bool series_is_status(const struct series_status *status, size_t number,
				    const struct context_switch_row *row)
{
	return status->number == number && status->summary.status == row->status &&
	       status->summary.group_id == row->group_id;
}

static inline struct series_status *series_status_at(struct series *series, size_t number,
						     const struct context_switch_row *row,
						     size_t slots)
{
	struct series_status **recent = &series->recent_status[row->status];

	if (!*recent || !series_is_status(*recent, number, row))
		*recent = series_make_status(series, number, row, slots);
	return *recent;
}

/* Adds to the samples, or times, of that place; false: out of memory. */
bool series_add_samples(struct series *series, const struct series_samples *at);
/* The thread has something in the interval. */
void series_list_thread(struct totals *totals, struct totals_thread *thread);
/* Samples and times of an interval, in the place of those of the tally. */
bool series_load_samples(const struct series_interval *interval, struct totals *totals,
			 bool by_cpu);

#endif
