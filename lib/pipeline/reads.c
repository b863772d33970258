/*
 * reads.c - handles reads of groups outside switches, also at edges of interrupts, from a
 * reader of events or from a database: emits their rows and adds them to the totals.
 */
#include "pipeline/attribute.h"
#include "pipeline/charge.h"
#include "pipeline/ids.h"
#include "pipeline/stored.h"
#include "pipeline/totals.h"

static struct group_read_row read_row(struct pipeline *p,
				      const struct context_switch_row *row,
				      int64_t interrupt_id)
{
	return (struct group_read_row){
		.read_id = ++p->last_read_id,
		.ts_ns = row->ts_ns,
		.cpu = row->cpu,
		.group_id = row->group_id,
		.thread_id = row->prev_thread_id,
		.after_switch_id = p->last_switch_id,
		.status = row->status,
		.on_cpu_ns = row->on_cpu_ns,
		.running_ns = row->running_ns,
		.interrupt_id = interrupt_id,
		.interrupt_ended = interrupt_id == INT_NONE ? INT_NONE : p->chains.ended,
	};
}

/*
 * The rows of a read: one for it, one for each counter; at an edge of an interrupt there
 * are many counters, and most stand still.
 */
static enum status emit_read(struct pipeline *p, const struct group_read_row *row,
			     bool is_edge, size_t slots)
{
	const struct group_book *group = ledger_find_group(&p->ledger, row->group_id);
	struct group_read_value_row value = { .read_id = row->read_id };
	enum status status = emit_row(p, RECORD_group_read, row);

	for (size_t i = 0; group && i < slots && status == ST_OK; i++) {
		value.counter_id = group->counter_ids[i];
		value.delta = p->chains.deltas[i];
		if (value.delta || !is_edge)
			status = emit_row(p, RECORD_group_read_value, &value);
	}
	return status;
}

/* A kind and vector that was not met before. */
static enum status emit_interrupt(struct pipeline *p, struct interrupt *interrupt)
{
	if (!interrupt || interrupt->is_emitted)
		return ST_OK;
	interrupt->is_emitted = true;
	interrupt->row.trace_id = p->trace_id;
	ledger_interrupt(&p->ledger, &interrupt->row);
	return p->is_live ? totals_keep_live(p, RECORD_interrupt, &interrupt->row)
			  : emit_row(p, RECORD_interrupt, &interrupt->row);
}

/* An interval ends with a read. */
static enum status end_interval(struct pipeline *p, const struct context_switch_row *row,
				bool is_edge, size_t slots)
{
	struct interrupt *interrupt = p->chains.interrupt;
	int64_t interrupt_id = interrupt ? interrupt->row.interrupt_id : INT_NONE;
	enum status status = emit_interrupt(p, interrupt);
	struct group_read_row read;

	verdicts_interval(&p->verdicts, row, p->chains.deltas, slots, p->chains.idle);
	if (interrupt && p->chains.ended)
		verdicts_interrupt(&p->verdicts, interrupt->row.kind);
	if (status == ST_OK)
		status = charge_read(
			p,
			&(struct record){ .kind = RECORD_context_switch,
					  .data = row,
					  .deltas = p->chains.deltas,
					  .values = p->chains.values,
					  .slots = slots,
					  .cgroup_id = cgroups_get(&p->cgroups,
								   row->prev_thread_id) },
			interrupt_id, p->chains.ended, p->chains.idle);
	if (status != ST_OK || !p->switches_wanted)
		return status;
	read = read_row(p, row, interrupt_id);
	return emit_read(p, &read, is_edge, slots);
}

enum status on_read(struct pipeline *p, const struct record *record)
{
	const struct switch_event *event = record->data;
	struct context_switch_row row;

	if (!chain_read(&p->chains, &p->identity, p->findings, event, record->offset,
			event->group_id + p->group_base, &row))
		return ST_OK;
	return end_interval(p, &row, false, event->count);
}

enum status on_edge(struct pipeline *p, const struct record *record)
{
	const struct edge_event *edge = record->data;
	struct context_switch_row row;

	p->switched_thread_id = INT_NONE;
	if (!chain_edge(&p->chains, &p->identity, p->findings, edge, record->offset,
			edge->at.group_id + p->group_base, &row))
		return ST_OK;
	p->switched_thread_id = row.prev_thread_id;
	return end_interval(p, &row, true, edge->at.count);
}

/* Estimates are made of whole traces only: a database cannot make them of a part. */
enum status on_interrupted(struct pipeline *p, const struct record *record)
{
	const struct interrupted_event *event = record->data;
	struct interrupt *interrupt;

	if (!p->ledger.whole)
		return ST_OK;
	interrupt = interrupt_intern(&p->chains.interrupts, event->kind, event->vector,
				     event->name);
	if (!interrupt)
		return ST_NOMEM;
	estimates_add(&p->estimates, event, &interrupt->row);
	return emit_interrupt(p, interrupt);
}

enum status on_stored_interrupt(struct pipeline *p, const struct record *record)
{
	if (p->has_events)
		return on_plain_row(p, record);
	ledger_interrupt(&p->ledger, RECORD_DATA(record, interrupt));
	return emit_record(p, record);
}

enum status on_stored_read(struct pipeline *p, const struct record *record)
{
	const struct group_read_row *row = RECORD_DATA(record, group_read);
	const struct context_switch_row interval = {
		.switch_id = INT_NONE,
		.ts_ns = row->ts_ns,
		.cpu = row->cpu,
		.group_id = row->group_id,
		.prev_thread_id = row->thread_id,
		.next_thread_id = row->thread_id,
		.prev_state = INT_NONE,
		.status = row->status,
		.on_cpu_ns = row->on_cpu_ns,
		.running_ns = row->running_ns,
		.detail_id = INT_NONE,
	};
	enum status status;

	cgroups_advance(&p->cgroups, row->after_switch_id);
	status = charge_read(
		p,
		&(struct record){ .kind = RECORD_context_switch,
				  .data = &interval,
				  .deltas = record->deltas,
				  .values = record->values,
				  .slots = record->slots,
				  .cgroup_id = cgroups_get(&p->cgroups, row->thread_id) },
		row->interrupt_id, row->interrupt_ended == 1,
		ledger_is_idle(&p->ledger, row->thread_id));
	return status == ST_OK && p->switches_wanted ? emit_row(p, RECORD_group_read, row)
						     : status;
}
