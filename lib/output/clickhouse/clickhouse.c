/*
 * clickhouse.c - writes a table of a fleet as a stream for ClickHouse, or the statements
 * that create the tables.
 */
#include <string.h>

#include "base/os.h"
#include "output/clickhouse/statements.h"
#include "output/clickhouse/switches.h"
#include "output/fleet/names.h"
#include "output/fleet/place.h"
#include "output/outputs.h"
#include "output/target.h"
#include "output/trace_contents.h"

struct clickhouse {
	struct target target;
	bool is_stdout;
	int fd;
	size_t traces; /* ended so far */
	struct fleet_collector collector;
	struct trace_contents contents;
	bool has_rows; /* of the trace that is being read */
	/* Of statements: the counters of all traces. */
	struct arena arena;
	const char **counters;
	size_t counter_count;
};

/* --- opening --- */

static enum status on_switch(void *context, struct fleet_counters *counters,
			     const struct record *record)
{
	struct sink *sink = context;
	struct clickhouse *clickhouse = sink->state;
	struct native_switches *switches = counters->switches;

	if (switches)
		return native_switches_add(switches, record);
	switches = arena_alloc(&clickhouse->collector.arena, sizeof(*switches));
	if (!switches)
		return error_nomem(&sink->error);
	counters->switches = switches;
	if (native_switches_begin(switches, counters->slots, &sink->error) != ST_OK)
		return sink->error.status;
	return native_switches_add(switches, record);
}

static enum status on_bill(void *context, const struct totals *totals);

static enum status clickhouse_open(struct sink *sink)
{
	struct clickhouse *clickhouse = sink->state;
	bool is_switch = sink->options.table == FLEET_SWITCH;
	enum status status = ST_OK;

	clickhouse->target.lock_fd = -1;
	clickhouse->is_stdout = strcmp(sink->options.path, "-") == 0;
	if (!clickhouse->is_stdout)
		status = target_begin(&clickhouse->target, &sink->options, false,
				      &sink->error);
	clickhouse->fd = clickhouse->is_stdout ? OS_STDOUT : clickhouse->target.lock_fd;
	clickhouse->collector = (struct fleet_collector){
		.no_bill = is_switch || sink->options.create,
		.on_switch = is_switch && !sink->options.create ? on_switch : NULL,
		.on_bill = on_bill,
		.context = sink,
		.error = &sink->error,
	};
	return status == ST_OK ? collector_open(&clickhouse->collector) : status;
}

/* --- the end of a trace --- */

static void describe(struct native_trace *to, struct fleet_place *place,
		     const struct clickhouse *clickhouse, const struct trace_row *trace)
{
	fleet_place(place, trace, clickhouse->traces);
	*to = (struct native_trace){
		.host = trace->host,
		.day = place->day,
		.trace = { str_of(place->trace), wall_of(trace) },
	};
}

static enum status on_bill(void *context, const struct totals *totals)
{
	struct sink *sink = context;
	struct clickhouse *clickhouse = sink->state;
	enum fleet_table table = sink->options.table;
	size_t count = native_column_count(table);
	struct native_column *columns =
		arena_alloc(&clickhouse->collector.arena, count * sizeof(*columns));
	struct native_block block;
	struct native_trace trace;
	struct fleet_place place;
	struct native_bill bill = { &block, &trace, table };
	enum status status;

	clickhouse->has_rows = true;
	if (!columns)
		return error_nomem(&sink->error);
	native_columns(columns, table);
	status = native_begin(&block, columns, count, clickhouse->fd, &sink->error);
	describe(&trace, &place, clickhouse, &totals->trace);
	if (status == ST_OK)
		status = table == FLEET_BILL
				 ? fleet_bill_rows(totals, &trace.trace, native_put_bill,
						   &bill, &sink->error)
				 : fleet_second_rows(&clickhouse->collector, totals,
						     &trace.trace, native_put_bill, &bill,
						     &sink->error);
	if (status == ST_OK)
		status = native_finish(&block);
	native_release(&block);
	return status;
}

/* The columns of `switch` and a column for each counter; NULL: out of memory. */
static struct native_column *columns_of(struct clickhouse *clickhouse,
					const struct fleet_counters *counters)
{
	size_t fixed = native_column_count(FLEET_SWITCH), count = fixed + counters->slots;
	struct arena *arena = &clickhouse->collector.arena;
	struct native_column *columns = arena_alloc(arena, count * sizeof(*columns));
	const char **names = arena_alloc(arena, count * sizeof(*names));

	if (!columns || !names)
		return NULL;
	native_columns(columns, FLEET_SWITCH);
	for (size_t i = 0; i < fixed; i++)
		names[i] = columns[i].name;
	if (!fleet_counter_names(arena, names, fixed, counters))
		return NULL;
	for (size_t i = fixed; i < count; i++)
		columns[i] = (struct native_column){ names[i], NATIVE_NUMBER };
	return columns;
}

