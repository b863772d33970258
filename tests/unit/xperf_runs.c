/* xperf_runs.c - see xperf_runs.h. */
#include "xperf_runs.h"

#include <string.h>

#include "formats/formats.h"
#include "pipeline/pipeline.h"

void run_bytes(struct run *run, const char *bytes, size_t size)
{
	static const struct pipeline_hooks no_hooks;
	const struct reader_options options = { .want_rows = true };
	struct sink sink = unit_noting_sink(&run->notes);
	struct pipeline pipeline;
	struct reader reader;

	run->status = reader_open_memory(&reader, bytes, size, &options, all_formats);
	run->error = reader.error;
	if (run->status != ST_OK)
		return;
	pipeline_init(&pipeline, &sink, 1);
	run->status = pipeline_run(&pipeline, &reader, &no_hooks);
	run->error = reader.error;
	pipeline_release(&pipeline);
	reader_close(&reader);
}

const char *rows_of(struct run *run, const char *text)
{
	run_bytes(run, text, strlen(text));
	if (run->status != ST_OK)
		fail_msg("%s", run->error.text);
	return unit_notes_text(&run->notes);
}

void has_row(const char *rows, const char *wanted, const char *file, int line)
{
	if (!strstr(rows, wanted))
		print_error("no '%s' in:\n%s", wanted, rows);
	_assert_true(strstr(rows, wanted) != NULL, wanted, file, line);
}

void lacks_row(const char *rows, const char *word, const char *file, int line)
{
	if (strstr(rows, word))
		print_error("'%s' in:\n%s", word, rows);
	_assert_true(strstr(rows, word) == NULL, word, file, line);
}
