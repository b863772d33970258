/*
 * sample_shape.h - what sample_fast.c and sample_run.c ask of a sample before they load
 * its fields; for them alone.
 */
#ifndef PERFTAB_PERF_SAMPLE_SHAPE_H
#define PERFTAB_PERF_SAMPLE_SHAPE_H

#include "formats/perf/perf.h"

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
 * The stream of the sample at `at`; NULL: another record, or its shape is unknown. *size
 * is that of the record.
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

#endif
