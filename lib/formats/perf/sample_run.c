/*
 * sample_run.c - runs: plain switches of one stream, decoded into columns.
 *
 * The run ends where they do (sample_columns.c), or before a detail that has no row yet.
 * walk.c decodes the record there.
 */
#include "base/unroll.h"
#include "formats/perf/sample_shape.h"
#include "formats/perf/sums.h"
#include "formats/perf/tracepoints.h"

/* The run ends before the first detail that is new. */
static void find_details(struct tracepoint_format *format, const struct perf_pattern *p,
			 struct run *run)
{
	const uint8_t *raw = run->first + PERF_RECORD_HEADER_BYTES + p->shape.raw + 4;

	run->count = perf_find_details(format, raw, p->shape.raw_bytes, run->bytes,
				       run->detail_id + 1, run->count);
}

/* As perf_note_time() of each. */
static void note_times(struct perf *perf, const struct run *run)
{
	int64_t first = INT64_MAX, last = 0;

	UNROLLED
	for (size_t i = 1; i <= run->count; i++) {
		int64_t ts_ns = run->ts_ns[i], known = ts_ns ? ts_ns : INT64_MAX;

		first = known < first ? known : first;
		last = ts_ns > last ? ts_ns : last;
	}
	if (last) { /* else no time is known */
		perf_note_time(&perf->rows, first);
		perf_note_time(&perf->rows, last);
	}
}

/* Where the records are in the input, and when. */
static void note_records(struct perf *perf, struct run *run)
{
	const struct input *in = perf->source.in;

	run->offset = in->offset;
	run->has_offsets = in != perf->source.input;
	for (size_t i = 1; run->has_offsets && i <= run->count; i++)
		run->offsets[i] = perf_source_offset(&perf->source,
						     in->offset + (i - 1) * run->bytes);
	note_times(perf, run);
	perf->rows.counts[PERF_RECORD_SAMPLE] += run->count;
}

/* What runs are decoded into, made when first needed; NULL: out of memory. */
static struct run *make_run(struct reader *reader)
{
	struct perf *perf = reader->state;
	struct perf_scratch *scratch = &perf->scratch;

	if (!scratch->run) {
		scratch->run = arena_alloc(&scratch->arena, sizeof(*scratch->run));
		perf_sums_open(reader);
	}
	return scratch->run;
}

bool perf_decode_run(struct reader *reader, struct record *out)
{
	struct perf *perf = reader->state;
	struct input *in = perf->source.in;
	struct run *run = make_run(reader);
	struct perf_pattern pattern = { .count = 0 };
	uint64_t limit = perf->walk.plain_to;
	struct perf_stream *stream;

	if (!run)
		return false;
	if (perf_sums_of(perf) && perf_decode_sums(perf, &limit, out))
		return true;
	stream = perf_next_stream(perf, &pattern);
	if (!stream)
		return false;
	perf_sums_know_stream(perf_sums_of(perf), stream, &pattern);
	perf_begin_run(stream, &pattern, run);
	perf_load_run(&pattern, in->pos, (size_t)(limit - in->offset), input_buffered(in),
		      run);
	run->has_details = reader->options.want_rows;
	if (run->has_details)
		find_details(stream->event->format, &pattern, run);
	if (run->count < 2) /* not worth it */
		return false;
	perf_load_columns(&pattern, run);
	note_records(perf, run);
	perf->scratch.plain = NULL;
	out->kind = RECORD_RUN;
	out->offset = run_offset(run, 1);
	out->run = run;
	input_consume(in, run->count * run->bytes);
	return true;
}
