/*
 * tally.h - collects samples, times and counts of perf stat from table rows.
 *
 * Part of the totals.  Samples of counters that a group reads at switches belong to its
 * bill and are left out.
 */
#ifndef PERFTAB_REPORT_TALLY_H
#define PERFTAB_REPORT_TALLY_H

#include "base/arena.h"
#include "base/map.h"
#include "model/record.h"

struct totals;
struct totals_thread;

/* The last count of an event on one CPU or thread; counts rise from round to round. */
struct tally_stat {
	struct stat_row row;
	struct tally_stat *next;
};

struct tally_event {
	struct counter_row row; /* in a trace it comes after its records */
	bool is_declared;	/* `row` has come */
	bool in_group;		/* its samples and losses belong to the bill */
	bool is_sampled;	/* the trace has samples of it, and so a column */
	bool has_periods;	/* some samples have periods */
	size_t column;		/* if is_sampled: index of its column */
	int64_t lost_samples;
	struct map stat_by_place;
	struct tally_stat *stats, **stats_tail;
	struct tally_event *next;
};

/* Samples of an event, of one thread or on one CPU. */
struct tally_samples {
	struct tally_event *event;
	struct totals_thread *thread; /* NULL: not known, or by CPU */
	int64_t cpu;		      /* by CPU; INT_NONE: not known */
	int64_t cgroup_id;	      /* by control group; else 0 */
	int64_t samples, events;
	/* By thread: the part in known control groups. */
	int64_t part_samples, part_events;
	struct tally_samples *next;
};

struct tally_on_cpu {
	struct on_cpu_summary_row row;
	struct totals_thread *thread;
	struct tally_on_cpu *next;
};

struct tally {
	struct arena arena;
	int64_t from_ns, to_ns; /* losses of other times are left out */
	const bool *cpus;	/* losses of other CPUs are left out; NULL: of none */
	size_t cpu_count;
	/* Losses of the window, as findings count them; only if has_loss_times. */
	int64_t window_lost_events, window_lost_samples;
	bool has_loss_times;
	struct tally_event *events, **events_tail; /* settled: by counter_id */
	size_t event_count;
	struct map event_by_id;
	struct tally_samples *by_thread, **by_thread_tail;
	struct tally_samples *by_cpu, **by_cpu_tail;
	struct tally_samples *by_cgroup, **by_cgroup_tail; /* and by thread */
	struct map sample_by_place; /* thread and event -> that of by_thread */
	struct tally_on_cpu *on_cpu, **on_cpu_tail;
	size_t column_count;  /* events that were sampled, in the window or not */
	int64_t lost_samples; /* by LOST_SAMPLES records */
	int64_t lost_records; /* records of any kind, by LOST records */
	size_t stat_count;    /* places where perf stat counted */
	int64_t stat_rounds;
	int64_t stat_ns; /* time of the last round since the start, INT_NONE: unknown */
};

void tally_begin(struct tally *tally);
void tally_end(struct tally *tally);
/* Handles a row of any kind; false: it does not fit the others, or out of memory. */
bool tally_on_row(struct totals *totals, const struct record *record);
/* Forgets samples and times, but not events, before those of an interval are set. */
void tally_clear(struct tally *tally);
/*
 * When the trace is complete: sorts the events, and gives those that were sampled their
 * columns.  False: out of memory.
 */
bool tally_settle(struct tally *tally);

#endif
