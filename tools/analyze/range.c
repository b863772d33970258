/* range.c - reads a trace for its first and last time alone. */
#include "range.h"

#include <string.h>

#include "base/os.h"
#include "formats/formats.h"
#include "pipeline/pipeline.h"

struct range_sink {
	struct trace_row trace;
	int traces;
};

static enum status range_put(struct sink *sink, const struct record *record)
{
	struct range_sink *range = sink->state;

	if (record->kind != RECORD_trace)
		return ST_OK;
	if (range->traces++)
		return error_set(
			&sink->error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
			"holds several traces, each with times of its own: choose "
			"one with --trace ID");
	range->trace = *RECORD_DATA(record, trace);
	return ST_OK;
}

static const struct sink_ops range_sink_ops = {
	.name = "range",
	.totals_only = true,
	.state_size = sizeof(struct range_sink),
	.put = range_put,
};

static bool is_pipe(const char *path)
{
	struct os_info info;

	return strcmp(path, "-") == 0 || (os_inspect_path(path, &info) &&
					  info.kind != OS_FILE && info.kind != OS_FOLDER);
}

static enum status read_all(struct reader *reader, struct sink *sink)
{
	const struct pipeline_hooks hooks = { .context = NULL };
	struct pipeline pipeline;
	enum status status;

	pipeline_init(&pipeline, sink, 1);
	status = pipeline_run(&pipeline, reader, &hooks);
	pipeline_release(&pipeline);
	return status;
}

enum status range_read(const char *path, const struct reader_options *options,
		       struct trace_row *trace, struct error *error)
{
	struct reader_options reading = *options;
	struct reader reader;
	struct sink sink;
	enum status status;

	if (is_pipe(path))
		return error_set(error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
				 "a pipe is read once, so its start is not known before: "
				 "times must be nanoseconds of the trace's clock");
	reading.want_switches = reading.want_values = false;
	status = reader_open(&reader, path, &reading, all_formats);
	if (status != ST_OK) {
		*error = reader.error;
		return status;
	}
	status = sink_open(&sink, &range_sink_ops, NULL);
	if (status == ST_OK)
		status = read_all(&reader, &sink);
	if (status != ST_OK)
		*error = sink.error.status < ST_OK ? sink.error : reader.error;
	else
		*trace = ((struct range_sink *)sink.state)->trace;
	sink_close(&sink);
	reader_close(&reader);
	return status;
}
