/*
 * chain_run.c - judges the switches of a run that are charged, nearly all, in one loop.
 *
 * Each status other than "charged" has its own evidence in chain.c.  A switch is charged
 * here only if none of that evidence can exist, which follows_stream() and the loop
 * test, each for its part.  Any other switch goes through chain_switch(), alone.
 */
#include "attribution/chain.h"
#include "attribution/chain_steps.h"
#include "base/compiled_twice.h"
#include "base/prefetch.h"
#include "base/uninitialized.h"
#include "base/unroll.h"
#include "base/wrap.h"

/*
 * The stream's last values are those of the CPU's last switch, and nothing is known of
 * the CPU since.  A run has no other record within it, so this then holds for each of its
 * switches.  By line:
 *
 * - no baseline, no other group size, no other CPU, no edges of interrupts;
 * - the CPU's last switch is of this stream: no other group saw one in between, and it
 *   was not counted twice (chain.c, is_seen_again());
 * - no LOST record and no THROTTLE;
 * - it had values;
 * - no SWITCH record: neither a witness nor the time of a switch-in;
 * - no read;
 * - the times are recorded in both or in neither.
 */
static bool follows_stream(const struct chains *chains, const struct cpu_state *cpu,
			   const struct stream *stream, const struct run *run,
			   int64_t number)
{
	return stream->started && stream->slots == run->common.count &&
	       stream->cpu == number && !stream->edges && cpu->any &&
	       cpu->last_next_known && stream->switches == cpu->switches &&
	       stream->ts_ns == cpu->last_ns &&
	       stream->losses == cpu->losses + chains->all_losses &&
	       stream->throttles == cpu->throttles + chains->all_throttles &&
	       !stream->after_unread && cpu->in.ns == INT_NONE &&
	       cpu->in.tid == INT_NONE && !cpu->witness.has_records &&
	       cpu->read_ns == INT_NONE && cpu->read_tid == INT_NONE &&
	       (stream->enabled_ns != INT_NONE) == run->has_enabled &&
	       (stream->running_ns != INT_NONE) == run->has_running;
}

/* The first switch out of a thread in a run; false: whose it was is in doubt. */
static bool settle_thread(struct identity *identity, struct thread *thread,
			  const struct run *run, size_t at)
{
	if (thread->in_doubt)
		return false;
	thread->has_left = true;
	thread->verified = true; /* see other_thread() */
	identity_learn_process(identity, thread, run->sample[at].pid, run->ts_ns[at]);
	thread->is_settled = thread->process != NULL;
	return true;
}

/*
 * Learns what a switch out of a thread says about it, as chain.c does; false: that is not
 * known, or the thread ends.
 */
static inline bool learn_thread(struct identity *identity, struct thread *thread,
				const struct run *run, size_t at)
{
	if (!thread)
		return false;
	if (run->prev_tid[at] == 0) {
		thread->has_left = true;
		return true;
	}
	if ((run->prev_state[at] & run->exit_states) ||
	    (!thread->is_settled && !settle_thread(identity, thread, run, at)))
		return false;
	identity_learn_comm(identity, thread, run_prev_comm(run, at));
	return true;
}

/* --- a switch and the one before it --- */

#ifdef HAVE_AVX2

#define LANES 4

typedef uint64_t lanes __attribute__((vector_size(LANES * sizeof(uint64_t))));

/* The deltas from `from` on, as many as there are whole lanes; the end of these. */
AVX2 static size_t subtract_lanes(struct run *run, size_t from, size_t end,
				  uint64_t *wrong)
{
	size_t slots = run->common.count;
	lanes all_wrong = { 0 }, value, last, delta;
	size_t at;

	for (at = from; end - at >= LANES; at += LANES) {
		memcpy(&value, run->values + at, sizeof(value));
		memcpy(&last, run->values + at - slots, sizeof(last));
		delta = value - last;
		memcpy(run->deltas + at, &delta, sizeof(delta));
		all_wrong |= (~value & last) | delta;
	}
	*wrong = all_wrong[0] | all_wrong[1] | all_wrong[2] | all_wrong[3];
	return at;
}
#endif

/* Computes all deltas; true if some counter went down. */
static bool subtract(struct run *run)
{
	size_t slots = run->common.count, at = slots, end = (run->count + 1) * slots;
	uint64_t wrong = 0; /* in the highest bit, as in chain_subtract() */

#ifdef HAVE_AVX2
	if (cpu_has_avx2())
		at = subtract_lanes(run, at, end, &wrong);
#endif
	for (; at < end; at++) {
		uint64_t value = run->values[at], before = run->values[at - slots];
		uint64_t delta = value - before;

		run->deltas[at] = (int64_t)delta;
		wrong |= (~value & before) | delta;
	}
	return wrong >> 63;
}

