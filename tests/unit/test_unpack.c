/* test_unpack.c - lib/model/unpack.h and input_spool(): gzip, zstd and pipes. */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "input_sources.h"
#include "model/unpack.h"

#define PLAIN_BYTES ((size_t)300000)
#define PACKED_BYTES (4 * PLAIN_BYTES)

UNIT_GROUP(sources_setup, sources_teardown);

/* --- a format that is whatever there is --- */

static int probe_any(const uint8_t *head, size_t len)
{
	(void)head;
	return len > 0;
}

static enum status open_any(struct reader *reader)
{
	assert_int_equal(reader->input.offset, 0);
	return ST_OK;
}

static enum status next_none(struct reader *reader, struct record *record)
{
	(void)reader, (void)record;
	return ST_END;
}

static const struct reader_ops format_any = { .name = "any",
					      .state_size = 1,
					      .probe = probe_any,
					      .open = open_any,
					      .next = next_none };
static const struct reader_ops *const formats[] = { &format_any, NULL };

/* --- packing --- */

static uint8_t *plain_bytes(void)
{
	uint8_t *bytes = unit_alloc(PLAIN_BYTES);
	uint32_t random = 1;

	for (size_t i = 0; i < PLAIN_BYTES; i++) { /* can be packed to three quarters */
		random = random * 1664525 + 1013904223;
		bytes[i] = (uint8_t)(random >> 26);
	}
	return bytes;
}

static size_t add_gzip(uint8_t *to, const uint8_t *from, size_t size)
{
	z_stream z = { .next_in = (Bytef *)(uintptr_t)from,
		       .avail_in = (uInt)size,
		       .next_out = to,
		       .avail_out = PACKED_BYTES / 2 };

	assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY),
			 Z_OK);
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	assert_int_equal(deflateEnd(&z), Z_OK);
	return z.total_out;
}

static size_t add_zstd(uint8_t *to, const uint8_t *from, size_t size)
{
	size_t bytes = ZSTD_compress(to, PACKED_BYTES / 2, from, size, 1);

	assert_false(ZSTD_isError(bytes));
	return bytes;
}

/* How many bytes inside are as they were; all that came must be. */
static size_t unpacked(const uint8_t *packed, size_t size, const uint8_t *plain,
		       bool spooled, char *finding, size_t finding_size)
{
	struct reader reader;
	struct finding_row row;
	uint64_t done;

	assert_int_equal(reader_open_memory(&reader, packed, size, NULL, formats), ST_OK);
	if (spooled) {
		assert_false(reader.input.seekable);
		assert_int_equal(input_spool(&reader.input), ST_OK);
		assert_true(reader.input.seekable);
	}
	while (input_peek_some(&reader.input, 1)) {
		size_t there = input_buffered(&reader.input);

		assert_true(reader.input.offset + there <= PLAIN_BYTES);
		assert_memory_equal(reader.input.pos, plain + reader.input.offset, there);
		input_consume(&reader.input, there);
	}
	done = reader.input.offset;
	assert_int_equal(reader.error.status, ST_OK);
	finding[0] = '\0';
	if (finding_row(&reader.findings, FINDING_BAD_PACKED, &row))
		snprintf(finding, finding_size, "%.*s", (int)row.text.len, row.text.ptr);
	if (spooled && done) { /* from its end back to its start */
		assert_int_equal(input_seek(&reader.input, 0), ST_OK);
		assert_non_null(input_peek(&reader.input, 1));
		assert_int_equal(*reader.input.pos, plain[0]);
	}
	reader_close(&reader);
	return done;
}

/* A stream is one member or frame, or two with what may be between and after them. */
static const struct {
	int line;
	bool is_zstd, is_two;
	const char *between, *after;
	size_t between_bytes, after_bytes;
	const char *finding; /* "": none */
} shapes[] = {
	{ ROW, false, false, "", "", 0, 0, "" },
	{ ROW, true, false, "", "", 0, 0, "" },
	{ ROW, false, true, "", "", 0, 0, "" },
	{ ROW, true, true, "", "", 0, 0, "" },
	{ ROW, true, true, "\x50\x2a\x4d\x18\3\0\0\0abc", "", 11, 0, "" },
	{ ROW, false, false, "", "\0\0\0\0\0\0", 0, 6, "" },
	{ ROW, false, true, "", "x", 0, 1, "bytes after the end" },
	{ ROW, true, true, "", "\x28\xb5", 0, 2, "bytes after the end" },
	{ ROW, true, false, "", "\x28\xb5\x2f\xfd", 0, 4, "ends early" },
	{ ROW, false, false, "", "\x1f\x8b\x08", 0, 3, "ends early" },
};

