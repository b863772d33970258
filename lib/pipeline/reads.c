/*
 * reads.c - handles reads of groups outside switches, from a reader of events or from a
 * database: emits their rows and adds them to the totals.
 */
#include "pipeline/attribute.h"
#include "pipeline/charge.h"
#include "pipeline/ids.h"
#include "pipeline/stored.h"

/* The rows of a read: one for it, one for each counter. */
static enum status emit_read(struct pipeline *p, const struct context_switch_row *row,
			     size_t slots)
{
	const struct group_book *group = ledger_find_group(&p->ledger, row->group_id);
	struct group_read_value_row value = { .read_id = ++p->last_read_id };
	enum status status =
		emit_row(p, RECORD_group_read,
			 &(struct group_read_row){ .read_id = value.read_id,
						   .ts_ns = row->ts_ns,
						   .cpu = row->cpu,
						   .group_id = row->group_id,
						   .thread_id = row->prev_thread_id,
						   .after_switch_id = p->last_switch_id,
						   .status = row->status,
						   .on_cpu_ns = row->on_cpu_ns,
						   .running_ns = row->running_ns });

	for (size_t i = 0; group && i < slots && status == ST_OK; i++) {
		value.counter_id = group->counter_ids[i];
		value.delta = p->chains.deltas[i];
		status = emit_row(p, RECORD_group_read_value, &value);
	}
	return status;
}

enum status on_read(struct pipeline *p, const struct record *record)
{
	const struct switch_event *event = record->data;
	struct context_switch_row row;
	enum status status;

	if (!chain_read(&p->chains, &p->identity, p->findings, event, record->offset,
			event->group_id + p->group_base, &row))
		return ST_OK;
	status = charge_interval(
		p,
		&(struct record){ .kind = RECORD_context_switch,
				  .data = &row,
				  .deltas = p->chains.deltas,
				  .values = p->chains.values,
				  .slots = event->count,
				  .cgroup_id =
					  cgroups_get(&p->cgroups, row.prev_thread_id) },
		p->chains.idle);
	return status == ST_OK && p->switches_wanted ? emit_read(p, &row, event->count)
						     : status;
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

	cgroups_advance(&p->cgroups, row->after_switch_id);
	return charge_interval(
		p,
		&(struct record){ .kind = RECORD_context_switch,
				  .data = &interval,
				  .deltas = record->deltas,
				  .values = record->values,
				  .slots = record->slots,
				  .cgroup_id = cgroups_get(&p->cgroups, row->thread_id) },
		ledger_is_idle(&p->ledger, row->thread_id));
}
