/*
 * fuzz_runs.c - any bytes as a perf.data or an .etl, whose switches come in runs and then
 * one by one: every row must be the same.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "formats/formats.h"
#include "harness.h"
#include "mutate_etl.h"
#include "mutate_perf.h"
#include "pipeline/pipeline.h"

/* All rows so far, in order. */
struct digest {
	uint64_t hash;
	size_t rows;
	enum status status;
};

static void add_bytes(struct digest *digest, const void *bytes, size_t size)
{
	const uint8_t *at = bytes;

	for (size_t i = 0; i < size; i++)
		digest->hash = (digest->hash ^ at[i]) * UINT64_C(0x100000001b3);
}

static void add_text(struct digest *digest, struct str text)
{
	add_bytes(digest, &text.len, sizeof(text.len));
	add_bytes(digest, text.ptr ? text.ptr : "NULL", text.ptr ? text.len : 4);
}

static enum status digest_put(struct sink *sink, const struct record *record)
{
	struct digest *digest = *(struct digest **)sink->state;
	const struct table *table = record_table(record);
	const char *row = record->data;

	digest->rows++;
	add_text(digest, str_of(table->name));
	for (size_t i = 0; i < table->field_count; i++) {
		const struct field *field = &table->fields[i];
		struct str text;

		if (!field_is_text(field->kind)) {
			add_bytes(digest, row + field->offset, 8);
			continue;
		}
		memcpy(&text, row + field->offset, sizeof(text));
		add_text(digest, text);
	}
	if (record->slots) {
		add_bytes(digest, record->deltas, record->slots * 8);
		add_bytes(digest, record->values, record->slots * 8);
	}
	return ST_OK;
}

static enum status digest_put_run(struct sink *sink, const struct run_rows *rows)
{
	const struct run *run = rows->run;
	size_t slots = run->common.count;

	for (size_t at = rows->from; at < rows->to; at++) {
		const struct context_switch_row row = run_rows_get(rows, at);

		(void)digest_put(
			sink, &(struct record){
				      .kind = RECORD_context_switch,
				      .data = &row,
				      .deltas = run->deltas + at * slots,
				      .values = (const int64_t *)run->values + at * slots,
				      .slots = slots,
			      });
	}
	return ST_OK;
}

/* What perftab-convert wants, and what perftab-analyze does. */
static const struct sink_ops rows_sink = { .name = "rows",
					   .state_size = sizeof(struct digest *),
					   .put = digest_put,
					   .put_run = digest_put_run };
static const struct sink_ops single_sink = { .name = "rows one by one",
					     .state_size = sizeof(struct digest *),
					     .put = digest_put };
static const struct sink_ops totals_sink = { .name = "totals",
					     .state_size = sizeof(struct digest *),
					     .totals_only = true,
					     .put = digest_put };

static struct digest read_as(const uint8_t *data, size_t size, bool no_runs,
			     const struct sink_ops *ops)
{
	static const struct reader_ops *const formats[] = { &perf_reader, &etl_reader,
							    NULL };
	static const struct pipeline_hooks no_hooks;
	const struct reader_options options = { .want_rows = !ops->totals_only,
						.no_runs = no_runs,
						.least_sum = 2 };
	struct digest digest = { .hash = UINT64_C(0xcbf29ce484222325) };
	struct pipeline pipeline;
	struct reader reader;
	struct sink sink;

	map_seed = 1; /* an input always runs the same way */
	digest.status = reader_open_memory(&reader, data, size, &options, formats);
	if (digest.status != ST_OK)
		return digest;
	if (sink_open(&sink, ops, NULL) != ST_OK)
		abort();
	*(struct digest **)sink.state = &digest;
	pipeline_init(&pipeline, &sink, 1);
	digest.status = pipeline_run(&pipeline, &reader, &no_hooks);
	pipeline_release(&pipeline);
	sink_close(&sink);
	reader_close(&reader);
	return digest;
}

static void compare(const uint8_t *data, size_t size, const struct sink_ops *ops)
{
	struct digest runs = read_as(data, size, false, ops),
		      records = read_as(data, size, true, ops);

	if (runs.hash == records.hash && runs.rows == records.rows &&
	    runs.status == records.status)
		return;
	fprintf(stderr, "%s: %zu rows and status %d from runs, %zu and %d from records\n",
		ops->name, runs.rows, (int)runs.status, records.rows,
		(int)records.status);
	abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	compare(data, size, &totals_sink);
	compare(data, size, &rows_sink);
	compare(data, size, &single_sink);
	return 0;
}

static void mutate_file(struct mutant *m)
{
	if (m->size >= 4 && memcmp(m->bytes, "PERF", 4) == 0)
		mutate_perf_file(m);
	else
		mutate_etl_file(m);
}

FUZZ_MUTATOR(mutate_file);
