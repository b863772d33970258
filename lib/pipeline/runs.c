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
	return !reader->options.no_runs && p->has_events && !p->is_live &&
	       p->ledger.whole && (!p->hooks->interval || p->hooks->interval_run);
}

/* False also where a sink or a hook gets each switch. */
bool sums_are_wanted(const struct pipeline *p, const struct reader *reader)
{
	return runs_are_wanted(p, reader) && !p->switches_wanted &&
	       !p->hooks->interval_run;
}

/*
 * Returns whether the intervals of a run only need adding up: no control groups, no
 * estimates.
 */
static bool can_charge(const struct pipeline *p, const struct run *run, int64_t group_id)
{
	return !p->cgroups.any && !p->estimates.cpu_count &&
	       ledger_can_add_run(&p->ledger, run, group_id);
}

static void charge_run(struct pipeline *p, const struct run *run, int64_t group_id,
		       size_t from, size_t to)
{
	ledger_add_run(&p->ledger, run, group_id, from, to);
	verdicts_run(&p->verdicts, run, group_id, from, to);
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

/* --- sums --- */

size_t runs_sum(struct run_sums *sums, struct run *run)
{
	chain_compare_run(run);
	if (sums->limits)
		verdicts_limit_run(sums->limits, run);
	return chain_add_sums(sums, run);
}

/* Returns whether the limits that were checked are those of the verdicts. */
static bool has_limits(struct pipeline *p, struct run_summed *summed, int64_t group_id)
{
	const struct run_limits *known = summed->sums->limits;

	summed->limits = verdicts_limits(&p->verdicts, group_id, summed->sums->slots);
	return !p->verdicts.has_rules ||
	       (known && known->version == summed->limits.version);
}

static void charge_sums(struct pipeline *p, const struct run_summed *summed,
			int64_t group_id)
{
	const struct run *ends = summed->ends;
	struct ledger_sums all = ledger_add_sums(&p->ledger, summed, group_id);

	if (p->verdicts.has_rules)
		verdicts_add_sums(&p->verdicts, group_id, ends->common.cpu, all.all_ns,
				  all.on_cpu_ns, all.counts);
	p->switched_thread_id = ends->prev_thread_id[ends->count];
	p->last_switch_id += (int64_t)summed->sums->count;
}

enum status on_run_sums(struct pipeline *p, const struct record *record)
{
	struct run_summed *summed = record->summed;
	int64_t group_id = summed->ends->common.group_id + p->group_base;

	summed->is_refused = !can_charge(p, summed->ends, group_id) ||
			     !has_limits(p, summed, group_id) ||
			     !chain_run_sums(&p->chains, &p->identity, summed);
	if (!summed->is_refused)
		charge_sums(p, summed, group_id);
	return ST_OK;
}
