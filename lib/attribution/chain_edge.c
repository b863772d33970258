/*
 * chain_edge.c - what is proven where interrupts begin and end.
 *
 * There all counters of a group are read, as at a switch.  The segment since its last
 * values is the interrupt's at the top of the stack, or the thread's if there is none.
 * The edges themselves are counters of the group: their deltas show edges that were not
 * recorded.
 */
#include "attribution/chain.h"
#include "attribution/chain_steps.h"
#include "base/wrap.h"

/* Made with the first event of a stream whose group has edges; NULL: it has none. */
static struct stream_edges *edges_of(struct chains *chains, struct stream *stream,
				     const struct switch_event *event)
{
	if (stream->edges || !event->edges || event->per_task)
		return stream->edges;
	stream->edges = arena_alloc(&chains->arena, sizeof(*stream->edges));
	if (stream->edges)
		interrupt_stack_lose(&stream->edges->stack);
	chains->out_of_memory |= !stream->edges;
	return stream->edges;
}

/* Edges in between without a record; `slot` is that of the one at the end. */
static bool has_unseen(const struct chains *chains, const struct switch_event *event,
		       size_t slot)
{
	const struct edge_slots *edges = event->edges;

	for (size_t i = 0; edges && i < edges->count; i++)
		if (edges->slots[i] < event->count &&
		    chains->deltas[edges->slots[i]] != (edges->slots[i] == slot))
			return true;
	return false;
}

/* --- who is on the CPU --- */

/* At the stream's last values, in the machine's numbers; INT_NONE: not known. */
static int64_t last_tid(const struct cpu_state *cpu, const struct stream *stream)
{
	return stream->edges->is_last ? stream->edges->tid : chain_last_let_in(cpu);
}

/* In another PID namespace than the machine's a sample can only confirm who was there. */
static int64_t found_tid(const struct identity *identity, const struct cpu_state *cpu,
			 const struct stream *stream, const struct switch_event *event)
{
	const struct stream_edges *edges = stream->edges;

	if (event->sample_tid < 0)
		return last_tid(cpu, stream);
	if (!identity->spaces_differ)
		return event->sample_tid;
	if (edges->is_last && edges->own_tid > 0 && event->sample_tid > 0 &&
	    edges->own_tid != event->sample_tid)
		return INT_NONE;
	return last_tid(cpu, stream);
}

static struct thread *find_thread(struct identity *identity, const struct cpu_state *cpu,
				  const struct stream *stream,
				  const struct switch_event *event, int64_t tid)
{
	const struct stream_edges *edges = stream->edges;

	if (edges->is_last && edges->tid == tid && tid != INT_NONE && tid != 0)
		return edges->thread;
	return chain_thread_there(identity, cpu, event, tid);
}

/* --- judging --- */

/* The thread at the last values against the one found now. */
enum charge_status chain_judge_tids(int64_t before, int64_t tid)
{
	if (tid == INT_NONE)
		return CHARGE_NO_THREAD;
	if (before == INT_NONE || before == tid)
		return CHARGE_CHARGED;
	return before == 0 || tid == 0 ? CHARGE_WITH_IDLE : CHARGE_CHAIN;
}

static enum charge_status judge_edge(const struct chains *chains,
				     const struct cpu_state *cpu,
				     const struct stream *stream,
				     const struct edge_event *edge, int64_t tid,
				     bool decreased)
{
	const struct switch_event *event = &edge->at;
	enum charge_status status = chain_judge_losses(chains, cpu, stream, event);

	if (status != CHARGE_CHARGED)
		return status;
	if (decreased)
		return CHARGE_DECREASE;
	if (chains->deltas[0] != 0)
		return CHARGE_LEADER;
	if (stream->switches != cpu->switches ||
	    (chain_was_multiplexed(stream, event) && !cpu->never_multiplexed))
		return CHARGE_MULTIPLEXED;
	if (event->ts_ns < stream->ts_ns)
		return CHARGE_CHAIN;
	status = chain_judge_tids(last_tid(cpu, stream), tid);
	if (status == CHARGE_CHARGED && has_unseen(chains, event, edge->slot))
		return CHARGE_EDGES;
	return status;
}

enum charge_status chain_judge_after_edge(const struct stream *stream,
					  const struct switch_event *event, int64_t prev)
{
	const struct stream_edges *edges = stream->edges;

	if (edges->tid == prev ||
	    (edges->own_tid > 0 && edges->own_tid == event->sample_tid))
		return CHARGE_CHARGED;
	if (edges->tid == INT_NONE)
		return CHARGE_CHAIN;
	return edges->tid == 0 ? CHARGE_WITH_IDLE : CHARGE_CHAIN;
}

enum charge_status chain_end_edges(struct chains *chains, struct stream *stream,
				   const struct switch_event *event,
				   enum charge_status status)
{
	struct stream_edges *edges = edges_of(chains, stream, event);

	if (!edges)
		return status;
	if (status == CHARGE_CHARGED &&
	    (edges->stack.depth || has_unseen(chains, event, SIZE_MAX)))
		status = CHARGE_EDGES;
	interrupt_stack_clear(&edges->stack);
	return status;
}

