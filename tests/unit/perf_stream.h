/* perf_stream.h - perf.data of a pipe, written record by record, and its records read. */
#ifndef PERFTAB_PERF_STREAM_H
#define PERFTAB_PERF_STREAM_H

#include "formats/perf/perf.h"
#include "unit.h"

struct perf_stream_event {
	uint32_t type;
	uint64_t config, period, sample_type, read_format, flags;
	uint64_t ids[4]; /* 0: none from here on */
};

struct perf_stream_bytes {
	uint8_t *bytes;
	size_t size, room;
};

/* Two numbers of 32 bits in one word: pid and tid, CPU and 0. */
#define PAIR(first, second) ((uint64_t)(uint32_t)(second) << 32 | (uint32_t)(first))

void perf_stream_begin(struct perf_stream_bytes *stream);
void perf_stream_attr(struct perf_stream_bytes *stream,
		      const struct perf_stream_event *event);
void perf_stream_record(struct perf_stream_bytes *stream, uint32_t type, uint16_t misc,
			const uint64_t *words, size_t count);
/* PUT_RECORD(stream, type, words...) */
#define PUT_RECORD(stream, type, ...)                         \
	perf_stream_record((stream), PERF_RECORD_##type, 0,   \
			   (const uint64_t[]){ __VA_ARGS__ }, \
			   sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t))

/* The reader of the stream, which must outlive it. */
void perf_stream_open(struct reader *reader, const struct perf_stream_bytes *stream,
		      bool want_rows);
/*
 * Reads to the end: `on_record` gets each record of this kind.  Returns how many there
 * were; the reader is still open.
 */
size_t perf_stream_read(struct reader *reader, enum record_kind kind,
			void (*on_record)(void *context, const struct record *record),
			void *context);
/* All rows of the trace, through attribution. */
struct unit_notes perf_stream_rows(const struct perf_stream_bytes *stream);

#endif
