/* bill.c - writes bills in tall form; see bill.h. */
#include "output/parquet/bill.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/wrap.h"
#include "report/bill.h"

#define NS_PER_SECOND INT64_C(1000000000)

enum bill_column {
	BILL_TRACE,
	BILL_FIRST_UTC,
	BILL_COMM,
	BILL_PROCESS,
	BILL_PID,
	BILL_COUNTER,
	BILL_UNIT,
	BILL_VALUE,
	BILL_STATUS,
	BILL_COLUMNS
};

const struct parquet_column parquet_bill_columns[] = {
	[BILL_TRACE] = { "trace", PARQUET_TEXT, false },
	[BILL_FIRST_UTC] = { "first_utc_ns", PARQUET_UTC, true },
	[BILL_COMM] = { "comm", PARQUET_TEXT, true },
	[BILL_PROCESS] = { "process", PARQUET_TEXT, true },
	[BILL_PID] = { "pid", PARQUET_INT, true },
	[BILL_COUNTER] = { "counter", PARQUET_TEXT, false },
	[BILL_UNIT] = { "unit", PARQUET_TEXT, true },
	[BILL_VALUE] = { "value", PARQUET_INT, false },
	[BILL_STATUS] = { "status", PARQUET_TEXT, false },
};
const size_t parquet_bill_column_count = BILL_COLUMNS;

enum second_column {
	BY_TRACE,
	BY_TS,
	BY_UTC,
	BY_COMM_NAME,
	BY_PROCESS_NAME,
	BY_PID,
	BY_COUNTER,
	BY_UNIT,
	BY_VALUE,
	BY_STATUS,
	BY_COLUMNS
};

const struct parquet_column parquet_second_columns[] = {
	[BY_TRACE] = { "trace", PARQUET_TEXT, false },
	[BY_TS] = { "ts_ns", PARQUET_INT, false },
	[BY_UTC] = { "ts_utc_ns", PARQUET_UTC, true },
	[BY_COMM_NAME] = { "comm", PARQUET_TEXT, true },
	[BY_PROCESS_NAME] = { "process", PARQUET_TEXT, true },
	[BY_PID] = { "pid", PARQUET_INT, true },
	[BY_COUNTER] = { "counter", PARQUET_TEXT, false },
	[BY_UNIT] = { "unit", PARQUET_TEXT, true },
	[BY_VALUE] = { "value", PARQUET_INT, false },
	[BY_STATUS] = { "status", PARQUET_TEXT, false },
};
const size_t parquet_second_column_count = BY_COLUMNS;

static const char *const status_names[SECOND_STATUSES] = {
	[SECOND_CHARGED] = "charged",
	[SECOND_WITH_IDLE] = "with_idle",
	[SECOND_INTERRUPTS] = "interrupts",
	[SECOND_UNATTRIBUTED] = "unattributed",
};

static int64_t to_utc(int64_t ts_ns, int64_t wall_offset_ns)
{
	if (ts_ns == INT_NONE || wall_offset_ns == INT_NONE)
		return INT_NONE;
	return wrap_add(ts_ns, wall_offset_ns);
}

/* --- bill --- */

struct bill_writer {
	struct parquet_table *table;
	const struct bill *bill;
	const struct parquet_ending *ending;
	int64_t first_utc;
};

struct bill_cell {
	struct str process;
	int64_t pid;
	struct str counter, unit;
	int64_t value;
	const char *status;
};

static enum status put_bill_row(const struct bill_writer *writer,
				const struct bill_cell *cell)
{
	struct parquet_table *table = writer->table;
	enum status status = parquet_table_add_row(table);

	if (status != ST_OK)
		return status;
	parquet_set_number(table, BILL_FIRST_UTC, writer->first_utc);
	parquet_set_number(table, BILL_PID, cell->pid);
	parquet_set_int(table, BILL_VALUE, cell->value);
	return parquet_set_text(table, BILL_TRACE, writer->ending->trace) &&
			       parquet_set_text(table, BILL_COMM, cell->process) &&
			       parquet_set_text(table, BILL_PROCESS, cell->process) &&
			       parquet_set_text(table, BILL_COUNTER, cell->counter) &&
			       parquet_set_text(table, BILL_UNIT, cell->unit) &&
			       parquet_set_text(table, BILL_STATUS, str_of(cell->status))
		       ? ST_OK
		       : error_nomem(table->file.error);
}

static const char *status_of(enum line_kind kind)
{
	switch ((int)kind) {
	case LINE_IDLE:
		return "idle";
	case LINE_WITH_IDLE:
		return "with_idle";
	case LINE_INTERRUPTS:
		return "interrupts";
	case LINE_UNATTRIBUTED:
		return "unattributed";
	default:
		return "charged";
	}
}

