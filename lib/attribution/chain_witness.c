/* chain_witness.c - follows the SWITCH records of a CPU from one to the next. */
#include "attribution/chain_witness.h"

void witness_begin(struct witness *witness, int64_t from, int64_t next)
{
	*witness = (struct witness){ .on_cpu = next == INT_NONE ? from : next,
				     .from = from,
				     .ran = INT_NONE,
				     .idle_ran = next == 0,
				     .is_broken = from == INT_NONE && next == INT_NONE };
}

void witness_begin_with(struct witness *witness, int64_t tid)
{
	*witness = (struct witness){ .on_cpu = tid,
				     .from = INT_NONE,
				     .ran = tid > 0 ? tid : INT_NONE,
				     .idle_ran = tid == 0,
				     .is_broken = tid < 0 };
}

/* Numbers below 0 are not those of a thread: it can be any. */
static bool may_be(int64_t one, int64_t other)
{
	return one == other || one < 0 || other < 0;
}

static void add_ran(struct witness *w, int64_t tid)
{
	if (tid <= 0)
		return;
	w->others |= w->ran != INT_NONE && w->ran != tid;
	w->ran = tid;
}

/*
 * A thread leaves for another, which two records say.  It has run, though no record may
 * say that it came, unless it is the one that left at the beginning.
 */
static void add_leaving(struct witness *w, int64_t tid, int64_t next)
{
	bool is_first = !w->any_came && may_be(w->from, tid) &&
			(w->on_cpu == w->from || w->on_cpu == next);

	if (!is_first)
		add_ran(w, tid < 0 ? w->on_cpu : tid);
}

static void add_out(struct witness *w, int64_t tid, int64_t next)
{
	add_leaving(w, tid, next);
	w->is_broken |= !may_be(w->on_cpu, tid) && w->on_cpu != next;
	w->idle_ran |= next == 0;
	w->on_cpu = next;
}

static void add_in(struct witness *w, int64_t tid, int64_t prev)
{
	bool is_first = !w->any_came && w->from == prev;

	add_leaving(w, prev, tid);
	w->is_broken |= tid < 0 || (!may_be(w->on_cpu, prev) && w->on_cpu != tid);
	/* Idle that left at the beginning has not run since. */
	w->idle_ran |= tid == 0 || (prev == 0 && !is_first);
	add_ran(w, tid);
	w->any_came = true;
	w->on_cpu = tid;
}

void witness_add(struct witness *witness, const struct switch_in_event *event)
{
	witness->has_records = true;
	if (event->next_tid == INT_NONE)
		witness->is_broken = true;
	else if (event->in)
		add_in(witness, event->tid, event->next_tid);
	else
		add_out(witness, event->tid, event->next_tid);
}

enum witness_verdict witness_end(const struct witness *w, int64_t tid, bool zero_is_idle)
{
	bool has_zero = w->idle_ran || tid == 0;

	if (w->is_broken || !w->has_records)
		return WITNESS_SILENT;
	if (w->others)
		return WITNESS_OTHERS;
	if (has_zero && !zero_is_idle)
		return WITNESS_SILENT;
	if (tid == 0 && w->ran != INT_NONE)
		return WITNESS_OTHERS;
	if (tid == 0)
		return w->idle_ran ? WITNESS_ALONE : WITNESS_SILENT;
	if (!w->any_came || w->ran == INT_NONE || !may_be(w->ran, tid))
		return WITNESS_SILENT;
	return w->idle_ran ? WITNESS_WITH_IDLE : WITNESS_ALONE;
}
