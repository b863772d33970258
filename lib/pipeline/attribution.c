/*
 * attribution.c - see attribution.h.  One handler a record kind; the loop is at the end.
 */
#include "pipeline/attribution.h"

#include "base/os.h"
#include "base/text.h"
#include "pipeline/event_rows.h"

/* How often the loop looks up from its work: about 1000 times a second. */
#define RECORDS_PER_LOOK 16384

void attribution_init(struct attribution *attribution, struct sink *sinks,
		      size_t sink_count)
{
	*attribution = (struct attribution){
		.sinks = sinks,
		.sink_count = sink_count,
		.from_ns = INT64_MIN,
		.to_ns = INT64_MAX,
	};
	for (size_t i = 0; i < sink_count; i++)
		attribution->switches_wanted |= !sinks[i].ops->totals_only;
	identity_begin(&attribution->identity);
	chains_begin(&attribution->chains);
	ledger_begin(&attribution->ledger, 0, INT_NONE);
	sampling_begin(&attribution->sampling, 0, INT64_MIN, INT64_MAX);
}

void attribution_release(struct attribution *attribution)
{
	identity_end(&attribution->identity);
	chains_end(&attribution->chains);
	ledger_end(&attribution->ledger);
	sampling_end(&attribution->sampling);
	callchains_release(&attribution->callchains);
	own_tables_release(&attribution->own_tables);
}

/* --- rows in, from a reader that knows its counters or from a database --- */

/* Groups and counters of a live trace go out with the totals of every interval. */
static enum status keep_live(struct attribution *a, enum record_kind kind,
			     const struct counter_group_row *group,
			     const struct counter_row *counter)
{
	struct arena *arena = &a->live_arena;
	struct live_row *row = arena_alloc(arena, sizeof(*row));

	if (!row)
		return ST_NOMEM;
	row->kind = kind;
	if (group) {
		row->group = *group;
		row->group.leader = arena_str(arena, group->leader);
		row->group.scope = arena_str(arena, group->scope);
		row->group.has_times = arena_str(arena, group->has_times);
	} else {
		row->counter = *counter;
		row->counter.name = arena_str(arena, counter->name);
		row->counter.event = arena_str(arena, counter->event);
		row->counter.unit = arena_str(arena, counter->unit);
		row->counter.source = arena_str(arena, counter->source);
	}
	*a->live_tail = row;
	a->live_tail = &row->next;
	return ST_OK;
}

static enum status put_live(struct attribution *a)
{
	enum status status = ST_OK;

	for (struct live_row *r = a->live_rows; r && status == ST_OK; r = r->next)
		status = rows_put(a, r->kind,
				  r->kind == RECORD_counter ? (const void *)&r->counter
							    : (const void *)&r->group);
	return status;
}

static enum status take_group(struct attribution *a, const struct record *record)
{
	struct counter_group_row row = *RECORD_DATA(record, counter_group);

	if (a->own_rows) {
		row.trace_id = a->trace_id;
		row.group_id += a->group_base;
		if (row.group_id > a->last_group_id)
			a->last_group_id = row.group_id;
	}
	ledger_group(&a->ledger, &row);
	if (a->is_live)
		return keep_live(a, RECORD_counter_group, &row, NULL);
	return rows_put(a, RECORD_counter_group, &row);
}

static enum status take_counter(struct attribution *a, const struct record *record)
{
	struct counter_row row = *RECORD_DATA(record, counter);

	if (a->own_rows) {
		row.trace_id = a->trace_id;
		row.counter_id += a->counter_base;
		if (row.group_id != INT_NONE)
			row.group_id += a->group_base;
		if (row.counter_id > a->last_counter_id)
			a->last_counter_id = row.counter_id;
	}
	ledger_counter(&a->ledger, &row);
	if (a->is_live)
		return keep_live(a, RECORD_counter, NULL, &row);
	return rows_put(a, RECORD_counter, &row);
}

