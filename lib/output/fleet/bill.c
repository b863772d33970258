/* bill.c - the rows of bills in tall form; see bill.h. */
#include "output/fleet/bill.h"

#include <stdlib.h>

#include "base/memory.h"
#include "report/bill.h"

static const struct str status_names[CHARGE_CLASSES] = {
	[CLASS_CHARGED] = STR("charged"),
	[CLASS_WITH_IDLE] = STR("with_idle"),
	[CLASS_INTERRUPT] = STR("interrupts"),
	[CLASS_UNPROVEN] = STR("unattributed"),
};

/* --- bill --- */

struct bill_writer {
	const struct bill *bill;
	struct str trace;
	int64_t first_utc;
	fleet_put_bill_fn *put;
	void *context;
};

static struct str status_of(enum line_kind kind)
{
	switch ((int)kind) {
	case LINE_IDLE:
		return STR("idle");
	case LINE_WITH_IDLE:
		return STR("with_idle");
	case LINE_INTERRUPTS:
		return STR("interrupts");
	case LINE_UNATTRIBUTED:
		return STR("unattributed");
	default:
		return STR("charged");
	}
}

/* The counter's parts of a line: its own, that with idle, that of interrupts. */
static enum status put_counter(const struct bill_writer *writer,
			       const struct view_line *line, size_t counter)
{
	const struct counter_row *row = &writer->bill->totals->counters[counter].row;
	struct fleet_bill_row cell = {
		.trace = writer->trace,
		.ts_ns = INT_NONE,
		.utc_ns = writer->first_utc,
		.name = line->texts[CUT_PROCESS],
		.pid = line->numbers[CUT_PID],
		.counter = row->name.ptr ? row->name : STR("?"),
		.unit = row->unit,
		.value = line->numbers[writer->bill->values + counter],
		.status = status_of(line->kind),
	};
	enum status status = cell.value || line->kind == LINE_TASK
				     ? writer->put(writer->context, &cell)
				     : ST_OK;

	if (line->kind != LINE_TASK && line->kind != LINE_IDLE)
		return status;
	cell.value = line->numbers[writer->bill->with_idle + counter];
	cell.status = STR("with_idle");
	if (status == ST_OK && cell.value)
		status = writer->put(writer->context, &cell);
	cell.value = line->numbers[writer->bill->interrupts + counter];
	cell.status = STR("interrupts");
	if (status == ST_OK && cell.value)
		status = writer->put(writer->context, &cell);
	return status;
}

static enum status put_line(const struct bill_writer *writer,
			    const struct view_line *line)
{
	struct fleet_bill_row time = {
		.trace = writer->trace,
		.ts_ns = INT_NONE,
		.utc_ns = writer->first_utc,
		.name = line->texts[CUT_PROCESS],
		.pid = line->numbers[CUT_PID],
		.counter = STR("on_cpu_ns"),
		.unit = STR("ns"),
		.value = line->numbers[CUT_ON_CPU],
		.status = status_of(line->kind),
	};
	enum status status = ST_OK;

	if (time.value != INT_NONE && time.value)
		status = writer->put(writer->context, &time);
	for (size_t i = 0; i < writer->bill->totals->counter_count && status == ST_OK;
	     i++)
		status = put_counter(writer, line, i);
	return status;
}

/* Of the lines of what is shared only what no thread's line says. */
static void subtract_parts(const struct bill *bill, struct view_line *line)
{
	size_t parts = line->kind == LINE_WITH_IDLE ? bill->with_idle : bill->interrupts;

	for (size_t k = 0; k < bill->view.line_count; k++) {
		const struct view_line *other = bill->view.lines[k];

		if (other->kind != LINE_TASK && other->kind != LINE_IDLE)
			continue;
		for (size_t i = 0; i < bill->totals->counter_count; i++)
			line->numbers[bill->values + i] =
				wrap_sub(line->numbers[bill->values + i],
					 other->numbers[parts + i]);
	}
}

