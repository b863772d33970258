/*
 * test_plb.c - lib/formats/perflib/write.h, and what the reader makes of damaged bundles.
 */
#include "formats/perflib/write.h"

#include <stdlib.h>
#include <string.h>

#include "base/crc32c.h"
#include "formats/formats.h"
#include "formats/perflib/perflib.h"
#include "unit.h"

#define ROOM ((size_t)34 << 20)

struct memory {
	uint8_t *bytes;
	size_t size;
	size_t fails_at; /* 0: never */
};

static enum status to_memory(void *context, const void *bytes, size_t size,
			     struct error *error)
{
	struct memory *memory = context;

	if (memory->fails_at && memory->size + size > memory->fails_at)
		return error_set(error, ST_IO, ERROR_NO_OFFSET, "full");
	assert_true(size <= ROOM - memory->size);
	memcpy(memory->bytes + memory->size, bytes, size);
	memory->size += size;
	return ST_OK;
}

static void setup(struct memory *memory)
{
	memory->bytes = unit_alloc(ROOM);
}

UNIT_FIXTURE(struct memory, setup, UNIT_NOTHING);

/* A snapshot without blocks, `n` seconds after the first. */
static void make_answer(uint8_t *answer, uint8_t n)
{
	static const uint8_t empty[PERFLIB_ANSWER_HEADER_BYTES] = {
		0x30, 0,    0,	  0, 0,	   0,	 0,    0,    0x08, 0xea, 0xa9, 0x8d,
		0x05, 0,    0,	  0, 0x61, 0x7d, 0xc0, 0xd5, 0xa7, 0x79, 0xdd, 0x01,
		0x80, 0x96, 0x98, 0, 0,	   0,	 0,    0,    0xea, 0x07, 0x0b, 0,
		0x06, 0,    0x15, 0, 0x0b, 0,	 0x02, 0,    0x2c, 0,	 0x6c, 0x01,
	};

	memcpy(answer, empty, sizeof(empty));
	answer[11] = (uint8_t)(answer[11] + n);
}

static void put_answer(struct plb_writer *writer, uint8_t n)
{
	uint8_t answer[PERFLIB_ANSWER_HEADER_BYTES];
	struct plb_data data = { .query = 3, .reported_bytes = sizeof(answer) };

	make_answer(answer, n);
	assert_int_equal(plb_write_data(writer, &data, answer, sizeof(answer)), ST_OK);
}

/* Facts, a query without identifiers, and three snapshots; returns where each begins. */
static void make_bundle(struct memory *memory, size_t *at)
{
	const struct plb_clock clock = { 1000, 1010, 10000000, 134397325643644257, -60 };
	const struct plb_registration failed = { .request = PLB_COUNTERSET_STRUCT,
						 .code = 4200 };
	struct plb_writer writer;

	assert_int_equal(plb_begin(&writer, to_memory, memory), ST_OK);
	assert_int_equal(plb_write_fact(&writer, "HOSTNAME", "box"), ST_OK);
	assert_int_equal(plb_write_clock(&writer, &clock), ST_OK);
	assert_int_equal(plb_write_registration(&writer, &failed, NULL, 0), ST_OK);
	assert_int_equal(plb_write_add(&writer, 3, 0, NULL, 0), ST_OK);
	assert_int_equal(plb_write_info(&writer, 3, 0, NULL, 0), ST_OK);
	for (uint8_t n = 0; n < 3; n++) {
		at[n] = memory->size;
		put_answer(&writer, n);
	}
	assert_int_equal(plb_finish(&writer), ST_OK);
	assert_int_equal(memory->size % 8, 0);
}

/* What a bundle comes to. */
struct seen {
	int snapshots, facts, answers;
	char minutes_west[16];
	char status[16];
	char findings[256]; /* "kind@offset " each */
};

static struct seen read_bundle(const struct memory *memory)
{
	static const struct reader_ops *const formats[] = { &perflib_reader, NULL };
	static const struct reader_options options = { .want_rows = true };
	struct seen seen = { 0 };
	struct reader reader;
	struct record record;
	struct finding_row row;

	assert_int_equal(reader_open_memory(&reader, memory->bytes, memory->size,
					    &options, formats),
			 ST_OK);
	while (reader_next(&reader, &record) == ST_OK) {
		seen.snapshots += record.kind == RECORD_perflib_snapshot;
		seen.answers += record.kind == RECORD_perflib_answer;
		seen.facts += record.kind == RECORD_header_fact;
		if (record.kind == RECORD_header_fact &&
		    str_equal(RECORD_DATA(&record, header_fact)->key,
			      STR("CLOCK_MINUTES_WEST")))
			snprintf(seen.minutes_west, sizeof(seen.minutes_west), "%.*s",
				 (int)RECORD_DATA(&record, header_fact)->value.len,
				 RECORD_DATA(&record, header_fact)->value.ptr);
		if (record.kind == RECORD_trace)
			snprintf(seen.status, sizeof(seen.status), "%s",
				 RECORD_DATA(&record, trace)->status.ptr);
	}
	assert_int_equal(reader.error.status, ST_OK);
	for (size_t i = 0; i < findings_rows(&reader.findings); i++)
		if (finding_row(&reader.findings, i, &row))
			snprintf(seen.findings + strlen(seen.findings),
				 sizeof(seen.findings) - strlen(seen.findings),
				 "%s@%lld ", row.kind.ptr, (long long)row.first_offset);
	reader_close(&reader);
	return seen;
}

