/*
 * chain_steps.h - the steps that the files chain*.c share; for them alone.
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
 * Returns whether the leader of a thread's own group has counted only this switch (or
 * none, if the thread has ended).  Then the other counters counted from zero.
 */
static inline bool chain_counts_from_zero(const struct switch_event *event)
{
	return event->per_task && event->count &&
	       event->values[0] == (event->is_final || event->is_read ? 0 : 1);
}

/* Returns whether what was counted after the stream's last values is unknown. */
static inline bool chain_is_unfinished(const struct stream *stream)
{
	return stream->started && !stream->is_over && !stream->after_read;
}

/* Returns the thread that the CPU's last switch or read left on it; INT_NONE: unknown. */
static inline int64_t chain_last_let_in(const struct cpu_state *cpu)
{
	int64_t let_in = cpu->last_next_known ? cpu->last_next : cpu->next_hint;

	return cpu->any ? let_in : INT_NONE;
}

/* Return the state of a CPU or stream, made when first met; NULL: none is possible. */
struct cpu_state *chain_cpu(struct chains *chains, int64_t number);
struct stream *chain_stream(struct chains *chains, const struct switch_event *event,
			    int64_t prev);

/*
 * Returns the stream, or a new one if the thread began after all samples of the stream:
 * its tid was reused, and its first samples are missing.  NULL: none is possible.
 */
struct stream *chain_renew(struct chains *chains, struct stream *stream,
			   const struct switch_event *event, int64_t tid,
			   const struct thread *thread);

/* Returns who is on the CPU at a read or an edge of an interrupt; NULL: not known. */
struct thread *chain_thread_there(struct identity *identity, const struct cpu_state *cpu,
				  const struct switch_event *event, int64_t tid);

/* chain.c: updates the CPU for this switch; prev is the tid that was switched out. */
void chain_next_switch(struct identity *identity, struct cpu_state *cpu,
		       const struct switch_event *event, int64_t prev);

void chain_begin_stream(struct stream *stream, const struct switch_event *event,
			int64_t group_id, struct thread *thread, int64_t prev);
/* Sets the first values of a stream: these (a baseline), or zeros if it began at zero. */
void chain_start_stream(struct stream *stream, const struct switch_event *event);
/* Computes the deltas of all counters; true: one went down. */
bool chain_subtract(struct chains *chains, struct stream *stream,
		    const struct switch_event *event);
bool chain_was_multiplexed(const struct stream *stream, const struct switch_event *event);
/* Returns LOST or THROTTLE if one came since the stream's last values; else CHARGED. */
enum charge_status chain_judge_losses(const struct chains *chains,
				      const struct cpu_state *cpu,
				      const struct stream *stream,
				      const struct switch_event *event);
/* Returns the status that SWITCH records alone prove; `otherwise` if they do not. */
enum charge_status chain_witness_status(const struct cpu_state *cpu,
					enum charge_status otherwise);
enum charge_status chain_judge_kept(const struct cpu_state *cpu, int64_t tid);
/* Returns to - from; 0: unknown. */
int64_t chain_elapsed(int64_t from, int64_t to);
/* Adds the finding of a status. */
void chain_report_status(struct findings *findings, enum charge_status status,
			 uint64_t offset);
/* chain_edge.c: judges the interval between an edge and a switch. */
enum charge_status chain_judge_after_edge(const struct stream *stream,
					  const struct switch_event *event, int64_t prev);
/* Compares the thread that was on the CPU with the one that a read finds there. */
enum charge_status chain_judge_tids(int64_t before, int64_t tid);
/* End a segment with a switch or a read; a read sets chains->interrupt. */
enum charge_status chain_end_edges(struct chains *chains, struct stream *stream,
				   const struct switch_event *event,
				   enum charge_status status);
enum charge_status chain_read_edges(struct chains *chains, struct stream *stream,
				    const struct switch_event *event,
				    enum charge_status status);
/* Returns whether a read has values from before the last edge: perf writes reads late. */
bool chain_is_stale_read(const struct stream *stream, const struct switch_event *event);
/* Updates the stream after this event. */
void chain_remember(const struct chains *chains, struct stream *stream,
		    const struct cpu_state *cpu, const struct switch_event *event);

/* chain_run.c, for chain_sums.c. */
/* Returns whether stream and CPU are as place 0 of the run left them. */
bool chain_is_at_run(const struct chains *chains, const struct run *run);
/*
 * Moves both to the last switch of the run, the count'th that was charged, which switched
 * out `thread`.
 */
void chain_end_run(struct chains *chains, struct identity *identity, struct run *run,
		   size_t count, struct thread *thread);

/* Returns the row of a read without its threads; call it before chain_remember(). */
struct context_switch_row chain_read_row(const struct stream *stream,
					 const struct switch_event *event,
					 int64_t group_id, enum charge_status status,
					 int64_t on_cpu_ns);

#endif
