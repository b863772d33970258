/*
 * parquet.c - writes a tree of Parquet files for DuckDB, ClickHouse and Spark: the bill,
 * the bill by second and the switches of each trace, or every table.
 *
 * A file is begun under a number in the output folder and gets its place in the tree
 * (folders.h) at the end of its trace, when host and date are known.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/wrap.h"
#include "output/outputs.h"
#include "output/parquet/bill.h"
#include "output/parquet/folders.h"
#include "output/parquet/metadata.h"
#include "output/target.h"

/* A file of the output folder that has no place yet. */
struct begun_file {
	int fd; /* -1: not open */
	char name[32];
};

/* One of --all-tables. */
struct whole_table {
	const struct table *table;
	struct parquet_column *columns;
	struct parquet_table file;
	struct begun_file begun;
	struct whole_table *next;
};

struct counter_place {
	struct parquet_counters *counters;
	size_t slot;
};

struct parquet {
	struct target target;
	struct parquet_maker maker;
	size_t files;  /* begun so far, for their names */
	size_t traces; /* ended so far */
	/* Of the trace that is being read; forgotten at its end. */
	struct arena arena;
	struct parquet_tasks tasks;
	struct parquet_counters *counters, **last_counters;
	struct map counters_by_group, place_by_counter;
	struct second_row *read; /* what values of a read are added to; NULL: nothing */
	struct whole_table *tables;
	struct metadata metadata;
	struct fleet_place place;
	struct sink totals; /* ops NULL: not open */
	bool has_bill;	    /* rows contradict one another: there is none */
};

/* --- files --- */

static enum status begin_file(struct sink *sink, struct begun_file *file)
{
	struct parquet *parquet = sink->state;

	text_print(file->name, sizeof(file->name), "%zu.parquet", ++parquet->files);
	file->fd = openat(parquet->target.lock_fd, file->name,
			  O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	return file->fd < 0 ? error_set(&sink->error, ST_IO, ERROR_NO_OFFSET,
					"cannot create %s in the output folder: %s",
					file->name, strerror(errno))
			    : ST_OK;
}

static void close_file(struct begun_file *file)
{
	if (file->fd >= 0)
		close(file->fd);
	file->fd = -1;
}

/* Closes a complete file and moves it to its place. */
static enum status place_file(struct sink *sink, struct begun_file *file,
			      const char *table, const char *counters, size_t suffix)
{
	struct parquet *parquet = sink->state;
	int closed = close(file->fd);

	file->fd = -1;
	if (closed != 0)
		return error_set(&sink->error, ST_IO, ERROR_NO_OFFSET,
				 "cannot write %s: %s", table, strerror(errno));
	return fleet_move(parquet->target.lock_fd, file->name, table, counters,
			  &parquet->place, suffix, &sink->error);
}

/* --- opening --- */

static enum status on_totals(void *context, struct sink *totals_sink,
			     struct totals *totals);

static enum status open_totals(struct sink *sink)
{
	struct parquet *parquet = sink->state;
	struct totals_sink *totals;

	if (sink_open(&parquet->totals, &totals_sink_ops, NULL) != ST_OK) {
		parquet->totals.ops = NULL;
		return error_nomem(&sink->error);
	}
	totals = parquet->totals.state;
	totals->done = on_totals;
	totals->context = sink;
	parquet->has_bill = true;
	return ST_OK;
}

static enum status parquet_open(struct sink *sink)
{
	struct parquet *parquet = sink->state;
	enum status status;

	parquet->maker.only_plain = sink->options.parquet_plain;
	parquet->last_counters = &parquet->counters;
	status = target_begin(&parquet->target, &sink->options, true, &sink->error);
	return status == ST_OK ? open_totals(sink) : status;
}

/* --- counters --- */

static enum status keep_group(struct sink *sink, const struct counter_group_row *row)
{
	struct parquet *parquet = sink->state;
	size_t slots = row->counters > 0 && row->counters <= GROUP_COUNTERS_MAX
			       ? (size_t)row->counters
			       : 0;
	struct parquet_counters *counters =
		arena_alloc(&parquet->arena, sizeof(*counters));
	struct str *texts =
		arena_alloc(&parquet->arena, (2 * slots + 1) * sizeof(*texts));

