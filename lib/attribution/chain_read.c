/*
 * chain_read.c - what a read proves: the counters of a CPU while a thread keeps it.
 *
 * A recorder reads every group when it is armed, when it stops, and in between while one
 * thread keeps a CPU.  Such a read ends an interval as a switch does, but the leader has
 * counted nothing since, and the thread that is found there was there already.
 */
#include "attribution/chain.h"
#include "attribution/chain_steps.h"
#include "base/wrap.h"

/*
 * Who is on the CPU, as the machine numbers it: the last one that is known to have come
 * where the read itself does not say; INT_NONE: none is known.  In another PID namespace
 * than the machine's the read can only confirm who was let in.
 */
static int64_t seen_tid(const struct identity *identity, const struct cpu_state *cpu,
			const struct switch_event *event)
{
	bool is_known = event->sample_tid >= 0;

	if (is_known && !identity->spaces_differ)
		return event->sample_tid;
	return cpu->in.tid != INT_NONE ? cpu->in.tid : chain_last_let_in(cpu);
}

/* The CPU goes on from here; what came before is kept for the other groups' reads. */
static void begin_read(const struct identity *identity, struct cpu_state *cpu,
		       const struct switch_event *event, int64_t tid,
		       struct thread *thread)
{
	bool is_one_space = identity_is_one_space(identity);
	int64_t own = event->sample_tid >= 0 ? event->sample_tid
		      : is_one_space	     ? tid
					     : INT_NONE;

	if (cpu->read_ns == event->ts_ns) /* of another group */
		return;
	cpu->before_next = chain_last_let_in(cpu);
	cpu->before_in = cpu->in;
	cpu->before_read = cpu->next;
	cpu->before_witness = own == INT_NONE
				      ? WITNESS_SILENT
				      : witness_end(&cpu->witness, own, is_one_space);
	witness_begin_with(&cpu->witness, own);
	cpu->in.ns = cpu->in.tid = cpu->next_hint = INT_NONE;
	cpu->any = true;
	cpu->last_ns = cpu->read_ns = event->ts_ns;
	cpu->read_tid = event->sample_tid;
	cpu->last_next = tid;
	cpu->last_next_known = tid != INT_NONE;
	cpu->next = thread;
}

static enum charge_status judge_who(const struct cpu_state *cpu, int64_t tid)
{
	int64_t let_in = cpu->before_next;

	if (tid == INT_NONE)
		return CHARGE_NO_THREAD;
	if (let_in == INT_NONE)
		return chain_judge_kept(cpu, tid);
	if (let_in == tid)
		return CHARGE_CHARGED;
	return let_in == 0 || tid == 0 ? CHARGE_WITH_IDLE : CHARGE_CHAIN;
}

/*
 * Which tasks are in a control group is not recorded: the thread on the CPU is, if the
 * group counted all the time.  Less is what a task did after its last switch.
 */
static bool counted_throughout(const struct stream *stream,
			       const struct switch_event *event)
{
	int64_t elapsed = chain_elapsed(stream->ts_ns, event->ts_ns);
	int64_t counted = chain_elapsed(stream->running_ns, event->running_ns);

	return event->running_ns == INT_NONE || elapsed - counted <= elapsed / 100;
}

static enum charge_status judge_read(const struct chains *chains,
				     const struct cpu_state *cpu,
				     const struct stream *stream,
				     const struct switch_event *event, int64_t tid,
				     bool decreased)
{
	enum charge_status losses = chain_judge_losses(chains, cpu, stream, event);
	bool multiplexed = chain_was_multiplexed(stream, event);
	bool has_switches = event->count && chains->deltas[0] != 0;
	bool after_edge = stream->edges && stream->edges->is_last;

	if (event->per_task)
		return decreased ? CHARGE_DECREASE : CHARGE_CHARGED;
	if (losses != CHARGE_CHARGED)
		return losses;
	if (stream->after_unread)
		return CHARGE_AFTER_UNREAD;
	if (decreased)
		return CHARGE_DECREASE;
	if (event->per_cgroup && !(multiplexed && !cpu->never_multiplexed))
		return has_switches ? CHARGE_LEADER
		       : tid == INT_NONE || !counted_throughout(stream, event)
			       ? CHARGE_NO_THREAD
			       : CHARGE_CHARGED;
	if (has_switches &&
	    (after_edge || charge_is_unproven(chain_witness_status(cpu, CHARGE_LEADER))))
		return CHARGE_LEADER;
	if (stream->switches != cpu->switches || (multiplexed && !cpu->never_multiplexed))
		return CHARGE_MULTIPLEXED;
	if (event->ts_ns < stream->ts_ns)
		return CHARGE_CHAIN;
	if (after_edge)
		return chain_judge_tids(stream->edges->tid, tid);
	if (cpu->before_witness == WITNESS_OTHERS)
		return CHARGE_CHAIN;
	return has_switches ? chain_witness_status(cpu, CHARGE_LEADER)
			    : judge_who(cpu, tid);
}

