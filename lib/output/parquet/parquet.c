/*
 * parquet.c - writes a tree of Parquet files for DuckDB, ClickHouse and Spark: the bill,
 * the bill by second and the switches of each trace, or every table.
 *
 * A file is begun under a number in the output folder and gets its place in the tree
 * (folders.h) at the end of its trace, when host and date are known.
 */
#include "base/wrap.h"
#include "output/outputs.h"
#include "output/parquet/bill.h"
#include "output/parquet/folders.h"
#include "output/parquet/metadata.h"
#include "output/parquet/whole.h"
#include "output/target.h"

struct counter_place {
	struct parquet_counters *counters;
	size_t slot;
};

struct parquet {
	struct target target;
	struct parquet_maker maker;
	struct fleet fleet;
	size_t traces; /* ended so far */
	/* Of the trace that is being read; forgotten at its end. */
	struct arena arena;
	struct parquet_tasks tasks;
	struct parquet_counters *counters, **last_counters;
	struct parquet_counters *recent; /* of the last switch; NULL: none */
	struct map counters_by_group, place_by_counter;
	struct second_row *read; /* what values of a read are added to; NULL: nothing */
	struct whole_tables tables;
	struct metadata metadata;
	struct sink totals; /* ops NULL: not open */
	bool has_bill;	    /* rows contradict one another: there is none */
};

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
	parquet->fleet = (struct fleet){ .folder_fd = parquet->target.lock_fd,
					 .error = &sink->error };
	parquet->tables = (struct whole_tables){ .fleet = &parquet->fleet,
						 .maker = &parquet->maker };
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

/* Of an interval shared with idle the thread's own part is the thread's. */
static enum status add_time(struct sink *sink, struct parquet_counters *counters,
			    int64_t ts_ns, int64_t thread_id, enum second_status status,
			    int64_t on_cpu_ns)
{
	enum second_status whose = status == SECOND_WITH_IDLE ? SECOND_CHARGED : status;
	struct second_row *sums;

	if (on_cpu_ns == INT_NONE || on_cpu_ns == 0)
		return ST_OK;
	sums = seconds_row(&counters->seconds, ts_ns, thread_id, whose);
	if (!sums)
		return sink->error.status;
	sums->values[counters->slots] =
		wrap_add(sums->values[counters->slots], on_cpu_ns);
	return ST_OK;
}

/* NULL: there is no such group. */
static struct parquet_counters *find_group(struct parquet *parquet, int64_t group_id)
{
	if (!parquet->recent || parquet->recent->group_id != group_id)
		parquet->recent =
			map_get(&parquet->counters_by_group, (uint64_t)group_id);
	return parquet->recent;
}

static enum status put_switch(struct sink *sink, const struct record *record)
{
	struct parquet *parquet = sink->state;
	const struct context_switch_row *row = RECORD_DATA(record, context_switch);
	struct parquet_counters *counters = find_group(parquet, row->group_id);
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
	if (row->status == CHARGE_CHARGED && row->on_cpu_ns != INT_NONE) {
		sums->values[counters->slots] =
			wrap_add(sums->values[counters->slots], row->on_cpu_ns);
		return ST_OK;
	}
	return add_time(sink, counters, row->ts_ns, row->prev_thread_id,
			second_status(row->status, false), row->on_cpu_ns);
}

static enum status put_read(struct sink *sink, const struct group_read_row *row)
{
	struct parquet *parquet = sink->state;
	struct parquet_counters *counters =
		map_get(&parquet->counters_by_group, (uint64_t)row->group_id);
	enum second_status to = second_status(row->status, row->interrupt_id != INT_NONE);
	enum status status;