	if (!counters || !texts ||
	    !map_put(&parquet->counters_by_group, (uint64_t)row->group_id, counters))
		return error_nomem(&sink->error);
	counters->group_id = row->group_id;
	counters->slots = slots;
	counters->names = texts;
	counters->units = texts + slots;
	seconds_begin(&counters->seconds, slots + 1, &sink->error);
	*parquet->last_counters = counters;
	parquet->last_counters = &counters->next;
	return ST_OK;
}

static struct str keep_text(struct parquet *parquet, struct str text)
{
	return text.ptr ? arena_str(&parquet->arena, text) : STR_NONE;
}

static enum status keep_counter(struct sink *sink, const struct counter_row *row)
{
	struct parquet *parquet = sink->state;
	struct parquet_counters *counters =
		row->group_id == INT_NONE
			? NULL
			: map_get(&parquet->counters_by_group, (uint64_t)row->group_id);
	struct counter_place *place;

	if (!counters || row->slot < 0 || (size_t)row->slot >= counters->slots)
		return ST_OK;
	place = arena_alloc(&parquet->arena, sizeof(*place));
	if (!place ||
	    !map_put(&parquet->place_by_counter, (uint64_t)row->counter_id, place))
		return error_nomem(&sink->error);
	*place = (struct counter_place){ counters, (size_t)row->slot };
	counters->names[row->slot] = keep_text(parquet, row->name);
	counters->units[row->slot] = keep_text(parquet, row->unit);
	return metadata_add_counter(&parquet->metadata, row) ? ST_OK
							     : error_nomem(&sink->error);
}

/* --- switches and reads --- */

static enum status begin_switches(struct sink *sink, struct parquet_counters *counters)
{
	struct parquet *parquet = sink->state;

	counters->switches = arena_alloc(&parquet->arena, sizeof(*counters->switches));
	if (!counters->switches)
		return error_nomem(&sink->error);
	return parquet_switches_begin(counters->switches, counters->names,
				      counters->slots, &parquet->maker, &sink->error);
}

static enum second_status second_status(int64_t status, bool is_interrupt)
{
	if (status == CHARGE_CHARGED)
		return is_interrupt ? SECOND_INTERRUPTS : SECOND_CHARGED;
	return status == CHARGE_WITH_IDLE ? SECOND_WITH_IDLE : SECOND_UNATTRIBUTED;
}

static enum status put_switch(struct sink *sink, const struct record *record)
{
	struct parquet *parquet = sink->state;
	const struct context_switch_row *row = RECORD_DATA(record, context_switch);
	struct parquet_counters *counters =
		map_get(&parquet->counters_by_group, (uint64_t)row->group_id);
	struct second_row *sums;
	enum status status = ST_OK;

	if (!counters)
		return ST_OK;
	if (!counters->switches)
		status = begin_switches(sink, counters);
	if (status == ST_OK)
		status = parquet_switches_add(counters->switches, record);
	if (status != ST_OK || row->status == CHARGE_BASELINE)
		return status;
	sums = seconds_row(&counters->seconds, row->ts_ns, row->prev_thread_id,
			   second_status(row->status, false));
	if (!sums)
		return sink->error.status;
	for (size_t i = 0; i < record->slots && i < counters->slots; i++)
		sums->values[i] = wrap_add(sums->values[i], record->deltas[i]);
	if (row->on_cpu_ns != INT_NONE && row->status == CHARGE_CHARGED)
		sums->values[counters->slots] =
			wrap_add(sums->values[counters->slots], row->on_cpu_ns);
	return ST_OK;
}

static enum status put_read(struct sink *sink, const struct group_read_row *row)
{
	struct parquet *parquet = sink->state;
	struct parquet_counters *counters =
		map_get(&parquet->counters_by_group, (uint64_t)row->group_id);

