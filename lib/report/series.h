/*
 * series.h - bill and estimates over time: the sums of each thread or CPU by interval.
 *
 * It collects what the totals count while a trace is read.  When its totals are complete,
 * the books of each interval in turn replace those of the whole trace, and a bill is made
 * from them.  An interval between two switches belongs to the one in which it ends.
 */
#ifndef PERFTAB_REPORT_SERIES_H
#define PERFTAB_REPORT_SERIES_H

#include "report/cut.h"

/* Maximum of intervals of a trace. */
#define SERIES_INTERVALS_MAX 1000000
/* Maximum of bytes of books in memory and in the temporary file. */
#define SERIES_BYTES_MAX ((size_t)2 << 30)
/* Maximum of bytes of books in memory: more go to the temporary file. */
#define SERIES_MEMORY_MAX ((size_t)8 << 20)

/* Entries of the cache of books: a power of two. */
#define SERIES_RECENT 1024

/* The sums of a group and status in an interval. */
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
	struct series_thread *of; /* the whole of a part; else NULL */
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
	int64_t thread_id;	 /* INT_NONE: unknown, or by CPU */
	int64_t cpu;		 /* by CPU */
	int64_t cgroup_id;	 /* by control group; 0: the whole thread */
	size_t number;		 /* of the interval */
	int64_t samples, events; /* for time: switches, nanoseconds */
	struct series_samples *next;
};

struct series_interval {
	struct series_thread *threads;
	struct series_cpu *cpus;
	struct series_status *statuses;
	struct series_samples *samples, *on_cpu;
	uint64_t segment; /* its last one in the temporary file; 0: none */
};

struct series {
	int64_t from_ns, interval_ns; /* set before the first switch */
	enum cut_by by;		      /* likewise: the only cut whose sums are kept */
	size_t interval_count;
	struct series_interval *intervals; /* room for those used so far */
	size_t room;
	struct arena arena;
	size_t bytes, spooled_bytes;
	size_t first_used, last_used;	    /* intervals with books in memory */
	int64_t recent_ns;		    /* start of the interval found last */
	size_t recent_number;		    /* index of it; SIZE_MAX: none */
	struct series_spool *spool;	    /* NULL: all books are in memory */
	bool has_no_spool;		    /* no temporary file could be made */
	struct map threads, cpus, statuses; /* by interval and owner */
	struct map samples, on_cpu;
	struct series_thread *recent[SERIES_RECENT]; /* by thread */
	struct series_status *recent_status[CHARGE_STATUSES];
};

/* False: too many intervals. */
bool series_begin(struct series *series, enum cut_by by, int64_t from_ns, int64_t to_ns,
		  int64_t interval_ns);
/* Joins neighbours to at most `most` intervals; call it before the first switch. */
void series_coarsen(struct series *series, size_t most);
void series_end(struct series *series);
/*
 * Adds an interval between switches, a context_switch with the counters of its group;
 * in_interrupt: it is charged to an interrupt.  False: out of memory.
 */
bool series_add(struct series *series, const struct record *record, bool in_interrupt);
/* series_samples.c: add a sample, and a time on a CPU.  False: out of memory. */
bool series_add_sample(struct series *series, const struct sample_row *row);
bool series_add_on_cpu(struct series *series, const struct switch_record_row *row);

static inline int64_t series_start(const struct series *series, size_t interval)
{
	return series->from_ns + (int64_t)interval * series->interval_ns;
}

/*
 * Replaces the books in the totals by those of an interval, and their list of threads by
 * those that have some.  False: out of memory, or rows that do not fit.
 */
bool series_load(struct series *series, size_t interval, struct totals *totals);

/* --- between the files of this header --- */

/* Returns the interval of a time, made if needed; NULL: none (*done), out of memory. */
struct series_interval *series_make_interval(struct series *series, int64_t ts_ns,
					     size_t *number, bool *done);
/* Returns zeroed memory; NULL: out of memory, or over SERIES_BYTES_MAX. */
void *series_allocate(struct series *series, size_t size);
/* Drops the books in memory. */
void series_clear(struct series *series);
/*
 * Return the book of the row's thread and group, or its part in a control group; that of
 * a CPU; that of a status.  Made if needed; NULL: out of memory.
 */
struct series_thread *series_make_thread(struct series *series, size_t number,
					 const struct context_switch_row *row,
					 int64_t cgroup_id, size_t slots);
struct series_cpu *series_cpu_at(struct series *series, size_t number,
				 const struct context_switch_row *row, size_t slots);
struct series_status *series_make_status(struct series *series, size_t number,
					 const struct context_switch_row *row,
					 size_t slots);

/* As series_make_interval(), mostly without a search. */
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

/* Adds to the samples, or times, of the same owner; false: out of memory. */
bool series_add_samples(struct series *series, const struct series_samples *at);
/* Adds a thread to the list of an interval. */
void series_list_thread(struct totals *totals, struct totals_thread *thread);
/* Replaces samples and times of the tally by those of an interval. */
bool series_load_samples(const struct series_interval *interval, struct totals *totals,
			 bool by_cpu);

#endif
