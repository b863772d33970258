/* chain.c - judges intervals between switch samples; chain_switch() calls the steps. */
#include "attribution/chain.h"
#include "attribution/chain_steps.h"
#include "attribution/outside.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/wrap.h"

void chains_begin(struct chains *chains)
{
	chains->cpus = NULL;
	chains->streams = NULL;
	chains->cpu_count = chains->stream_count = chains->task_stream_count = 0;
	chains->task_streams = (struct map){ NULL, 0, 0 };
	chains->arena.blocks = NULL;
	chains->all_losses = chains->all_throttles = 0;
	chains->interrupt = NULL;
	chains->ended = false;
	chains->unfinished = 0;
	chains->out_of_memory = false;
}

void chains_end(struct chains *chains)
{
	free(chains->cpus);
	free(chains->streams);
	map_release(&chains->task_streams);
	arena_release(&chains->arena);
	interrupt_kinds_forget(&chains->interrupts);
	chains_begin(chains);
}

/* --- records between switches --- */

void chain_switch_in(struct chains *chains, const struct switch_in_event *event)
{
	struct cpu_state *cpu = chain_cpu(chains, event->cpu);

	/* A recorder's own read may stand before records that are older. */
	if (!cpu || (cpu->read_ns != INT_NONE && event->ts_ns < cpu->read_ns))
		return;
	witness_add(&cpu->witness, event);
	if (event->in) {
		cpu->in =
			(struct switched_in){ event->ts_ns, event->tid, event->next_tid };
	} else if (cpu->next_hint == INT_NONE) {
		cpu->next_hint = event->next_tid;
	}
}

bool chain_is_idle(const struct chains *chains, int64_t number)
{
	const struct cpu_state *cpu =
		(uint64_t)number < chains->cpu_count ? chains->cpus[number] : NULL;

	return cpu && cpu->any && cpu->last_next_known && cpu->last_next == 0;
}

void chain_exit(struct chains *chains, const struct task_exit_event *event)
{
	struct cpu_state *cpu = chain_cpu(chains, event->cpu);

	if (cpu)
		cpu->exit_tid = event->tid;
}

/* Counts for one CPU, or for every CPU if it is unknown. */
void chain_loss(struct chains *chains, const struct loss_event *event)
{
	struct cpu_state *cpu = chain_cpu(chains, event->cpu);

	if (cpu)
		cpu->losses++;
	else if (event->cpu == INT_NONE)
		chains->all_losses++;
}

void chain_throttled(struct chains *chains, const struct throttled_event *event)
{
	struct cpu_state *cpu = chain_cpu(chains, event->cpu);

	if (cpu)
		cpu->throttles++;
	else if (event->cpu == INT_NONE)
		chains->all_throttles++;
}

/* --- the thread switched out --- */

static void note_recorder(struct identity *identity, struct thread *thread, int64_t tid,
			  int64_t pid)
{
	struct thread_more *more = identity_more(identity, thread);

	if (!more)
		return;
	more->recorder_tid = tid;
	more->recorder_pid = pid;
}

static void note_exit(struct identity *identity, struct thread *thread, int64_t ts_ns)
{
	struct thread_history *history = identity_history(identity, thread);

	if (!history)
		return;
	thread->is_gone = true;
	history->gone_ns = ts_ns;
	if (history->end_ns == INT_NONE)
		history->end_ns = ts_ns;
}

