/*
 * test_perf_ahead.c - lib/formats/perf/lookahead.c and walk.c: the records that are
 * seen ahead of the one that is read, and records that were not seen ahead.
 */
#include <stdlib.h>
#include <string.h>

#include "formats/formats.h"
#include "formats/perf/perf.h"
#include "unit.h"

enum {
	PIPE_HEADER_BYTES = 16,
	ATTR_BYTES = 64,
	ATTR_RECORD_BYTES = PERF_RECORD_HEADER_BYTES + ATTR_BYTES,
	SAMPLE_BYTES = 32,
	FIRST_SAMPLE = PIPE_HEADER_BYTES + ATTR_RECORD_BYTES,
};

struct stream {
	uint8_t *bytes;
	size_t size;
};

static void put_u32(uint8_t *at, uint32_t value)
{
	memcpy(at, &value, sizeof(value));
}

static void put_u64(uint8_t *at, uint64_t value)
{
	memcpy(at, &value, sizeof(value));
}

static void put_header(uint8_t *at, uint32_t type, uint16_t size)
{
	put_u32(at, type);
	put_u32(at + 4, (uint32_t)size << 16);
}

/* A perf.data of a pipe: one event, cpu-clock, and `count` samples of it on CPU 0. */
static struct stream samples(size_t count)
{
	struct stream stream = { .size = FIRST_SAMPLE + count * SAMPLE_BYTES };
	uint8_t *attr;

	stream.bytes = calloc(1, stream.size);
	assert_non_null(stream.bytes);
	memcpy(stream.bytes, "PERFILE2", 8);
	put_u64(stream.bytes + 8, PIPE_HEADER_BYTES);
	put_header(stream.bytes + PIPE_HEADER_BYTES, PERF_RECORD_HEADER_ATTR,
		   ATTR_RECORD_BYTES);
	attr = stream.bytes + PIPE_HEADER_BYTES + PERF_RECORD_HEADER_BYTES;
	put_u32(attr, PERF_TYPE_SOFTWARE);
	put_u32(attr + 4, ATTR_BYTES);
	put_u64(attr + 16, 1000); /* the period */
	put_u64(attr + 24, PERF_TID | PERF_TIME | PERF_CPU);
	for (size_t i = 0; i < count; i++) {
		uint8_t *at = stream.bytes + FIRST_SAMPLE + i * SAMPLE_BYTES;

		put_header(at, PERF_RECORD_SAMPLE, SAMPLE_BYTES);
		put_u32(at + 8, 7);
		put_u32(at + 12, 7);
		put_u64(at + 16, 1000 + i);
	}
	return stream;
}

static void open_stream(struct reader *reader, const struct stream *stream)
{
	static const struct reader_ops *const formats[] = { &perf_reader, NULL };

	assert_int_equal(reader_open_memory(reader, stream->bytes, stream->size, NULL,
					    formats),
			 ST_OK);
}

/* Reads to the end; how many samples there were. */
static size_t count_samples(struct reader *reader)
{
	struct record record;
	enum status status;
	size_t count = 0;

	while ((status = reader_next(reader, &record)) == ST_OK)
		count += record.kind == RECORD_SAMPLED;
	assert_int_equal(status, ST_END);
	return count;
}

/* --- damage that is seen before its turn --- */

/* Samples that fill the buffer and half of another one. */
#define MANY (INPUT_BUFFER_BYTES / SAMPLE_BYTES * 3 / 2)
/* Those of the first look that are read before the second: 7 of 8 buffers. */
#define READ_FIRST (INPUT_BUFFER_BYTES / SAMPLE_BYTES / 8 * 7)
#define LOOKED_AT (INPUT_BUFFER_BYTES / SAMPLE_BYTES)

static const struct {
	int line;
	size_t sample; /* the one that is damaged */
	uint32_t type;
	uint16_t size;
	size_t lost; /* samples */
} damages[] = {
	/* Read right after the look. */
	{ ROW, 0, PERF_RECORD_SAMPLE, 0, 1 },
	{ ROW, READ_FIRST / 2, PERF_RECORD_SAMPLE, 0, 1 },
	/* Seen by the first look, read after the second. */
	{ ROW, READ_FIRST + 1000, PERF_RECORD_SAMPLE, 0, 1 },
	{ ROW, READ_FIRST + 1000, PERF_RECORD_SAMPLE, 7, 1 },
	{ ROW, READ_FIRST + 1000, PERF_RECORD_SAMPLE, 33, 1 },
	{ ROW, READ_FIRST + 1000, PERF_RECORD_LOST, 0, 1 },
	{ ROW, READ_FIRST + 1000, PERF_RECORD_COMM, 0, 1 },
	{ ROW, READ_FIRST + 1000, 0, 0, 1 },
	{ ROW, READ_FIRST + 1000, PERF_RECORD_TRACING_DATA, 4, 1 },
	{ ROW, LOOKED_AT - 20, PERF_RECORD_SAMPLE, 0, 1 },
	/* Seen by the second. */
	{ ROW, LOOKED_AT + 10, PERF_RECORD_SAMPLE, 0, 1 },
	{ ROW, MANY - 1, PERF_RECORD_SAMPLE, 0, 1 },
};

