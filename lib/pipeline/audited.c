/* audited.c - passes checks of the recorder to the verdicts, emits these at the end. */
#include "pipeline/audited.h"

#include "base/wrap.h"
#include "pipeline/ids.h"

enum status on_audit_check(struct pipeline *p, const struct record *record)
{
	struct audit_check_row row = *RECORD_DATA(record, audit_check);

	if (!p->has_events)
		return emit_record(p, record);
	row.counter_id = output_counter_id(p, row.counter_id);
	if (verdicts_check(&p->verdicts, &row, record->offset, p->findings))
		return ST_OK; /* it goes out at the end */
	return on_plain_row(p, record);
}

enum status audited_report(struct pipeline *p)
{
	int64_t switches = 0;

	for (size_t i = 0; i < p->chains.cpu_count; i++)
		if (p->chains.cpus[i])
			switches = wrap_add(switches, p->chains.cpus[i]->switches);
	return verdicts_report(&p->verdicts, p->trace_id, switches, p->findings, emit_row,
			       p);
}