static struct thread *raw_thread(struct chains *chains, struct identity *identity,
				 struct findings *findings, struct cpu_state *cpu,
				 const struct switch_event *event, uint64_t offset)
{
	int64_t own = event->sample_tid;
	struct thread *thread;

	identity->machine_names_idle = true;
	if (own == -1)
		finding_add(findings, FINDING_EXITED_TID, offset, 1);
	else if (own != INT_NONE && own != event->prev_tid) {
		finding_add(findings, FINDING_NAMESPACE, offset, 1);
		if (!identity->spaces_differ) {
			identity_split_spaces(identity);
			for (size_t i = 0; i < chains->cpu_count; i++)
				if (chains->cpus[i])
					chains->cpus[i]->next = NULL;
		}
	}
	if (event->prev_tid == 0)
		return identity_idle(identity, event->cpu);
	if (cpu->any && cpu->next && cpu->last_next == event->prev_tid)
		thread = cpu->next;
	else
		thread = identity_machine_thread(identity, event->prev_tid, event->ts_ns);
	if (!thread)
		return NULL;
	if (own == event->prev_tid) {
		thread->verified = true;
		if (!thread->process)
			identity_learn_process(identity, thread, event->sample_pid,
					       event->ts_ns);
	} else if (own > 0) {
		note_recorder(identity, thread, own, event->sample_pid);
	}
	if (event->prev_exited)
		note_exit(identity, thread, event->ts_ns);
	identity_learn_comm(identity, thread, event->prev_comm);
	return thread;
}

/*
 * Without a tracepoint an exiting thread (tid -1) is identified by its other records.
 */
static int64_t plain_tid(const struct cpu_state *cpu, const struct switch_event *event)
{
	if (event->sample_tid != -1 && event->sample_tid != INT_NONE)
		return event->sample_tid;
	if (cpu->exit_tid != INT_NONE)
		return cpu->exit_tid;
	return cpu->in.tid != INT_NONE ? cpu->in.tid : cpu->next_hint;
}

static struct thread *plain_thread(struct identity *identity, struct findings *findings,
				   const struct switch_event *event, int64_t tid,
				   uint64_t offset)
{
	struct thread *thread;

	if (event->sample_tid == -1 && tid != INT_NONE)
		finding_add(findings, FINDING_EXITED_TID, offset, 1);
	if (tid == 0)
		return outside_or_idle(identity, event->cpu);
	if (tid == INT_NONE || tid < 0)
		return NULL;
	thread = identity_thread(identity, tid, event->ts_ns);
	if (thread && tid == event->sample_tid)
		identity_learn_process(identity, thread, event->sample_pid, event->ts_ns);
	return thread;
}

/* --- the CPU moves on to this switch --- */

/* Whether another stream has already sampled this very switch. */
static bool is_seen_again(const struct cpu_state *cpu, const struct stream *stream,
			  const struct switch_event *event, int64_t prev)
{
	const struct last_switch last = { cpu->last_ns, cpu->last_prev, cpu->last_next };
	const struct last_switch seen = { event->ts_ns, prev, event->next_tid };

	return cpu->any && stream->switches != cpu->switches &&
	       switch_is_same(&last, &seen);
}

/* Sets the verdict of SWITCH records on the ended interval, and begins the next one. */
static void ask_witness(const struct identity *identity, struct cpu_state *cpu,
			const struct switch_event *event, int64_t prev)
{
	bool is_one_space = identity_is_one_space(identity);
	bool is_prev_own = event->prev_tid == INT_NONE || is_one_space;
	int64_t own = event->sample_tid < 0 && is_prev_own ? prev : event->sample_tid;
	/* In another namespace the records do not have the tracepoint's number. */
	int64_t next = is_one_space || event->next_tid == 0 ? event->next_tid : INT_NONE;

	cpu->before_witness = witness_end(&cpu->witness, own, is_one_space);
	witness_begin(&cpu->witness, own, next);
}

void chain_next_switch(struct identity *identity, struct cpu_state *cpu,
		       const struct switch_event *event, int64_t prev)
{
	cpu->before_next = chain_last_let_in(cpu);
	cpu->before_ns = cpu->any ? cpu->last_ns : INT_NONE;
	cpu->before_in = cpu->in;
	cpu->in.ns = cpu->in.tid = cpu->exit_tid = cpu->next_hint = INT_NONE;
	cpu->after_read = cpu->read_ns != INT_NONE;
	cpu->before_read_tid = cpu->read_tid;
	cpu->read_ns = cpu->read_tid = INT_NONE;
	cpu->before_thread = cpu->next;
	ask_witness(identity, cpu, event, prev);
	cpu->any = true;
	cpu->switches++;
	cpu->last_ns = event->ts_ns;
	cpu->last_prev = prev;
	cpu->last_next = event->next_tid;
	cpu->last_next_known = event->next_tid != INT_NONE;
	cpu->next = NULL;
	if (event->next_tid == 0)
		cpu->next = identity_idle(identity, event->cpu);
	else if (event->next_tid != INT_NONE)
		cpu->next =
			identity_machine_thread(identity, event->next_tid, event->ts_ns);
	if (cpu->next &&
	    !thread_name(cpu->next).ptr) /* else its own switch-out names it */
		identity_learn_comm(identity, cpu->next, event->next_comm);
	if (cpu->next && event->next_pid > 0)
		identity_learn_process(identity, cpu->next, event->next_pid,
				       event->ts_ns);
}

