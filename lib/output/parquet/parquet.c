/*
 * parquet.c - writes a tree of Parquet files for DuckDB, ClickHouse and Spark: the bill,
 * the bill by second and the switches of each trace, or every table.
 *
 * A file is begun under a number in the output folder and gets its place in the tree
 * (folders.h) at the end of its trace, when host and date are known.
 */
#include "output/outputs.h"
#include "output/parquet/all_tables.h"
#include "output/parquet/bill.h"
#include "output/parquet/folders.h"
#include "output/parquet/metadata.h"
#include "output/parquet/switches.h"
#include "output/target.h"
#include "output/trace_contents.h"

struct parquet {
	struct target target;
	struct parquet_maker maker;
	struct folders folders;
	size_t traces; /* ended so far */
	/* Of the trace that is being read; forgotten at its end. */
	struct fleet_collector collector;
	struct all_tables tables;
	struct metadata metadata;
	struct trace_contents contents;
	bool has_tables;
};

/* --- opening --- */

static enum status on_switch(void *context, struct fleet_counters *counters,
			     const struct record *record);
static enum status on_run(void *context, struct fleet_counters *counters,
			  const struct run_rows *rows);
static enum status on_bill(void *context, const struct totals *totals);

static enum status parquet_open(struct sink *sink)
{
	struct parquet *parquet = sink->state;
	enum status status;

	parquet->maker.only_plain = sink->options.parquet_plain;
	status = target_begin(&parquet->target, &sink->options, true, &sink->error);
	parquet->folders = (struct folders){ .folder = parquet->target.folder,
					     .error = &sink->error };
	parquet->tables = (struct all_tables){ .folders = &parquet->folders,
					       .maker = &parquet->maker };
	parquet->collector = (struct fleet_collector){
		.on_switch = on_switch,
		.on_run = on_run,
		.on_bill = on_bill,
		.context = sink,
		.error = &sink->error,
	};
	return status == ST_OK ? collector_open(&parquet->collector) : status;
}

/* --- switches --- */

/* The switches of a group, begun when the first one comes; NULL with the error set. */
static struct parquet_switches *switches_of(struct sink *sink,
					    struct fleet_counters *counters)
{
	struct parquet *parquet = sink->state;
	struct parquet_switches *switches = counters->switches;

	if (switches)
		return switches;
	switches = arena_alloc(&parquet->collector.arena, sizeof(*switches));
	if (!switches) {
		error_nomem(&sink->error);
		return NULL;
	}
	counters->switches = switches;
	return parquet_switches_begin(switches, counters, &parquet->folders,
				      &parquet->maker) == ST_OK
		       ? switches
		       : NULL;
}

static enum status on_switch(void *context, struct fleet_counters *counters,
			     const struct record *record)
{
	struct sink *sink = context;
	struct parquet_switches *switches = switches_of(sink, counters);

	return switches ? parquet_switches_add(switches, record) : sink->error.status;
}

static enum status on_run(void *context, struct fleet_counters *counters,
			  const struct run_rows *rows)
{
	struct sink *sink = context;
	struct parquet_switches *switches = switches_of(sink, counters);

	return switches ? parquet_switches_add_run(switches, rows) : sink->error.status;
}

/* --- the end of a trace --- */

static enum status fill_table(struct sink *sink, struct parquet_bill *bill,
			      enum fleet_table which, const struct totals *totals)
{
	struct parquet *parquet = sink->state;
	const struct fleet_trace trace = { str_of(parquet->folders.place.trace),
					   wall_of(&totals->trace) };

	if (which == FLEET_BILL)
		return fleet_bill_rows(totals, &trace, parquet_bill_put, bill,
				       &sink->error);
	return fleet_second_rows(&parquet->collector, totals, &trace, parquet_bill_put,
				 bill, &sink->error);
}

static enum status finish_table(struct sink *sink, struct parquet_table *table,
				struct folders_file *file, const char *name)
{
	struct parquet *parquet = sink->state;
	enum status status = parquet_table_finish(table, parquet->metadata.keys,
						  parquet->metadata.count);

	return status == ST_OK ? folders_finish(&parquet->folders, file, name, NULL, 0)
			       : status;
}

static enum status write_table(struct sink *sink, enum fleet_table which,
			       const struct totals *totals)
{
	struct parquet *parquet = sink->state;
	const struct fleet_columns *fleet = &fleet_tables[which];
	struct parquet_column *columns =
		arena_alloc(&parquet->collector.arena, fleet->count * sizeof(*columns));
	struct parquet_table table = { .cells = NULL };
	struct parquet_bill bill = { &table, fleet };
	struct folders_file file = { .fd = -1 };
	enum status status;

	if (!columns)
		return error_nomem(&sink->error);
	for (size_t i = 0; i < fleet->count; i++)
		columns[i] = parquet_column_of(&fleet->columns[i]);
	status = folders_begin(&parquet->folders, &file);
	if (status == ST_OK)
		status = parquet_table_begin(&table, file.fd, fleet->name, columns,
					     fleet->count, &parquet->maker, &sink->error);
	if (status == ST_OK)
		status = fill_table(sink, &bill, which, totals);
	if (status == ST_OK)
		status = finish_table(sink, &table, &file, fleet->name);
	parquet_table_release(&table);
	folders_close(&file);
	return status;
}

