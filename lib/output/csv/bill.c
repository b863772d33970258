/* bill.c - makes the bill of each trace from its totals and keeps the lines. */
#include "output/csv/bill.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "base/os.h"
#include "base/text.h"
#include "base/wrap.h"
#include "report/bill.h"

#define TABLE_NAME "process_bill"

/* A line of the file, up to the columns that there were then. */
struct csv_bill_line {
	struct csv_bill_line *next;
	uint32_t columns, bytes;
	char text[];
};

/* --- lines --- */

/* What lines of one trace are made with. */
struct maker {
	struct csv_bill *bill;
	const struct bill *from;
	size_t columns;
	size_t *column_of; /* by counter */
	struct cell {
		bool is_set;
		int64_t value;
	} * cells; /* by column */
	struct bytes text;
};

static bool begin_lines(struct maker *maker, struct csv_bill *bill,
			const struct bill *from)
{
	const struct totals *totals = from->totals;

	*maker = (struct maker){ bill, from, bill->columns->count, NULL, NULL, { 0 } };
	maker->column_of = memory_alloc_zeroed(totals->counter_count, sizeof(size_t));
	maker->cells = memory_alloc_zeroed(maker->columns, sizeof(*maker->cells));
	for (size_t i = 0; maker->column_of && i < totals->counter_count; i++)
		maker->column_of[i] =
			csv_columns_find(bill->columns, totals->counters[i].row.name);
	return maker->column_of && maker->cells;
}

static void end_lines(struct maker *maker)
{
	free(maker->column_of);
	free(maker->cells);
	bytes_release(&maker->text);
}

static void fill_cells(struct maker *maker, const struct view_line *line)
{
	for (size_t i = 0; i < maker->columns; i++)
		maker->cells[i] = (struct cell){ false, 0 };
	for (size_t i = 0; i < maker->from->totals->counter_count; i++) {
		struct cell *cell;

		if (maker->column_of[i] >= maker->columns)
			continue;
		cell = &maker->cells[maker->column_of[i]];
		cell->is_set = true;
		cell->value =
			wrap_add(cell->value, line->numbers[maker->from->values + i]);
	}
}

static size_t put_number(char *to, int64_t number)
{
	*to = ',';
	return 1 + (number == INT_NONE ? 0 : text_int(to + 1, number));
}

static char *put_line(char *to, const struct maker *maker, const struct view_line *line)
{
	bool is_task = line->kind == LINE_TASK || line->kind == LINE_IDLE;
	int64_t threads = is_task ? line->numbers[CUT_THREADS] : INT_NONE;

	to += text_int(to, maker->from->totals->trace.trace_id);
	*to++ = ',';
	to += csv_text(maker->bill->sink, to, line->texts[CUT_PROCESS]);
	to += put_number(to, line->numbers[CUT_PID]);
	to += put_number(to, threads);
	to += put_number(to, line->numbers[CUT_SWITCHES]);
	to += put_number(to, line->numbers[CUT_ON_CPU]);
	for (size_t i = 0; i < maker->columns; i++) {
		*to++ = ',';
		if (maker->cells[i].is_set)
			to += text_int(to, maker->cells[i].value);
	}
	return to;
}

static bool keep_line(struct maker *maker, const struct view_line *line)
{
	struct csv_bill *bill = maker->bill;
	size_t room = 2 * line->texts[CUT_PROCESS].len + 8 +
		      (8 + maker->columns) * CSV_NUMBER_BYTES;
	struct csv_bill_line *kept;
	size_t size;
	char *text;

	bytes_clear(&maker->text);
	text = (char *)bytes_extend(&maker->text, room);
	if (!text)
		return false;
	fill_cells(maker, line);
	size = (size_t)(put_line(text, maker, line) - text);
	kept = arena_alloc(&bill->arena, sizeof(*kept) + size);
	if (!kept)
		return false;
	kept->columns = (uint32_t)maker->columns;
	kept->bytes = (uint32_t)size;
	memcpy(kept->text, text, size);
	*bill->tail = kept;
	bill->tail = &kept->next;
	return true;
}

static bool keep_lines(struct csv_bill *bill, const struct bill *from)
{
	struct maker maker;
	bool done = begin_lines(&maker, bill, from);

	for (size_t i = 0; done && i < from->view.line_count; i++) {
		const struct view_line *line = from->view.lines[i];

		/* The view has no line of idle that never ran. */
		if (line->kind != LINE_IDLE || line->numbers[BILL_PROVEN])
			done = keep_line(&maker, line);
	}
	end_lines(&maker);
	return done;
}

static enum status on_totals(void *context, struct sink *sink, struct totals *totals)
{
	static const struct cut_filter all = { .pid = INT_NONE,
					       .tid = INT_NONE,
					       .root = INT_NONE };
	static const struct bill_rule rule = { .unproven_to_threads = false };
	struct csv_bill *bill = context;
	bool has_many = bill->processes >= CSV_MANY_PROCESSES;
	struct bill made;
	bool done;

	bill->processes = 0;
	if (totals->group_count == 0)
		return ST_OK;
	totals_end_rows(totals);
	if (has_many)
		os_trim_heap();
	done = bill_make(&made, totals, BY_PROCESS, rule, &all) &&
	       view_sort(&made.view, NULL);
	totals_drop_books(totals);
	done = done && keep_lines(bill, &made);
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
	bill->sink = sink;
	bill->processes += record->kind == RECORD_process;
	if (bill->is_broken || !is_wanted(record->kind) ||
	    sink_put(&bill->totals, record) == ST_OK)
		return ST_OK;
	if (bill->totals.error.status == ST_NOMEM)
		return error_nomem(&sink->error);
	bill->is_broken = true;
	return ST_OK;
}

/* --- the file --- */

static enum status write_line(struct sink *sink, struct csv_file *file,
			      const struct csv_bill_line *line, size_t columns)
{
	size_t missing = columns - line->columns;
	char *to = csv_room(sink, file, TABLE_NAME, line->bytes + missing + 1);

	if (!to)
		return sink->error.status;
	memcpy(to, line->text, line->bytes);
	memset(to + line->bytes, ',', missing);
	to[line->bytes + missing] = '\n';
	file->used += line->bytes + missing + 1;
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
