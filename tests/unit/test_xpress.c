/* test_xpress.c - lib/formats/etw/xpress.h: plain Xpress LZ77. */
#include "formats/etw/xpress.h"

#include <stdlib.h>
#include <string.h>

#include "unit.h"

/*
 * Decompresses to exactly `room` bytes of memory, so that a sanitizer sees one too many.
 */
static bool unpack(const void *packed, size_t size, size_t room, uint8_t **out,
		   size_t *done)
{
	*out = malloc(room ? room : 1);
	assert_non_null(*out);
	return xpress_decompress(packed, size, *out, room, done);
}

static void assert_unpacks(const void *packed, size_t size, const char *text,
			   size_t length)
{
	uint8_t *out;
	size_t done;

	assert_true(unpack(packed, size, length, &out, &done));
	assert_int_equal(done, length);
	assert_memory_equal(out, text, length);
	free(out);
	/* Without room for the last byte there is all but that. */
	assert_false(unpack(packed, size, length - 1, &out, &done));
	assert_memory_equal(out, text, done);
	free(out);
}

/* The two examples of [MS-XCA] 3.1. */
UNIT_TEST(published)
{
	static const uint8_t alphabet[] = "\x3f\x00\x00\x00"
					  "abcdefghijklmnopqrstuvwxyz";
	static const uint8_t abc[] = { 0xff, 0xff, 0xff, 0x1f, 'a',  'b', 'c',
				       0x17, 0x00, 0x0f, 0xff, 0x26, 0x01 };
	char text[300];

	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = "abc"[i % 3];
	assert_unpacks(alphabet, sizeof(alphabet) - 1, "abcdefghijklmnopqrstuvwxyz", 26);
	assert_unpacks(abc, sizeof(abc), text, sizeof(text));
}

/* One literal, then matches of distance 1, whose lengths end in `tail`. */
static void assert_run(const uint8_t *tail, size_t size, size_t length)
{
	uint8_t packed[32] = { 0xff, 0xff, 0xff, 0x7f, 'x' };
	char *text = malloc(length + 1);

	assert_non_null(text);
	memset(text, 'x', length + 1);
	memcpy(packed + 5, tail, size);
	assert_unpacks(packed, 5 + size, text, length + 1);
	free(text);
}

/* Each way to write a length, at its borders. */
UNIT_TEST(lengths)
{
	static const uint8_t shortest[] = { 0, 0 }, token[] = { 6, 0 };
	static const uint8_t nibble[] = { 7, 0, 0x0e }, byte[] = { 7, 0, 0x0f, 254 };
	static const uint8_t word[] = { 7, 0, 0x0f, 255, 0xff, 0xff };
	static const uint8_t least[] = { 7, 0, 0x0f, 255, 22, 0 };
	static const uint8_t large[] = { 7, 0, 0x0f, 255, 0, 0, 0x70, 0x11, 1, 0 };
	/* Two matches share a byte for their nibbles. */
	static const uint8_t shared[] = { 7, 0, 0x21, 7, 0 };
	static const uint8_t third[] = { 7, 0, 0x21, 7, 0, 7, 0, 0x03 };

	assert_run(shortest, sizeof(shortest), 3);
	assert_run(token, sizeof(token), 6 + 3);
	assert_run(nibble, sizeof(nibble), 7 + 14 + 3);
	assert_run(byte, sizeof(byte), 7 + 15 + 254 + 3);
	assert_run(word, sizeof(word), 65535 + 3);
	assert_run(least, sizeof(least), 22 + 3);
	assert_run(large, sizeof(large), 0x11170 + 3);
	assert_run(shared, sizeof(shared), 7 + 1 + 3 + 7 + 2 + 3);
	assert_run(third, sizeof(third), 7 + 1 + 3 + 7 + 2 + 3 + 7 + 3 + 3);
}

static void assert_bad(const uint8_t *packed, size_t size, size_t wanted)
{
	uint8_t *out;
	size_t done;

	assert_false(unpack(packed, size, 4096, &out, &done));
	assert_int_equal(done, wanted);
	free(out);
}

UNIT_TEST(damage)
{
	static const uint8_t before_start[] = { 0xff, 0xff, 0xff, 0x7f, 'x', 8, 0 };
	static const uint8_t at_once[] = { 0xff, 0xff, 0xff, 0xff, 0, 0 };
	static const uint8_t below_22[] = { 0xff, 0xff, 0xff, 0x7f, 'x', 7,
					    0,	  0x0f, 255,  21,   0 };
	static const uint8_t bomb[] = { 0xff, 0xff, 0xff, 0x7f, 'x',  7,    0,	 0x0f,
					255,  0,    0,	  0xff, 0xff, 0xff, 0xff };

	assert_bad(before_start, sizeof(before_start), 1);
	assert_bad(at_once, sizeof(at_once), 0);
	assert_bad(below_22, sizeof(below_22), 1);
	assert_bad(bomb, sizeof(bomb), 1);
	/* A match that is cut off anywhere. */
	for (size_t size = 6; size < sizeof(bomb); size++)
		assert_bad(bomb, size, 1);
	assert_bad((const uint8_t *)"\xff\xff", 2, 0);
}

UNIT_TEST(nothing)
{
	size_t done = 1;
	uint8_t byte = 0;

	assert_true(xpress_decompress(&byte, 0, &byte, 1, &done));
	assert_int_equal(done, 0);
}