static enum status take_stored_switch(struct attribution *a, const struct record *record)
{
	const struct context_switch_row *row = RECORD_DATA(record, context_switch);

	ledger_add(&a->ledger, row, ledger_is_idle(&a->ledger, row->prev_thread_id),
		   record->deltas, record->values, record->slots);
	return a->switches_wanted ? rows_put_record(a, record) : ST_OK;
}

static enum status take_stored_thread(struct attribution *a, const struct record *record)
{
	const struct thread_row *row = RECORD_DATA(record, thread);

	ledger_thread(&a->ledger, row->thread_id, row->process_id,
		      row->idle_cpu != INT_NONE);
	return rows_put_record(a, record);
}

static enum status take_finding(struct attribution *a, const struct record *record)
{
	if (a->hooks->finding)
		a->hooks->finding(a->hooks->context, record->data);
	return rows_put_record(a, record);
}

static enum status take_stored_sample(struct attribution *a, const struct record *record)
{
	sampling_add(&a->sampling, record->data);
	return ST_OK;
}

static enum status take_stored_switch_record(struct attribution *a,
					     const struct record *record)
{
	sampling_add_on_cpu(&a->sampling, record->data);
	return ST_OK;
}

static enum status take_base(struct attribution *a, const struct record *record)
{
	if (a->from_ns == INT64_MIN && a->to_ns == INT64_MAX)
		ledger_base(&a->ledger, RECORD_DATA(record, counter_base));
	return rows_put_record(a, record);
}

/* --- events in --- */

static enum status take_switch(struct attribution *a, const struct record *record)
{
	const struct switch_event *event = record->data;
	struct context_switch_row row;

	if (event->is_read)
		return rows_take_read(a, record);
	a->switched_thread_id = INT_NONE;
	if (!chain_switch(&a->chains, &a->identity, a->findings, event, record->offset,
			  event->group_id + a->group_base, &row))
		return ST_OK;
	row.switch_id = ++a->last_switch_id;
	row.detail_id = event->detail_id;
	a->switched_thread_id = row.prev_thread_id;
	ledger_add(&a->ledger, &row, a->chains.idle, a->chains.deltas, a->chains.values,
		   event->count);
	if (!a->switches_wanted)
		return ST_OK;
	return rows_put_record(a, &(struct record){ .kind = RECORD_context_switch,
						    .offset = record->offset,
						    .data = &row,
						    .deltas = a->chains.deltas,
						    .values = a->chains.values,
						    .slots = event->count });
}

/*
 * Where switches are sampled with counters, those samples say who lived when; SWITCH
 * records, which stand elsewhere in the file, must not be taken for a sign of life.
 */
static int64_t thread_of_switch(struct attribution *a,
				const struct switch_in_event *event)
{
	const struct thread *known;

	if (event->tid <= 0 || a->last_group_id == a->group_base)
		return rows_thread_at(a, event->tid, INT_NONE, event->ts_ns, event->cpu);
	known = identity_known_thread(&a->identity, event->tid, event->ts_ns);
	return known ? known->thread_id : INT_NONE;
}

static enum status take_switch_in(struct attribution *a, const struct record *record)
{
	const struct switch_in_event *event = record->data;
	struct switch_record_row row = {
		.trace_id = a->trace_id,
		.ts_ns = event->ts_ns,
		.cpu = event->cpu,
		.is_out = !event->in,
		.is_preempted = event->preempted,
		.other_tid = event->next_tid,
	};

	chain_switch_in(&a->chains, event);
	row.thread_id = thread_of_switch(a, event);
	sampling_switch(&a->sampling, &row);
	return a->switches_wanted ? rows_put(a, RECORD_switch_record, &row) : ST_OK;
}

static enum status take_process(struct attribution *a, const struct record *record)
{
	identity_process(&a->identity, record->data);
	return ST_OK;
}

static enum status take_comm(struct attribution *a, const struct record *record)
{
	const struct task_comm_event *event = record->data;
	const struct thread *thread = identity_comm(&a->identity, event);
	struct str name = event->name;

