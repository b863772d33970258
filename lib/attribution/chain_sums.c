/*
 * chain_sums.c - adds up switches of runs before they are judged, and judges all of them
 * at once.
 *
 * chain_compare_run() asks of two switches in a row what chain_run() asks of them.
 * chain_run_sums() asks about the stream and the threads, in the order of the records. It
 * accepts only where chain_run() would have charged each switch.
 */
#include "attribution/chain.h"
#include "attribution/chain_steps.h"
#include "base/text.h"
#include "base/unroll.h"
#include "base/wrap.h"

/* --- in any thread --- */

static bool has_name(const struct run_sums *sums, const struct thread_sums *thread,
		     struct str comm)
{
	return !sums->has_comms ||
	       memcmp(thread->comm, comm.ptr, sizeof(thread->comm)) == 0;
}

/* The sums of the thread that `at` switches out; NULL: no room, or its name changed. */
static struct thread_sums *find_sums(struct run_sums *sums, const struct run *run,
				     size_t at)
{
	uint32_t tid = (uint32_t)run->prev_tid[at];
	uint32_t hash = tid * UINT32_C(0x9e3779b1) >> 16;
	struct str comm = run_prev_comm(run, at);
	struct thread_sums *found;
	uint8_t *place;

	for (;; hash++) {
		place = &sums->places[hash % RUN_SUMS_PLACES];
		if (!*place)
			break;
		found = &sums->threads[*place - 1];
		if (found->tid == (int32_t)tid)
			return has_name(sums, found, comm) ? found : NULL;
	}
	if (sums->thread_count == RUN_SUMS_THREADS_MAX)
		return NULL;
	*place = (uint8_t)++sums->thread_count;
	found = &sums->threads[sums->thread_count - 1];
	*found = (struct thread_sums){ .tid = (int32_t)tid,
				       .from_ns = run->ts_ns[at - 1] };
	memset(sums->counts + (sums->thread_count - 1) * sums->slots, 0,
	       sums->slots * sizeof(sums->counts[0]));
	if (sums->has_comms)
		memcpy(found->comm, comm.ptr, sizeof(found->comm));
	return found;
}

size_t chain_add_sums(struct run_sums *sums, struct run *run)
{
	size_t slots = run->common.count, at;

	for (at = 1; at <= run->count && run->is_next[at]; at++) {
		const int64_t *deltas = run->deltas + at * slots;
		struct thread_sums *to;
		int64_t *counts;

		if (run->prev_state[at] & run->exit_states)
			break;
		to = find_sums(sums, run, at);
		if (!to)
			break;
		sums->last_thread = (size_t)(to - sums->threads);
		counts = sums->counts + sums->last_thread * slots;
		to->switches++;
		to->on_cpu_ns = wrap_add(to->on_cpu_ns, run->on_cpu_ns[at]);
		to->ran_ns = wrap_add(to->ran_ns, run->ran_ns[at]);
		UNROLLED
		for (size_t i = 0; i < slots; i++)
			counts[i] = wrap_add(counts[i], deltas[i]);
	}
	sums->count += at - 1;
	return at - 1;
}

/* --- in the order of the records --- */

/* Its name, or one that only its first switch out says, whenever that comes. */
static bool has_known_name(const struct thread *thread, const struct thread_sums *of)
{
	const struct str comm = { of->comm, strnlen(of->comm, sizeof(of->comm)) };

	return thread->named || text_is_valid(comm);
}

/* The thread, if no switch out of it or to it would say anything new of it. */
static struct thread *find_settled(const struct identity *identity,
				   const struct run_sums *sums,
				   const struct thread_sums *of, int64_t cpu,
				   int64_t last_ns)
{
	struct thread *thread;

	if (of->tid == 0)
		return (uint64_t)cpu < identity->idle_count ? identity->idle[cpu] : NULL;
	thread = tid_space_get(identity_machine(identity), of->tid);
	if (!thread || !thread->process ||
	    (thread->is_gone && thread->history->gone_ns < last_ns) ||
	    thread->start_ns > of->from_ns)
		return NULL;
	return !sums->has_comms || has_known_name(thread, of) ? thread : NULL;
}

static void learn_thread(struct identity *identity, struct thread *thread,
			 const struct run_sums *sums, const struct thread_sums *of)
{
	thread->has_left = true;
	if (of->tid == 0)
		return;
	thread->verified = true;
	thread->is_settled = true;
	if (sums->has_comms)
		identity_learn_comm(identity, thread,
				    (struct str){ of->comm, sizeof(of->comm) });
	if (thread->seen_ns == INT_NONE || of->from_ns < thread->seen_ns)
		thread->seen_ns = of->from_ns;
}

bool chain_run_sums(struct chains *chains, struct identity *identity,
		    struct run_summed *summed)
{
	const struct run_sums *sums = summed->sums;
	int64_t cpu = summed->ends->common.cpu;
	int64_t last_ns = summed->ends->ts_ns[summed->ends->count];

	if (identity->spaces_differ || !chain_is_at_run(chains, summed->ends))
		return false;
	for (size_t i = 0; i < sums->thread_count; i++) {
		summed->threads[i] =
			find_settled(identity, sums, &sums->threads[i], cpu, last_ns);
		if (!summed->threads[i])
			return false;
	}
	if (summed->threads[0] != chains->cpus[cpu]->next)
		return false;
	identity->machine_names_idle = true;
	for (size_t i = 0; i < sums->thread_count; i++)
		learn_thread(identity, summed->threads[i], sums, &sums->threads[i]);
	chain_end_run(chains, identity, summed->ends, sums->count,
		      summed->threads[sums->last_thread]);
	return true;
}
