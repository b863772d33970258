/*
 * totals.c - emits the groups and counters of a trace as they are declared, and its
 * tasks, first and last values, sums and findings at its end, or at the end of an
 * interval of a live trace.
 */
#include "pipeline/totals.h"

#include "attribution/forget.h"
#include "attribution/outside.h"
#include "base/wrap.h"
#include "pipeline/audited.h"
#include "pipeline/ids.h"
#include "pipeline/processes.h"

/* Time that a thread of a live trace is kept after its end. */
#define FORGET_AFTER_NS INT64_C(1000000000)

/* --- groups and counters --- */

/* Groups and counters of a live trace go out with the totals of every interval. */
enum status totals_keep_live(struct pipeline *p, enum record_kind kind, const void *data)
{
	const struct table *table = &tables[kind];
	struct live_row *row =
		arena_alloc(&p->live_arena, sizeof(*row) + table->row_size);

	if (!row || !row_copy(&p->live_arena, table, row + 1, data))
		return ST_NOMEM;
	row->kind = kind;
	*p->live_tail = row;
	p->live_tail = &row->next;
	return ST_OK;
}

static enum status emit_live(struct pipeline *p)
{
	enum status status = ST_OK;

	for (struct live_row *r = p->live_rows; r && status == ST_OK; r = r->next)
		status = emit_row(p, r->kind, r + 1);
	return status;
}

enum status on_group(struct pipeline *p, const struct record *record)
{
	struct counter_group_row row = *RECORD_DATA(record, counter_group);

	if (p->has_events) {
		row.trace_id = p->trace_id;
		row.group_id += p->group_base;
		if (row.group_id > p->last_group_id)
			p->last_group_id = row.group_id;
	}
	ledger_group(&p->ledger, &row);
	if (p->has_events && !p->is_live)
		verdicts_group(&p->verdicts, &row);
	if (p->is_live)
		return totals_keep_live(p, RECORD_counter_group, &row);
	return emit_row(p, RECORD_counter_group, &row);
}

enum status on_counter(struct pipeline *p, const struct record *record)
{
	struct counter_row row = *RECORD_DATA(record, counter);

	if (p->has_events) {
		row.trace_id = p->trace_id;
		row.counter_id += p->counter_base;
		if (row.group_id != INT_NONE)
			row.group_id += p->group_base;
		if (row.counter_id > p->last_counter_id)
			p->last_counter_id = row.counter_id;
	}
	ledger_counter(&p->ledger, &row);
	if (p->has_events && !p->is_live)
		verdicts_counter(&p->verdicts, &row);
	if (p->is_live)
		return totals_keep_live(p, RECORD_counter, &row);
	return emit_row(p, RECORD_counter, &row);
}

enum status on_finding(struct pipeline *p, const struct record *record)
{
	if (p->hooks->finding)
		p->hooks->finding(p->hooks->context, record->data);
	return emit_record(p, record);
}

/* --- the end of a trace --- */

static void bind_tasks(struct pipeline *p)
{
	if (outside_bind(&p->identity))
		ledger_charge_idle(&p->ledger);
	identity_bind(&p->identity);
}

static enum status emit_tasks(struct pipeline *p)
{
	enum status status = ST_OK;

	for (const struct process *process = p->identity.processes;
	     process && status == ST_OK; process = process->next)
		status = emit_process(p, process);
	if (p->identity.listed)
		ledger_expect_threads(
			&p->ledger, identity_at(&p->identity, 0)->thread_id,
			identity_at(&p->identity, p->identity.listed - 1)->thread_id);
	for (size_t i = 0; i < p->identity.listed && status == ST_OK; i++) {
		const struct thread *t = identity_at(&p->identity, i);
		const struct thread_more *more = thread_more(t);

		if (!t->process && t->in_doubt) /* and never met */
			continue;
		if (!t->process)
			return ST_NOMEM;
		ledger_thread(&p->ledger, t->thread_id, t->process->process_id,
			      t->is_idle);
		status = emit_row(p, RECORD_thread,
				  &(struct thread_row){
					  .thread_id = t->thread_id,
					  .process_id = t->process->process_id,
					  .tid = thread_tid(t),
					  .recorder_tid = more->recorder_tid,
					  .idle_cpu = more->idle_cpu,
					  .start_ns = t->start_ns,
					  .end_ns = thread_history(t)->end_ns,
					  .name = thread_name(t),
				  });
	}
	return status;
}

/* Emits the first processes with their sums, if the report shows no others. */
static enum status emit_tasks_or_top(struct pipeline *p)
{
	struct top top = { .wanted = 0 };
	enum status status;

	bind_tasks(p);
	p->ledger.no_task_sums = top_of_processes(p, &top);
	status = p->ledger.no_task_sums ? emit_top(p, &top) : emit_tasks(p);
	top_end(&top);
	return status;
}

static enum status emit_bases(struct pipeline *p)
{
	bool whole = p->ledger.whole;

	for (size_t s = 0; s < p->chains.stream_count; s++) {
		const struct stream *stream = p->chains.streams[s];
		const struct group_book *group;

		if (!stream || !stream->started)
			continue;
		group = ledger_find_group(&p->ledger, stream->group_id);
		for (size_t i = 0; group && i < stream->slots; i++) {
			struct counter_base_row row = {
				.counter_id = group->counter_ids[i],
				.cpu = stream->cpu,
				.thread_id = stream->per_task && stream->thread
						     ? stream->thread->thread_id
						     : INT_NONE,
				.first_ns = stream->first_ns,
				.first_value = stream->first[i],
				.last_ns = stream->ts_ns,
				.last_value = stream->last[i],
			};
			enum status status = emit_row(p, RECORD_counter_base, &row);

			if (status != ST_OK)
				return status;
			if (whole)
				ledger_base(&p->ledger, &row);
		}
	}
	return ST_OK;
}

