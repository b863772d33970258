/* test_bytes.c - lib/base/bytes.h: a piece of a trace that grows. */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "unit.h"

UNIT_TEST(values)
{
	struct bytes bytes = { .data = NULL };
	const uint64_t wide = 0x0123456789abcdef;
	const uint32_t word = 0xdeadbeef;
	const uint16_t half = 0x1234;

	bytes_u64(&bytes, wide);
	bytes_u32(&bytes, word);
	bytes_u16(&bytes, half);
	bytes_text(&bytes, "abc");
	bytes_put(&bytes, "xy", 2);
	bytes_put(&bytes, NULL, 0);
	bytes_zero(&bytes, 3);
	assert_int_equal(bytes.size, 8 + 4 + 2 + 4 + 2 + 3);
	assert_memory_equal(bytes.data, &wide, 8);
	assert_memory_equal(bytes.data + 8, &word, 4);
	assert_memory_equal(bytes.data + 12, &half, 2);
	assert_memory_equal(bytes.data + 14, "abc\0xy\0\0\0", 9);
	assert_false(bytes.failed);
	bytes_release(&bytes);
	assert_null(bytes.data);
	assert_int_equal(bytes.size, 0);
}

/* What is there stays while the memory moves. */
UNIT_TEST(growth)
{
	struct bytes bytes = { .data = NULL };

	for (uint32_t i = 0; i < 100000; i++)
		bytes_u32(&bytes, i);
	assert_int_equal(bytes.size, 400000);
	for (uint32_t i = 0; i < 100000; i++)
		assert_memory_equal(bytes.data + (size_t)i * 4, &i, 4);
	assert_non_null(bytes_extend(&bytes, 5000000)); /* more than twice as much */
	assert_int_equal(bytes.size, 5400000);
	assert_true(bytes.room >= bytes.size);
	bytes_release(&bytes);
}

static const struct {
	int line;
	size_t before, start, unit, after;
} paddings[] = {
	{ ROW, 0, 0, 8, 0 },	{ ROW, 1, 0, 8, 8 },	 { ROW, 8, 0, 8, 8 },
	{ ROW, 9, 0, 8, 16 },	{ ROW, 9, 1, 8, 9 },	 { ROW, 12, 1, 8, 17 },
	{ ROW, 63, 0, 64, 64 }, { ROW, 65, 0, 64, 128 },
};

UNIT_TEST(padding)
{
	for (size_t i = 0; i < COUNT(paddings); i++) {
		struct bytes bytes = { .data = NULL };

		memset(bytes_extend(&bytes, 256), 0xff, 256);
		bytes.size = paddings[i].before;
		bytes_pad(&bytes, paddings[i].start, paddings[i].unit);
		ROW_INT(&paddings[i], bytes.size, paddings[i].after);
		for (size_t k = paddings[i].before; k < bytes.size; k++)
			ROW_INT(&paddings[i], bytes.data[k], 0);
		bytes_release(&bytes);
	}
}

/* Without memory everything is dropped, and it stays so. */
UNIT_TEST(no_memory)
{
	struct bytes bytes = { .data = NULL };

	bytes_u32(&bytes, 1);
	assert_null(bytes_extend(&bytes, SIZE_MAX / 2));
	assert_true(bytes.failed);
	bytes_u32(&bytes, 2);
	bytes_zero(&bytes, 2);
	bytes_text(&bytes, "x");
	assert_null(bytes_extend(&bytes, 1));
	assert_int_equal(bytes.size, 4);
	bytes_release(&bytes);
	assert_false(bytes.failed);
}