static void assert_findings(const struct seen *seen, const char *kind, size_t offset)
{
	char wanted[64];

	snprintf(wanted, sizeof(wanted), "%s@%zu ", kind, offset);
	assert_string_equal(seen->findings, wanted);
}

UNIT_TEST(crc)
{
	static const char digits[] = "123456789";

	/* The check value of the catalogues; zeros of RFC 3720. */
	assert_int_equal(crc32c(0, digits, 9), 0xe3069283);
	assert_int_equal(crc32c(0, (const uint8_t[32]){ 0 }, 32), 0x8a9136aa);
	for (size_t i = 0; i <= 9; i++)
		assert_int_equal(crc32c(crc32c(0, digits, i), digits + i, 9 - i),
				 0xe3069283);
}

UNIT_CASE(whole, struct memory *memory)
{
	struct seen seen;
	size_t at[3];

	make_bundle(memory, at);
	seen = read_bundle(memory);
	assert_string_equal(seen.findings, "");
	assert_string_equal(seen.status, "complete");
	assert_int_equal(seen.snapshots, 3);
	assert_int_equal(seen.answers, 1);
	assert_int_equal(seen.facts, 1 + 4);
	assert_string_equal(seen.minutes_west, "-60");
}

/* Wherever it was cut, the whole records before are there, and the cut is reported. */
UNIT_CASE(cut, struct memory *memory)
{
	size_t at[3], whole;

	make_bundle(memory, at);
	whole = memory->size;
	for (size_t size = at[0]; size < whole; size++) {
		uint8_t *copy = malloc(size);
		struct memory cut = { copy, size, 0 };
		struct seen seen;
		int expected = 0;

		assert_non_null(copy);
		memcpy(copy, memory->bytes, size);
		for (int n = 0; n < 3; n++)
			expected += size >= at[n] + PLB_RECORD_HEADER_BYTES +
						    PLB_DATA_HEAD_BYTES +
						    PERFLIB_ANSWER_HEADER_BYTES;
		seen = read_bundle(&cut);
		assert_int_equal(seen.snapshots, expected);
		assert_string_equal(seen.status, "partial");
		free(copy);
	}
}

/* One record of which a bit is wrong costs itself, wherever in it that is. */
UNIT_CASE(flipped, struct memory *memory)
{
	struct seen seen;
	size_t at[3];

	make_bundle(memory, at);
	for (size_t i = at[1]; i < at[2]; i++) {
		memory->bytes[i] ^= 4;
		seen = read_bundle(memory);
		assert_int_equal(seen.snapshots, 2);
		assert_findings(&seen, "bad_record", at[1]);
		assert_string_equal(seen.status, "recovered");
		memory->bytes[i] ^= 4;
	}
}

/* Which instances there were: V18 and V19, and that it is reported. */
UNIT_TEST(instances)
{
	static const uint8_t guid[PLB_GUID_BYTES] = { 1 };
	/* "a", "b" without an end, and one that is longer than what is left. */
	uint8_t answer[40] = { 16, 0, 0,  0, 7, 0, 0, 0, 'a', 0, 0,   0, 0,   0,
			       0,  0, 12, 0, 0, 0, 8, 0, 0,   0, 'b', 0, 'c', 0 };
	const struct {
		size_t size;
		const char *findings;
	} rows[] = {
		{ 0, "" },
		{ 16, "" },
		{ 28, "perflib_v18@80 perflib_v19@88 " },
		{ 15, "perflib_v18@64 " },
		{ 40, "perflib_v18@80 perflib_v19@88 perflib_v18@92 " },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct memory *memory = *state;
		struct plb_writer writer;
		struct seen seen;

		memory->size = 0;
		assert_int_equal(plb_begin(&writer, to_memory, memory), ST_OK);
		assert_int_equal(plb_write_instances(&writer, guid, 0, answer,
						     rows[i].size),
				 ST_OK);
		assert_int_equal(plb_finish(&writer), ST_OK);
		seen = read_bundle(memory);
		assert_string_equal(seen.findings, rows[i].findings);
		assert_int_equal(seen.answers, 1);
	}
}

