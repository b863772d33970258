/*
 * csv.c - writes a directory with a file for each table that has rows: LF line ends, a
 * header row, NULL as an empty field, texts always quoted (by libcsv), numbers never.
 *
 * context_switch gets its header with its first row, when the counters are known.  If a
 * group with more counters follows, the lines before it are short: csv_finish() then
 * rewrites the file with the missing commas.  Last come the files that are joined from
 * several tables, unless they are not wanted: process_bill and context_switch_named.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/os.h"
#include "base/text.h"
#include "output/csv/bill.h"
#include "output/csv/named.h"
#include "output/csv/switches.h"
#include "output/outputs.h"
#include "output/target.h"

/*
 * With so many the heap gives back what it has free, for the memory of rows does not come
 * from it.  With fewer that costs more, in pages touched again, than it saves.
 */
#define MANY_PROCESSES 32768

/* For a trace's own tables, of which there may be hundreds. */
#define CSV_OWN_BUFFER_BYTES ((size_t)16 * 1024)

struct csv_own {
	const struct table *table;
	struct csv_file file;
	struct csv_own *next;
};

struct csv_state {
	struct target target;
	struct csv_file files[RECORD_TABLES];
	struct csv_own *own; /* tables that the traces define */
	size_t slots;	     /* delta columns that context_switch.csv needs so far */
	bool headed;	     /* its header is written, with the columns needed then */
	bool widened;	     /* more were needed later: there are short lines */

	struct csv_pieces pieces;    /* of lines of switches */
	struct csv_columns counters; /* counters, for the files below */
	struct csv_tasks tasks;
	struct csv_bill bill;
	size_t processes; /* of the trace at hand, so far */
};

/* --- rewriting the file, every line with all its commas --- */

/* Copies the old file's lines, each padded to `columns`. */
static enum status copy_padded(struct sink *sink, int from, struct csv_file *to,
			       const char *table, size_t columns)
{
	char *chunk = malloc(CSV_BUFFER_BYTES);
	size_t commas = 0;
	bool header = true;
	ptrdiff_t got = 0;
	enum status status = chunk ? ST_OK : error_nomem(&sink->error);

	while (status == ST_OK && (got = os_read(from, chunk, CSV_BUFFER_BYTES)) > 0) {
		for (ptrdiff_t i = 0; i < got && status == ST_OK; i++) {
			char *room;

			commas += chunk[i] == ',';
			if (header) { /* the new header is written already */
				header = chunk[i] != '\n';
				commas = 0;
				continue;
			}
			room = csv_room(sink, to, table, columns + 1);
			if (!room) {
				status = sink->error.status;
				break;
			}
			for (; chunk[i] == '\n' && commas + 1 < columns; commas++) {
				*room++ = ',';
				to->used++;
			}
			*room = chunk[i];
			to->used++;
			if (chunk[i] == '\n')
				commas = 0;
		}
	}
	if (status == ST_OK && got < 0)
		status = csv_file_failed(sink, table);
	free(chunk);
	return status;
}

/* The new file gets the name when the old one is closed. */
static enum status widen(struct sink *sink)
{
	static const char wide_name[] = "context_switch-wide";
	struct csv_state *csv = sink->state;
	const struct table *table = &tables[RECORD_context_switch];
	struct csv_file *narrow = &csv->files[RECORD_context_switch];
	struct csv_file wide = { .fd = -1 };
	enum status status = csv_file_flush(sink, narrow, table->name);
	int from = os_open_in(csv->target.folder, "context_switch.csv", OS_READ);

	if (from < 0)
		return csv_file_failed(sink, table->name);
	if (status == ST_OK)
		status = csv_file_open(sink, &wide, csv->target.folder, wide_name,
				       CSV_BUFFER_BYTES);
	if (status == ST_OK)
		status = csv_header(sink, &wide, table, csv->slots);
	if (status == ST_OK)
		status = copy_padded(sink, from, &wide, table->name,
				     table->field_count + csv->slots);
	(void)os_close(from);
	csv_file_close(narrow);
	*narrow = wide;
	if (status == ST_OK && !os_move_in(csv->target.folder, "context_switch-wide.csv",
					   "context_switch.csv"))
		status = csv_file_failed(sink, table->name);
	return status;
}