/* Since the stream's last values; shared with idle: since the thread came, if known. */
static int64_t time_on_cpu(const struct cpu_state *cpu, const struct stream *stream,
			   const struct switch_event *event, int64_t tid,
			   enum charge_status status)
{
	if (status == CHARGE_BASELINE)
		return 0;
	if (event->per_cgroup && event->running_ns != INT_NONE)
		return chain_elapsed(stream->running_ns, event->running_ns);
	if (event->per_task && event->running_ns != INT_NONE &&
	    !charge_is_unproven(status))
		return chain_elapsed(stream->running_ns, event->running_ns);
	if (status == CHARGE_WITH_IDLE)
		return tid != 0 && cpu->before_in.tid == tid
			       ? chain_elapsed(cpu->before_in.ns, event->ts_ns)
			       : 0;
	return chain_elapsed(stream->ts_ns, event->ts_ns);
}

static enum charge_status end_interval(struct chains *chains, const struct cpu_state *cpu,
				       struct stream *stream,
				       const struct switch_event *event, int64_t tid)
{
	bool from_zero = false, decreased;

	chains->values = stream->last;
	if (!stream->started) {
		chain_start_stream(stream, event);
		from_zero = stream->enabled_ns == 0;
	}
	decreased = chain_subtract(chains, stream, event);
	if (!stream->started)
		return chain_read_edges(chains, stream, event,
					from_zero ? CHARGE_CHARGED : CHARGE_BASELINE);
	return chain_read_edges(chains, stream, event,
				judge_read(chains, cpu, stream, event, tid, decreased));
}

bool chain_read(struct chains *chains, struct identity *identity,
		struct findings *findings, const struct switch_event *event,
		uint64_t offset, int64_t group_id, struct context_switch_row *row)
{
	struct cpu_state *cpu = chain_cpu(chains, event->cpu);
	struct stream *stream =
		cpu ? chain_stream(chains, event, event->sample_tid) : NULL;
	struct thread *thread, *charged;
	enum charge_status status;
	int64_t tid;

	if (!stream || stream->slots != event->count ||
	    (stream->started && !event->per_task && event->cpu != stream->cpu)) {
		finding_add(findings, cpu ? FINDING_GROUP_READ : FINDING_BAD_CPU, offset,
			    1);
		return false;
	}
	chains->ended = false;
	if (chain_is_stale_read(stream, event))
		return false;
	tid = seen_tid(identity, cpu, event);
	thread = chain_thread_there(identity, cpu, event, tid);
	begin_read(identity, cpu, event, tid, thread);
	stream = chain_renew(chains, stream, event, event->sample_tid, thread);
	if (!stream) {
		finding_add(findings, FINDING_GROUP_READ, offset, 1);
		return false;
	}
	cpu->never_multiplexed |= event->never_rotated && !event->per_task;
	status = end_interval(chains, cpu, stream, event, tid);
	if (!stream->started)
		chain_begin_stream(stream, event, group_id, thread, event->sample_tid);
	/* In an interval shared with idle: the thread that is not idle. */
	charged = status == CHARGE_WITH_IDLE && tid == 0 ? cpu->before_read : thread;
	if (!charged && status != CHARGE_BASELINE && !charge_is_unproven(status))
		status = CHARGE_NO_THREAD;
	if (status != CHARGE_CHARGED)
		chains->interrupt = NULL;
	if (status != CHARGE_BASELINE)
		chain_report_status(findings, status, offset);
	chains->idle = charged && charged->is_idle;
	*row = chain_read_row(stream, event, group_id, status,
			      time_on_cpu(cpu, stream, event, tid, status));
	row->prev_thread_id = charged ? charged->thread_id : INT_NONE;
	row->next_thread_id = thread ? thread->thread_id : INT_NONE;
	chain_remember(chains, stream, cpu, event);
	return true;
}
