/* convert.c - a trace to an output, as perftab-convert does. */
#include "base/text.h"
#include "library/handle.h"
#include "output/outputs.h"
#include "symbols/symbols.h"

struct conversion {
	const struct sink_ops *writer;
	const char *path;
};

static enum status pump_into(struct feed *feed, struct reader *reader, struct sink *sink)
{
	enum status status = feed_pump(feed, reader, sink);

	if (status == ST_OK && sink_finish(sink) != ST_OK)
		status = feed_fail(feed, &sink->error);
	return status;
}

/* In the feed's thread. */
static enum status run(struct feed *feed, struct reader *reader, void *context)
{
	const struct conversion *conversion = context;
	const struct symbol_options symbol_options = { .ask = NULL };
	const struct sink_options options = { .path = conversion->path,
					      .indexes = true,
					      .verify = VERIFY_SMALL,
					      .input_bytes = reader_all_bytes(reader) };
	struct sink writer, symbols;
	enum status status = sink_open(&writer, conversion->writer, &options);

	if (status != ST_OK)
		return feed_fail(feed, &writer.error);
	status = symbols_open(&symbols, &writer, &symbol_options);
	if (status == ST_OK) {
		status = pump_into(feed, reader, &symbols);
		sink_close(&symbols);
	} else {
		status = feed_fail(feed, &symbols.error);
	}
	sink_close(&writer);
	return status;
}

static const struct sink_ops *find_writer(const char *format)
{
	for (size_t i = 0; writers[i]; i++)
		if (format && strcmp(writers[i]->name, format) == 0 &&
		    writers[i] != &null_writer)
			return writers[i];
	return NULL;
}

int perftab_convert(struct perftab *trace, const char *format, const char *path)
{
	struct conversion conversion = { .path = path };

	if (!trace)
		return PERFTAB_MISUSE;
	if (trace->status < PERFTAB_OK)
		return trace->status;
	if (trace->feed || trace->request.run)
		return handle_misuse(trace, "a conversion is asked for instead of rows");
	conversion.writer = find_writer(format);
	if (!conversion.writer)
		return handle_misuse(trace, "unknown output format");
	if (!path || strcmp(path, "-") == 0)
		return handle_misuse(trace, "expected the name of an output");
	trace->request.run = run;
	trace->request.run_context = &conversion;
	trace->request.writes_files = true;
	return perftab_next(trace);
}