static enum status write_switches(struct sink *sink, struct fleet_counters *counters,
				  const struct native_trace *trace)
{
	struct clickhouse *clickhouse = sink->state;
	struct native_column *columns = columns_of(clickhouse, counters);
	struct native_block block;
	enum status status;

	if (!columns)
		return error_nomem(&sink->error);
	status = native_begin(&block, columns,
			      native_column_count(FLEET_SWITCH) + counters->slots,
			      clickhouse->fd, &sink->error);
	if (status == ST_OK)
		status = native_switches_end(counters->switches, &block, trace,
					     &clickhouse->collector.tasks);
	if (status == ST_OK)
		status = native_finish(&block);
	native_release(&block);
	return status;
}

static bool is_known(const struct clickhouse *clickhouse, const char *name)
{
	for (size_t i = 0; i < clickhouse->counter_count; i++)
		if (strcmp(clickhouse->counters[i], name) == 0)
			return true;
	return false;
}

/* The columns of counters that a trace needs. */
static enum status keep_names(struct sink *sink, const struct fleet_counters *counters)
{
	struct clickhouse *clickhouse = sink->state;
	const struct native_column *columns = columns_of(clickhouse, counters);
	const char **all =
		arena_alloc(&clickhouse->arena,
			    (clickhouse->counter_count + counters->slots) * sizeof(*all));

	if (!columns || !all)
		return error_nomem(&sink->error);
	if (clickhouse->counter_count)
		memcpy(all, clickhouse->counters,
		       clickhouse->counter_count * sizeof(*all));
	clickhouse->counters = all;
	for (size_t i = 0; i < counters->slots; i++) {
		const char *name = columns[native_column_count(FLEET_SWITCH) + i].name;
		struct str own;

		if (is_known(clickhouse, name))
			continue;
		own = arena_str(&clickhouse->arena,
				(struct str){ name, strlen(name) + 1 });
		if (!own.ptr)
			return error_nomem(&sink->error);
		all[clickhouse->counter_count++] = own.ptr;
	}
	return ST_OK;
}

static void forget_trace(struct clickhouse *clickhouse)
{
	for (struct fleet_counters *c = clickhouse->collector.counters; c; c = c->next)
		if (c->switches)
			native_switches_release(c->switches);
	collector_forget(&clickhouse->collector);
	clickhouse->contents = (struct trace_contents){ .has_values = false };
	clickhouse->has_rows = false;
}

static enum status end_trace(struct sink *sink, const struct record *record)
{
	struct clickhouse *clickhouse = sink->state;
	struct native_trace trace;
	struct fleet_place place;
	enum status status = collector_end(&clickhouse->collector, record);

	describe(&trace, &place, clickhouse, RECORD_DATA(record, trace));
	for (struct fleet_counters *c = clickhouse->collector.counters;
	     c && status == ST_OK; c = c->next) {
		if (sink->options.create)
			status = keep_names(sink, c);
		else if (c->switches)
			status = write_switches(sink, c, &trace);
		clickhouse->has_rows |= c->switches != NULL;
	}
	if (status == ST_OK && !clickhouse->has_rows && !sink->options.create)
		trace_contents_warn(
			&clickhouse->contents, &sink->options, RECORD_DATA(record, trace),
			"no counters were read at switches, so there are no rows");
	clickhouse->traces++;
	forget_trace(clickhouse);
	return status;
}

/* --- the sink --- */

static enum status clickhouse_put(struct sink *sink, const struct record *record)
{
	struct clickhouse *clickhouse = sink->state;

	trace_contents_on_row(&clickhouse->contents, record);
	return record->kind == RECORD_trace
		       ? end_trace(sink, record)
		       : collector_put(&clickhouse->collector, record);
}

static enum status clickhouse_finish(struct sink *sink)
{
	struct clickhouse *clickhouse = sink->state;
	struct bytes statements = { NULL, 0, 0, false };
	enum status status = ST_OK;

	if (sink->options.create) {
		native_statements(&statements, sink->options.create, clickhouse->counters,
				  clickhouse->counter_count);
		status = native_write(clickhouse->fd, &statements, &sink->error);
	}
	bytes_release(&statements);
	return status == ST_OK && !clickhouse->is_stdout
		       ? target_commit(&clickhouse->target, &sink->error)
		       : status;
}

static void clickhouse_close(struct sink *sink)
{
	struct clickhouse *clickhouse = sink->state;

	forget_trace(clickhouse);
	collector_close(&clickhouse->collector);
	arena_release(&clickhouse->arena);
	if (!clickhouse->is_stdout)
		target_release(&clickhouse->target);
}

const struct sink_ops clickhouse_writer = {
	.name = "clickhouse",
	.state_size = sizeof(struct clickhouse),
	.to_stdout = true,
	.open = clickhouse_open,
	.put = clickhouse_put,
	.finish = clickhouse_finish,
	.close = clickhouse_close,
};
