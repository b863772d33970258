/* test_cursor.c - lib/base/cursor.h: a window that is never left. */
#include "base/cursor.h"
#include "unit.h"

static const uint8_t bytes[16] = { 0x01, 0x82, 0x03, 0x84, 0x05, 0x86, 0x07, 0x88,
				   0x89, 0x0a, 0x8b, 0x0c, 0x8d, 0x0e, 0x8f, 0x10 };

static uint64_t read_width(struct cursor *c, int width)
{
	switch (width) {
	case 1:
		return cursor_u8(c);
	case 2:
		return cursor_u16(c);
	case 4:
		return cursor_u32(c);
	default:
		return cursor_u64(c);
	}
}

static const struct {
	int line;
	int width;
	bool big_endian;
	size_t at; /* unaligned ones too */
	uint64_t value;
} widths[] = {
	{ ROW, 1, false, 0, 0x01 },
	{ ROW, 1, true, 1, 0x82 },
	{ ROW, 2, false, 0, 0x8201 },
	{ ROW, 2, true, 0, 0x0182 },
	{ ROW, 2, false, 1, 0x0382 },
	{ ROW, 2, true, 1, 0x8203 },
	{ ROW, 4, false, 0, 0x84038201 },
	{ ROW, 4, true, 0, 0x01820384 },
	{ ROW, 4, false, 3, 0x07860584 },
	{ ROW, 4, true, 3, 0x84058607 },
	{ ROW, 8, false, 0, UINT64_C(0x8807860584038201) },
	{ ROW, 8, true, 0, UINT64_C(0x0182038405860788) },
	{ ROW, 8, false, 5, UINT64_C(0x8d0c8b0a89880786) },
	{ ROW, 8, true, 5, UINT64_C(0x860788890a8b0c8d) },
	{ ROW, 8, false, 8, UINT64_C(0x108f0e8d0c8b0a89) },
};

UNIT_TEST(widths)
{
	for (size_t i = 0; i < COUNT(widths); i++) {
		struct cursor c =
			cursor_over(bytes + widths[i].at, sizeof(bytes) - widths[i].at,
				    100, widths[i].big_endian);
		size_t left = cursor_left(&c);

		ROW_INT(&widths[i], read_width(&c, widths[i].width), widths[i].value);
		ROW_INT(&widths[i], cursor_left(&c), left - (size_t)widths[i].width);
		ROW_INT(&widths[i], c.offset, 100 + widths[i].width);
		ROW_TRUE(&widths[i], !c.overrun);
	}
}

/* For each width: exactly enough bytes, and one too few. */
UNIT_TEST(end)
{
	static const int each[] = { 1, 2, 4, 8 };

	for (size_t i = 0; i < COUNT(each); i++) {
		size_t width = (size_t)each[i];
		struct cursor c = cursor_over(bytes, width, 0, false);

		assert_int_not_equal(read_width(&c, each[i]), 0);
		assert_false(c.overrun);
		assert_int_equal(cursor_left(&c), 0);

		c = cursor_over(bytes, width - 1, 7, false);
		assert_int_equal(read_width(&c, each[i]), 0);
		assert_true(c.overrun);
		assert_int_equal(cursor_left(&c), width - 1);
		assert_int_equal(c.offset, 7);
	}
}

/* Once overrun, even what would fit is not given. */
UNIT_TEST(overrun_stays)
{
	struct cursor c = cursor_over(bytes, 4, 0, false);

	assert_int_equal(cursor_u64(&c), 0);
	assert_true(c.overrun);
	assert_int_equal(cursor_u8(&c), 0);
	assert_int_equal(cursor_u16(&c), 0);
	assert_int_equal(cursor_u32(&c), 0);
	assert_null(cursor_bytes(&c, 1));
	assert_null(cursor_bytes(&c, 0));
	assert_true(cursor_sub(&c, 1).overrun);
	ASSERT_STR(cursor_padded_str(&c, 1), NULL);
	assert_true(c.overrun);
	assert_int_equal(c.offset, 0);
}

