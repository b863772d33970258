/*
 * pump.c - the pump: reads records until the end and passes each to the handler of its
 * kind. Rows without a handler pass with their ids set.
 */
#include "base/memory.h"
#include "base/uninitialized.h"
#include "pipeline/attribute.h"
#include "pipeline/audited.h"
#include "pipeline/ids.h"
#include "pipeline/runs.h"
#include "pipeline/stored.h"
#include "pipeline/totals.h"

/*
 * How often the loop shows progress and polls for signals.  A record takes 0.1 us (a
 * billed switch) to 50 us (a sample with all optional fields, into CSV).
 */
#define RECORDS_PER_POLL 1024

void pipeline_init(struct pipeline *pipeline, struct sink *sinks, size_t sink_count)
{
	*pipeline = (struct pipeline){
		.sinks = sinks,
		.sink_count = sink_count,
		.from_ns = INT64_MIN,
		.to_ns = INT64_MAX,
		.ledger.no_process_sums = true,
	};
	for (size_t i = 0; i < sink_count; i++) {
		pipeline->switches_wanted |=
			!sinks[i].ops->totals_only && !sinks[i].options.totals_only;
		pipeline->ledger.no_process_sums &= sinks[i].ops->no_process_sums;
	}
	identity_begin(&pipeline->identity);
	chains_begin(&pipeline->chains);
	ledger_begin(&pipeline->ledger, 0, INT_NONE);
	sampling_begin(&pipeline->sampling, 0, INT64_MIN, INT64_MAX);
	cgroups_begin(&pipeline->cgroups);
}

void pipeline_release(struct pipeline *pipeline)
{
	identity_end(&pipeline->identity);
	chains_end(&pipeline->chains);
	estimates_release(&pipeline->estimates);
	ledger_end(&pipeline->ledger);
	sampling_end(&pipeline->sampling);
	cgroups_end(&pipeline->cgroups);
	callchains_release(&pipeline->callchains);
	verdicts_end(&pipeline->verdicts);
	own_tables_release(&pipeline->own_tables);
}

static void begin_trace(struct pipeline *p, struct findings *findings)
{
	p->findings = findings;
	p->trace_id = ++p->last_trace_id;
	p->group_base = p->last_group_id;
	p->counter_base = p->last_counter_id;
	p->ledger.from_ns = p->from_ns;
	p->ledger.to_ns = p->to_ns;
	ledger_begin(&p->ledger, p->trace_id,
		     p->has_events ? p->identity.last_thread_id + 1 : INT_NONE);
	p->ledger.whole &= !p->is_live && !p->cpus;
	p->live_from_ns = INT_NONE;
	p->live_rows = NULL;
	p->live_tail = &p->live_rows;
	sampling_begin(&p->sampling, p->trace_id, p->from_ns, p->to_ns);
	verdicts_begin(&p->verdicts, p->counter_base + 1, p->group_base + 1);
}

static enum status (*const handlers[])(struct pipeline *p,
				       const struct record *record) = {
	[RECORD_trace] = on_trace,
	[RECORD_counter_group] = on_group,
	[RECORD_counter] = on_counter,
	[RECORD_thread] = on_stored_thread,
	[RECORD_context_switch] = on_stored_switch,
	[RECORD_group_read] = on_stored_read,
	[RECORD_thread_cgroup] = on_stored_cgroup,
	[RECORD_counter_base] = on_base,
	[RECORD_finding] = on_finding,
	[RECORD_tracepoint] = on_tracepoint,
	[RECORD_sample] = on_stored_sample,
	[RECORD_switch_record] = on_stored_switch_record,
	[RECORD_OWN_TABLE] = on_own_row,
	[RECORD_interrupt] = on_stored_interrupt,
	[RECORD_audit_check] = on_audit_check,
	[RECORD_SWITCH] = on_switch,
	[RECORD_EDGE] = on_edge,
	[RECORD_INTERRUPTED] = on_interrupted,
	[RECORD_SWITCH_IN] = on_switch_in,
	[RECORD_TASK_PROCESS] = on_process,
	[RECORD_TASK_COMM] = on_comm,
	[RECORD_TASK_COMMAND] = on_command,
	[RECORD_TASK_FORK] = on_fork,
	[RECORD_TASK_EXIT] = on_exit_event,
	[RECORD_TASK_EXITING] = on_exiting,
	[RECORD_TASK_HANDED] = on_handed,
	[RECORD_LOSS] = on_loss,
	[RECORD_THROTTLED] = on_throttled,
	[RECORD_SAMPLED] = on_sampled,
	[RECORD_TRACED] = on_traced,
	[RECORD_DEFERRED_CHAIN] = on_deferred_chain,
	[RECORD_PROCESS_TOTAL] = emit_record,
	[RECORD_RUN] = on_run,
	[RECORD_RUN_SUMS] = on_run_sums,
};

static enum status failed(struct pipeline *p, struct reader *reader, enum status status)
{
	for (size_t i = 0; i < p->sink_count; i++)
		if (p->sinks[i].error.status < ST_OK)
			return status;
	if (status == ST_NOMEM)
		error_nomem(&reader->error);
	if (status == ST_INTERRUPTED)
		error_set(&reader->error, ST_INTERRUPTED, ERROR_NO_OFFSET, "interrupted");
	return status;
}

enum status pipeline_run(struct pipeline *p, struct reader *reader,
			 const struct pipeline_hooks *hooks)
{
	enum status status;
	unsigned int until_poll = RECORDS_PER_POLL;

	p->hooks = hooks;
	p->is_endless = reader->input.is_live;
	p->has_events = !reader->ops->emits_rows;
	p->sums_are_stored = !p->has_events && (reader->options.want_sums ||
						!reader->options.want_switches);
	p->top_processes =
		p->has_events && !p->is_live ? reader->options.top_processes : 0;
	begin_trace(p, &reader->findings);
	p->identity.processes_apart = reader->ops->processes_apart;
	reader->wants_runs = runs_are_wanted(p, reader);
	reader->sum_run = sums_are_wanted(p, reader) ? runs_sum : NULL;
	status = reader->no_addresses ? totals_end_addresses(p) : ST_OK;
	while (status == ST_OK) {
		struct record record UNINITIALIZED;

		status = reader_next(reader, &record);
		if (status != ST_OK)
			break;
		status = handlers[record.kind] ? handlers[record.kind](p, &record)
					       : on_plain_row(p, &record);
		if (--until_poll == 0) {
			until_poll = RECORDS_PER_POLL;
			if (hooks->progress)
				hooks->progress(hooks->context, reader);
			if (reader_interrupted(reader))
				status = ST_INTERRUPTED;
		}
	}
	totals_end_trace(p);
	own_tables_forget_reader(&p->own_tables);
	p->ids[RECORD_TABLES].table = NULL; /* it may have been the reader's */
	if (status == ST_END && memory_failed())
		status = ST_NOMEM;
	return status == ST_END ? ST_OK : failed(p, reader, status);
}