	if (!thread || !name.ptr) /* without one: it was there */
		return ST_OK;
	/*
	 * What identity_comm() kept is the same text made valid, unless a later one won.
	 */
	name = str_equal(thread->name, name) ? thread->name
					     : text_valid_utf8(&a->identity.arena, name);
	return rows_put(a, RECORD_comm,
			&(struct comm_row){ .trace_id = a->trace_id,
					    .ts_ns = event->ts_ns,
					    .thread_id = thread->thread_id,
					    .name = name,
					    .is_exec = event->is_exec });
}

static enum status take_fork(struct attribution *a, const struct record *record)
{
	const struct task_fork_event *event = record->data;
	struct thread *parent;
	const struct thread *thread = identity_fork(&a->identity, event, &parent);

	if (!thread)
		return ST_OK;
	return rows_put(a, RECORD_fork,
			&(struct fork_row){ .trace_id = a->trace_id,
					    .ts_ns = event->ts_ns,
					    .thread_id = thread->thread_id,
					    .parent_thread_id = parent ? parent->thread_id
								       : INT_NONE });
}

static enum status take_exit(struct attribution *a, const struct record *record)
{
	const struct task_exit_event *event = record->data;
	const struct thread *thread = identity_exit(&a->identity, event);

	if (!thread)
		return ST_OK;
	return rows_put(a, RECORD_exit,
			&(struct exit_row){ .trace_id = a->trace_id,
					    .ts_ns = event->ts_ns,
					    .thread_id = thread->thread_id });
}

static enum status take_exiting(struct attribution *a, const struct record *record)
{
	chain_exit(&a->chains, record->data);
	return ST_OK;
}

static enum status take_loss(struct attribution *a, const struct record *record)
{
	const struct loss_event *event = record->data;

	chain_loss(&a->chains, event);
	sampling_lost(&a->sampling, event->cpu);
	finding_add(a->findings,
		    str_equal(event->record, STR("LOST_SAMPLES")) ? FINDING_LOST_SAMPLES
								  : FINDING_LOST_EVENTS,
		    record->offset, event->events);
	return rows_put(a, RECORD_lost,
			&(struct lost_row){ .trace_id = a->trace_id,
					    .ts_ns = event->ts_ns,
					    .cpu = event->cpu,
					    .record = event->record,
					    .counter_id =
						    rows_counter_id(a, event->counter_id),
					    .events = event->events });
}

static enum status take_throttled(struct attribution *a, const struct record *record)
{
	const struct throttled_event *event = record->data;

	chain_throttled(&a->chains, event);
	return rows_put(a, RECORD_throttle,
			&(struct throttle_row){
				.trace_id = a->trace_id,
				.ts_ns = event->ts_ns,
				.cpu = event->cpu,
				.counter_id = rows_counter_id(a, event->counter_id),
				.throttled = event->throttled });
}

/* --- the end of a trace --- */

static enum status put_people(struct attribution *a)
{
	enum status status = ST_OK;

	identity_bind(&a->identity);
	for (struct process *p = a->identity.processes; p && status == ST_OK;
	     p = p->next) {
		const struct thread *main = p->main;

		status = rows_put(a, RECORD_process,
				  &(struct process_row){
					  .process_id = p->process_id,
					  .trace_id = a->trace_id,
					  .pid = p->pid,
					  .parent_pid = p->parent_pid,
					  .start_ns = main ? main->start_ns : INT_NONE,
					  .end_ns = main ? main->end_ns : INT_NONE,
					  .name = p->name,
					  .command = p->command,
				  });
	}
	for (struct thread *t = a->identity.threads; t && status == ST_OK; t = t->next) {
		if (!t->process)
			return ST_NOMEM;
		ledger_thread(&a->ledger, t->thread_id, t->process->process_id,
			      t->idle_cpu != INT_NONE);
		status = rows_put(a, RECORD_thread,
				  &(struct thread_row){
					  .thread_id = t->thread_id,
					  .process_id = t->process->process_id,
					  .tid = t->tid,
					  .recorder_tid = t->recorder_tid,
					  .idle_cpu = t->idle_cpu,
					  .start_ns = t->start_ns,
					  .end_ns = t->end_ns,
					  .name = t->name,
				  });
	}
	return status;
}