	parquet->read = NULL;
	if (!counters || row->status == CHARGE_BASELINE)
		return ST_OK;
	parquet->read =
		seconds_row(&counters->seconds, row->ts_ns, row->thread_id,
			    second_status(row->status, row->interrupt_id != INT_NONE));
	if (!parquet->read)
		return sink->error.status;
	if (row->on_cpu_ns != INT_NONE && row->status == CHARGE_CHARGED)
		parquet->read->values[counters->slots] =
			wrap_add(parquet->read->values[counters->slots], row->on_cpu_ns);
	return ST_OK;
}

/* Follows its read at once. */
static void put_read_value(struct parquet *parquet,
			   const struct group_read_value_row *row)
{
	const struct counter_place *place =
		map_get(&parquet->place_by_counter, (uint64_t)row->counter_id);

	if (place && parquet->read)
		parquet->read->values[place->slot] =
			wrap_add(parquet->read->values[place->slot], row->delta);
}

/* --- every table --- */

static struct parquet_column *columns_of(struct parquet *parquet,
					 const struct table *table, size_t slots)
{
	static const enum parquet_type types[] = {
		[FIELD_INT] = PARQUET_INT,    [FIELD_VALUE] = PARQUET_INT,
		[FIELD_REAL] = PARQUET_REAL,  [FIELD_TEXT] = PARQUET_TEXT,
		[FIELD_BLOB] = PARQUET_BYTES,
	};
	struct parquet_column *columns = arena_alloc(
		&parquet->arena, (table->field_count + slots) * sizeof(*columns));
	char *name;

	for (size_t i = 0; columns && i < table->field_count; i++)
		columns[i] = (struct parquet_column){
			.name = table->fields[i].name,
			.type = types[table->fields[i].kind],
			.optional = table->fields[i].kind != FIELD_VALUE,
		};
	for (size_t i = 0; columns && i < slots; i++) {
		name = arena_alloc(&parquet->arena, 16);
		if (!name)
			return NULL;
		text_print(name, 16, "delta_%zu", i);
		columns[table->field_count + i] = (struct parquet_column){
			.name = name, .type = PARQUET_INT, .optional = true
		};
	}
	return columns;
}

static struct whole_table *find_table(struct sink *sink, const struct record *record)
{
	struct parquet *parquet = sink->state;
	const struct table *table = record_table(record);
	bool is_switch = record->kind == RECORD_context_switch;
	size_t slots = is_switch ? record->slots : 0;
	struct whole_table *whole = parquet->tables;

	while (whole && (whole->table != table ||
			 whole->file.file.column_count != table->field_count + slots))
		whole = whole->next;
	if (whole)
		return whole;
	whole = arena_alloc(&parquet->arena, sizeof(*whole));
	if (!whole || !(whole->columns = columns_of(parquet, table, slots))) {
		error_nomem(&sink->error);
		return NULL;
	}
	whole->table = table;
	whole->begun.fd = -1;
	whole->next = parquet->tables;
	parquet->tables = whole;
	if (begin_file(sink, &whole->begun) != ST_OK ||
	    parquet_table_begin(&whole->file, whole->begun.fd, table->name,
				whole->columns, table->field_count + slots,
				&parquet->maker, &sink->error) != ST_OK)
		return NULL;
	return whole;
}

static bool set_field(struct parquet_table *file, size_t column, enum field_kind kind,
		      const char *at)
{
	struct str text;
	int64_t number;
	double real;

	if (field_is_text(kind)) {
		memcpy(&text, at, sizeof(text));
		return parquet_set_text(file, column, text);
	}
	memcpy(&number, at, sizeof(number));
	memcpy(&real, at, sizeof(real));
	if (kind == FIELD_REAL)
		parquet_set_real(file, column, real);
	else if (kind == FIELD_VALUE)
		parquet_set_int(file, column, number);
	else
		parquet_set_number(file, column, number);
	return true;
}

static enum status put_whole_row(struct sink *sink, const struct record *record)
{
	struct whole_table *whole = find_table(sink, record);
	const char *row = record->data;
	enum status status =
		whole ? parquet_table_add_row(&whole->file) : sink->error.status;

	for (size_t i = 0; status == ST_OK && i < whole->table->field_count; i++) {
		const struct field *field = &whole->table->fields[i];
		const char *at = row + field->offset;

		if (!set_field(&whole->file, i, field->kind, at))
			status = error_nomem(&sink->error);
	}
	for (size_t i = 0; status == ST_OK && record->kind == RECORD_context_switch &&
			   i < record->slots;
	     i++)
		parquet_set_int(&whole->file, whole->table->field_count + i,
				record->deltas[i]);
	return status;
}

/* --- the end of a trace --- */

/* What fills a table of the bill; errors are the table's. */
typedef enum status (*fill_table)(struct parquet *parquet, struct parquet_table *table,
				  const struct totals *totals,
				  const struct parquet_ending *ending);

static enum status fill_bill(struct parquet *parquet, struct parquet_table *table,
			     const struct totals *totals,
			     const struct parquet_ending *ending)
{
	(void)parquet;
	return parquet_bill_write(table, totals, ending);
}

static enum status fill_seconds(struct parquet *parquet, struct parquet_table *table,
				const struct totals *totals,
				const struct parquet_ending *ending)
{
	int64_t reference =
		totals->reference ? totals->reference->row.group_id : INT_NONE;
	enum status status = ST_OK;

	for (struct parquet_counters *c = parquet->counters; c && status == ST_OK;
	     c = c->next)
		status =
			parquet_seconds_write(table, c, c->group_id == reference, ending);
	return status;
}

static enum status finish_table(struct sink *sink, struct parquet_table *table,
				struct begun_file *file, const char *name)
{
	struct parquet *parquet = sink->state;
	enum status status = parquet_table_finish(table, parquet->metadata.keys,
						  parquet->metadata.count);