/* --- the sink --- */

static enum status write_statuses(struct sink *sink)
{
	const struct csv_state *csv = sink->state;
	struct csv_file file = { .fd = -1 };
	enum status status = csv_file_open(sink, &file, csv->target.folder,
					   "charge_status", CSV_BUFFER_BYTES);
	char *to = status == ST_OK ? file.buffer : NULL;
	size_t at = 0;

	if (to)
		at = text_print(to, 64, "status,name,reason,words\n");
	for (int i = 0; to && i < CHARGE_STATUSES; i++)
		at += text_print(to + at, 256, "%d,\"%s\",\"%s\",\"%s\"\n", i,
				 charge_status_words[i].name,
				 charge_status_words[i].reason,
				 charge_status_words[i].words);
	file.used = at;
	if (to)
		status = csv_file_flush(sink, &file, "charge_status");
	csv_file_close(&file);
	return status;
}

static enum status csv_open(struct sink *sink)
{
	struct csv_state *csv = sink->state;
	enum status status;

	for (size_t i = 0; i < RECORD_TABLES; i++)
		csv->files[i].fd = -1;
	status = target_begin(&csv->target, &sink->options, true, &sink->error);
	if (status != ST_OK)
		return status;
	if (!csv_pieces_init(&csv->pieces) || !csv_tasks_init(&csv->tasks))
		return error_nomem(&sink->error);
	csv_switches_begin(&csv->pieces, &csv->files[RECORD_context_switch]);
	if (!sink->options.no_views)
		status = csv_bill_open(&csv->bill, sink, &csv->counters, &csv->tasks);
	return status == ST_OK ? write_statuses(sink) : status;
}

/* The file of a table, with its header: a table without rows has none. */
static enum status begin_table(struct sink *sink, enum record_kind kind, size_t slots)
{
	struct csv_state *csv = sink->state;
	enum status status = csv_file_open(sink, &csv->files[kind], csv->target.folder,
					   tables[kind].name, CSV_BUFFER_BYTES);

	return status == ST_OK ? csv_header(sink, &csv->files[kind], &tables[kind], slots)
			       : status;
}

/* Their file, with its header, when the first one comes. */
static enum status begin_switches(struct sink *sink)
{
	struct csv_state *csv = sink->state;
	enum status status;

	if (csv->headed)
		return ST_OK;
	status = begin_table(sink, RECORD_context_switch, csv->slots);
	csv->headed = status == ST_OK;
	return status;
}

static enum status write_switch(struct sink *sink, const struct record *record)
{
	struct csv_state *csv = sink->state;
	enum status status = begin_switches(sink);

	return status == ST_OK ? csv_switches_add(&csv->pieces, sink, record, csv->slots)
			       : status;
}

static enum status csv_write_run(struct sink *sink, const struct run_rows *rows)
{
	struct csv_state *csv = sink->state;
	enum status status = begin_switches(sink);

	return status == ST_OK
		       ? csv_switches_add_run(&csv->pieces, sink, rows, csv->slots)
		       : status;
}

/* The file of a table that the trace defines; NULL with the error set. */
static struct csv_file *own_file(struct sink *sink, const struct table *table)
{
	struct csv_state *csv = sink->state;
	struct csv_own *own = csv->own;

	while (own && own->table != table)
		own = own->next;
	if (own)
		return &own->file;
	own = calloc(1, sizeof(*own));
	if (!own) {
		error_nomem(&sink->error);
		return NULL;
	}
	own->table = table;
	own->file.fd = -1;
	own->next = csv->own;
	csv->own = own;
	if (csv_file_open(sink, &own->file, csv->target.folder, table->name,
			  CSV_OWN_BUFFER_BYTES) != ST_OK ||
	    csv_header(sink, &own->file, table, 0) != ST_OK)
		return NULL;
	return &own->file;
}

