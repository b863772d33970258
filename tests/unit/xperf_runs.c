/* xperf_runs.c - see xperf_runs.h. */
#include "xperf_runs.h"

#include <stdio.h>
#include <string.h>

#include "formats/formats.h"
#include "pipeline/pipeline.h"

void run_bytes(struct text_run *run, const char *bytes, size_t size)
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

static const char *process(char letter)
{
	return letter == 'a' ? A : letter == 'b' ? B : IDLE;
}

/* The text with a line of xperf for each that begins with @. */
static const char *with_switches(const char *text)
{
	char *bytes, ts[24], to, to_tid[12], from, from_tid[12], cpu[8];
	size_t size;
	FILE *stream = open_memstream(&bytes, &size);

	for (const char *end; *text; text = end) {
		char state[24] = "Waiting";

		end = strchr(text, '\n');
		end = end ? end + 1 : text + strlen(text);
		if (sscanf(text, "@%23s %c %11s %c %11s %7s%*[ ]%23[^\n]", ts, &to,
			   to_tid, &from, from_tid, cpu, state) >= 6)
			fprintf(stream,
				IN("%s", "%s", "%s") OUT("%s", "%s", "%s") "%s, 0\n", ts,
				process(to), to_tid, process(from), from_tid, state, cpu);
		else
			fwrite(text, 1, (size_t)(end - text), stream);
	}
	fclose(stream);
	return unit_keep(bytes);
}

const char *rows_of(const char *text)
{
	struct text_run *run = unit_alloc(sizeof(*run));

	text = with_switches(text);
	run_bytes(run, text, strlen(text));
	if (run->status != ST_OK)
		fail_msg("%s", run->error.text);
	return unit_notes_text(&run->notes);
}
