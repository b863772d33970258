/*
 * chain_steps.h - the steps that chain.c and chain_read.c share; for them alone.
 */
#ifndef PERFTAB_CHAIN_STEPS_H
#define PERFTAB_CHAIN_STEPS_H

#include "attribution/chain.h"

/* Both times are needed to check whether the group was always counting. */
static inline bool chain_has_times(const struct switch_event *event)
{
	return event->enabled_ns != INT_NONE && event->running_ns != INT_NONE;
}

/*
 * Whether the leader of a thread's own group has counted only this switch (or none, if
 * the thread has ended).  Then the other counters counted from zero.
 */
static inline bool chain_counts_from_zero(const struct switch_event *event)
{
	return event->per_task && event->count &&
	       event->values[0] == (event->is_final || event->is_read ? 0 : 1);
}

/* The state of a CPU and of a stream, made when first met; NULL: there can be none. */
struct cpu_state *chain_cpu(struct chains *chains, int64_t number);
struct stream *chain_stream(struct chains *chains, const struct switch_event *event,
			    int64_t prev);

/*
 * The stream, or a new one if the thread began after all that the stream has seen: its
 * tid was reused, and its first samples are missing.  NULL: there can be none.
 */
struct stream *chain_renew(struct chains *chains, struct stream *stream,
			   const struct switch_event *event, int64_t tid,
			   const struct thread *thread);

/* chain.c: the CPU moves on to this switch; prev is the thread switched out. */
void chain_next_switch(struct identity *identity, struct cpu_state *cpu,
		       const struct switch_event *event, int64_t prev);

void chain_begin_stream(struct stream *stream, const struct switch_event *event,
			int64_t group_id, struct thread *thread, int64_t prev);
/* The first values of a stream: a baseline, or what it counted since it was at zero. */
void chain_start_stream(struct stream *stream, const struct switch_event *event);
/* Deltas of all counters, whose values become the last ones; true when one went down. */
bool chain_subtract(struct chains *chains, struct stream *stream,
		    const struct switch_event *event);
bool chain_was_multiplexed(const struct stream *stream, const struct switch_event *event);
/* What SWITCH records alone prove; `otherwise` if they do not. */
enum charge_status chain_witness_status(const struct cpu_state *cpu,
					enum charge_status otherwise);
enum charge_status chain_judge_kept(const struct cpu_state *cpu, int64_t tid);
/* 0 where it is not known. */
int64_t chain_elapsed(int64_t from, int64_t to);
/* The finding that goes with a status. */
void chain_report_status(struct findings *findings, enum charge_status status,
			 uint64_t offset);
/* chain_edge.c: the interval between an edge and a switch. */
enum charge_status chain_judge_after_edge(const struct stream *stream,
					  const struct switch_event *event, int64_t prev);
/* The thread that was on the CPU against the one that a read finds there. */
enum charge_status chain_judge_tids(int64_t before, int64_t tid);
/* A switch, or a read, ends a segment; a read in chains->interrupt's. */
enum charge_status chain_end_edges(struct chains *chains, struct stream *stream,
				   const struct switch_event *event,
				   enum charge_status status);
enum charge_status chain_read_edges(struct chains *chains, struct stream *stream,
				    const struct switch_event *event,
				    enum charge_status status);
/* A read of values from before the last edge: perf's reads are written later. */
bool chain_is_stale_read(const struct stream *stream, const struct switch_event *event);
/* The stream is where this event left it. */
void chain_remember(const struct chains *chains, struct stream *stream,
		    const struct cpu_state *cpu, const struct switch_event *event);

/* chain_run.c, for chain_sums.c. */
/* The stream and its CPU are where place 0 of the run left them, and no more is known. */
bool chain_is_at_run(const struct chains *chains, const struct run *run);
/*
 * They move to the last switch of the run, the count'th that was charged; `thread` was
 * switched out by it.  Sets its threads.
 */
void chain_end_run(struct chains *chains, struct identity *identity, struct run *run,
		   size_t count, struct thread *thread);

/* The row of a read, but for its threads; before chain_remember(). */
struct context_switch_row chain_read_row(const struct stream *stream,
					 const struct switch_event *event,
					 int64_t group_id, enum charge_status status,
					 int64_t on_cpu_ns);

#endif