static enum status put_bases(struct attribution *a)
{
	bool whole = a->ledger.whole;

	for (size_t s = 0; s < a->chains.stream_count; s++) {
		const struct stream *stream = a->chains.streams[s];
		const struct group_book *group;

		if (!stream || !stream->started)
			continue;
		if (!stream->is_over && !stream->after_read)
			finding_add(a->findings, FINDING_LAST_INTERVAL, ERROR_NO_OFFSET,
				    1);
		group = ledger_find_group(&a->ledger, stream->group_id);
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
			enum status status = rows_put(a, RECORD_counter_base, &row);

			if (status != ST_OK)
				return status;
			if (whole)
				ledger_base(&a->ledger, &row);
		}
	}
	return ST_OK;
}

static enum status put_findings(struct attribution *a)
{
	for (size_t i = 0; i < findings_rows(a->findings); i++) {
		struct finding_row row;
		enum status status;

		if (!finding_row(a->findings, i, &row))
			continue;
		row.trace_id = a->trace_id;
		status = take_finding(a, &(struct record){ .kind = RECORD_finding,
							   .data = &row });
		if (status != ST_OK)
			return status;
	}
	return ST_OK;
}

static void begin_trace(struct attribution *a, struct findings *findings)
{
	a->findings = findings;
	a->trace_id = ++a->last_trace_id;
	a->group_base = a->last_group_id;
	a->counter_base = a->last_counter_id;
	a->ledger.from_ns = a->from_ns;
	a->ledger.to_ns = a->to_ns;
	ledger_begin(&a->ledger, a->trace_id,
		     a->own_rows ? a->identity.last_thread_id + 1 : INT_NONE);
	a->ledger.whole &= !a->is_live;
	a->live_from_ns = INT_NONE;
	a->live_rows = NULL;
	a->live_tail = &a->live_rows;
	sampling_begin(&a->sampling, a->trace_id, a->from_ns, a->to_ns);
}

static void end_trace(struct attribution *a)
{
	identity_end(&a->identity);
	chains_end(&a->chains);
	ledger_end(&a->ledger);
	sampling_end(&a->sampling);
	callchains_forget(&a->callchains);
	arena_release(&a->live_arena);
	a->live_rows = NULL;
}

/* The last record of a trace: totals, who is who, findings, and then the trace itself. */
static enum status take_trace(struct attribution *a, const struct record *record)
{
	struct trace_row row = *RECORD_DATA(record, trace);
	enum status status = ST_OK;

	if (a->own_rows) {
		row.trace_id = a->trace_id;
		if (a->identity.limit_reached)
			finding_add(a->findings, FINDING_THREAD_LIMIT, ERROR_NO_OFFSET,
				    1);
		if (findings_damaged(a->findings) &&
		    str_equal(row.status, STR("complete")))
			row.status = STR("recovered");
		if (a->live_from_ns != INT_NONE)
			row.first_ns = a->live_from_ns;
		status = put_live(a);
		if (status == ST_OK)
			status = put_bases(a);
		if (status == ST_OK)
			status = put_people(a);
	} else {
		a->ledger.trace_id = a->sampling.trace_id = a->trace_id = row.trace_id;
	}
	if (a->identity.out_of_memory || a->chains.out_of_memory ||
	    a->ledger.out_of_memory || a->sampling.out_of_memory ||
	    a->callchains.out_of_memory)
		return ST_NOMEM;
	if (status == ST_OK)
		status = ledger_report(&a->ledger, rows_put, a);
	if (status == ST_OK)
		status = sampling_report(&a->sampling, rows_put, a);
	if (status == ST_OK)
		status = put_findings(a);
	end_trace(a); /* whoever waits for the trace row may need the memory */
	return status == ST_OK ? rows_put(a, RECORD_trace, &row) : status;
}