/* Processes are at the end of a trace: switches hardly need their memory any more. */
static enum status make_room(struct sink *sink)
{
	struct csv_state *csv = sink->state;
	enum status status = csv->headed ? csv_switches_end(&csv->pieces, sink) : ST_OK;

	if (status != ST_OK)
		return status;
	csv_pieces_shrink(&csv->pieces);
	if (!csv_tasks_expect_many(&csv->tasks))
		return error_nomem(&sink->error);
	os_trim_heap();
	return ST_OK;
}

/* What the joined files need to know. */
static enum status on_row(struct sink *sink, const struct record *record)
{
	struct csv_state *csv = sink->state;

	if (record->kind == RECORD_process && ++csv->processes == MANY_PROCESSES &&
	    make_room(sink) != ST_OK)
		return sink->error.status;
	if (!csv_columns_on_row(&csv->counters, record) ||
	    !csv_tasks_on_row(&csv->tasks, sink, record))
		return error_nomem(&sink->error);
	if (record->kind == RECORD_trace)
		csv->processes = 0;
	return csv_bill_on_row(&csv->bill, sink, record);
}

static enum status csv_write_row(struct sink *sink, const struct record *record)
{
	struct csv_state *csv = sink->state;
	enum status status;

	if (record->kind == RECORD_context_switch)
		return write_switch(sink, record);
	if (record->kind == RECORD_OWN_TABLE) {
		struct csv_file *file = own_file(sink, record->table);

		return file ? csv_line(sink, file, record->table, record->data)
			    : sink->error.status;
	}
	if (record->kind == RECORD_counter_group) {
		size_t counters = (size_t)RECORD_DATA(record, counter_group)->counters;

		csv->widened |= csv->headed && counters > csv->slots;
		csv->slots = counters > csv->slots ? counters : csv->slots;
	}
	status = sink->options.no_views ? ST_OK : on_row(sink, record);
	if (status == ST_OK && csv->files[record->kind].fd < 0)
		status = begin_table(sink, record->kind, 0);
	return status == ST_OK ? csv_line(sink, &csv->files[record->kind],
					  &tables[record->kind], record->data)
			       : status;
}

/* The files that are joined from several tables. */
static enum status write_joined(struct sink *sink)
{
	struct csv_state *csv = sink->state;
	enum status status = csv_bill_write(&csv->bill, sink, csv->target.folder);

	return status == ST_OK && csv->headed
		       ? csv_named_write(&csv->tasks, sink, csv->target.folder,
					 &csv->counters, csv->slots, &csv->pieces)
		       : status;
}

static enum status csv_finish(struct sink *sink)
{
	struct csv_state *csv = sink->state;
	enum status status = ST_OK;

	if (csv->headed)
		status = csv_switches_end(&csv->pieces, sink);
	if (status != ST_OK)
		return status;
	if (csv->widened)
		status = widen(sink);
	for (size_t i = 0; i < RECORD_TABLES && status == ST_OK; i++)
		if (csv->files[i].fd >= 0)
			status = csv_file_finish(sink, &csv->files[i], tables[i].name);
	for (struct csv_own *own = csv->own; own && status == ST_OK; own = own->next)
		status = csv_file_finish(sink, &own->file, own->table->name);
	if (status == ST_OK && !sink->options.no_views)
		status = write_joined(sink);
	return status == ST_OK ? target_commit(&csv->target, &sink->error) : status;
}

static void csv_close(struct sink *sink)
{
	struct csv_state *csv = sink->state;

	csv_pieces_release(&csv->pieces);
	for (size_t i = 0; i < RECORD_TABLES; i++)
		csv_file_close(&csv->files[i]);
	while (csv->own) {
		struct csv_own *own = csv->own;

		csv->own = own->next;
		csv_file_close(&own->file);
		free(own);
	}
	csv_bill_release(&csv->bill);
	csv_tasks_release(&csv->tasks);
	csv_columns_release(&csv->counters);
	target_release(&csv->target);
}

const struct sink_ops csv_writer = {
	.name = "csv",
	.state_size = sizeof(struct csv_state),
	.open = csv_open,
	.put = csv_write_row,
	.put_run = csv_write_run,
	.finish = csv_finish,
	.close = csv_close,
};