bool chain_is_stale_read(const struct stream *stream, const struct switch_event *event)
{
	return stream->edges && stream->started && event->ts_ns < stream->ts_ns;
}

enum charge_status chain_read_edges(struct chains *chains, struct stream *stream,
				    const struct switch_event *event,
				    enum charge_status status)
{
	struct stream_edges *edges = edges_of(chains, stream, event);

	chains->interrupt = NULL;
	if (!edges)
		return status;
	if (status == CHARGE_CHARGED && has_unseen(chains, event, SIZE_MAX))
		status = CHARGE_EDGES;
	if (status != CHARGE_CHARGED)
		interrupt_stack_lose(&edges->stack);
	else if (edges->stack.depth)
		chains->interrupt = edges->stack.levels[edges->stack.depth - 1];
	else if (!edges->stack.is_known)
		status = CHARGE_EDGES;
	return status;
}

/* --- an edge --- */

/* The interval's status, and in chains->interrupt whose segment it was. */
static enum charge_status end_segment(struct chains *chains, const struct cpu_state *cpu,
				      struct stream *stream,
				      const struct edge_event *edge, int64_t tid)
{
	struct interrupt_stack *stack = &stream->edges->stack;
	enum charge_status status = CHARGE_BASELINE;
	bool decreased;

	chains->interrupt = NULL;
	chains->values = stream->last;
	if (!stream->started)
		chain_start_stream(stream, &edge->at);
	decreased = chain_subtract(chains, stream, &edge->at);
	if (stream->started)
		status = judge_edge(chains, cpu, stream, edge, tid, decreased);
	if (status != CHARGE_CHARGED)
		interrupt_stack_lose(stack);
	else if (interrupt_segment(&chains->interrupts, stack, edge,
				   &chains->interrupt) == SEGMENT_UNKNOWN)
		status = CHARGE_EDGES;
	chains->ended = chains->interrupt && !edge->is_entry;
	interrupt_step(&chains->interrupts, stack, edge, status == CHARGE_CHARGED);
	return status;
}

/* Shared with idle: since the thread came, where a SWITCH record shows that. */
static int64_t segment_ns(const struct cpu_state *cpu, const struct stream *stream,
			  const struct switch_event *event, int64_t tid,
			  enum charge_status status)
{
	if (status == CHARGE_BASELINE)
		return 0;
	if (status == CHARGE_WITH_IDLE)
		return tid != 0 && cpu->in.tid == tid
			       ? chain_elapsed(cpu->in.ns, event->ts_ns)
			       : 0;
	return chain_elapsed(stream->ts_ns, event->ts_ns);
}

static void remember_thread(struct stream_edges *edges, const struct switch_event *event,
			    int64_t tid, struct thread *thread)
{
	edges->is_last = true;
	edges->tid = tid;
	edges->own_tid = event->sample_tid;
	edges->thread = thread;
}

bool chain_edge(struct chains *chains, struct identity *identity,
		struct findings *findings, const struct edge_event *edge, uint64_t offset,
		int64_t group_id, struct context_switch_row *row)
{
	const struct switch_event *event = &edge->at;
	struct cpu_state *cpu = chain_cpu(chains, event->cpu);
	struct stream *stream =
		cpu ? chain_stream(chains, event, event->sample_tid) : NULL;
	struct thread *thread, *before, *charged;
	enum charge_status status;
	int64_t tid;

	if (!stream || stream->slots != event->count ||
	    !edges_of(chains, stream, event) ||
	    (stream->started && event->cpu != stream->cpu)) {
		finding_add(findings, cpu ? FINDING_GROUP_READ : FINDING_BAD_CPU, offset,
			    1);
		return false;
	}
	tid = found_tid(identity, cpu, stream, event);
	before = find_thread(identity, cpu, stream, event, last_tid(cpu, stream));
	thread = find_thread(identity, cpu, stream, event, tid);
	cpu->never_multiplexed |= event->never_rotated;
	status = end_segment(chains, cpu, stream, edge, tid);
	if (!stream->started)
		chain_begin_stream(stream, event, group_id, thread, tid);
	stream->has_baseline |= status == CHARGE_BASELINE;
	/* In a segment shared with idle: the thread that is not idle. */
	charged = status == CHARGE_WITH_IDLE && tid == 0 ? before : thread;
	if (!charged && (status == CHARGE_CHARGED || status == CHARGE_WITH_IDLE))
		status = CHARGE_NO_THREAD;
	chain_report_status(findings, status, offset);
	if (status != CHARGE_CHARGED)
		chains->interrupt = NULL;
	chains->idle = charged && charged->is_idle;
	*row = chain_read_row(stream, event, group_id, status,
			      segment_ns(cpu, stream, event, tid, status));
	row->prev_thread_id = charged ? charged->thread_id : INT_NONE;
	row->next_thread_id = thread ? thread->thread_id : INT_NONE;
	chain_remember(chains, stream, cpu, event);
	remember_thread(stream->edges, event, tid, thread);
	return true;
}
