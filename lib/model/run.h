/*
 * run.h - a run: switch samples that follow one another, in columns.  They are of one
 * stream, or of several whose switches alternate.
 *
 * Nearly all records of a large trace are such samples, with nothing between two of them.
 * Checks that all records need are made once for a run, and attribution charges its
 * switches in one loop (attribution/chain_run.c).  Everything else comes as records; so
 * does each switch of a run that is not charged (run_to_event()).
 */
#ifndef PERFTAB_RUN_H
#define PERFTAB_RUN_H

#include "model/record.h"

/*
 * Maximum of switches of a run: with their records of some 230 bytes they fit the
 * first-level cache of a CPU.
 */
#define RUN_SWITCHES_MAX BUFFER_SIZE(128, 8)
/* Maximum of values, including those before the first switch. */
#define RUN_VALUES_MAX BUFFER_SIZE(1024, 128)

/* Place 0 of a column belongs to the switch before the run: attribution sets it. */
#define RUN_PLACES (RUN_SWITCHES_MAX + 1)

/* Maximum of streams of a run: with more, it has too few switches of each. */
#define RUN_STREAMS_MAX BUFFER_SIZE(32, 4)

struct thread; /* attribution/identity.h */

struct run {
	/* Stream, group, CPU, number of counters; the rest is in the columns. */
	struct switch_event common;
	size_t count;	     /* at places 1 to count */
	int64_t exit_states; /* bits of prev_state: prev will never run again */
	bool has_enabled, has_running, has_lost, has_details; /* else no such column */

	/*
	 * Several streams, each with every switch of a CPU of its own; 0: one stream, of
	 * `common`.  Such a run has no sample ids, names, exits or times of counting. Its
	 * last stream_count places are free: place count + 1 + s is of the switch before
	 * the run in stream s, and attribution sets it.
	 */
	size_t stream_count;
	struct run_stream {
		int64_t stream, cpu;
	} streams[RUN_STREAMS_MAX];
	uint8_t stream_at[RUN_PLACES]; /* of `streams` */
	uint8_t before[RUN_PLACES];    /* the place of the stream's switch before it */

	/* Record n is at first + (n - 1) * bytes, and its offset likewise. */
	const uint8_t *first;
	size_t bytes;
	uint64_t offset;		   /* in the input, for findings */
	bool has_offsets;		   /* but each record has one of its own */
	size_t prev_comm_at, next_comm_at; /* in a record; 0: it has no names */

	/* No time, and neither enabled nor running, is negative. */
	int64_t ts_ns[RUN_PLACES];
	int32_t prev_tid[RUN_PLACES];
	int32_t next_tid[RUN_PLACES];
	int64_t prev_state[RUN_PLACES];
	struct run_sample {
		int32_t pid, tid; /* as recorded */
	} sample[RUN_PLACES];
	int64_t enabled_ns[RUN_PLACES];
	int64_t running_ns[RUN_PLACES];
	int64_t leader_lost[RUN_PLACES];
	int64_t detail_id[RUN_PLACES];
	uint64_t offsets[RUN_PLACES];
	uint64_t values[RUN_VALUES_MAX]; /* those of one place, then of the next */

	/* From attribution: whether the switch may be charged, and then what it is. */
	bool is_next[RUN_PLACES]; /* of the one before it */
	struct thread *prev_thread[RUN_PLACES];
	int64_t prev_thread_id[RUN_PLACES];
	int64_t next_thread_id[RUN_PLACES];
	int64_t on_cpu_ns[RUN_PLACES];
	int64_t ran_ns[RUN_PLACES];	/* with has_running */
	int64_t deltas[RUN_VALUES_MAX]; /* as the values */
};

static inline struct str run_prev_comm(const struct run *run, size_t at)
{
	struct str comm = run->common.prev_comm;

	if (run->prev_comm_at)
		comm.ptr = (const char *)run->first + (at - 1) * run->bytes +
			   run->prev_comm_at;
	return comm;
}

static inline struct str run_next_comm(const struct run *run, size_t at)
{
	struct str comm = run->common.next_comm;

	if (run->next_comm_at)
		comm.ptr = (const char *)run->first + (at - 1) * run->bytes +
			   run->next_comm_at;
	return comm;
}

static inline uint64_t run_offset(const struct run *run, size_t at)
{
	return run->has_offsets ? run->offsets[at] : run->offset + (at - 1) * run->bytes;
}

static inline int64_t run_cpu(const struct run *run, size_t at)
{
	return run->stream_count ? run->streams[run->stream_at[at]].cpu : run->common.cpu;
}

/* One switch of the run as an event of its own. */
void run_to_event(const struct run *run, size_t at, struct switch_event *event);
/* One that is charged, as a row without an id. */
static inline struct context_switch_row run_to_row(const struct run *run, size_t at,
						   int64_t group_id)
{
	return (struct context_switch_row){
		.ts_ns = run->ts_ns[at],
		.cpu = run_cpu(run, at),
		.group_id = group_id,
		.prev_thread_id = run->prev_thread_id[at],
		.next_thread_id = run->next_thread_id[at],
		.prev_state = run->prev_state[at],
		.status = CHARGE_CHARGED,
		.on_cpu_ns = run->on_cpu_ns[at],
		.running_ns = run->has_running ? run->ran_ns[at] : INT_NONE,
		.detail_id = run->has_details ? run->detail_id[at] : INT_NONE,
	};
}

/* Rows of context_switch: the charged switches of a run at places [from, to). */
struct run_rows {
	const struct run *run;
	size_t from, to;
	int64_t first_id; /* of the first one; the others follow */
	int64_t group_id;
};

static inline struct context_switch_row run_rows_get(const struct run_rows *rows,
						     size_t at)
{
	struct context_switch_row row = run_to_row(rows->run, at, rows->group_id);

	row.switch_id = rows->first_id + (int64_t)(at - rows->from);
	return row;
}

#endif
