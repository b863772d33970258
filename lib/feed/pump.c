/* pump.c - the pipeline from the reader of a feed to its sink. */
#include "base/text.h"
#include "feed/private.h"
#include "symbols/symbols.h"

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
	enum status status = feed_open_sink(feed, &sink);

	(void)unused;
	if (status != ST_OK)
		return feed_fail(feed, &sink.error);
	status = needs_symbols(&feed->request) ? run_symbols(feed, reader, &sink)
					       : feed_pump(feed, reader, &sink);
	sink_close(&sink);
	if (status == ST_OK && feed->own_table && !feed->has_own_table)
		return report_own_table(feed);
	return status;
}
