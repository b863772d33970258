/*
 * test_etl_chunks.c - lib/formats/etw/etl_chunks.c: parts of a file, whichever way its
 * chunks are read.
 */
#include <string.h>
#include <unistd.h>

#include "formats/etw/etl_layout.h"
#include "unit.h"

enum {
	FILE_BYTES = 9 * 1024 * 1024 + 77,
	CUT_BYTES = 5 * 1024 * 1024 + 33,
};

static uint8_t byte_at(uint64_t offset)
{
	return (uint8_t)(offset * 2654435761u >> 13);
}

static void assert_part(struct etl_chunks *chunks, struct input *in, uint64_t offset,
			size_t size)
{
	static uint8_t bytes[1024 * 1024];

	memset(bytes, 0, size);
	assert_int_equal(etl_chunks_read(chunks, in, offset, bytes, size), ST_OK);
	for (size_t i = 0; i < size; i++)
		assert_int_equal(bytes[i], byte_at(offset + i));
}

static FILE *make_file(struct input *in, struct error *error)
{
	static char name[64];
	FILE *file = tmpfile();

	assert_non_null(file);
	for (uint64_t i = 0; i < FILE_BYTES; i++)
		putc(byte_at(i), file);
	assert_int_equal(fflush(file), 0);
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fileno(file));
	assert_int_equal(input_open(in, name, error), ST_OK);
	return file;
}

UNIT_TEST(chunks)
{
	struct etl_chunks chunks = { .turn = 0 };
	struct error error = { .status = ST_OK };
	uint8_t byte[2];
	struct input in;
	FILE *file = make_file(&in, &error);

	/* Two CPUs, whose buffers are apart: a read for each chunk. */
	for (uint64_t at = 0; at < 1 << 20; at += 4096) {
		assert_part(&chunks, &in, at + 72, 4096);
		assert_part(&chunks, &in, at + (2 << 20), 4000);
	}
	assert_int_equal(chunks.read, 9 * ETL_WINDOW_BYTES);
	assert_part(&chunks, &in, 100, 1024 * 1024); /* large: not by chunks */
	assert_int_equal(chunks.read, 9 * ETL_WINDOW_BYTES);
	assert_part(&chunks, &in, FILE_BYTES - 500, 500);
	assert_int_equal(etl_chunks_read(&chunks, &in, FILE_BYTES - 1, byte, 2),
			 ST_TRUNCATED);
	/* More places than chunks, in turn: that is noticed. */
	for (int round = 0; round < 40; round++)
		for (uint64_t i = 0; i <= 2 * ETL_CHUNKS; i++)
			assert_part(&chunks, &in, i * ETL_WINDOW_BYTES + 50, 100);
	assert_true(chunks.read < 4 * ETL_CHUNKS * ETL_WINDOW_BYTES);
	etl_chunks_release(&chunks);
	input_close(&in);
	fclose(file);
}

/* Chunks that follow one another are read once, ahead or not; two CPUs far apart too. */
UNIT_TEST(chunks_ahead)
{
	struct etl_chunks chunks = { .turn = 0 };
	struct error error = { .status = ST_OK };
	struct input in;
	FILE *file = make_file(&in, &error);

	etl_chunks_read_ahead(&chunks);
	assert_non_null(chunks.ahead);
	for (uint64_t at = 0; at + 4096 <= FILE_BYTES; at += 4096)
		assert_part(&chunks, &in, at, 4096);
	assert_int_equal(chunks.read, FILE_BYTES);
	for (uint64_t at = 0; at < FILE_BYTES / 2; at += 50000) {
		assert_part(&chunks, &in, at, 4000);
		assert_part(&chunks, &in, FILE_BYTES / 2 + at, 4000);
	}
	etl_chunks_release(&chunks);
	input_close(&in);
	fclose(file);
}

/* A chunk that is read ahead is as short as the file is by then. */
UNIT_TEST(cut_ahead)
{
	struct etl_chunks chunks = { .turn = 0 };
	struct error error = { .status = ST_OK };
	uint8_t byte[1];
	struct input in;
	FILE *file = make_file(&in, &error);

	etl_chunks_read_ahead(&chunks);
	assert_int_equal(ftruncate(fileno(file), CUT_BYTES), 0);
	for (uint64_t at = 0; at + 5000 <= CUT_BYTES; at += 5000)
		assert_part(&chunks, &in, at, 5000);
	assert_part(&chunks, &in, CUT_BYTES - 1, 1);
	assert_int_equal(etl_chunks_read(&chunks, &in, CUT_BYTES, byte, 1), ST_TRUNCATED);
	etl_chunks_release(&chunks);
	input_close(&in);
	fclose(file);
}