	parquet->read = NULL;
	if (!counters || row->status == CHARGE_BASELINE)
		return ST_OK;
	status = add_time(sink, counters, row->ts_ns, row->thread_id, to, row->on_cpu_ns);
	if (status != ST_OK)
		return status;
	parquet->read = seconds_row(&counters->seconds, row->ts_ns, row->thread_id, to);
	return parquet->read ? ST_OK : sink->error.status;
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

static bool is_reference(const struct totals *totals, int64_t group_id)
{
	for (size_t i = 0; i < totals->group_count; i++)
		if (totals->groups[i].row.group_id == group_id)
			return totals->groups[i].is_reference;
	return false;
}

static enum status fill_seconds(struct parquet *parquet, struct parquet_table *table,
				const struct totals *totals,
				const struct parquet_ending *ending)
{
	enum status status = ST_OK;

	for (struct parquet_counters *c = parquet->counters; c && status == ST_OK;
	     c = c->next)
		status = parquet_seconds_write(table, c,
					       is_reference(totals, c->group_id), ending);
	return status;
}

static enum status finish_table(struct sink *sink, struct parquet_table *table,
				struct fleet_file *file, const char *name)
{
	struct parquet *parquet = sink->state;
	enum status status = parquet_table_finish(table, parquet->metadata.keys,
						  parquet->metadata.count);

	return status == ST_OK ? fleet_finish(&parquet->fleet, file, name, NULL, 0)
			       : status;
}

static enum status write_table(struct sink *sink, const char *name,
			       const struct parquet_column *columns, size_t count,
			       fill_table fill, const struct totals *totals)
{
	struct parquet *parquet = sink->state;
	const struct parquet_ending ending = {
		.trace = str_of(parquet->fleet.place.trace),
		.wall_offset_ns = totals->trace.wall_offset_ns,
		.tasks = &parquet->tasks,
	};
	struct parquet_table table = { .cells = NULL };
	struct fleet_file file = { .fd = -1 };
	enum status status = fleet_begin(&parquet->fleet, &file);

	if (status == ST_OK)
		status = parquet_table_begin(&table, file.fd, name, columns, count,
					     &parquet->maker, &sink->error);
	if (status == ST_OK)
		status = fill(parquet, &table, totals, &ending);
	if (status == ST_OK)
		status = finish_table(sink, &table, &file, name);
	parquet_table_release(&table);
	fleet_close(&file);
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
	struct fleet_file file = { .fd = -1 };
	struct parquet_file made = { .path = "switch",
				     .columns = counters->switches->columns,
				     .column_count = counters->switches->column_count,
				     .error = &sink->error };
	char set[FOLDER_VALUE_BYTES];
	enum status status = fleet_begin(&parquet->fleet, &file);

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
		status = fleet_finish(&parquet->fleet, &file, "switch", set, number);
	fleet_close(&file);
	return status;
}

static enum status write_all_switches(struct sink *sink, const struct trace_row *trace)
{
	struct parquet *parquet = sink->state;
	const struct parquet_ending ending = {
		.trace = str_of(parquet->fleet.place.trace),
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

static void forget_trace(struct parquet *parquet)
{
	for (struct parquet_counters *c = parquet->counters; c; c = c->next) {
		seconds_release(&c->seconds);
		if (c->switches)
			parquet_switches_release(c->switches);
	}
	whole_tables_release(&parquet->tables);
	parquet->counters = parquet->recent = NULL;
	parquet->last_counters = &parquet->counters;
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

	fleet_place(&parquet->fleet.place, trace, parquet->traces++);
	if (!metadata_end(&parquet->metadata, trace))
		status = error_nomem(&sink->error);
	if (status == ST_OK)
		status = put_total(sink, record);
	if (status == ST_OK)
		status = write_all_switches(sink, trace);
	if (status == ST_OK)
		status = whole_tables_finish(&parquet->tables, parquet->metadata.keys,
					     parquet->metadata.count);
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
	struct parquet *parquet = sink->state;
	enum status status = keep_row(sink, record);

	if (status == ST_OK && sink->options.all_tables)
		status = whole_tables_put(&parquet->tables, record);
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