	return status == ST_OK ? place_file(sink, file, name, NULL, 0) : status;
}

static enum status write_table(struct sink *sink, const char *name,
			       const struct parquet_column *columns, size_t count,
			       fill_table fill, const struct totals *totals)
{
	struct parquet *parquet = sink->state;
	const struct parquet_ending ending = {
		.trace = str_of(parquet->place.trace),
		.wall_offset_ns = totals->trace.wall_offset_ns,
		.tasks = &parquet->tasks,
	};
	struct parquet_table table = { .cells = NULL };
	struct begun_file file = { .fd = -1 };
	enum status status = begin_file(sink, &file);

	if (status == ST_OK)
		status = parquet_table_begin(&table, file.fd, name, columns, count,
					     &parquet->maker, &sink->error);
	if (status == ST_OK)
		status = fill(parquet, &table, totals, &ending);
	if (status == ST_OK)
		status = finish_table(sink, &table, &file, name);
	parquet_table_release(&table);
	close_file(&file);
	return status;
}

static enum status on_totals(void *context, struct sink *totals_sink,
			     struct totals *totals)
{
	struct sink *sink = context;
	enum status status;

	(void)totals_sink;
	if (totals->group_count == 0)
		return ST_OK;
	status = write_table(sink, "bill", parquet_bill_columns,
			     parquet_bill_column_count, fill_bill, totals);
	return status == ST_OK
		       ? write_table(sink, "bill_by_second", parquet_second_columns,
				     parquet_second_column_count, fill_seconds, totals)
		       : status;
}

/* "cycles,instructions", as part of a path. */
static void name_of_set(char to[FOLDER_VALUE_BYTES],
			const struct parquet_counters *counters)
{
	struct bytes names = { NULL, 0, 0, false };

	for (size_t i = 0; i < counters->slots; i++) {
		struct str name = counters->names[i];

		if (i)
			bytes_put(&names, ",", 1);
		bytes_put(&names, name.ptr, name.len);
	}
	fleet_escape(to, (struct str){ (const char *)names.data, names.size });
	bytes_release(&names);
}

static enum status write_switches(struct sink *sink, struct parquet_counters *counters,
				  const struct parquet_ending *ending, size_t number)
{
	struct parquet *parquet = sink->state;
	struct begun_file file = { .fd = -1 };
	struct parquet_file made = { .path = "switch",
				     .columns = counters->switches->columns,
				     .column_count = counters->switches->column_count,
				     .error = &sink->error };
	char set[FOLDER_VALUE_BYTES];
	enum status status = begin_file(sink, &file);

	made.fd = file.fd;
	if (status == ST_OK)
		status = parquet_file_begin(&made);
	if (status == ST_OK)
		status = parquet_switches_end(counters->switches, &made, ending);
	if (status == ST_OK)
		status = parquet_file_finish(&made, parquet->metadata.keys,
					     parquet->metadata.count);
	parquet_file_release(&made);
	name_of_set(set, counters);
	if (status == ST_OK)
		status = place_file(sink, &file, "switch", set, number);
	close_file(&file);
	return status;
}

static enum status write_all_switches(struct sink *sink, const struct trace_row *trace)
{
	struct parquet *parquet = sink->state;
	const struct parquet_ending ending = {
		.trace = str_of(parquet->place.trace),
		.wall_offset_ns = trace->wall_offset_ns,
		.tasks = &parquet->tasks,
	};
	enum status status = ST_OK;
	size_t number = 0;

	for (struct parquet_counters *c = parquet->counters; c && status == ST_OK;
	     c = c->next)
		if (c->switches)
			status = write_switches(sink, c, &ending, number++);
	return status;
}

/* Tables are in the list from the last one on; those of a name get numbers. */
static enum status place_whole_tables(struct sink *sink)
{
	struct parquet *parquet = sink->state;
	enum status status = ST_OK;