/* --- judging the interval --- */

/* Compares the thread switched in last with the one switched out now. */
static enum charge_status compare_threads(const struct cpu_state *cpu,
					  const struct switch_event *event, int64_t prev)
{
	bool raw = event->prev_tid != INT_NONE;
	int64_t let_in = cpu->before_next;

	if (let_in == INT_NONE && cpu->after_read)
		return chain_judge_kept(cpu, prev);
	if (let_in == INT_NONE && !raw)
		let_in = cpu->before_in.tid;
	/* Without RAW data and SWITCH records the leader's count is the only evidence. */
	if (let_in == INT_NONE)
		return raw ? CHARGE_CHAIN : CHARGE_CHARGED;
	if (let_in == prev ||
	    (cpu->before_read_tid > 0 && cpu->before_read_tid == event->sample_tid))
		return CHARGE_CHARGED;
	return let_in == 0 && !event->every_switch ? CHARGE_WITH_IDLE : CHARGE_CHAIN;
}

/*
 * SWITCH records are a witness beside the counts: they prove an interval when the leader
 * counted more than the one switch that was sampled, and refute one in which they show
 * another thread.
 */
static enum charge_status judge_chain(const struct cpu_state *cpu,
				      const struct switch_event *event, int64_t prev,
				      bool is_counted)
{
	enum charge_status status = is_counted ? compare_threads(cpu, event, prev)
					       : chain_witness_status(cpu, CHARGE_LEADER);

	if (!charge_is_unproven(status) && cpu->before_witness == WITNESS_OTHERS)
		return CHARGE_CHAIN;
	if (status == CHARGE_CHAIN && cpu->before_next == INT_NONE &&
	    event->prev_tid != INT_NONE)
		return chain_witness_status(cpu, CHARGE_CHAIN);
	return status;
}

static enum charge_status judge(const struct chains *chains, const struct cpu_state *cpu,
				const struct stream *stream,
				const struct switch_event *event, int64_t prev,
				bool decreased, int64_t leader_delta)
{
	enum charge_status losses = chain_judge_losses(chains, cpu, stream, event);
	bool multiplexed = chain_was_multiplexed(stream, event);
	bool is_counted = !event->count || event->every_switch || leader_delta == 1;
	/* SWITCH records are followed from switch to switch, not from an edge. */
	bool after_edge = stream->edges && stream->edges->is_last;

	/* The group follows one thread: all its counts are that thread's. */
	if (event->per_task)
		return decreased ? CHARGE_DECREASE : CHARGE_CHARGED;
	if (losses != CHARGE_CHARGED)
		return losses;
	if (event->suspect)
		return CHARGE_SUSPECT;
	if (stream->after_unread)
		return CHARGE_AFTER_UNREAD;
	if (decreased)
		return CHARGE_DECREASE;
	/* Others may run in between, but then nothing counts. */
	if (event->per_cgroup && !(multiplexed && !cpu->never_multiplexed))
		return is_counted ? CHARGE_CHARGED : CHARGE_LEADER;
	if (!is_counted &&
	    (after_edge || charge_is_unproven(chain_witness_status(cpu, CHARGE_LEADER))))
		return CHARGE_LEADER;
	if (stream->switches + 1 !=
	    cpu->switches) /* other streams saw switches in between */
		return multiplexed || !chain_has_times(event) ? CHARGE_MULTIPLEXED
							      : CHARGE_CHAIN;
	if (multiplexed && !cpu->never_multiplexed) /* no stream could have seen one */
		return CHARGE_MULTIPLEXED;
	if (event->ts_ns < stream->ts_ns)
		return CHARGE_CHAIN;
	if (after_edge)
		return chain_judge_after_edge(stream, event, prev);
	return judge_chain(cpu, event, prev, is_counted);
}

