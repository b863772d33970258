/*
 * sample_shape.h - checks of a sample before its fields are loaded, for sample_fast.c,
 * sample_columns.c and their users alone.
 */
#ifndef PERFTAB_PERF_SAMPLE_SHAPE_H
#define PERFTAB_PERF_SAMPLE_SHAPE_H

#include "formats/perf/perf.h"

/* The constants of all samples of a run. */
struct perf_pattern {
	struct perf_shape shape;
	uint64_t header; /* without PERF_MISC_MASK */
	uint64_t id;
	const uint64_t *member_ids;
	uint64_t ids[RUN_SUMS_COUNTERS_MAX]; /* sums_ahead.c: member_ids, copied */
	size_t size, id_at, time, tid, cpu_at;
	uint64_t count;
	uint32_t cpu;
	uint32_t prev_comm_bytes, next_comm_bytes; /* 0: not recorded */
};

static inline uint64_t u64_at(const uint8_t *body, size_t place)
{
	uint64_t value;

	memcpy(&value, body + place, sizeof(value));
	return value;
}

static inline uint32_t u32_at(const uint8_t *body, size_t place)
{
	uint32_t value;

	memcpy(&value, body + place, sizeof(value));
	return value;
}

/*
 * Returns the stream of the sample at `at`, and sets *size to that of the record; NULL:
 * it is another record, or its shape is unknown.
 */
static inline struct perf_stream *find_stream(struct perf_catalog *catalog,
					      const uint8_t *at, size_t have,
					      size_t *size)
{
	struct perf_stream *stream;
	uint64_t word, id;

	if (have < PERF_RECORD_HEADER_BYTES)
		return NULL;
	word = u64_at(at, 0); /* type u32, misc u16, size u16; little-endian */
	*size = (size_t)(word >> 48);
	if ((uint32_t)word != PERF_RECORD_SAMPLE || *size > have ||
	    *size < catalog->named_sample_bytes)
		return NULL;
	id = u64_at(at, catalog->named_sample_bytes - sizeof(id));
	stream = perf_find_stream(catalog, id);
	return stream && stream->shape.bytes == *size - PERF_RECORD_HEADER_BYTES ? stream
										 : NULL;
}

/*
 * sample_columns.c: returns the stream of the next record and sets its pattern; NULL: its
 * samples do not fit a run.
 */
struct perf_stream *perf_next_stream(struct perf *perf, struct perf_pattern *pattern);
/* Sets the constants of the pattern in the run; with those of the stream. */
void perf_begin_columns(const struct perf_pattern *pattern, struct run *run);
void perf_begin_run(const struct perf_stream *stream, const struct perf_pattern *pattern,
		    struct run *run);
/*
 * Load the next records that match the pattern and begin within the first `limit` of the
 * `have` bytes at `at`: first values, times and the count; then the other columns.
 */
void perf_load_run(const struct perf_pattern *pattern, const uint8_t *at, size_t limit,
		   size_t have, struct run *run);
void perf_load_columns(const struct perf_pattern *pattern, struct run *run);

#endif