	for (struct whole_table *w = parquet->tables; w && status == ST_OK; w = w->next) {
		size_t number = 0;

		for (const struct whole_table *o = w->next; o; o = o->next)
			number += strcmp(o->table->name, w->table->name) == 0;
		status = parquet_table_finish(&w->file, parquet->metadata.keys,
					      parquet->metadata.count);
		if (status == ST_OK)
			status =
				place_file(sink, &w->begun, w->table->name, NULL, number);
	}
	return status;
}

static void forget_trace(struct parquet *parquet)
{
	for (struct parquet_counters *c = parquet->counters; c; c = c->next) {
		seconds_release(&c->seconds);
		if (c->switches)
			parquet_switches_release(c->switches);
	}
	for (struct whole_table *w = parquet->tables; w; w = w->next) {
		parquet_table_release(&w->file);
		close_file(&w->begun);
	}
	parquet->counters = NULL;
	parquet->last_counters = &parquet->counters;
	parquet->tables = NULL;
	parquet->read = NULL;
	parquet_tasks_release(&parquet->tasks);
	map_release(&parquet->counters_by_group);
	map_release(&parquet->place_by_counter);
	metadata_release(&parquet->metadata);
	arena_release(&parquet->arena);
}

/* A row that the totals collect, too; rows that contradict others end the bill. */
static enum status put_total(struct sink *sink, const struct record *record)
{
	struct parquet *parquet = sink->state;

	switch ((int)record->kind) {
	case RECORD_context_switch:
	case RECORD_group_read:
	case RECORD_group_read_value:
	case RECORD_OWN_TABLE:
		return ST_OK;
	}
	if (!parquet->has_bill || sink_put(&parquet->totals, record) == ST_OK)
		return ST_OK;
	if (sink->error.status != ST_OK)
		return sink->error.status;
	if (parquet->totals.error.status == ST_NOMEM)
		return error_nomem(&sink->error);
	parquet->has_bill = false;
	return ST_OK;
}

static enum status end_trace(struct sink *sink, const struct record *record)
{
	struct parquet *parquet = sink->state;
	const struct trace_row *trace = RECORD_DATA(record, trace);
	enum status status = ST_OK;

	fleet_place(&parquet->place, trace, parquet->traces++);
	if (!metadata_end(&parquet->metadata, trace))
		status = error_nomem(&sink->error);
	if (status == ST_OK)
		status = put_total(sink, record);
	if (status == ST_OK)
		status = write_all_switches(sink, trace);
	if (status == ST_OK)
		status = place_whole_tables(sink);
	forget_trace(parquet);
	return status;
}

/* --- the sink --- */

static enum status keep_row(struct sink *sink, const struct record *record)
{
	struct parquet *parquet = sink->state;

	switch ((int)record->kind) {
	case RECORD_counter_group:
		return keep_group(sink, record->data);
	case RECORD_counter:
		return keep_counter(sink, record->data);
	case RECORD_context_switch:
		return put_switch(sink, record);
	case RECORD_group_read:
		return put_read(sink, record->data);
	case RECORD_group_read_value:
		put_read_value(parquet, record->data);
		return ST_OK;
	case RECORD_process:
	case RECORD_thread:
		return parquet_tasks_on_row(&parquet->tasks, record)
			       ? ST_OK
			       : error_nomem(&sink->error);
	case RECORD_finding:
		return metadata_add_finding(&parquet->metadata, record->data)
			       ? ST_OK
			       : error_nomem(&sink->error);
	default:
		return ST_OK;
	}
}

static enum status parquet_put(struct sink *sink, const struct record *record)
{
	enum status status = keep_row(sink, record);

	if (status == ST_OK && sink->options.all_tables)
		status = put_whole_row(sink, record);
	if (status == ST_OK && record->kind == RECORD_trace)
		return end_trace(sink, record);
	return status == ST_OK ? put_total(sink, record) : status;
}

static enum status parquet_finish(struct sink *sink)
{
	struct parquet *parquet = sink->state;

	return target_commit(&parquet->target, &sink->error);
}

static void parquet_close(struct sink *sink)
{
	struct parquet *parquet = sink->state;

	forget_trace(parquet);
	if (parquet->totals.ops)
		sink_close(&parquet->totals);
	parquet_maker_release(&parquet->maker);
	target_release(&parquet->target);
}

const struct sink_ops parquet_writer = {
	.name = "parquet",
	.state_size = sizeof(struct parquet),
	.open = parquet_open,
	.put = parquet_put,
	.finish = parquet_finish,
	.close = parquet_close,
};
