/* pump.c - the sink of a feed, and the pipeline in front of it. */
#include "base/text.h"
#include "feed/private.h"
#include "symbols/symbols.h"

struct feed_sink {
	struct feed *feed;
};

/* --- which rows --- */

static struct feed_columns find_columns(const struct feed *feed,
					const struct record *record)
{
	const struct table *table = record_table(record);
	struct feed_columns columns = { table, SIZE_MAX, SIZE_MAX, false, true };

	if (record->kind == RECORD_OWN_TABLE && feed->own_table)
		columns.is_requested = strcmp(feed->own_table, table->name) == 0;
	for (size_t i = 0; i < table->field_count; i++) {
		const struct field *field = &table->fields[i];

		columns.has_texts |= field_is_text(field->kind);
		if (strcmp(field->name, "ts_ns") == 0)
			columns.ts = field->offset;
		else if (strcmp(field->name, "cpu") == 0)
			columns.cpu = field->offset;
	}
	return columns;
}

static int64_t number_at(const struct record *record, size_t offset)
{
	int64_t number;

	memcpy(&number, (const char *)record->data + offset, sizeof(number));
	return number;
}

static bool passes(const struct feed_request *request, const struct feed_columns *columns,
		   const struct record *record)
{
	if (!columns->is_requested)
		return false;
	if (request->cpu != INT_NONE && columns->cpu != SIZE_MAX &&
	    number_at(record, columns->cpu) != request->cpu)
		return false;
	if (columns->ts != SIZE_MAX) {
		int64_t ts_ns = number_at(record, columns->ts);

		if (ts_ns < request->from_ns || ts_ns > request->to_ns)
			return false;
	}
	return true;
}

static struct feed_columns *columns_of(struct feed *feed, const struct record *record)
{
	struct feed_columns *columns = &feed->columns[record->kind];

	if (columns->table != record_table(record)) {
		*columns = find_columns(feed, record);
		feed->has_own_table |=
			columns->is_requested && record->kind == RECORD_OWN_TABLE;
	}
	return columns;
}

enum status feed_put(struct feed *feed, const struct record *record)
{
	return feed_put_row(feed, record, columns_of(feed, record)->has_texts);
}

static enum status check(struct sink *sink, enum status status)
{
	if (status == ST_NOMEM)
		return error_nomem(&sink->error);
	return status == ST_OK
		       ? ST_OK
		       : error_set(&sink->error, status, ERROR_NO_OFFSET, "interrupted");
}

static enum status put(struct sink *sink, const struct record *record)
{
	struct feed *feed = ((struct feed_sink *)sink->state)->feed;
	const struct feed_columns *columns;

	if (!feed->request.tables[record->kind])
		return ST_OK;
	columns = columns_of(feed, record);
	if (!passes(&feed->request, columns, record))
		return ST_OK;
	return check(sink, feed_put_row(feed, record, columns->has_texts));
}

static enum status put_run(struct sink *sink, const struct run_rows *rows)
{
	struct feed *feed = ((struct feed_sink *)sink->state)->feed;
	const struct feed_request *request = &feed->request;

	if (request->cpu != INT_NONE && rows->run->stream_count)
		return sink_put_rows(sink, rows);
	if (!request->tables[RECORD_context_switch] ||
	    (request->cpu != INT_NONE && request->cpu != rows->run->common.cpu))
		return ST_OK;
	return check(sink, feed_put_rows(feed, rows));
}

static const struct sink_ops feed_sink = {
	.name = "feed",
	.state_size = sizeof(struct feed_sink),
	.put = put,
	.put_run = put_run,
};

/* --- the pipeline --- */

static void on_finding(void *context, const struct finding_row *finding)
{
	struct feed *feed = context;

	if (str_equal(finding->severity, STR("damage")))
		atomic_store(&feed->is_damaged, true);
	if (feed->request.finding)
		feed->request.finding(feed->request.finding_context,
				      feed->reader->ops->name, finding);
}

enum status feed_fail(struct feed *feed, const struct error *error)
{
	if (feed->error.status == ST_OK)
		feed->error = *error;
	return error->status;
}

/* False: out of memory. */
static bool limit_totals(struct feed *feed)
{
	const struct feed_request *request = &feed->request;
	struct pipeline *pipeline = &feed->pipeline;
	bool *cpus;

	pipeline->from_ns = request->from_ns;
	pipeline->to_ns = request->to_ns == INT64_MAX ? INT64_MAX : request->to_ns + 1;
	if (request->cpu == INT_NONE)
		return true;
	pipeline->cpu_count = request->cpu < CPU_MAX ? (size_t)request->cpu + 1 : 0;
	cpus = arena_alloc(&feed->arena, pipeline->cpu_count + 1);
	if (cpus && pipeline->cpu_count)
		cpus[request->cpu] = true;
	pipeline->cpus = cpus;
	return cpus != NULL;
}

enum status feed_pump(struct feed *feed, struct reader *reader, struct sink *sink)
{
	const struct pipeline_hooks hooks = { .finding = on_finding, .context = feed };
	enum status status;

	pipeline_init(&feed->pipeline, sink, 1);
	feed->has_pipeline = true;
	if (feed->request.limits_totals && !limit_totals(feed)) {
		error_nomem(&sink->error);
		return feed_fail(feed, &sink->error);
	}
	status = pipeline_run(&feed->pipeline, reader, &hooks);
	if (status == ST_OK)
		return ST_OK;
	return feed_fail(feed,
			 sink->error.status < ST_OK ? &sink->error : &reader->error);
}

/* Symbols add rows of these tables. */
static bool needs_symbols(const struct feed_request *request)
{
	return request->tables[RECORD_module] || request->tables[RECORD_frame_symbol] ||
	       request->tables[RECORD_finding];
}

static enum status run_symbols(struct feed *feed, struct reader *reader,
			       struct sink *inner)
{
	const struct symbol_options options = { .ask = NULL };
	struct sink symbols;
	enum status status = symbols_open(&symbols, inner, &options);

	if (status != ST_OK)
		return feed_fail(feed, &symbols.error);
	status = feed_pump(feed, reader, &symbols);
	sink_close(&symbols);
	return status;
}

static enum status report_own_table(struct feed *feed)
{
	struct error error = { .status = ST_OK };
	char name[200];

	text_shown(name, sizeof(name), str_of(feed->own_table), 40);
	(void)error_set(&error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
			"no table '%s': neither the schema nor this trace has it", name);
	return feed_fail(feed, &error);
}

enum status feed_run(struct feed *feed, struct reader *reader, void *unused)
{
	struct sink sink;
	enum status status = sink_open(&sink, &feed_sink, NULL);

	(void)unused;
	if (status != ST_OK)
		return feed_fail(feed, &sink.error);
	((struct feed_sink *)sink.state)->feed = feed;
	status = needs_symbols(&feed->request) ? run_symbols(feed, reader, &sink)
					       : feed_pump(feed, reader, &sink);
	sink_close(&sink);
	if (status == ST_OK && feed->own_table && !feed->has_own_table)
		return report_own_table(feed);
	return status;
}