UNIT_TEST(whole)
{
	uint8_t *plain = plain_bytes(), *packed = unit_alloc(PACKED_BYTES);

	for (size_t i = 0; i < COUNT(shapes); i++) {
		size_t (*add)(uint8_t *, const uint8_t *, size_t) =
			shapes[i].is_zstd ? add_zstd : add_gzip;
		size_t first = shapes[i].is_two ? 12345 : PLAIN_BYTES;
		size_t size = add(packed, plain, first);
		char finding[200];

		memcpy(packed + size, shapes[i].between, shapes[i].between_bytes);
		size += shapes[i].between_bytes;
		if (shapes[i].is_two)
			size += add(packed + size, plain + first, PLAIN_BYTES - first);
		memcpy(packed + size, shapes[i].after, shapes[i].after_bytes);
		size += shapes[i].after_bytes;
		for (int spooled = 0; spooled < 2; spooled++) {
			ROW_INT(&shapes[i],
				unpacked(packed, size, plain, spooled, finding,
					 sizeof(finding)),
				PLAIN_BYTES);
			if (shapes[i].finding[0])
				ROW_TRUE(&shapes[i],
					 strstr(finding, shapes[i].finding) != NULL);
			else
				ROW_TEXT(&shapes[i], finding, "");
		}
	}
}

/* Cut anywhere: what comes is right, and the cut is reported. */
UNIT_TEST(cut)
{
	uint8_t *plain = plain_bytes(), *packed = unit_alloc(PACKED_BYTES);

	for (int is_zstd = 0; is_zstd < 2; is_zstd++) {
		size_t size = (is_zstd ? add_zstd : add_gzip)(packed, plain, PLAIN_BYTES);
		size_t most = 0;

		for (size_t cut = 20; cut < size; cut += size / 50) {
			char finding[200];
			size_t got;

			/* One byte of plain data must be there, or there is no trace. */
			if (cut < size / 2)
				continue;
			got = unpacked(packed, cut, plain, false, finding,
				       sizeof(finding));
			HAS(finding, "ends early: read up to there");
			HAS(finding, is_zstd ? "zstd input" : "gzip input");
			assert_true(got >= most && got < PLAIN_BYTES);
			most = got;
		}
		assert_true(most > PLAIN_BYTES / 2);
	}
}

/* A changed byte ends it, or is found at the latest by the checksum of gzip. */
UNIT_TEST(damaged)
{
	uint8_t *plain = plain_bytes(), *packed = unit_alloc(PACKED_BYTES);
	size_t size = add_gzip(packed, plain, PLAIN_BYTES);
	struct reader reader;

	for (size_t at = size / 2; at < size; at += size / 40) {
		packed[at] ^= 0x55;
		assert_int_equal(reader_open_memory(&reader, packed, size, NULL, formats),
				 ST_OK);
		while (input_peek_some(&reader.input, 1))
			input_consume(&reader.input, input_buffered(&reader.input));
		assert_true(finding_any(&reader.findings, FINDING_BAD_PACKED));
		assert_int_equal(reader.error.status, ST_OK);
		reader_close(&reader);
		packed[at] ^= 0x55;
	}
}

/* Nothing inside is an empty input; a packed file inside is not a trace. */
UNIT_TEST(refused)
{
	static const struct reader_ops *const none[] = { NULL };
	uint8_t *packed = unit_alloc(PACKED_BYTES), *twice = unit_alloc(PACKED_BYTES);
	struct reader reader;
	size_t size = add_gzip(packed, packed, 0);

	assert_int_equal(reader_open_memory(&reader, packed, size, NULL, none),
			 ST_TRUNCATED);
	HAS(reader.error.text, "is empty");
	size = add_zstd(twice, packed, size);
	assert_int_equal(reader_open_memory(&reader, twice, size, NULL, none),
			 ST_UNSUPPORTED);
	HAS(reader.error.text, "unpack it first, with gunzip");
}

/* --- input_spool() --- */

UNIT_TEST(spool)
{
	for (enum kind kind = KIND_FILE; kind < KINDS; kind++) {
		struct source source;

		open_source(&source, *state, kind);
		assert_int_equal(input_spool(&source.in), ST_OK);
		assert_true(source.in.seekable);
		assert_int_equal(source.in.size, PATTERN_BYTES);
		assert_int_equal(input_seek(&source.in, PATTERN_BYTES - 9), ST_OK);
		assert_pattern(input_peek(&source.in, 9), PATTERN_BYTES - 9, 9);
		assert_int_equal(input_seek(&source.in, 0), ST_OK);
		assert_pattern(input_peek(&source.in, 4096), 0, 4096);
		close_source(&source);
	}
}

/* A few bytes may be any number when unpacked: there is an end to what is copied. */
UNIT_TEST(spool_of_too_much)
{
	struct source source;

	open_source(&source, *state, KIND_PIPE);
	source.in.offset = (UINT64_C(64) << 30) + 1; /* as if so much had come before */
	assert_int_equal(input_spool(&source.in), ST_LIMIT);
	assert_string_equal(source.error.text,
			    "more than 64 GiB in a pipe or packed: save "
			    "it to a file first");
	source.error.status = ST_OK;
	close_source(&source);
}