/* The counter's parts of a line: its own, that with idle, that of interrupts. */
static enum status put_counter(const struct bill_writer *writer,
			       const struct view_line *line, size_t counter)
{
	const struct counter_row *row = &writer->bill->totals->counters[counter].row;
	struct bill_cell cell = {
		.process = line->texts[CUT_PROCESS],
		.pid = line->numbers[CUT_PID],
		.counter = row->name.ptr ? row->name : STR("?"),
		.unit = row->unit,
		.value = line->numbers[writer->bill->values + counter],
		.status = status_of(line->kind),
	};
	enum status status = cell.value || line->kind == LINE_TASK
				     ? put_bill_row(writer, &cell)
				     : ST_OK;

	if (line->kind != LINE_TASK && line->kind != LINE_IDLE)
		return status;
	cell.value = line->numbers[writer->bill->with_idle + counter];
	cell.status = "with_idle";
	if (status == ST_OK && cell.value)
		status = put_bill_row(writer, &cell);
	cell.value = line->numbers[writer->bill->interrupts + counter];
	cell.status = "interrupts";
	if (status == ST_OK && cell.value)
		status = put_bill_row(writer, &cell);
	return status;
}

static enum status put_line(const struct bill_writer *writer,
			    const struct view_line *line)
{
	struct bill_cell time = {
		.process = line->texts[CUT_PROCESS],
		.pid = line->numbers[CUT_PID],
		.counter = STR("on_cpu_ns"),
		.unit = STR("ns"),
		.value = line->numbers[CUT_ON_CPU],
		.status = status_of(line->kind),
	};
	enum status status = ST_OK;

	if (time.value != INT_NONE && time.value)
		status = put_bill_row(writer, &time);
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

enum status parquet_bill_write(struct parquet_table *table, const struct totals *totals,
			       const struct parquet_ending *ending)
{
	static const struct cut_filter all = { .pid = INT_NONE,
					       .tid = INT_NONE,
					       .root = INT_NONE };
	static const struct bill_rule rule = { .unproven_to_threads = false };
	struct bill bill;
	const struct bill_writer writer = {
		.table = table,
		.bill = &bill,
		.ending = ending,
		.first_utc = to_utc(totals->trace.first_ns, ending->wall_offset_ns),
	};
	enum status status = ST_OK;

	if (!bill_make(&bill, totals, BY_PROCESS, rule, &all) ||
	    !view_sort(&bill.view, NULL))
		status = error_nomem(table->file.error);
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

static enum status put_second(struct parquet_table *table, const struct second_row *row,
			      struct str counter, struct str unit, int64_t value,
			      const struct parquet_ending *ending)
{
	const struct parquet_task *task =
		parquet_tasks_find(ending->tasks, row->thread_id);
	bool is_named = row->status != SECOND_UNATTRIBUTED;
	struct str process =
		is_named ? parquet_name_text(task->process) : STR("(unattributed)");
	struct str state = task->is_idle && row->status == SECOND_CHARGED
				   ? STR("idle")
				   : str_of(status_names[row->status]);
	int64_t ts_ns = row->second * NS_PER_SECOND;
	enum status status = parquet_table_add_row(table);

	if (status != ST_OK)
		return status;
	process = is_named && task->is_idle ? STR("(idle)") : process;
	parquet_set_int(table, BY_TS, ts_ns);
	parquet_set_number(table, BY_UTC, to_utc(ts_ns, ending->wall_offset_ns));
	parquet_set_number(table, BY_PID,
			   is_named && !task->is_idle ? task->pid : INT_NONE);
	parquet_set_int(table, BY_VALUE, value);
	return parquet_set_text(table, BY_TRACE, ending->trace) &&
			       parquet_set_text(table, BY_COMM_NAME, process) &&
			       parquet_set_text(table, BY_PROCESS_NAME, process) &&
			       parquet_set_text(table, BY_COUNTER, counter) &&
			       parquet_set_text(table, BY_UNIT, unit) &&
			       parquet_set_text(table, BY_STATUS, state)
		       ? ST_OK
		       : error_nomem(table->file.error);
}

static enum status put_counters(struct parquet_table *table,
				const struct parquet_counters *counters, bool has_time,
				const struct second_row *row,
				const struct parquet_ending *ending)
{
	enum status status = ST_OK;

	for (size_t i = 0; i < counters->slots && status == ST_OK; i++)
		if (row->values[i])
			status = put_second(table, row,
					    counters->names[i].ptr ? counters->names[i]
								   : STR("?"),
					    counters->units[i], row->values[i], ending);
	if (status == ST_OK && has_time && row->values[counters->slots])
		status = put_second(table, row, STR("on_cpu_ns"), STR("ns"),
				    row->values[counters->slots], ending);
	return status;
}

enum status parquet_seconds_write(struct parquet_table *table,
				  struct parquet_counters *counters, bool has_time,
				  const struct parquet_ending *ending)
{
	struct second_row *row =
		memory_alloc(sizeof(*row) + (counters->slots + 1) * sizeof(int64_t));
	enum status status =
		row ? seconds_finish(&counters->seconds) : error_nomem(table->file.error);

	while (status == ST_OK &&
	       (status = seconds_next(&counters->seconds, row)) == ST_OK)
		status = put_counters(table, counters, has_time, row, ending);
	free(row);
	return status == ST_END ? ST_OK : status;
}