UNIT_TEST(seen_ahead)
{
	for (size_t i = 0; i < COUNT(damages); i++) {
		struct stream stream = samples(MANY);
		size_t at = FIRST_SAMPLE + damages[i].sample * SAMPLE_BYTES;
		struct reader reader;

		put_header(stream.bytes + at, damages[i].type, damages[i].size);
		open_stream(&reader, &stream);
		ROW_INT(&damages[i], count_samples(&reader), MANY - damages[i].lost);
		ROW_INT(&damages[i], reader.findings.gap_count, 1);
		ROW_INT(&damages[i], reader.findings.gaps[0].from, at);
		ROW_INT(&damages[i], reader.findings.gaps[0].to, at + SAMPLE_BYTES);
		reader_close(&reader);
		free(stream.bytes);
	}
}

/* Two at once, one on each side of what is read before the second look. */
UNIT_TEST(two)
{
	struct stream stream = samples(MANY);
	struct reader reader;

	for (size_t i = 0; i < 2; i++)
		put_header(stream.bytes + FIRST_SAMPLE +
				   (READ_FIRST - 500 + 1000 * i) * SAMPLE_BYTES,
			   PERF_RECORD_SAMPLE, 0);
	open_stream(&reader, &stream);
	assert_int_equal(count_samples(&reader), MANY - 2);
	assert_int_equal(reader.findings.gap_count, 2);
	reader_close(&reader);
	free(stream.bytes);
}

/* --- damage that was not seen ahead --- */

static const struct {
	int line;
	uint32_t type;
	uint16_t size;
	size_t read; /* samples, of 9 good ones after it */
} unseen[] = {
	{ ROW, PERF_RECORD_SAMPLE, 0, 9 },
	{ ROW, PERF_RECORD_SAMPLE, 7, 9 },
	{ ROW, PERF_RECORD_SAMPLE, 65528, 9 },
	{ ROW, PERF_RECORD_FORK, 0, 9 },
	{ ROW, PERF_RECORD_HEADER_FEATURE, 3, 9 },
	{ ROW, PERF_RECORD_TRACING_DATA, 0, 9 },
	{ ROW, PERF_RECORD_SIMPLEPERF_FIRST + 1, 6, 9 },
};

/* As if a look had gone past the first sample: whatever it said, nothing else is read. */
UNIT_TEST(unseen)
{
	for (size_t i = 0; i < COUNT(unseen); i++) {
		struct stream stream = samples(10);
		struct reader reader;
		struct record record;
		struct perf *perf;

		open_stream(&reader, &stream);
		perf = reader.state;
		/* So that the event is known; the look has gone to the end. */
		while (perf->source.in->offset < FIRST_SAMPLE ||
		       perf->walk.ahead.scanned < stream.size)
			assert_int_equal(reader_next(&reader, &record), ST_OK);
		perf->source.in->pos -= perf->source.in->offset - FIRST_SAMPLE;
		perf->source.in->offset = FIRST_SAMPLE;
		put_header(stream.bytes + FIRST_SAMPLE, unseen[i].type, unseen[i].size);
		ROW_INT(&unseen[i], count_samples(&reader), unseen[i].read);
		ROW_INT(&unseen[i], reader.findings.gap_count, 1);
		ROW_INT(&unseen[i], reader.findings.gaps[0].from, FIRST_SAMPLE);
		ROW_INT(&unseen[i], reader.findings.gaps[0].to,
			FIRST_SAMPLE + SAMPLE_BYTES);
		reader_close(&reader);
		free(stream.bytes);
	}
}

/* Task records are read where the look found them, if they are still what they were. */
UNIT_TEST(unseen_task)
{
	static const uint64_t places[] = { 0, FIRST_SAMPLE, FIRST_SAMPLE + 5,
					   FIRST_SAMPLE + 10 * SAMPLE_BYTES - 4,
					   UINT64_MAX };

	for (size_t i = 0; i < COUNT(places); i++) {
		struct stream stream = samples(10);
		struct reader reader;
		struct record record;
		struct perf *perf;

		open_stream(&reader, &stream);
		perf = reader.state;
		while (perf->walk.ahead.scanned < stream.size)
			assert_int_equal(reader_next(&reader, &record), ST_OK);
		put_header(stream.bytes + FIRST_SAMPLE, PERF_RECORD_COMM, 0);
		perf->walk.ahead.tasks = calloc(1, sizeof(*perf->walk.ahead.tasks));
		assert_non_null(perf->walk.ahead.tasks);
		perf->walk.ahead.tasks[0].offset = places[i];
		perf->walk.ahead.count = perf->walk.ahead.room = 1;
		assert_in_range(count_samples(&reader), 8, 9);
		reader_close(&reader);
		free(stream.bytes);
	}
}

