/*
 * stored.c - adds up rows of a converted database again and passes them with their ids.
 */
#include "pipeline/stored.h"

#include "pipeline/ids.h"

enum status on_stored_switch(struct pipeline *p, const struct record *record)
{
	const struct context_switch_row *row = RECORD_DATA(record, context_switch);

	ledger_add(&p->ledger, row, ledger_is_idle(&p->ledger, row->prev_thread_id),
		   record->deltas, record->values, record->slots);
	return p->switches_wanted ? emit_record(p, record) : ST_OK;
}

enum status on_stored_thread(struct pipeline *p, const struct record *record)
{
	const struct thread_row *row = RECORD_DATA(record, thread);

	ledger_thread(&p->ledger, row->thread_id, row->process_id,
		      row->idle_cpu != INT_NONE);
	return emit_record(p, record);
}

enum status on_stored_sample(struct pipeline *p, const struct record *record)
{
	sampling_add(&p->sampling, record->data);
	return ST_OK;
}

enum status on_stored_switch_record(struct pipeline *p, const struct record *record)
{
	sampling_add_on_cpu(&p->sampling, record->data);
	return ST_OK;
}

enum status on_base(struct pipeline *p, const struct record *record)
{
	if (p->from_ns == INT64_MIN && p->to_ns == INT64_MAX)
		ledger_base(&p->ledger, RECORD_DATA(record, counter_base));
	return emit_record(p, record);
}