/* Finds where that was. */
static void find_decrease(struct run *run)
{
	size_t slots = run->common.count;

	for (size_t at = 1; at <= run->count; at++)
		for (size_t i = at * slots; i < (at + 1) * slots; i++)
			if (((~run->values[i] & run->values[i - slots]) |
			     (uint64_t)run->deltas[i]) >>
			    63)
				run->is_next[at] = false;
}

/*
 * Not 0: the thread switched out is not the one that was switched in, in the numbers of
 * the tracepoint and of the sample; or it has no such number.
 */
static inline uint32_t other_thread(const struct run *run, size_t at)
{
	uint32_t tid = (uint32_t)run->prev_tid[at],
		 next = (uint32_t)run->next_tid[at - 1],
		 own = (uint32_t)run->sample[at].tid,
		 zeros_pid = tid ? 0 : (uint32_t)run->sample[at].pid;

	return (tid ^ next) | (tid ^ own) | zeros_pid | tid >> 31;
}

/* The group counted all the time, and no sample of it was lost. */
static void compare_counting(struct run *run)
{
	size_t count = run->count;

	if (run->has_running) {
		UNROLLED
		for (size_t at = 1; at <= count; at++)
			run->ran_ns[at] =
				wrap_sub(run->running_ns[at], run->running_ns[at - 1]);
	}
	if (run->has_running && run->has_enabled) {
		UNROLLED
		for (size_t at = 1; at <= count; at++)
			run->is_next[at] &=
				wrap_sub(run->enabled_ns[at], run->enabled_ns[at - 1]) ==
				run->ran_ns[at];
	}
	if (run->has_lost) {
		UNROLLED
		for (size_t at = 1; at <= count; at++)
			run->is_next[at] &=
				run->leader_lost[at] == run->leader_lost[at - 1];
	}
}

/*
 * The interval that a switch ends is the thread's alone: no counter went down, the leader
 * counted this one switch, the thread was there, time went on, and compare_counting().
 */
void chain_compare_run(struct run *run)
{
	size_t slots = run->common.count, count = run->count;
	bool has_decrease = subtract(run);

	for (size_t at = 1; at <= count; at++) {
		uint64_t leader = (uint64_t)run->deltas[at * slots] ^ 1;
		int64_t time = wrap_sub(run->ts_ns[at], run->ts_ns[at - 1]);

		run->on_cpu_ns[at] = time;
		run->is_next[at] =
			(leader | other_thread(run, at) | (uint64_t)time >> 63) == 0;
	}
	if (has_decrease)
		find_decrease(run);
	compare_counting(run);
}

/*
 * The same of several streams.  Each has every switch of its CPU, so no leader need
 * count them.
 */
static void compare_streams(struct run *run)
{
	size_t slots = run->common.count;

	for (size_t at = 1; at <= run->count; at++) {
		size_t before = run->before[at];
		uint32_t tid = (uint32_t)run->prev_tid[at],
			 next = (uint32_t)run->next_tid[before];
		int64_t time = wrap_sub(run->ts_ns[at], run->ts_ns[before]);
		const uint64_t *values = run->values + at * slots,
			       *last = run->values + before * slots;
		int64_t *deltas = run->deltas + at * slots;
		uint64_t wrong = (uint64_t)time; /* in the highest bit */

		for (size_t i = 0; i < slots; i++) {
			uint64_t delta = values[i] - last[i];

			deltas[i] = (int64_t)delta;
			wrong |= (~values[i] & last[i]) | delta;
		}
		run->on_cpu_ns[at] = time;
		run->is_next[at] = ((tid ^ next) | tid >> 31 | wrong >> 63) == 0;
	}
}

/* --- the run --- */

static struct cpu_state *cpu_of(const struct chains *chains, int64_t number)
{
	return (uint64_t)number < chains->cpu_count ? chains->cpus[number] : NULL;
}

static struct stream *stream_of(const struct chains *chains, int64_t number)
{
	return (uint64_t)number < chains->stream_count ? chains->streams[number] : NULL;
}