enum status fleet_bill_rows(const struct totals *totals, const struct fleet_trace *trace,
			    fleet_put_bill_fn *put, void *context, struct error *error)
{
	static const struct cut_filter all = { .pid = INT_NONE,
					       .tid = INT_NONE,
					       .root = INT_NONE };
	static const struct bill_rule rule = { .unproven_to_threads = false };
	struct bill bill;
	const struct bill_writer writer = {
		.bill = &bill,
		.trace = trace->name,
		.first_utc = wall_utc(&trace->wall, totals->trace.first_ns),
		.put = put,
		.context = context,
	};
	enum status status = ST_OK;

	if (!bill_make(&bill, totals, BY_PROCESS, rule, &all) ||
	    !view_sort(&bill.view, NULL))
		status = error_nomem(error);
	for (size_t i = 0; i < bill.view.line_count && status == ST_OK; i++) {
		struct view_line *line = bill.view.lines[i];

		if (line->kind == LINE_WITH_IDLE || line->kind == LINE_INTERRUPTS)
			subtract_parts(&bill, line);
		status = put_line(&writer, line);
	}
	bill_release(&bill);
	return status;
}

/* --- by second --- */

struct second_writer {
	const struct fleet_tasks *tasks;
	const struct fleet_trace *trace;
	fleet_put_bill_fn *put;
	void *context;
};

/* The first second that a time can be in does not begin within them. */
static int64_t begin_of(int64_t second)
{
	int64_t ns;

	return __builtin_mul_overflow(second, (int64_t)SECOND_NS, &ns) ? INT_NONE + 1
								       : ns;
}

static enum status put_second(const struct second_writer *writer,
			      const struct second_row *row, struct str counter,
			      struct str unit, int64_t value)
{
	const struct fleet_task *task = fleet_tasks_find(writer->tasks, row->thread_id);
	bool is_named = row->class != CLASS_UNPROVEN;
	bool is_idle = is_named && task->is_idle;
	struct fleet_bill_row cell = {
		.trace = writer->trace->name,
		.ts_ns = begin_of(row->second),
		.name = is_named ? fleet_name_text(task->process) : STR("(unattributed)"),
		.pid = is_named && !is_idle ? task->pid : INT_NONE,
		.counter = counter,
		.unit = unit,
		.value = value,
		.status = status_names[row->class],
	};

	if (is_idle)
		cell.name = STR("(idle)");
	if (is_idle && row->class == CLASS_CHARGED)
		cell.status = STR("idle");
	cell.utc_ns = wall_utc(&writer->trace->wall, cell.ts_ns);
	return writer->put(writer->context, &cell);
}

static enum status put_counters(const struct second_writer *writer,
				const struct fleet_counters *counters, bool has_time,
				const struct second_row *row)
{
	enum status status = ST_OK;

	for (size_t i = 0; i < counters->slots && status == ST_OK; i++)
		if (row->values[i])
			status = put_second(writer, row,
					    counters->names[i].ptr ? counters->names[i]
								   : STR("?"),
					    counters->units[i], row->values[i]);
	if (status == ST_OK && has_time && row->values[counters->slots])
		status = put_second(writer, row, STR("on_cpu_ns"), STR("ns"),
				    row->values[counters->slots]);
	return status;
}

/* `has_time`: of this group the time on a CPU counts, too. */
static enum status put_seconds(const struct second_writer *writer,
			       struct fleet_counters *counters, bool has_time,
			       struct error *error)
{
	struct second_row *row =
		memory_alloc(sizeof(*row) + (counters->slots + 1) * sizeof(int64_t));
	enum status status =
		row ? seconds_finish(&counters->seconds) : error_nomem(error);

	while (status == ST_OK &&
	       (status = seconds_next(&counters->seconds, row)) == ST_OK)
		status = put_counters(writer, counters, has_time, row);
	free(row);
	return status == ST_END ? ST_OK : status;
}

enum status fleet_second_rows(struct fleet_collector *collector,
			      const struct totals *totals,
			      const struct fleet_trace *trace, fleet_put_bill_fn *put,
			      void *context, struct error *error)
{
	const struct second_writer writer = { &collector->tasks, trace, put, context };
	enum status status = ST_OK;

	for (struct fleet_counters *c = collector->counters; c && status == ST_OK;
	     c = c->next) {
		const struct totals_group *group = totals_group(totals, c->group_id);

		status = put_seconds(&writer, c, group && group->is_reference, error);
	}
	return status;
}
