/* bill_write.c - writes the lines of process_bill.csv. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/wrap.h"
#include "output/csv/bill.h"

#define TABLE_NAME "process_bill"

/* A process without a name is called by its pid. */
static char *put_process(const struct csv_bill *bill, char *to,
			 const struct csv_bill_line *line)
{
	const struct csv_task *task =
		csv_tasks_find(&bill->tasks->processes, line->process_id);
	const char *text = (const char *)bill->tasks->text.data + task->at;
	size_t size = task->size;
	size_t none = *text == ',' ? 1 : memcmp(text, "\"\",", 3) == 0 ? 3 : 0;

	if (none)
		to += text_print(to, CSV_NUMBER_BYTES, "\":%lld\",",
				 (long long)line->pid);
	memcpy(to, text + none, size - none);
	return to + size - none;
}

static char *put_name(const struct csv_bill *bill, char *to,
		      const struct csv_bill_line *line)
{
	static const char *const names[] = {
		[LINE_IDLE] = "\"(idle)\",,",
		[LINE_WITH_IDLE] = "\"(with idle)\",,",
		[LINE_INTERRUPTS] = "\"(interrupts)\",,",
		[LINE_UNATTRIBUTED] = "\"(unattributed)\",,",
	};

	return line->kind == LINE_TASK
		       ? put_process(bill, to, line)
		       : to + text_print(to, CSV_NUMBER_BYTES, "%s", names[line->kind]);
}

/* Counters of one name add up. */
static void fill_cells(const struct csv_bill_trace *trace,
		       const struct csv_bill_line *line, int64_t *cells, size_t columns)
{
	memset(cells, 0, columns * sizeof(*cells));
	for (size_t i = 0; i < trace->counters; i++) {
		size_t column = trace->column_of[i];

		if (column < columns)
			cells[column] = wrap_add(cells[column], line->values[i]);
	}
}

/* What the lines of a trace are written with. */
struct writing {
	const struct csv_bill *bill;
	const struct csv_bill_trace *trace;
	struct csv_file *file;
	int64_t *cells; /* by column */
	bool *is_set;
};

static enum status write_line(struct sink *sink, const struct writing *writing,
			      const struct csv_bill_line *line)
{
	const struct csv_bill *bill = writing->bill;
	size_t columns = bill->columns->count;
	char *begin = csv_room(sink, writing->file, TABLE_NAME,
			       bill->tasks->longest + (8 + columns) * CSV_NUMBER_BYTES);
	char *to = begin;

	if (!to)
		return sink->error.status;
	fill_cells(writing->trace, line, writing->cells, columns);
	to += text_int(to, writing->trace->trace_id);
	*to++ = ',';
	to = put_name(bill, to, line);
	if (line->threads != INT_NONE)
		to += text_int(to, line->threads);
	*to++ = ',';
	to += text_int(to, line->switches);
	*to++ = ',';
	to += text_int(to, line->on_cpu_ns);
	for (size_t i = 0; i < columns; i++) {
		*to++ = ',';
		if (writing->is_set[i])
			to += text_int(to, writing->cells[i]);
	}
	*to++ = '\n';
	writing->file->used += (size_t)(to - begin);
	return ST_OK;
}

static enum status write_lines(struct sink *sink, struct writing *writing)
{
	size_t columns = writing->bill->columns->count;
	enum status status = ST_OK;

	writing->cells = memory_alloc((columns + 1) * sizeof(*writing->cells));
	writing->is_set = memory_alloc_zeroed(columns + 1, sizeof(*writing->is_set));
	if (!writing->cells || !writing->is_set)
		status = error_nomem(&sink->error);
	for (size_t i = 0; status == ST_OK && i < writing->trace->counters; i++)
		if (writing->trace->column_of[i] < columns)
			writing->is_set[writing->trace->column_of[i]] = true;
	for (const struct csv_bill_line *l = writing->trace->lines; l && status == ST_OK;
	     l = l->next)
		status = write_line(sink, writing, l);
	free(writing->cells);
	free(writing->is_set);
	return status;
}

static enum status write_header(struct sink *sink, struct csv_file *file,
				const struct csv_columns *columns)
{
	static const char fixed[] = "trace_id,process,pid,threads,switches,on_cpu_ns";
	char *to = csv_room(sink, file, TABLE_NAME, sizeof(fixed));

	if (!to)
		return sink->error.status;
	memcpy(to, fixed, sizeof(fixed) - 1);
	file->used += sizeof(fixed) - 1;
	return csv_columns_write(sink, file, TABLE_NAME, columns);
}

enum status csv_bill_write(const struct csv_bill *bill, struct sink *sink,
			   struct os_folder *folder)
{
	struct csv_file file = { .fd = -1 };
	struct writing writing = { .bill = bill, .file = &file };
	enum status status;

	if (bill->is_broken || !bill->traces)
		return ST_OK;
	status = csv_file_open(sink, &file, folder, TABLE_NAME, CSV_BUFFER_BYTES);
	if (status == ST_OK)
		status = write_header(sink, &file, bill->columns);
	for (writing.trace = bill->traces; writing.trace && status == ST_OK;
	     writing.trace = writing.trace->next)
		status = write_lines(sink, &writing);
	if (status == ST_OK)
		status = csv_file_finish(sink, &file, TABLE_NAME);
	csv_file_close(&file);
	return status;
}