/*
 * A tracepoint or a SWITCH record shows a thread switched in; it is gone, and no switch
 * out of it was recorded.
 */
static void note_leaving(struct chains *chains, struct identity *identity,
			 const struct cpu_state *cpu, const struct switch_event *event,
			 int64_t prev)
{
	struct thread *thread = cpu->before_thread;
	struct thread_more *more;

	if (cpu->before_next <= 0 || cpu->before_next == prev)
		return;
	if (!thread && event->prev_tid == INT_NONE)
		thread = identity_thread(identity, cpu->before_next, cpu->before_ns);
	if (!thread)
		return;
	more = identity_more(identity, thread);
	if (more)
		more->unseen_leaves++;
	chains->unseen_leaves++;
}

static int64_t on_cpu_ns(const struct identity *identity, const struct cpu_state *cpu,
			 const struct stream *stream, const struct switch_event *event,
			 int64_t prev, enum charge_status status)
{
	bool in_known = cpu->before_in.ns != INT_NONE &&
			(cpu->before_in.tid == prev || identity->spaces_differ);

	/* Its time goes on only while its tasks run. */
	if (event->per_cgroup && event->running_ns != INT_NONE)
		return chain_elapsed(stream->running_ns, event->running_ns);
	if (charge_is_unproven(status))
		return chain_elapsed(event->every_switch ? cpu->before_ns : stream->ts_ns,
				     event->ts_ns);
	if (stream->edges && stream->edges->is_last && status != CHARGE_WITH_IDLE)
		return chain_elapsed(stream->ts_ns, event->ts_ns);
	if (event->per_task && !event->on_one_cpu && event->enabled_ns != INT_NONE)
		return chain_elapsed(stream->enabled_ns, event->enabled_ns);
	/*
	 * Counts on one CPU only: time_enabled goes on while the thread is on another.
	 * There it may have ended: it did not keep this one since it last came in.
	 */
	if (event->per_task && event->running_ns != INT_NONE &&
	    (event->is_final || !in_known))
		return chain_elapsed(stream->running_ns, event->running_ns);
	if (in_known)
		return chain_elapsed(cpu->before_in.ns, event->ts_ns);
	if (status == CHARGE_WITH_IDLE || event->per_task)
		return 0;
	return chain_elapsed(cpu->before_ns, event->ts_ns);
}

/* Computes the deltas of the interval and judges it. */
static enum charge_status measure_interval(struct chains *chains,
					   struct findings *findings,
					   const struct cpu_state *cpu,
					   struct stream *stream,
					   const struct switch_event *event, int64_t prev,
					   uint64_t offset)
{
	bool decreased;

	chains->values = stream->last;
	if (event->unread) {
		memset(chains->deltas, 0, stream->slots * sizeof(chains->deltas[0]));
		return CHARGE_UNREAD;
	}
	if (!stream->started)
		chain_start_stream(stream, event);
	decreased = chain_subtract(chains, stream, event);
	if (!stream->started)
		return chain_end_edges(chains, stream, event,
				       chain_counts_from_zero(event) ? CHARGE_CHARGED
								     : CHARGE_BASELINE);
	if (event->ts_ns < stream->ts_ns)
		finding_add(findings, FINDING_TIME_BACK, offset, 1);
	return chain_end_edges(chains, stream, event,
			       judge(chains, cpu, stream, event, prev, decreased,
				     event->count ? chains->deltas[0] : 0));
}

/* The end of a thread that this stream, of another CPU, has already seen switch out. */
static bool is_stale_exit(const struct stream *stream, const struct switch_event *event)
{
	uint64_t news = 0;

	for (size_t i = 0; event->is_final && i < stream->slots; i++)
		news |= event->values[i] ^
			(stream->started ? (uint64_t)stream->last[i] : 0);
	return event->is_final && !news;
}

/*
 * Returns the thread switched out and moves the CPU on; all streams that sample this
 * switch get the same one.
 */