static enum status on_bill(void *context, const struct totals *totals)
{
	struct sink *sink = context;
	struct parquet *parquet = sink->state;
	enum status status = write_table(sink, FLEET_BILL, totals);

	parquet->has_tables = true;
	return status == ST_OK ? write_table(sink, FLEET_BILL_BY_SECOND, totals) : status;
}

/* "cycles,instructions", as part of a path. */
static void name_of_set(char to[FLEET_TEXT_BYTES], const struct fleet_counters *counters)
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

static enum status write_switches(struct sink *sink, struct fleet_counters *counters,
				  const struct parquet_ending *ending, size_t number)
{
	struct parquet *parquet = sink->state;
	struct parquet_switches *switches = counters->switches;
	char set[FLEET_TEXT_BYTES];
	enum status status = parquet_switches_end(switches, ending);

	if (status == ST_OK)
		status = parquet_file_finish(&switches->file, parquet->metadata.keys,
					     parquet->metadata.count);
	name_of_set(set, counters);
	if (status == ST_OK)
		status = folders_finish(&parquet->folders, &switches->begun,
					fleet_tables[FLEET_SWITCH].name, set, number);
	parquet_switches_release(switches); /* files and memory of one at a time */
	return status;
}

static enum status write_all_switches(struct sink *sink, const struct trace_row *trace)
{
	struct parquet *parquet = sink->state;
	const struct parquet_ending ending = {
		.trace = { str_of(parquet->folders.place.trace), wall_of(trace) },
		.tasks = &parquet->collector.tasks,
	};
	enum status status = ST_OK;
	size_t number = 0;

	for (struct fleet_counters *c = parquet->collector.counters; c && status == ST_OK;
	     c = c->next)
		if (c->switches)
			status = write_switches(sink, c, &ending, number++);
	parquet->has_tables |= number > 0;
	return status;
}

static void forget_trace(struct parquet *parquet)
{
	for (struct fleet_counters *c = parquet->collector.counters; c; c = c->next)
		if (c->switches)
			parquet_switches_release(c->switches);
	all_tables_release(&parquet->tables);
	metadata_release(&parquet->metadata);
	collector_forget(&parquet->collector);
	parquet->contents = (struct trace_contents){ .has_values = false };
	parquet->has_tables = false;
}

static enum status end_trace(struct sink *sink, const struct record *record)
{
	struct parquet *parquet = sink->state;
	const struct trace_row *trace = RECORD_DATA(record, trace);
	enum status status = ST_OK;

	fleet_place(&parquet->folders.place, trace, parquet->traces++);
	if (!metadata_end(&parquet->metadata, trace))
		status = error_nomem(&sink->error);
	if (status == ST_OK)
		status = collector_end(&parquet->collector, record);
	if (status == ST_OK)
		status = write_all_switches(sink, trace);
	if (status == ST_OK)
		status = all_tables_finish(&parquet->tables, parquet->metadata.keys,
					   parquet->metadata.count);
	if (status == ST_OK && !parquet->has_tables && !sink->options.all_tables)
		trace_contents_warn(
			&parquet->contents, &sink->options, trace,
			"no counters were read at switches, so there are no files; "
			"--all-tables writes every table");
	forget_trace(parquet);
	return status;
}

/* --- the sink --- */

static bool keep_metadata(struct metadata *metadata, const struct record *record)
{
	switch ((int)record->kind) {
	case RECORD_counter:
		return metadata_add_counter(metadata, record->data);
	case RECORD_finding:
		return metadata_add_finding(metadata, record->data);
	default:
		return true;
	}
}

static enum status parquet_put(struct sink *sink, const struct record *record)
{
	struct parquet *parquet = sink->state;
	enum status status = ST_OK;

	trace_contents_on_row(&parquet->contents, record);
	if (!keep_metadata(&parquet->metadata, record))
		status = error_nomem(&sink->error);
	if (status == ST_OK && sink->options.all_tables)
		status = all_tables_put(&parquet->tables, record);
	if (status == ST_OK && record->kind == RECORD_trace)
		return end_trace(sink, record);
	return status == ST_OK ? collector_put(&parquet->collector, record) : status;
}

static enum status parquet_put_run(struct sink *sink, const struct run_rows *rows)
{
	struct parquet *parquet = sink->state;

	return sink->options.all_tables ? sink_put_rows(sink, rows)
					: collector_put_run(&parquet->collector, rows);
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
	collector_close(&parquet->collector);
	parquet_maker_release(&parquet->maker);
	target_release(&parquet->target);
}

const struct sink_ops parquet_writer = {
	.name = "parquet",
	.state_size = sizeof(struct parquet),
	.open = parquet_open,
	.put = parquet_put,
	.put_run = parquet_put_run,
	.finish = parquet_finish,
	.close = parquet_close,
};
