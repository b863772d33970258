/*
 * charge.h - adds an interval or a sample to the totals, and passes it to the hooks of
 * the program.
 */
#ifndef PERFTAB_PIPELINE_CHARGE_H
#define PERFTAB_PIPELINE_CHARGE_H

#include "pipeline/pipeline.h"

static inline bool charge_wants_cpu(const struct pipeline *p, int64_t cpu)
{
	return !p->cpus || (cpu >= 0 && (uint64_t)cpu < p->cpu_count && p->cpus[cpu]);
}

/* Charges an interval; deltas, values and control group are in the record. */
static inline enum status charge_interval(struct pipeline *p, const struct record *record,
					  bool is_idle)
{
	const struct context_switch_row *row = RECORD_DATA(record, context_switch);

	if (!charge_wants_cpu(p, row->cpu))
		return ST_OK;
	if (!p->sums_are_stored)
		ledger_add(&p->ledger, row, is_idle, record->cgroup_id, record->deltas,
			   record->values, record->slots);
	return !p->hooks->interval || p->hooks->interval(p->hooks->context, record, false)
		       ? ST_OK
		       : ST_LIMIT;
}

/* Charges an interval that a read ended; interrupt_id INT_NONE: in no interrupt. */
static inline enum status charge_read(struct pipeline *p, const struct record *record,
				      int64_t interrupt_id, bool has_ended, bool is_idle)
{
	const struct context_switch_row *row = RECORD_DATA(record, context_switch);
	bool in_interrupt;

	if (!charge_wants_cpu(p, row->cpu))
		return ST_OK;
	in_interrupt = ledger_add_read(&p->ledger, row, interrupt_id, has_ended, is_idle,
				       record->cgroup_id, record->deltas, record->values,
				       record->slots);
	return !p->hooks->interval ||
			       p->hooks->interval(p->hooks->context, record, in_interrupt)
		       ? ST_OK
		       : ST_LIMIT;
}

static inline enum status charge_sample(struct pipeline *p, const struct sample_row *row)
{
	if (!charge_wants_cpu(p, row->cpu)) {
		sampling_note(&p->sampling, row);
		return ST_OK;
	}
	sampling_add(&p->sampling, row);
	return !p->hooks->sample || p->hooks->sample(p->hooks->context, row) ? ST_OK
									     : ST_LIMIT;
}

/* Adds the record of a thread that left a CPU, or came to it. */
static inline enum status charge_on_cpu(struct pipeline *p, struct switch_record_row *row,
					bool is_stored)
{
	if (!charge_wants_cpu(p, row->cpu))
		return ST_OK;
	if (is_stored)
		sampling_add_on_cpu(&p->sampling, row);
	else
		sampling_switch(&p->sampling, row);
	return !p->hooks->on_cpu || !row->is_out ||
			       p->hooks->on_cpu(p->hooks->context, row)
		       ? ST_OK
		       : ST_LIMIT;
}

#endif
