/*
 * harness.c - harness_run_as(): reader and attribution must end, and release all.
 *
 * The sink looks at every byte of every row, as a writer would; what writers do with rows
 * is tested by tests/unit.
 */
#include <stdbool.h>
#include <stdlib.h>

#include "answer.h"
#include "base/map.h"
#include "formats/formats.h"
#include "harness.h"
#include "pipeline/pipeline.h"

/* More than this finds nothing that less does not, only later. */
#define HARNESS_BYTES_MAX ((size_t)8 << 20)

static void note_damage(void *context, const struct finding_row *finding)
{
	bool *damaged = context;

	*damaged |= str_equal(finding->severity, STR("damage"));
}

#ifdef PERFTAB_FUZZERS
/*
 * Short runs: the quarantine of freed memory holds some of them.  Two frames say who
 * allocated, and little of new memory is filled: run a crash again with other options.
 */
const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
	return "quarantine_size_mb=2:thread_local_quarantine_size_kb=128:"
	       "malloc_context_size=2:max_malloc_fill_size=128:"
	       "allocator_release_to_os_interval_ms=-1";
}
#endif

/* Keeps the compiler from leaving the reads out. */
static volatile uint8_t seen;

static enum status look(struct sink *sink, const struct record *record)
{
	const struct table *table = record_table(record);
	const char *row = record->data;

	(void)sink;
	for (size_t i = 0; i < table->field_count; i++) {
		struct str text;

		if (!field_is_text(table->fields[i].kind))
			continue;
		memcpy(&text, row + table->fields[i].offset, sizeof(text));
		for (size_t k = 0; text.ptr && k < text.len; k++)
			seen ^= (uint8_t)text.ptr[k];
	}
	for (size_t i = 0; i < record->slots; i++)
		seen ^= (uint8_t)record->deltas[i];
	return ST_OK;
}

static const struct sink_ops looking_sink = { .name = "look", .put = look };

static enum outcome refused(const struct reader *reader)
{
	if (reader->error.status == ST_OK)
		abort(); /* without a reason */
	return OUTCOME_REFUSED;
}

static enum outcome run(struct reader *reader)
{
	static const struct sink_options no_options;
	struct pipeline pipeline;
	struct sink sink;
	bool damaged = false;
	const struct pipeline_hooks hooks = { .finding = note_damage,
					      .context = &damaged };
	enum status status = sink_open(&sink, &looking_sink, &no_options);

	if (status != ST_OK)
		return OUTCOME_REFUSED;
	pipeline_init(&pipeline, &sink, 1);
	status = pipeline_run(&pipeline, reader, &hooks);
	if (status != ST_OK)
		(void)refused(reader);
	pipeline_release(&pipeline);
	if (status == ST_OK)
		status = sink_finish(&sink);
	sink_close(&sink);
	if (status != ST_OK)
		return OUTCOME_REFUSED;
	return damaged ? OUTCOME_DAMAGED : OUTCOME_OK;
}

const char *harness_events;

enum outcome harness_run_as(const uint8_t *data, size_t size,
			    const struct reader_ops *const *formats)
{
	const struct reader_options options = { .want_rows = true,
						.events = harness_events };
	struct reader reader;
	enum outcome outcome;

	answer_keep(data, size);
	map_seed = 1; /* an input always runs the same way */
	if (size > HARNESS_BYTES_MAX)
		return OUTCOME_REFUSED;
	if (reader_open_memory(&reader, data, size, &options, formats) != ST_OK)
		return refused(&reader);
	outcome = run(&reader);
	reader_close(&reader);
	return outcome;
}

enum outcome harness_read_as(const uint8_t *data, size_t size,
			     const struct reader_ops *const *formats)
{
	const struct reader_options options = { .want_rows = true };
	struct reader reader;
	struct record record;
	enum status status;

	map_seed = 1;
	if (size > HARNESS_BYTES_MAX)
		return OUTCOME_REFUSED;
	if (reader_open_memory(&reader, data, size, &options, formats) != ST_OK)
		return refused(&reader);
	while ((status = reader_next(&reader, &record)) == ST_OK)
		if (record.kind < RECORD_TABLES)
			(void)look(NULL, &record);
	reader_close(&reader);
	return status == ST_END ? OUTCOME_OK : refused(&reader);
}

enum outcome harness_run_path(const char *path, const struct reader_options *options,
			      const struct reader_ops *const *formats)
{
	struct reader reader;
	enum outcome outcome;

	answer_keep_path(path, options->tracefs, options->events);
	map_seed = 1;
	if (reader_open(&reader, path, options, formats) != ST_OK)
		return refused(&reader);
	outcome = run(&reader);
	reader_close(&reader);
	return outcome;
}