UNIT_TEST(bytes_and_skip)
{
	struct cursor c = cursor_over(bytes, sizeof(bytes), 0x40, false);

	assert_ptr_equal(cursor_bytes(&c, 3), bytes);
	assert_ptr_equal(cursor_bytes(&c, 0), bytes + 3);
	cursor_skip(&c, 12);
	assert_int_equal(c.offset, 0x4f);
	assert_int_equal(cursor_u8(&c), 0x10);
	assert_false(c.overrun);
	cursor_skip(&c, 1);
	assert_true(c.overrun);

	c = cursor_over(bytes, sizeof(bytes), 0, false);
	assert_null(cursor_bytes(&c, SIZE_MAX));
	assert_true(c.overrun);

	c = cursor_over(NULL, 0, 0, false);
	assert_int_equal(cursor_left(&c), 0);
	assert_int_equal(cursor_u8(&c), 0);
	assert_true(c.overrun);
}

/* A sub-cursor sees its own bytes only, and its overrun is its own. */
UNIT_TEST(sub)
{
	struct cursor c = cursor_over(bytes, sizeof(bytes), 10, true);
	struct cursor sub, inner;

	cursor_skip(&c, 2);
	sub = cursor_sub(&c, 6);
	assert_int_equal(sub.offset, 12);
	assert_true(sub.big_endian);
	assert_int_equal(c.offset, 18);
	assert_int_equal(cursor_u8(&c), 0x89);

	inner = cursor_sub(&sub, 2);
	assert_int_equal(cursor_u32(&inner), 0);
	assert_true(inner.overrun);
	assert_false(sub.overrun);
	assert_int_equal(cursor_u32(&sub), 0x05860788);
	assert_int_equal(cursor_left(&sub), 0);

	inner = cursor_sub(&sub, 0);
	assert_false(inner.overrun);
	assert_int_equal(cursor_left(&inner), 0);

	/* A part is not larger than the whole it is cut from. */
	inner = cursor_sub(&sub, 1);
	assert_true(inner.overrun);
	assert_true(sub.overrun);
	assert_int_equal(cursor_left(&inner), 0);
	assert_int_equal(cursor_u8(&inner), 0);
	assert_false(c.overrun);
}

static const struct {
	int line;
	const char *bytes;
	size_t size;
	size_t field; /* for cursor_padded_str */
	const char *padded;
	const char *to_nul; /* NULL: there is no NUL */
} texts[] = {
	{ ROW, "abc\0xyz", 7, 7, "abc", "abc" }, { ROW, "abc\0xyz", 7, 3, "abc", "abc" },
	{ ROW, "abc", 3, 3, "abc", NULL },	 { ROW, "abc", 3, 2, "ab", NULL },
	{ ROW, "\0bc", 3, 3, "", "" },		 { ROW, "abc", 3, 0, "", NULL },
	{ ROW, "abc", 3, 4, NULL, NULL },	 { ROW, "", 0, 0, "", NULL },
	{ ROW, "a\0", 2, 2, "a", "a" },
};

UNIT_TEST(texts)
{
	for (size_t i = 0; i < COUNT(texts); i++) {
		struct cursor c = cursor_over(texts[i].bytes, texts[i].size, 0, false);

		ROW_STR(&texts[i], cursor_padded_str(&c, texts[i].field),
			texts[i].padded);
		ROW_INT(&texts[i], c.overrun, texts[i].padded == NULL);
		ROW_INT(&texts[i], c.offset, texts[i].padded ? texts[i].field : 0);

		c = cursor_over(texts[i].bytes, texts[i].size, 0, false);
		ROW_STR(&texts[i], cursor_nul_str(&c), texts[i].to_nul);
		ROW_INT(&texts[i], c.overrun, texts[i].to_nul == NULL);
		if (texts[i].to_nul)
			ROW_INT(&texts[i], c.offset, strlen(texts[i].to_nul) + 1);
	}
}

/* A NUL that is still there does not undo an overrun. */
UNIT_TEST(nul_str_after_overrun)
{
	struct cursor c = cursor_over("ab", 3, 0, false);

	assert_int_equal(cursor_u64(&c), 0);
	ASSERT_STR(cursor_nul_str(&c), NULL);
}