UNIT_CASE(unknown, struct memory *memory)
{
	struct seen seen;
	size_t at[3];
	uint32_t crc;

	make_bundle(memory, at);
	memory->bytes[at[1] + PLB_RECORD_TYPE_AT] = 99;
	crc = crc32c(0, memory->bytes + at[1], PLB_RECORD_HEADER_CRC_AT);
	for (int i = 0; i < 4; i++)
		memory->bytes[at[1] + PLB_RECORD_HEADER_CRC_AT + (size_t)i] =
			(uint8_t)(crc >> 8 * i);
	seen = read_bundle(memory);
	assert_int_equal(seen.snapshots, 2);
	assert_findings(&seen, "unknown_record", at[1] + PLB_RECORD_HEADER_BYTES);
}

/* V4: an answer larger than the limit is skipped, and what follows is read. */
UNIT_CASE(large, struct memory *memory)
{
	uint8_t *large = calloc(1, PERFLIB_ANSWER_BYTES_MAX);
	struct plb_data data = { .query = 3 };
	struct plb_writer writer;
	struct seen seen;

	assert_non_null(large);
	assert_int_equal(plb_begin(&writer, to_memory, memory), ST_OK);
	assert_int_equal(plb_write_info(&writer, 3, 0, NULL, 0), ST_OK);
	assert_int_equal(plb_write_data(&writer, &data, large, PERFLIB_ANSWER_BYTES_MAX),
			 ST_OK);
	put_answer(&writer, 0);
	assert_int_equal(plb_finish(&writer), ST_OK);
	free(large);
	seen = read_bundle(memory);
	assert_int_equal(seen.snapshots, 1);
	assert_findings(&seen, "perflib_v4",
			PLB_HEADER_BYTES + 2 * PLB_RECORD_HEADER_BYTES +
				PLB_INFO_HEAD_BYTES);
}

/* The leftovers of a failed call are not read. */
UNIT_CASE(failed_call, struct memory *memory)
{
	struct plb_data data = { .query = 3, .code = 8, .reported_bytes = 4096 };
	struct plb_writer writer;
	struct seen seen;

	assert_int_equal(plb_begin(&writer, to_memory, memory), ST_OK);
	assert_int_equal(plb_write_data(&writer, &data, "garbage", 7), ST_OK);
	assert_int_equal(plb_finish(&writer), ST_OK);
	seen = read_bundle(memory);
	assert_int_equal(seen.snapshots, 1);
	assert_string_equal(seen.findings, "");
}

UNIT_TEST(refused)
{
	static const struct reader_ops *const formats[] = { &perflib_reader, NULL };
	struct memory *memory = *state;
	struct reader reader;
	size_t at[3];

	make_bundle(memory, at);
	memory->bytes[PLB_MAGIC_BYTES] = 2;
	assert_int_equal(reader_open_memory(&reader, memory->bytes, memory->size, NULL,
					    formats),
			 ST_UNSUPPORTED);
	assert_string_equal(reader.error.text,
			    "perflib: a bundle of version 2, expected 1");
	memory->bytes[PLB_MAGIC_BYTES] = 1;
	assert_int_equal(reader_open_memory(&reader, memory->bytes, 12, NULL, formats),
			 ST_TRUNCATED);
	memory->bytes[PLB_MAGIC_BYTES + 3] = 0xff; /* a header larger than the file */
	assert_int_equal(reader_open_memory(&reader, memory->bytes, memory->size, NULL,
					    formats),
			 ST_TRUNCATED);
	assert_string_equal(reader.error.text,
			    "perflib: the header of the bundle is cut off");
}

UNIT_CASE(long_key, struct memory *memory)
{
	struct plb_writer writer;
	char key[66];

	memset(key, 'k', 65);
	key[65] = '\0';
	assert_int_equal(plb_begin(&writer, to_memory, memory), ST_OK);
	assert_int_equal(plb_write_fact(&writer, key + 1, "64 are written"), ST_OK);
	assert_int_equal(plb_write_fact(&writer, key, "65 are not"), ST_LIMIT);
	assert_string_equal(writer.error.text, "a key of 65 bytes, expected at most 64");
}

/* A full disk: the first failure stays, and nothing is written after it. */
UNIT_CASE(write_fails, struct memory *memory)
{
	struct plb_writer writer;

	memory->fails_at = 50;
	assert_int_equal(plb_begin(&writer, to_memory, memory), ST_OK);
	assert_int_equal(plb_write_fact(&writer, "HOSTNAME", "a long name of a host"),
			 ST_IO);
	memory->fails_at = 0;
	assert_int_equal(plb_write_fact(&writer, "ARCH", "x"), ST_IO);
	assert_int_equal(plb_finish(&writer), ST_IO);
	assert_string_equal(writer.error.text, "full");
	assert_true(memory->size <= 50);
}
