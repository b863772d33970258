/*
 * stored.c - adds up rows of a converted database again and passes them with their ids.
 */
#include "pipeline/stored.h"

#include "pipeline/charge.h"
#include "pipeline/ids.h"

enum status on_stored_cgroup(struct pipeline *p, const struct record *record)
{
	cgroups_plan(&p->cgroups, RECORD_DATA(record, thread_cgroup));
	return emit_record(p, record);
}

enum status on_stored_switch(struct pipeline *p, const struct record *record)
{
	const struct context_switch_row *row = RECORD_DATA(record, context_switch);
	struct record in_cgroup;
	enum status status;

	if (p->cgroups.any) {
		in_cgroup = *record;
		cgroups_advance(&p->cgroups, row->switch_id);
		in_cgroup.cgroup_id = cgroups_get(&p->cgroups, row->prev_thread_id);
		record = &in_cgroup;
	}
	status = charge_interval(p, record,
				 !p->sums_are_stored &&
					 ledger_is_idle(&p->ledger, row->prev_thread_id));
	return status == ST_OK && p->switches_wanted ? emit_record(p, record) : status;
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
	return charge_sample(p, record->data);
}

enum status on_stored_switch_record(struct pipeline *p, const struct record *record)
{
	struct switch_record_row row = *RECORD_DATA(record, switch_record);

	return charge_on_cpu(p, &row, true);
}

enum status on_base(struct pipeline *p, const struct record *record)
{
	if (p->ledger.whole)
		ledger_base(&p->ledger, RECORD_DATA(record, counter_base));
	return emit_record(p, record);
}
