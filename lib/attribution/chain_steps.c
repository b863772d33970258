/* chain_steps.c - the steps of a judgement that switches and reads share. */
#include "attribution/chain_steps.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "base/wrap.h"

/* --- the state of a CPU and of a stream, created on first use --- */

static struct cpu_state *new_cpu(struct chains *chains, size_t number)
{
	struct cpu_state *cpu = arena_alloc(&chains->arena, sizeof(*cpu));

	if (!cpu || !ARRAY_GROW_ZEROED(chains->cpus, chains->cpu_count, number)) {
		chains->out_of_memory = true;
		return NULL;
	}
	cpu->in.ns = cpu->in.tid = cpu->exit_tid = cpu->next_hint = INT_NONE;
	cpu->read_ns = cpu->read_tid = INT_NONE;
	cpu->unread_before_ns = cpu->unread_after_ns = INT_NONE;
	witness_begin_with(&cpu->witness, INT_NONE);
	chains->cpus[number] = cpu;
	return cpu;
}

struct cpu_state *chain_cpu(struct chains *chains, int64_t number)
{
	if ((uint64_t)number < chains->cpu_count && chains->cpus[number])
		return chains->cpus[number];
	if (number < 0 || number >= CPU_MAX)
		return NULL;
	return new_cpu(chains, (size_t)number);
}

static struct stream *new_stream(struct chains *chains, const struct switch_event *event,
				 size_t at)
{
	struct stream *stream = arena_alloc(&chains->arena, sizeof(*stream));
	size_t bytes = (event->count ? event->count : 1) * sizeof(*stream->last);

	if (stream) {
		stream->first = arena_alloc(&chains->arena, bytes);
		stream->last = arena_alloc(&chains->arena, bytes);
	}
	if (!stream || !stream->first || !stream->last ||
	    !ARRAY_GROW_ZEROED(chains->streams, chains->stream_count, at)) {
		chains->out_of_memory = true;
		return NULL;
	}
	stream->slots = event->count;
	stream->per_task = event->per_task;
	chains->streams[at] = stream;
	return stream;
}

static uint64_t task_key(const struct switch_event *event, int64_t tid)
{
	return (uint64_t)event->stream << 32 | (uint32_t)tid;
}

static struct stream *new_task_stream(struct chains *chains,
				      const struct switch_event *event, int64_t tid)
{
	struct stream *stream;

	if (chains->task_stream_count >= STREAMS_MAX)
		return NULL;
	stream = new_stream(chains, event, chains->task_stream_count);
	if (!stream || !map_put(&chains->task_streams, task_key(event, tid), stream)) {
		chains->out_of_memory = true;
		return NULL;
	}
	chains->task_stream_count++;
	return stream;
}

/*
 * The stream of a thread that an instance follows; prev is the thread switched out.
 * Those that no record identifies are not known to be one thread.
 */
static struct stream *task_stream(struct chains *chains, const struct switch_event *event,
				  int64_t prev)
{
	struct stream *known = map_get(&chains->task_streams, task_key(event, prev));

	/* A counter that has counted one switch is new: the tid was reused. */
	if (known && prev >= 0 &&
	    !(event->count && event->values[0] == 1 && !event->is_final &&
	      !event->is_read && known->started && known->last[0] >= 1))
		return known;
	return new_task_stream(chains, event, prev);
}

struct stream *chain_renew(struct chains *chains, struct stream *stream,
			   const struct switch_event *event, int64_t tid,
			   const struct thread *thread)
{
	if (!event->per_task || !stream->started || !thread || thread == stream->thread ||
	    thread->start_ns == INT_NONE || thread->start_ns <= stream->ts_ns)
		return stream;
	return new_task_stream(chains, event, tid);
}

struct stream *chain_stream(struct chains *chains, const struct switch_event *event,
			    int64_t prev)
{
	if (event->stream < 0 || event->stream >= STREAMS_MAX ||
	    event->count > GROUP_COUNTERS_MAX)
		return NULL;
	if (event->per_task)
		return task_stream(chains, event, prev);
	if ((uint64_t)event->stream < chains->stream_count &&
	    chains->streams[event->stream])
		return chains->streams[event->stream];
	return new_stream(chains, event, (size_t)event->stream);
}

struct thread *chain_thread_there(struct identity *identity, const struct cpu_state *cpu,
				  const struct switch_event *event, int64_t tid)
{
	struct thread *thread;

	if (tid == INT_NONE)
		return NULL;
	if (tid == 0)
		return identity_idle(identity, event->cpu);
	if (cpu->any && cpu->next && cpu->last_next == tid)
		return cpu->next;
	thread = identity_thread(identity, tid, event->ts_ns);
	if (thread && tid == event->sample_tid)
		identity_learn_process(identity, thread, event->sample_pid, event->ts_ns);
	return thread;
}

/* --- intervals --- */

