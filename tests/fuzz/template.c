/* template.c - see template.h. */
#include "template.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "formats/formats.h"
#include "output/outputs.h"
#include "pipeline/pipeline.h"

/* One of each family of tables; all together some hundred rows. */
static const char *const samples[] = {
	"tests/fuzz/seeds/good-software_everything.data",
	"tests/fuzz/seeds/good-everything.data",
	"tests/fuzz/seeds/good-interrupts.data",
	"sample-traces/perf/good-perftab-tasks.data",
	"tests/fuzz/seeds-etl/good-everything-compressed.etl",
	"tests/fuzz/seeds-perflib/good-churn.plb",
	"tests/fuzz/seeds-winperf/good.csv",
};

static unsigned int polls_left = UINT32_MAX;

/* In place of os_interrupted(): the linker wraps it. */
bool __wrap_os_interrupted(void);

bool __wrap_os_interrupted(void)
{
	if (polls_left == 0)
		return true;
	polls_left -= polls_left != UINT32_MAX;
	return false;
}

void template_allow_polls(unsigned int polls)
{
	polls_left = polls;
}

static _Noreturn void failed(const char *path, const struct error *error)
{
	fprintf(stderr, "%s: %s\n", path, error->text);
	exit(1);
}

static void convert(struct pipeline *pipeline, struct sink *sink, const char *sample)
{
	static const struct reader_options options = { .want_rows = true };
	static const struct pipeline_hooks no_hooks;
	char path[512];
	struct reader reader;

	snprintf(path, sizeof(path), "%s/%s", SOURCE_DIRECTORY, sample);
	if (reader_open(&reader, path, &options, trace_formats) != ST_OK)
		failed(path, &reader.error);
	if (pipeline_run(pipeline, &reader, &no_hooks) != ST_OK)
		failed(path, reader.error.status < ST_OK ? &reader.error : &sink->error);
	reader_close(&reader);
}

void template_make(const char *path)
{
	const struct sink_options options = { .path = path,
					      .overwrite = true,
					      .verify = VERIFY_NEVER,
					      .sync = SYNC_NEVER,
					      .by_sql = true };
	struct pipeline pipeline;
	struct sink sink;

	if (sink_open(&sink, &sqlite_writer, &options) != ST_OK)
		failed(path, &sink.error);
	pipeline_init(&pipeline, &sink, 1);
	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++)
		convert(&pipeline, &sink, samples[i]);
	if (sink_finish(&sink) != ST_OK)
		failed(path, &sink.error);
	sink_close(&sink);
	pipeline_release(&pipeline); /* tables of traces, which the sink may still read */
}