/* --- task records before the samples that need them --- */

/* FORK and EXIT alike: pid, parent, tid, parent, time. */
static void put_fork(uint8_t *at, uint32_t type, uint32_t tid, uint64_t ts_ns)
{
	put_header(at, type, SAMPLE_BYTES);
	put_u32(at + 8, tid);
	put_u32(at + 12, 1);
	put_u32(at + 16, tid);
	put_u32(at + 20, 1);
	put_u64(at + 24, ts_ns);
}

static uint8_t *sample_at(const struct stream *stream, size_t number)
{
	return stream->bytes + FIRST_SAMPLE + number * SAMPLE_BYTES;
}

/*
 * A thread begins in the second round, on a CPU whose records are written in the third,
 * after the first look: its FORK still precedes its samples.
 */
UNIT_TEST(rounds)
{
	struct stream stream = samples(MANY);
	const size_t round_ends[] = { LOOKED_AT / 4, LOOKED_AT / 16 * 15 };
	const size_t switched = LOOKED_AT / 2, forked = LOOKED_AT + 100;
	struct reader reader;
	struct record record;
	bool is_forked = false, is_sampled = false;

	for (size_t i = 0; i < COUNT(round_ends); i++)
		put_header(sample_at(&stream, round_ends[i]), PERF_RECORD_FINISHED_ROUND,
			   SAMPLE_BYTES);
	put_u32(sample_at(&stream, switched) + 8, 9);
	put_u32(sample_at(&stream, switched) + 12, 9);
	put_fork(sample_at(&stream, forked), PERF_RECORD_FORK, 9, 1000 + switched - 1);
	open_stream(&reader, &stream);
	while (reader_next(&reader, &record) == ST_OK) {
		is_forked |= record.kind == RECORD_TASK_FORK;
		if (record.kind != RECORD_SAMPLED ||
		    ((const struct sampled_event *)record.data)->tid != 9)
			continue;
		is_sampled = true;
		assert_true(is_forked);
	}
	assert_true(is_sampled);
	assert_false(findings_damaged(&reader.findings));
	reader_close(&reader);
	free(stream.bytes);
}

/* A COMM without a time keeps its place after the FORK of its thread. */
UNIT_TEST(comm_without_time)
{
	static const enum record_kind expected[] = { RECORD_TASK_EXIT, RECORD_TASK_FORK,
						     RECORD_TASK_COMM };
	struct stream stream = samples(10);
	struct reader reader;
	struct record record;
	size_t seen = 0;

	put_fork(sample_at(&stream, 3), PERF_RECORD_EXIT, 9, 1003);
	put_fork(sample_at(&stream, 4), PERF_RECORD_FORK, 9, 1004);
	put_header(sample_at(&stream, 5), PERF_RECORD_COMM, SAMPLE_BYTES);
	put_u64(sample_at(&stream, 5) + 8, (uint64_t)9 << 32 | 9);
	put_u64(sample_at(&stream, 5) + 16, 0x77656e); /* "new" */
	put_u64(sample_at(&stream, 5) + 24, 0);
	open_stream(&reader, &stream);
	while (reader_next(&reader, &record) == ST_OK)
		if (record.kind == RECORD_TASK_COMM || record.kind == RECORD_TASK_FORK ||
		    record.kind == RECORD_TASK_EXIT) {
			assert_true(seen < COUNT(expected));
			assert_int_equal(record.kind, expected[seen]);
			seen++;
		}
	assert_int_equal(seen, COUNT(expected));
	reader_close(&reader);
	free(stream.bytes);
}

/* --- damage that a layer below finds --- */

/* At the end of the data only a record that goes past it is called cut. */
UNIT_TEST(last_record)
{
	static const struct {
		enum perf_fault fault;
		enum finding_kind kind;
	} rows[] = {
		{ PERF_FAULT_OVER_END, FINDING_TRUNCATED },
		{ PERF_FAULT_LESS_THAN_HEADER, FINDING_BAD_RECORD },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct stream stream = samples(10);
		size_t last = FIRST_SAMPLE + 9 * SAMPLE_BYTES;
		struct reader reader;
		struct record record;
		struct input *in;

		put_header(stream.bytes + last, PERF_RECORD_SAMPLE, 3);
		open_stream(&reader, &stream);
		assert_int_equal(reader_next(&reader, &record), ST_OK);
		in = ((struct perf *)reader.state)->source.in;
		assert_true(input_peek_some(in, stream.size) >= SAMPLE_BYTES);
		input_consume(in, last - (size_t)in->offset);
		perf_skip_damage(&reader, in, stream.size, "", rows[i].fault, 3);
		assert_int_equal(reader.findings.gap_count, 1);
		assert_int_equal(reader.findings.gaps[0].kind, rows[i].kind);
		assert_int_equal(reader.findings.gaps[0].from, last);
		assert_int_equal(reader.findings.gaps[0].to, stream.size);
		reader_close(&reader);
		free(stream.bytes);
	}
}