static enum status emit_findings(struct pipeline *p)
{
	for (size_t i = 0; i < findings_rows(p->findings); i++) {
		struct finding_row row;
		enum status status;

		if (!finding_row(p->findings, i, &row))
			continue;
		row.trace_id = p->trace_id;
		status = on_finding(p, &(struct record){ .kind = RECORD_finding,
							 .data = &row });
		if (status != ST_OK)
			return status;
	}
	return ST_OK;
}

void totals_end_trace(struct pipeline *p)
{
	identity_end(&p->identity);
	estimates_release(&p->estimates); /* of interrupts of the chains */
	chains_end(&p->chains);
	ledger_end(&p->ledger);
	sampling_end(&p->sampling);
	cgroups_end(&p->cgroups);
	callchains_forget(&p->callchains);
	verdicts_end(&p->verdicts);
	arena_release(&p->live_arena);
	p->live_rows = NULL;
}

enum status totals_end_addresses(struct pipeline *p)
{
	enum status status = ST_OK;

	for (size_t i = 0; i < p->sink_count && status == ST_OK; i++)
		status = sink_end_addresses(&p->sinks[i]);
	return status;
}

static enum status end_switches(struct pipeline *p)
{
	enum status status = ST_OK;

	for (size_t i = 0; i < p->sink_count && status == ST_OK; i++)
		status = sink_end_switches(&p->sinks[i]);
	return status;
}

/* The last record of a trace: emits totals, tasks, findings, and then the trace's row. */
enum status on_trace(struct pipeline *p, const struct record *record)
{
	struct trace_row row = *RECORD_DATA(record, trace);
	enum status status = ST_OK;

	if (p->has_events) {
		row.trace_id = p->trace_id;
		chain_report_unseen(&p->chains, &p->identity, p->findings);
		chain_report_ends(&p->chains, &row, p->findings);
		if (p->identity.limit_reached)
			finding_add(p->findings, FINDING_THREAD_LIMIT, ERROR_NO_OFFSET,
				    1);
		if (findings_damaged(p->findings) &&
		    str_equal(row.status, STR("complete")))
			row.status = STR("recovered");
		if (p->live_from_ns != INT_NONE)
			row.first_ns = p->live_from_ns;
		if (p->hooks->trace)
			p->hooks->trace(p->hooks->context, &row);
		if (p->is_merged && row.wall_offset_ns == INT_NONE)
			finding_add(p->findings, FINDING_NO_WALL, ERROR_NO_OFFSET, 1);
		status = totals_end_addresses(p);
		if (status == ST_OK && p->is_last)
			status = end_switches(p);
		if (status == ST_OK)
			status = emit_live(p);
		if (status == ST_OK)
			status = emit_bases(p);
		if (status == ST_OK)
			status = emit_tasks_or_top(p);
	} else {
		p->ledger.trace_id = p->sampling.trace_id = p->trace_id = row.trace_id;
	}
	if (p->identity.out_of_memory || p->chains.out_of_memory ||
	    p->ledger.out_of_memory || p->sampling.out_of_memory ||
	    p->cgroups.out_of_memory || p->callchains.out_of_memory ||
	    p->chains.interrupts.out_of_memory || p->estimates.out_of_memory)
		return ST_NOMEM;
	/* Tasks are rows now: the rows of sums may need the memory. */
	identity_end(&p->identity);
	if (status == ST_OK && !p->sums_are_stored)
		status = ledger_report(&p->ledger, emit_row, p);
	if (status == ST_OK && !p->sums_are_stored && !p->ledger.no_task_sums)
		status = sampling_report(&p->sampling, emit_row, p);
	if (status == ST_OK && p->has_events && !p->is_live)
		status = audited_report(p);
	if (status == ST_OK)
		status = emit_findings(p);
	totals_end_trace(p); /* the sinks may need the memory for the trace row */
	return status == ST_OK ? emit_row(p, RECORD_trace, &row) : status;
}

/*
 * Those that ended before the interval, and a second ago: records of other CPUs may still
 * come for later ones.
 */
static void forget_threads(struct pipeline *p, int64_t from_ns, int64_t to_ns)
{
	int64_t before_ns = wrap_sub(to_ns, FORGET_AFTER_NS);

	forget_ended(&p->identity, &p->chains, &p->cgroups,
		     before_ns < from_ns ? before_ns : from_ns);
	p->switched_thread_id = INT_NONE;
}

enum status pipeline_interval(struct pipeline *p, int64_t from_ns, int64_t to_ns)
{
	struct trace_row row = {
		.trace_id = p->trace_id,
		.path = STR("live"),
		.status = STR("complete"),
		.bytes = INT_NONE,
		.first_ns = from_ns,
		.last_ns = to_ns,
		.wall_offset_ns = INT_NONE,
		.wall_offset_end_ns = INT_NONE,
		.cpu_count = INT_NONE,
	};
	enum status status = emit_live(p);

	bind_tasks(p);
	if (status == ST_OK)
		status = emit_tasks(p);
	if (status == ST_OK)
		status = ledger_report(&p->ledger, emit_row, p);
	if (status == ST_OK)
		status = emit_row(p, RECORD_trace, &row);
	p->live_from_ns = to_ns;
	ledger_restart(&p->ledger);
	sampling_end(&p->sampling);
	sampling_begin(&p->sampling, p->trace_id, p->from_ns, p->to_ns);
	forget_threads(p, from_ns, to_ns);
	return p->ledger.out_of_memory || p->identity.out_of_memory ? ST_NOMEM : status;
}
