/* bill.c - makes the bill of each trace from its totals and keeps the lines. */
#include "output/csv/bill.h"

#include <string.h>

#include "base/os.h"
#include "base/text.h"
#include "base/wrap.h"
#include "report/bill.h"

#define TABLE_NAME "process_bill"

struct csv_bill_line {
	int64_t trace_id;
	struct str process;
	int64_t pid, threads, switches, on_cpu_ns; /* or INT_NONE */
	size_t count;				   /* columns that there were */
	struct csv_bill_line *next;
	struct {
		bool is_set;
		int64_t value;
	} cells[]; /* by column */
};

/* --- lines --- */

static bool keep_line(struct csv_bill *bill, const struct bill *from,
		      const struct view_line *line)
{
	const struct totals *totals = from->totals;
	size_t count = bill->columns->count;
	struct csv_bill_line *kept =
		arena_alloc(&bill->arena, sizeof(*kept) + count * sizeof(kept->cells[0]));
	bool is_task = line->kind == LINE_TASK || line->kind == LINE_IDLE;

	if (!kept)
		return false;
	kept->trace_id = totals->trace.trace_id;
	kept->process = arena_str(&bill->arena, line->texts[CUT_PROCESS]);
	kept->pid = line->numbers[CUT_PID];
	kept->threads = is_task ? line->numbers[CUT_THREADS] : INT_NONE;
	kept->switches = line->numbers[CUT_SWITCHES];
	kept->on_cpu_ns = line->numbers[CUT_ON_CPU];
	kept->count = count;
	for (size_t i = 0; i < totals->counter_count; i++) {
		size_t column =
			csv_columns_find(bill->columns, totals->counters[i].row.name);

		if (column >= count)
			continue;
		kept->cells[column].is_set = true;
		kept->cells[column].value = wrap_add(kept->cells[column].value,
						     line->numbers[from->values + i]);
	}
	*bill->tail = kept;
	bill->tail = &kept->next;
	return kept->process.ptr != NULL;
}

static enum status on_totals(void *context, struct sink *sink, struct totals *totals)
{
	static const struct cut_filter all = { .pid = INT_NONE,
					       .tid = INT_NONE,
					       .root = INT_NONE };
	static const struct bill_rule rule = { .unproven_to_threads = false };
	struct csv_bill *bill = context;
	struct bill made;
	bool done;

	if (totals->group_count == 0)
		return ST_OK;
	done = bill_make(&made, totals, BY_PROCESS, rule, &all) &&
	       view_sort(&made.view, NULL);
	for (size_t i = 0; done && i < made.view.line_count; i++) {
		const struct view_line *line = made.view.lines[i];

		/* The view has no line of idle that never ran. */
		if (line->kind != LINE_IDLE || line->numbers[BILL_PROVEN])
			done = keep_line(bill, &made, line);
	}
	bill_release(&made);
	return done ? ST_OK : error_nomem(&sink->error);
}

/* --- rows --- */

enum status csv_bill_open(struct csv_bill *bill, struct sink *sink,
			  const struct csv_columns *columns)
{
	struct totals_sink *totals;

	bill->columns = columns;
	bill->tail = &bill->lines;
	if (sink_open(&bill->totals, &totals_sink_ops, NULL) != ST_OK) {
		bill->totals.ops = NULL;
		return error_nomem(&sink->error);
	}
	totals = bill->totals.state;
	totals->done = on_totals;
	totals->context = bill;
	return ST_OK;
}

static bool is_wanted(enum record_kind kind)
{
	switch ((int)kind) {
	case RECORD_counter_group:
	case RECORD_counter:
	case RECORD_process:
	case RECORD_thread:
	case RECORD_thread_summary:
	case RECORD_thread_charge:
	case RECORD_cpu_summary:
	case RECORD_cpu_charge:
	case RECORD_status_summary:
	case RECORD_status_charge:
	case RECORD_interrupt:
	case RECORD_interrupt_summary:
	case RECORD_interrupt_charge:
	case RECORD_trace:
		return true;
	default:
		return false;
	}
}

enum status csv_bill_on_row(struct csv_bill *bill, struct sink *sink,
			    const struct record *record)
{
	if (bill->is_broken || !is_wanted(record->kind) ||
	    sink_put(&bill->totals, record) == ST_OK)
		return ST_OK;
	if (bill->totals.error.status == ST_NOMEM)
		return error_nomem(&sink->error);
	bill->is_broken = true;
	return ST_OK;
}

/* --- the file --- */

static size_t put_number(char *to, int64_t number)
{
	return number == INT_NONE ? 0 : text_int(to, number);
}

static enum status write_line(struct sink *sink, struct csv_file *file,
			      const struct csv_bill_line *line, size_t columns)
{
	const int64_t numbers[] = { line->pid, line->threads, line->switches,
				    line->on_cpu_ns };
	char *to = csv_room(sink, file, TABLE_NAME,
			    2 * line->process.len + 8 + (8 + columns) * CSV_NUMBER_BYTES);
	char *start = to;

	if (!to)
		return sink->error.status;
	to += text_int(to, line->trace_id);
	*to++ = ',';
	to += csv_text(sink, to, line->process);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		*to++ = ',';
		to += put_number(to, numbers[i]);
	}
	for (size_t i = 0; i < columns; i++) {
		*to++ = ',';
		if (i < line->count && line->cells[i].is_set)
			to += text_int(to, line->cells[i].value);
	}
	*to++ = '\n';
	file->used += (size_t)(to - start);
	return ST_OK;
}

enum status csv_bill_write(const struct csv_bill *bill, struct sink *sink,
			   struct os_folder *folder)
{
	static const char fixed[] = "trace_id,process,pid,threads,switches,on_cpu_ns";
	struct csv_file file = { .fd = -1 };
	enum status status;
	char *to;

	if (bill->is_broken || !bill->lines)
		return ST_OK;
	status = csv_file_open(sink, &file, folder, TABLE_NAME, CSV_BUFFER_BYTES);
	to = status == ST_OK ? csv_room(sink, &file, TABLE_NAME, sizeof(fixed)) : NULL;
	if (to) {
		memcpy(to, fixed, sizeof(fixed) - 1);
		file.used += sizeof(fixed) - 1;
		status = csv_columns_write(sink, &file, TABLE_NAME, bill->columns);
	}
	for (const struct csv_bill_line *line = bill->lines; line && status == ST_OK;
	     line = line->next)
		status = write_line(sink, &file, line, bill->columns->count);
	if (status == ST_OK)
		status = csv_file_finish(sink, &file, TABLE_NAME);
	csv_file_close(&file);
	return status;
}

void csv_bill_release(struct csv_bill *bill)
{
	if (bill->totals.ops)
		sink_close(&bill->totals);
	arena_release(&bill->arena);
	*bill = (struct csv_bill){ .lines = NULL };
}
