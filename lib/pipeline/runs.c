/*
 * runs.c - passes runs to the chains and the ledger, and their rows to the sinks.
 */
#include "pipeline/runs.h"

#include "base/uninitialized.h"
#include "pipeline/attribute.h"

/*
 * Not with books of a window or of some CPUs, nor where the program gets each interval by
 * itself.  Live input is read as it appears.
 */
bool runs_are_wanted(const struct pipeline *p, const struct reader *reader)
{
	return !reader->options.no_runs && p->own_rows && !p->is_live &&
	       p->ledger.whole && (!p->hooks->interval || p->hooks->interval_run);
}

/* Nothing else is to be done with an interval than to add it up. */
static bool can_charge(const struct pipeline *p, const struct run *run, int64_t group_id)
{
	return !p->cgroups.any && !p->estimates.cpu_count &&
	       ledger_can_add_run(&p->ledger, run, group_id);
}

static void charge_run(struct pipeline *p, const struct run *run, int64_t group_id,
		       size_t from, size_t to)
{
	ledger_add_run(&p->ledger, run, group_id, from, to);
	for (size_t at = from; at < to && p->verdicts.has_rules; at++) {
		const struct context_switch_row row = run_to_row(run, at, group_id);

		verdicts_interval(&p->verdicts, &row,
				  run->deltas + at * run->common.count, run->common.count,
				  run->prev_tid[at] == 0);
	}
	p->switched_thread_id = run->prev_thread_id[to - 1];
}

static enum status emit_run(struct pipeline *p, const struct run *run, int64_t group_id,
			    size_t from, size_t to)
{
	const struct run_rows rows = { run, from, to, p->last_switch_id + 1, group_id };
	enum status status = ST_OK;

	if (p->hooks->interval_run && !p->hooks->interval_run(p->hooks->context, &rows))
		return ST_LIMIT;
	p->last_switch_id += (int64_t)(to - from);
	for (size_t i = 0; p->switches_wanted && i < p->sink_count && status == ST_OK;
	     i++)
		status = sink_put_run(&p->sinks[i], &rows);
	return status;
}

enum status on_run(struct pipeline *p, const struct record *record)
{
	struct run *run = record->run;
	int64_t group_id = run->common.group_id + p->group_base;
	enum status status = ST_OK;

	chain_begin_run(&p->chains, run);
	for (size_t at = 1, to; at <= run->count && status == ST_OK; at = to) {
		struct switch_event event UNINITIALIZED;

		to = can_charge(p, run, group_id)
			     ? chain_run(&p->chains, &p->identity, run, at)
			     : at;
		if (to > at) {
			charge_run(p, run, group_id, at, to);
			status = emit_run(p, run, group_id, at, to);
			continue;
		}
		run_to_event(run, at, &event);
		status = on_switch(p, &(struct record){ .kind = RECORD_SWITCH,
							.offset = run_offset(run, at),
							.data = &event });
		to = at + 1;
	}
	return status;
}