/* Sets place `at` to the switch before the first one of a stream. */
static void begin_stream(const struct chains *chains, struct run *run,
			 int64_t stream_number, int64_t cpu_number, size_t at)
{
	const struct cpu_state *cpu = cpu_of(chains, cpu_number);
	const struct stream *stream = stream_of(chains, stream_number);

	if (cpu && stream && follows_stream(chains, cpu, stream, run, cpu_number)) {
		run->ts_ns[at] = stream->ts_ns;
		run->next_tid[at] = (int32_t)cpu->last_next;
		run->enabled_ns[at] = stream->enabled_ns;
		run->running_ns[at] = stream->running_ns;
		run->leader_lost[at] = stream->leader_lost;
		memcpy(run->values + at * stream->slots, stream->last,
		       stream->slots * sizeof(*stream->last));
	} else {
		run->next_tid[at] = -1; /* no thread has it */
	}
}

void chain_begin_run(const struct chains *chains, struct run *run)
{
	for (size_t s = 0; s < run->stream_count; s++)
		begin_stream(chains, run, run->streams[s].stream, run->streams[s].cpu,
			     run->count + 1 + s);
	if (run->stream_count) {
		compare_streams(run);
		return;
	}
	begin_stream(chains, run, run->common.stream, run->common.cpu, 0);
	chain_compare_run(run);
}

/* The CPU and the stream are where that switch of the run left them. */
static bool is_at(const struct cpu_state *cpu, const struct stream *stream,
		  const struct run *run, size_t at)
{
	return stream->ts_ns == run->ts_ns[at] && cpu->last_next == run->next_tid[at] &&
	       (!run->has_enabled || stream->enabled_ns == run->enabled_ns[at]) &&
	       (!run->has_running || stream->running_ns == run->running_ns[at]) &&
	       (!run->has_lost || stream->leader_lost == run->leader_lost[at]) &&
	       memcmp(stream->last, run->values + at * stream->slots,
		      stream->slots * sizeof(*stream->last)) == 0;
}

bool chain_is_at_run(const struct chains *chains, const struct run *run)
{
	const struct cpu_state *cpu = cpu_of(chains, run->common.cpu);
	const struct stream *stream = stream_of(chains, run->common.stream);

	return cpu && stream &&
	       follows_stream(chains, cpu, stream, run, run->common.cpu) &&
	       is_at(cpu, stream, run, 0);
}

/* Finds the thread that switch `at` switches in, as chain_next_switch() does. */
static inline struct thread *find_next(struct identity *identity, const struct run *run,
				       int64_t cpu, size_t at)
{
	int32_t tid = run->next_tid[at];
	struct thread *next;

	if (tid == 0)
		return identity_idle(identity, cpu);
	next = identity_machine_thread(identity, tid, run->ts_ns[at]);
	/* Most threads have a name, which their first cache line shows. */
	if (next && !next->named && !next->comm[0] && !thread_name(next).ptr)
		identity_learn_comm(identity, next, run_next_comm(run, at));
	return next;
}

/*
 * Updates CPU and stream to after switch `last`.  `count` switches were charged, `thread`
 * was switched out by the last one, and `before` is the place of the switch before it.
 */
static void end_run(struct chains *chains, struct identity *identity,
		    struct cpu_state *cpu, struct stream *stream, const struct run *run,
		    size_t before, size_t last, size_t count, struct thread *thread)
{
	struct switch_event event;

	run_to_event(run, last, &event);
	/* The other switches only changed the count, the time and the thread. */
	cpu->switches += (int64_t)count - 1;
	cpu->last_ns = run->ts_ns[before];
	cpu->last_next = event.prev_tid;
	cpu->next = thread;
	chain_next_switch(identity, cpu, &event, event.prev_tid);
	cpu->prev = thread;
	cpu->never_multiplexed |= event.never_rotated;
	memcpy(stream->last, event.values, stream->slots * sizeof(*stream->last));
	chain_remember(chains, stream, cpu, &event);
}

/* With many threads those of the first switches, and where all others are found. */
static void fetch_first(const struct identity *identity, const struct run *run)
{
	for (size_t at = 1; at <= run->count; at++)
		identity_fetch_place(identity, run->next_tid[at]);
	for (size_t at = 1; at <= run->count && at <= TURNS_AHEAD; at++)
		identity_fetch_thread(identity, run->next_tid[at]);
}

static inline void fetch_ahead(const struct identity *identity, const struct run *run,
			       size_t at)
{
	if (at + TURNS_AHEAD <= run->count)
		identity_fetch_thread(identity, run->next_tid[at + TURNS_AHEAD]);
}