static struct thread *leave_cpu(struct chains *chains, struct identity *identity,
				struct findings *findings, struct cpu_state *cpu,
				const struct stream *stream,
				const struct switch_event *event, int64_t prev,
				uint64_t offset)
{
	if (is_seen_again(cpu, stream, event, prev))
		return cpu->prev;
	struct thread *thread =
		event->prev_tid != INT_NONE
			? raw_thread(chains, identity, findings, cpu, event, offset)
			: plain_thread(identity, findings, event, prev, offset);

	chain_next_switch(identity, cpu, event, prev);
	cpu->prev = thread;
	if (thread)
		thread->has_left = true;
	return thread;
}

/* The row of a switch, but for its group and the thread switched out. */
static struct context_switch_row switch_row(const struct identity *identity,
					    const struct cpu_state *cpu,
					    const struct stream *stream,
					    const struct switch_event *event,
					    int64_t prev, enum charge_status status)
{
	return (struct context_switch_row){
		.ts_ns = event->ts_ns,
		.cpu = event->cpu,
		.next_thread_id = cpu->next ? cpu->next->thread_id : INT_NONE,
		.prev_state = event->prev_state,
		.status = status,
		.on_cpu_ns = status == CHARGE_BASELINE ? 0
						       : on_cpu_ns(identity, cpu, stream,
								   event, prev, status),
		.running_ns = status == CHARGE_BASELINE ||
					      event->running_ns == INT_NONE ||
					      stream->running_ns == INT_NONE
				      ? INT_NONE
				      : wrap_sub(event->running_ns, stream->running_ns),
	};
}

bool chain_switch(struct chains *chains, struct identity *identity,
		  struct findings *findings, const struct switch_event *event,
		  uint64_t offset, int64_t group_id, struct context_switch_row *row)
{
	struct cpu_state *cpu = chain_cpu(chains, event->cpu);
	int64_t prev = event->prev_tid != INT_NONE ? event->prev_tid
		       : cpu			   ? plain_tid(cpu, event)
						   : INT_NONE;
	struct stream *stream = cpu ? chain_stream(chains, event, prev) : NULL;
	enum charge_status status;
	struct thread *thread;

	if (!stream || stream->slots != event->count) {
		finding_add(findings, cpu ? FINDING_GROUP_READ : FINDING_BAD_CPU, offset,
			    1);
		return false;
	}
	/*
	 * An instance of a CPU counts on that CPU only; else its values are not a chain.
	 */
	if (stream->started && !event->per_task && event->cpu != stream->cpu) {
		finding_add(findings, FINDING_GROUP_READ, offset, 1);
		return false;
	}
	if (is_stale_exit(stream, event)) {
		stream->is_over = true;
		return false;
	}
	thread = leave_cpu(chains, identity, findings, cpu, stream, event, prev, offset);
	stream = chain_renew(chains, stream, event, prev, thread);
	if (!stream) {
		finding_add(findings, FINDING_GROUP_READ, offset, 1);
		return false;
	}
	stream->is_over = event->is_final;
	cpu->never_multiplexed |= event->never_rotated && !event->per_task;
	status = measure_interval(chains, findings, cpu, stream, event, prev, offset);
	if (!stream->started && !event->unread)
		chain_begin_stream(stream, event, group_id, thread, prev);
	stream->has_baseline |= status == CHARGE_BASELINE;
	if ((!thread || thread->in_doubt) && status != CHARGE_BASELINE &&
	    !charge_is_unproven(status))
		status = CHARGE_NO_THREAD;
	if ((status == CHARGE_CHAIN ||
	     (status == CHARGE_LEADER && cpu->before_witness == WITNESS_OTHERS)) &&
	    cpu->last_ns == event->ts_ns)
		note_leaving(chains, identity, cpu, event, prev);
	chain_report_status(findings, status, offset);
	chains->idle = thread && thread->is_idle;
	*row = switch_row(identity, cpu, stream, event, prev, status);
	row->group_id = group_id;
	row->prev_thread_id = thread ? thread->thread_id : INT_NONE;
	chain_remember(chains, stream, cpu, event);
	return true;
}
