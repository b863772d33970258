/* test_input_at.c - input_read_at(): bytes from anywhere, without moving. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/input.h"
#include "unit.h"

static const char bytes[] = "0123456789";

static void assert_reads(struct input *in, uint64_t offset, size_t n, const char *wanted)
{
	char got[16] = "";

	assert_int_equal(input_read_at(in, offset, got, n), ST_OK);
	assert_memory_equal(got, wanted, n);
}

static void assert_ends(struct input *in, uint64_t offset, size_t n)
{
	char got[16];

	assert_int_equal(input_read_at(in, offset, got, n), ST_TRUNCATED);
	assert_int_equal(in->error->status, ST_OK);
}

/* The same of a file and of memory; the place and what is buffered there stay. */
static void check(struct input *in)
{
	const uint8_t *head = input_peek(in, 4);

	assert_non_null(head);
	input_consume(in, 2);
	assert_reads(in, 7, 3, "789");
	assert_reads(in, 0, 2, "01");
	assert_reads(in, 10, 0, "");
	assert_ends(in, 8, 3);
	assert_ends(in, 11, 1);
	assert_ends(in, UINT64_MAX, 2);
	assert_int_equal(in->offset, 2);
	assert_memory_equal(input_peek(in, 2), "23", 2);
	input_close(in);
}

UNIT_TEST(memory)
{
	struct error error = { .status = ST_OK };
	struct input in;

	input_open_memory(&in, bytes, 10, &error);
	check(&in);
}

UNIT_TEST(file)
{
	const char *path = unit_path("file");
	struct error error = { .status = ST_OK };
	struct input in;

	unit_write_file(path, bytes, 10);
	assert_int_equal(input_open(&in, path, &error), ST_OK);
	check(&in);
}

/* Also while a second thread reads ahead. */
UNIT_TEST(stream)
{
	const char *path = unit_path("file");
	struct error error = { .status = ST_OK };
	struct input in;

	unit_write_file(path, bytes, 10);
	assert_int_equal(input_open(&in, path, &error), ST_OK);
	input_stream(&in);
	check(&in);
}

static ptrdiff_t no_bytes(void *context, uint8_t *to, size_t room)
{
	(void)context;
	(void)to;
	(void)room;
	return 0;
}

UNIT_TEST(pipe)
{
	struct error error = { .status = ST_OK };
	struct input in;
	char byte;

	assert_int_equal(input_open_pull(&in, no_bytes, NULL, 0, &error), ST_OK);
	assert_int_equal(input_read_at(&in, 0, &byte, 1), ST_UNSUPPORTED);
	input_close(&in);
}