/* Threads that come for the first time, and then leave, are looked for in processes. */
static void fetch_processes(const struct identity *identity, const struct run *run)
{
	for (size_t at = 1; at < run->count; at++) {
		int64_t pid = run->sample[at + 1].pid;
		const struct thread *main;

		if (tid_space_get(&identity->recorder_space, run->next_tid[at]))
			continue;
		main = tid_space_get(&identity->recorder_space, pid);
		if (main)
			prefetch(main, sizeof(*main));
	}
}

static void set_threads(struct run *run, size_t at, struct thread *thread,
			const struct thread *next)
{
	run->prev_thread[at] = thread;
	run->prev_thread_id[at] = thread->thread_id;
	run->next_thread_id[at] = next ? next->thread_id : INT_NONE;
}

void chain_end_run(struct chains *chains, struct identity *identity, struct run *run,
		   size_t count, struct thread *thread)
{
	struct cpu_state *cpu = cpu_of(chains, run->common.cpu);

	end_run(chains, identity, cpu, stream_of(chains, run->common.stream), run,
		run->count - 1, run->count, count, thread);
	set_threads(run, run->count, thread, cpu->next);
}

/* A stream of several: where its last switch that was charged left it. */
struct follower {
	struct cpu_state *cpu; /* NULL: none was yet */
	struct stream *stream;
	struct thread *thread; /* switched out by it */
	struct thread *next;
	size_t last, count;
};

/* The first switch of a stream, at `at`; false: chain_switch() is to judge it. */
static bool begin_follower(const struct chains *chains, const struct run *run, size_t at,
			   struct follower *follower)
{
	const struct run_stream *numbers = &run->streams[run->stream_at[at]];
	struct cpu_state *cpu = cpu_of(chains, numbers->cpu);
	struct stream *stream = stream_of(chains, numbers->stream);

	if (!cpu || !stream || !follows_stream(chains, cpu, stream, run, numbers->cpu) ||
	    !is_at(cpu, stream, run, run->before[at]))
		return false;
	*follower = (struct follower){ .cpu = cpu, .stream = stream, .next = cpu->next };
	return true;
}

/* chain_run() of several streams. */
static size_t run_streams(struct chains *chains, struct identity *identity,
			  struct run *run, size_t from)
{
	struct follower followers[RUN_STREAMS_MAX] UNINITIALIZED;
	bool many = identity_has_many(identity);
	size_t at;

	for (size_t s = 0; s < run->stream_count; s++)
		followers[s].cpu = NULL;
	for (at = from; at <= run->count && run->is_next[at]; at++) {
		size_t s = run->stream_at[at];
		struct follower *follower = &followers[s];
		struct thread *thread, *next;

		if (!follower->cpu && !begin_follower(chains, run, at, follower))
			break;
		thread = follower->next;
		if (!thread || thread->in_doubt)
			break;
		thread->has_left = true;
		if (many)
			fetch_ahead(identity, run, at);
		next = find_next(identity, run, run->streams[s].cpu, at);
		set_threads(run, at, thread, next);
		follower->thread = thread;
		follower->next = next;
		follower->last = at;
		follower->count++;
	}
	for (size_t s = 0; s < run->stream_count; s++)
		if (followers[s].cpu && followers[s].count)
			end_run(chains, identity, followers[s].cpu, followers[s].stream,
				run, run->before[followers[s].last], followers[s].last,
				followers[s].count, followers[s].thread);
	return at;
}

size_t chain_run(struct chains *chains, struct identity *identity, struct run *run,
		 size_t from)
{
	struct cpu_state *cpu = cpu_of(chains, run->common.cpu);
	struct stream *stream = stream_of(chains, run->common.stream);
	struct thread *thread = NULL, *next;
	bool many = identity_has_many(identity);
	size_t at;

	if (from == 1 && many) {
		fetch_first(identity, run);
		if (!run->stream_count)
			fetch_processes(identity, run);
	}
	if (!run->is_next[from] || identity->spaces_differ)
		return from;
	if (run->stream_count) {
		identity->machine_names_idle = true;
		return run_streams(chains, identity, run, from);
	}
	if (!cpu || !stream ||
	    !follows_stream(chains, cpu, stream, run, run->common.cpu) ||
	    !is_at(cpu, stream, run, from - 1))
		return from;
	identity->machine_names_idle = true;
	next = cpu->next;
	for (at = from; at <= run->count && run->is_next[at] &&
			learn_thread(identity, next, run, at);
	     at++) {
		if (many)
			fetch_ahead(identity, run, at);
		thread = next;
		next = find_next(identity, run, run->common.cpu, at);
		set_threads(run, at, thread, next);
	}
	if (at > from)
		end_run(chains, identity, cpu, stream, run, at - 2, at - 1, at - from,
			thread);
	return at;
}