bool chain_was_multiplexed(const struct stream *stream, const struct switch_event *event)
{
	return chain_has_times(event) && stream->enabled_ns != INT_NONE &&
	       stream->running_ns != INT_NONE &&
	       wrap_sub(event->enabled_ns, stream->enabled_ns) !=
		       wrap_sub(event->running_ns, stream->running_ns);
}

enum charge_status chain_judge_losses(const struct chains *chains,
				      const struct cpu_state *cpu,
				      const struct stream *stream,
				      const struct switch_event *event)
{
	if (stream->losses != cpu->losses + chains->all_losses ||
	    event->leader_lost != stream->leader_lost)
		return CHARGE_LOST;
	if (stream->throttles != cpu->throttles + chains->all_throttles)
		return CHARGE_THROTTLE;
	return CHARGE_CHARGED;
}

enum charge_status chain_witness_status(const struct cpu_state *cpu,
					enum charge_status otherwise)
{
	switch (cpu->before_witness) {
	case WITNESS_ALONE:
		return CHARGE_CHARGED;
	case WITNESS_WITH_IDLE:
		return CHARGE_WITH_IDLE;
	default:
		return otherwise;
	}
}

/*
 * After a read that does not name its thread: without a SWITCH record since, the thread
 * that is seen next was already there.
 */
enum charge_status chain_judge_kept(const struct cpu_state *cpu, int64_t tid)
{
	if (cpu->before_in.tid == INT_NONE)
		return CHARGE_CHARGED;
	return cpu->before_in.tid == tid && cpu->before_in.from == 0 ? CHARGE_WITH_IDLE
								     : CHARGE_CHAIN;
}

/* Computes all deltas and updates the last values; true if a counter went down. */
bool chain_subtract(struct chains *chains, struct stream *stream,
		    const struct switch_event *event)
{
	int64_t *last = stream->last, *deltas = chains->deltas;
	const uint64_t *values = event->values;
	uint64_t wrong = 0; /* in the highest bit */

	for (size_t i = 0, n = stream->slots; i < n; i++) {
		uint64_t value = values[i], before = (uint64_t)last[i];
		uint64_t delta = value - before;

		deltas[i] = (int64_t)delta;
		last[i] = (int64_t)value;
		/* It went down: no counter rises by 2^63. */
		wrong |= (~value & before) | delta;
	}
	return wrong >> 63;
}

int64_t chain_elapsed(int64_t from, int64_t to)
{
	uint64_t length = (uint64_t)to - (uint64_t)from;

	if (from == INT_NONE || from >= to)
		return 0;
	return length > INT64_MAX ? INT64_MAX : (int64_t)length;
}

void chain_report_status(struct findings *findings, enum charge_status status,
			 uint64_t offset)
{
	if (status != CHARGE_CHARGED)
		finding_add(findings, finding_of_status[status], offset, 1);
}

void chain_begin_stream(struct stream *stream, const struct switch_event *event,
			int64_t group_id, struct thread *thread, int64_t prev)
{
	stream->started = true;
	stream->group_id = group_id;
	stream->cpu = event->cpu;
	stream->prev_tid = prev;
	stream->first_ns = event->ts_ns;
	stream->thread = thread;
}

/* The first values of a stream: a baseline, or counts since zero. */
void chain_start_stream(struct stream *stream, const struct switch_event *event)
{
	bool from_zero = chain_counts_from_zero(event);

	stream->enabled_ns = stream->running_ns = from_zero ? 0 : INT_NONE;
	for (size_t i = 0; i < stream->slots; i++)
		stream->first[i] = stream->last[i] =
			from_zero ? 0 : (int64_t)event->values[i];
}

void chain_remember(const struct chains *chains, struct stream *stream,
		    const struct cpu_state *cpu, const struct switch_event *event)
{
	stream->switches = cpu->switches;
	stream->losses = cpu->losses + chains->all_losses;
	stream->throttles = cpu->throttles + chains->all_throttles;
	stream->ts_ns = event->ts_ns;
	if (!event->unread)
		stream->last_ns = event->ts_ns;
	stream->enabled_ns = event->enabled_ns;
	stream->running_ns = event->running_ns;
	stream->leader_lost = event->leader_lost;
	stream->after_unread = event->unread;
	stream->after_read = event->is_read;
	if (stream->edges)
		stream->edges->is_last = false;
}

struct context_switch_row chain_read_row(const struct stream *stream,
					 const struct switch_event *event,
					 int64_t group_id, enum charge_status status,
					 int64_t on_cpu_ns)
{
	bool has_times = status != CHARGE_BASELINE && event->running_ns != INT_NONE &&
			 stream->running_ns != INT_NONE;

	return (struct context_switch_row){
		.switch_id = INT_NONE,
		.ts_ns = event->ts_ns,
		.cpu = event->cpu,
		.group_id = group_id,
		.prev_thread_id = INT_NONE,
		.next_thread_id = INT_NONE,
		.prev_state = INT_NONE,
		.status = status,
		.on_cpu_ns = on_cpu_ns,
		.running_ns = has_times ? wrap_sub(event->running_ns, stream->running_ns)
					: INT_NONE,
		.detail_id = INT_NONE,
	};
}