enum status attribution_interval(struct attribution *a, int64_t from_ns, int64_t to_ns)
{
	struct trace_row row = {
		.trace_id = a->trace_id,
		.path = STR("live"),
		.status = STR("complete"),
		.bytes = INT_NONE,
		.first_ns = from_ns,
		.last_ns = to_ns,
		.wall_offset_ns = INT_NONE,
		.cpu_count = INT_NONE,
	};
	enum status status = put_live(a);

	if (status == ST_OK)
		status = put_people(a);
	if (status == ST_OK)
		status = ledger_report(&a->ledger, rows_put, a);
	if (status == ST_OK)
		status = rows_put(a, RECORD_trace, &row);
	a->live_from_ns = to_ns;
	ledger_restart(&a->ledger);
	return a->ledger.out_of_memory ? ST_NOMEM : status;
}

/* --- the loop --- */

static enum status (*const handlers[])(struct attribution *a,
				       const struct record *record) = {
	[RECORD_trace] = take_trace,
	[RECORD_counter_group] = take_group,
	[RECORD_counter] = take_counter,
	[RECORD_thread] = take_stored_thread,
	[RECORD_context_switch] = take_stored_switch,
	[RECORD_group_read] = rows_take_stored_read,
	[RECORD_counter_base] = take_base,
	[RECORD_finding] = take_finding,
	[RECORD_tracepoint] = rows_take_tracepoint,
	[RECORD_sample] = take_stored_sample,
	[RECORD_switch_record] = take_stored_switch_record,
	[RECORD_OWN_TABLE] = rows_take_own,
	[RECORD_SWITCH] = take_switch,
	[RECORD_SWITCH_IN] = take_switch_in,
	[RECORD_TASK_PROCESS] = take_process,
	[RECORD_TASK_COMM] = take_comm,
	[RECORD_TASK_FORK] = take_fork,
	[RECORD_TASK_EXIT] = take_exit,
	[RECORD_TASK_EXITING] = take_exiting,
	[RECORD_LOSS] = take_loss,
	[RECORD_THROTTLED] = take_throttled,
	[RECORD_SAMPLED] = rows_take_sampled,
	[RECORD_TRACED] = rows_take_traced,
};

static enum status failed(struct attribution *a, struct reader *reader,
			  enum status status)
{
	for (size_t i = 0; i < a->sink_count; i++)
		if (a->sinks[i].error.status < ST_OK)
			return status;
	if (status == ST_NOMEM)
		error_nomem(&reader->error);
	return status;
}

enum status attribution_run(struct attribution *a, struct reader *reader,
			    const struct attribution_hooks *hooks)
{
	enum status status = ST_OK;
	unsigned int until_look = RECORDS_PER_LOOK;

	a->hooks = hooks;
	a->own_rows = !reader->ops->gives_rows;
	begin_trace(a, &reader->findings);
	a->identity.processes_apart = reader->ops->processes_apart;
	while (status == ST_OK) {
		struct record record;

		status = reader_next(reader, &record);
		if (status != ST_OK)
			break;
		status = handlers[record.kind] ? handlers[record.kind](a, &record)
					       : rows_take_plain(a, &record);
		if (--until_look == 0) {
			until_look = RECORDS_PER_LOOK;
			if (hooks->progress)
				hooks->progress(hooks->context, reader);
			if (os_interrupted() && !reader->input.is_live)
				status = error_set(&reader->error, ST_INTERRUPTED,
						   ERROR_NO_OFFSET, "interrupted");
		}
	}
	end_trace(a);
	own_tables_forget_reader(&a->own_tables);
	a->ids_table = NULL; /* it may have been the reader's */
	return status == ST_END ? ST_OK : failed(a, reader, status);
}
