/* test_text.c - lib/base/text.h and str.h: texts made safe, numbers made readable. */
#include <stdlib.h>
#include <string.h>

#include "base/digits.h"
#include "base/text.h"
#include "unit.h"

static const struct {
	int line;
	const char *bytes;
	size_t size;
	size_t length; /* 0: not valid */
} utf8[] = {
	{ ROW, "A", 1, 1 },
	{ ROW, "\0", 1, 1 },
	{ ROW, "\x7f", 1, 1 },
	{ ROW, "\xc3\xa9", 2, 2 },
	{ ROW, "\xc2\x80", 2, 2 },
	{ ROW, "\xdf\xbf", 2, 2 },
	{ ROW, "\xe0\xa0\x80", 3, 3 },
	{ ROW, "\xe2\x82\xac", 3, 3 },
	{ ROW, "\xed\x9f\xbf", 3, 3 },
	{ ROW, "\xee\x80\x80", 3, 3 },
	{ ROW, "\xef\xbf\xbf", 3, 3 },
	{ ROW, "\xf0\x90\x80\x80", 4, 4 },
	{ ROW, "\xf0\x9f\x98\x80", 4, 4 },
	{ ROW, "\xf4\x8f\xbf\xbf", 4, 4 },
	/* only as much as belongs to it */
	{ ROW, "\xc3\xa9x", 3, 2 },
	/* a continuation first */
	{ ROW, "\x80", 1, 0 },
	{ ROW, "\xbf\xbf", 2, 0 },
	/* overlong */
	{ ROW, "\xc0\x80", 2, 0 },
	{ ROW, "\xc1\xbf", 2, 0 },
	{ ROW, "\xe0\x80\x80", 3, 0 },
	{ ROW, "\xe0\x9f\xbf", 3, 0 },
	{ ROW, "\xf0\x80\x80\x80", 4, 0 },
	{ ROW, "\xf0\x8f\xbf\xbf", 4, 0 },
	/* surrogates */
	{ ROW, "\xed\xa0\x80", 3, 0 },
	{ ROW, "\xed\xbf\xbf", 3, 0 },
	/* above U+10FFFF */
	{ ROW, "\xf4\x90\x80\x80", 4, 0 },
	{ ROW, "\xf5\x80\x80\x80", 4, 0 },
	{ ROW, "\xff\xff\xff\xff", 4, 0 },
	/* truncated by the end, and by another character */
	{ ROW, "\xc3", 1, 0 },
	{ ROW, "\xe2\x82", 2, 0 },
	{ ROW, "\xf0\x9f\x98", 3, 0 },
	{ ROW,
	  "\xc3"
	  "A",
	  2, 0 },
	{ ROW,
	  "\xe2\x82"
	  "A",
	  3, 0 },
	{ ROW,
	  "\xe2"
	  "A\xac",
	  3, 0 },
	{ ROW,
	  "\xf0\x9f\x98"
	  "A",
	  4, 0 },
};

UNIT_TEST(utf8_length)
{
	for (size_t i = 0; i < COUNT(utf8); i++) {
		/* A copy of just that size: what is after it must not be looked at. */
		char *copy = malloc(utf8[i].size);

		memcpy(copy, utf8[i].bytes, utf8[i].size);
		ROW_INT(&utf8[i], text_utf8_length(copy, utf8[i].size), utf8[i].length);
		free(copy);
	}
}

static const struct {
	int line;
	const char *bytes;
	size_t size;
	const char *valid;
} valid_rows[] = {
	{ ROW, "", 0, "" },
	{ ROW, "plain", 5, "plain" },
	{ ROW, "caf\xc3\xa9", 5, "caf\xc3\xa9" },
	{ ROW, "caf\xe9", 4, "caf\\xe9" },
	{ ROW, "\xff", 1, "\\xff" },
	{ ROW, "\x80\x81\x82", 3, "\\x80\\x81\\x82" },
	{ ROW, "a\xed\xa0\x80z", 5, "a\\xed\\xa0\\x80z" },
	{ ROW, "\xe2\x82", 2, "\\xe2\\x82" },
	{ ROW, "\xc3\xa9\xc3", 3, "\xc3\xa9\\xc3" },
	/* control characters are valid: a database keeps them */
	{ ROW, "a\x1b[1m\n", 6, "a\x1b[1m\n" },
};

UNIT_TEST(valid_utf8)
{
	struct arena arena = { NULL };

	for (size_t i = 0; i < COUNT(valid_rows); i++) {
		struct str text = { valid_rows[i].bytes, valid_rows[i].size };

		ROW_STR(&valid_rows[i], text_valid_utf8(&arena, text),
			valid_rows[i].valid);
	}
	arena_release(&arena);
}

static const struct {
	int line;
	const char *bytes;
	size_t size;
	size_t columns;
	const char *shown;
} shown_rows[] = {
	{ ROW, "", 0, 10, "" },
	{ ROW, "abc", 3, 10, "abc" },
	{ ROW, "abc", 3, 3, "abc" },
	{ ROW, "abcd", 4, 3, "ab~" },
	{ ROW, "abcd", 4, 1, "~" },
	{ ROW, "abcd", 4, 0, "" },
	{ ROW, "a\nb", 3, 10, "a\\x0ab" },
	{ ROW, "\x1b[31m", 5, 20, "\\x1b[31m" },
	{ ROW, "\x7f", 1, 20, "\\x7f" },
	{ ROW, "a\0b", 3, 20, "a\\x00b" },
	{ ROW, "\xff", 1, 20, "\\xff" },
	{ ROW, "\xc3\xa9t\xc3\xa9", 5, 3, "\xc3\xa9t\xc3\xa9" },
	{ ROW, "\xc3\xa9t\xc3\xa9s", 6, 3, "\xc3\xa9t~" },
	{ ROW, "\xf0\x9f\x98\x80!", 5, 2, "\xf0\x9f\x98\x80!" },
	/* C1 controls are characters of two bytes, which some terminals obey */
	{ ROW,
	  "\xc2\x9b"
	  "31m",
	  5, 20, "\\xc2\\x9b31m" },
	{ ROW, "\xc2\xa0", 2, 20, "\xc2\xa0" },
	/* marks of direction, characters without width */
	{ ROW, "a\xe2\x80\xaexe", 6, 20, "a\\xe2\\x80\\xaexe" },
	{ ROW, "\xe2\x80\x8b", 3, 20, "\\xe2\\x80\\x8b" },
	{ ROW, "\xef\xbb\xbf", 3, 20, "\\xef\\xbb\\xbf" },
	{ ROW, "\xf3\xa0\x81\x81", 4, 20, "\\xf3\\xa0\\x81\\x81" },
	{ ROW, "\xe2\x80\x90", 3, 20, "\xe2\x80\x90" },
	{ ROW, "\xe2\x80\xa7\xe2\x80\xaf", 6, 20, "\xe2\x80\xa7\xe2\x80\xaf" },
	/* an escape is never cut in two */
	{ ROW, "abc\n", 4, 7, "abc\\x0a" },
	{ ROW, "abc\n", 4, 6, "abc~" },
	{ ROW, "abc\nd", 5, 7, "abc~" },
};

static size_t width(const char *text)
{
	size_t columns = 0;

	for (; *text; text++)
		columns += ((unsigned char)*text & 0xC0) != 0x80;
	return columns;
}

UNIT_TEST(shown)
{
	for (size_t i = 0; i < COUNT(shown_rows); i++) {
		char to[64];
		struct str text = { shown_rows[i].bytes, shown_rows[i].size };
		size_t columns = text_shown(to, sizeof(to), text, shown_rows[i].columns);

		ROW_TEXT(&shown_rows[i], to, shown_rows[i].shown);
		ROW_INT(&shown_rows[i], columns, width(shown_rows[i].shown));
	}
}

/* A C1 control is two escapes; where only the first fits, something had to go. */
UNIT_TEST(shown_cuts_c1)
{
	char to[64];

	text_shown(to, sizeof(to), STR("\xc2\x9b"), 4);
	assert_string_equal(to, "~");
}

/* However small the buffer, and whatever the text, nothing is written after it. */
UNIT_TEST(shown_small_buffers)
{
	static const struct str texts[] = { STR("abcdefghijkl"), STR("\n\n\n\n"),
					    STR("\xf0\x9f\x98\x80\xf0\x9f\x98\x80"),
					    STR("\xff\xfe\xfd") };

	for (size_t i = 0; i < COUNT(texts); i++) {
		for (size_t size = 1; size < 24; size++) {
			char *to = malloc(size);
			size_t columns = text_shown(to, size, texts[i], 100);

			assert_true(strlen(to) < size);
			assert_int_equal(columns, width(to));
			free(to);
		}
	}
}

static void assert_int_text(int64_t value)
{
	char expected[32], to[TEXT_INT_MAX];
	size_t length = text_int(to, value);

	snprintf(expected, sizeof(expected), "%lld", (long long)value);
	assert_int_equal(length, strlen(expected));
	assert_memory_equal(to, expected, length);
}

UNIT_TEST(int)
{
	int64_t power = 1;

	for (int digits = 1; digits <= 19; digits++) {
		for (int64_t d = -1; d <= 1; d++) {
			assert_int_text(power + d);
			assert_int_text(-(power + d));
		}
		if (digits < 19)
			power *= 10;
	}
	for (int64_t i = 0; i < 10000; i++) {
		assert_int_text(i);
		assert_int_text(-i);
		assert_int_text(10000 * i + 9999 - i);
		assert_int_text((int64_t)100000000 * i);
	}
	assert_int_text(INT64_MAX);
	assert_int_text(INT64_MAX - 1);
	assert_int_text(INT64_MIN);
	assert_int_text(INT64_MIN + 1);
}

/* Of all counts, with values on both sides of 10^8. */
static void assert_many(size_t count, uint64_t first, bool has_avx2)
{
	uint64_t numbers[16 + DIGITS_SLACK] = { 0 };
	char digits[9], expected[9];

	for (size_t i = 0; i < count; i++)
		numbers[i] = first + i * i * i;
	digits_of_many(numbers, numbers, count, has_avx2);
	for (size_t i = 0; i < count; i++) {
		uint64_t value = first + i * i * i;

		if (value >= DIGITS_AT_ONCE) {
			assert_true(numbers[i] == DIGITS_NONE);
			continue;
		}
		digits_store(digits, numbers[i]);
		snprintf(expected, sizeof(expected), "%08d", (int)value);
		assert_memory_equal(digits, expected, 8);
	}
}

UNIT_TEST(digits_of_many_values)
{
	static const uint64_t firsts[] = { 0,
					   9,
					   9990,
					   9999999,
					   99998000,
					   99999999,
					   DIGITS_AT_ONCE * 10000,
					   (UINT64_C(1) << 32) - 500,
					   UINT64_C(7) << 32,
					   INT64_MAX,
					   UINT64_MAX - 999 };

	for (size_t i = 0; i < COUNT(firsts); i++)
		for (size_t count = 0; count <= 16; count++) {
			assert_many(count, firsts[i], false);
			if (cpu_has_avx2())
				assert_many(count, firsts[i], true);
		}
	for (uint64_t value = 0; value < DIGITS_AT_ONCE; value += 9973) {
		assert_many(8, value, false);
		if (cpu_has_avx2())
			assert_many(8, value, true);
	}
}

static const struct {
	int line;
	int64_t value;
	const char *text;
} grouped_rows[] = {
	{ ROW, 0, "0" },
	{ ROW, 7, "7" },
	{ ROW, -7, "-7" },
	{ ROW, 999, "999" },
	{ ROW, 1000, "1,000" },
	{ ROW, -999, "-999" },
	{ ROW, -1000, "-1,000" },
	{ ROW, 12345, "12,345" },
	{ ROW, 999999, "999,999" },
	{ ROW, 1000000, "1,000,000" },
	{ ROW, -100000, "-100,000" },
	{ ROW, INT64_MAX, "9,223,372,036,854,775,807" },
	{ ROW, INT64_MIN, "-9,223,372,036,854,775,808" },
};

UNIT_TEST(grouped)
{
	for (size_t i = 0; i < COUNT(grouped_rows); i++) {
		char to[32];

		text_grouped(to, sizeof(to), grouped_rows[i].value);
		ROW_TEXT(&grouped_rows[i], to, grouped_rows[i].text);
	}
	for (size_t size = 1; size < 28; size++) {
		char *to = malloc(size);

		text_grouped(to, size, INT64_MIN);
		assert_true(strlen(to) < size);
		free(to);
	}
}

UNIT_TEST(print)
{
	char to[6];

	assert_int_equal(text_print(to, sizeof(to), "%s", "abcde"), 5);
	assert_string_equal(to, "abcde");
	assert_int_equal(text_print(to, sizeof(to), "%s", "abcdef"), 5);
	assert_string_equal(to, "abcde");
	assert_int_equal(text_print(to, 1, "%s", "abc"), 0);
	assert_string_equal(to, "");
}

static const struct {
	int line;
	struct str a, b;
	int order; /* of a to b: -1, 0, 1 */
} order_rows[] = {
	{ ROW, { "", 0 }, { "", 0 }, 0 },	   { ROW, { NULL, 0 }, { "", 0 }, 0 },
	{ ROW, { "a", 1 }, { "b", 1 }, -1 },	   { ROW, { "ab", 2 }, { "a", 1 }, 1 },
	{ ROW, { "a\0b", 3 }, { "a\0c", 3 }, -1 }, { ROW, { "\xff", 1 }, { "a", 1 }, 1 },
	{ ROW, { "Z", 1 }, { "a", 1 }, -1 },
};

UNIT_TEST(order)
{
	for (size_t i = 0; i < COUNT(order_rows); i++) {
		int order = str_compare(order_rows[i].a, order_rows[i].b);
		int back = str_compare(order_rows[i].b, order_rows[i].a);

		ROW_INT(&order_rows[i], (order > 0) - (order < 0), order_rows[i].order);
		ROW_INT(&order_rows[i], (back > 0) - (back < 0), -order_rows[i].order);
		ROW_INT(&order_rows[i], str_equal(order_rows[i].a, order_rows[i].b),
			order_rows[i].order == 0);
	}
	ASSERT_STR(str_of(NULL), NULL);
	ASSERT_STR(str_of("x"), "x");
}

/* Each length of UTF-8 at its borders, and back with the function that reads it. */
UNIT_TEST(put_utf8)
{
	static const struct {
		int line;
		uint32_t code;
		const char *bytes;
	} rows[] = {
		{ ROW, 0x41, "A" },
		{ ROW, 0x7f, "\x7f" },
		{ ROW, 0x80, "\xc2\x80" },
		{ ROW, 0x7ff, "\xdf\xbf" },
		{ ROW, 0x800, "\xe0\xa0\x80" },
		{ ROW, 0xffff, "\xef\xbf\xbf" },
		{ ROW, 0x10000, "\xf0\x90\x80\x80" },
		{ ROW, 0x10ffff, "\xf4\x8f\xbf\xbf" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		char bytes[5] = "";
		size_t length = text_write_utf8(bytes, rows[i].code);

		ROW_TEXT(&rows[i], bytes, rows[i].bytes);
		ROW_INT(&rows[i], length, strlen(rows[i].bytes));
		ROW_INT(&rows[i], text_utf8_length(bytes, length), length);
	}
}

/* Pairs of surrogates, and halves of them. */
UNIT_TEST(utf16)
{
	static const struct {
		int line;
		uint8_t bytes[4];
		size_t size, used;
		uint32_t code;
	} rows[] = {
		{ ROW, { 0x41, 0x00, 0x42, 0x00 }, 4, 2, 0x41 },
		{ ROW, { 0xac, 0x20 }, 2, 2, 0x20ac },
		{ ROW, { 0x00, 0xd8, 0x00, 0xdc }, 4, 4, 0x10000 },
		{ ROW, { 0xff, 0xdb, 0xff, 0xdf }, 4, 4, 0x10ffff },
		{ ROW, { 0x00, 0xd8, 0x00, 0xdc }, 3, 2, 0xd800 },
		{ ROW, { 0x00, 0xd8, 0x41, 0x00 }, 4, 2, 0xd800 },
		{ ROW, { 0x00, 0xdc, 0x00, 0xd8 }, 4, 2, 0xdc00 },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		size_t used;

		ROW_INT(&rows[i],
			text_utf16_character(rows[i].bytes, rows[i].size, &used),
			rows[i].code);
		ROW_INT(&rows[i], used, rows[i].used);
	}
	assert_false(text_is_surrogate(0xd7ff));
	assert_true(text_is_surrogate(0xd800));
	assert_true(text_is_surrogate(0xdfff));
	assert_false(text_is_surrogate(0xe000));
}

UNIT_TEST(guid)
{
	static const uint8_t thread[16] = { 0xd1, 0xa8, 0x6f, 0x3d, 0x05, 0xfe,
					    0xd0, 0x11, 0x9d, 0xda, 0x00, 0xc0,
					    0x4f, 0xd7, 0xba, 0x7c };
	char text[TEXT_GUID_BYTES];

	text_guid(text, thread);
	assert_string_equal(text, "{3d6fa8d1-fe05-11d0-9dda-00c04fd7ba7c}");
}

/* Cut in the middle, between characters as they are shown. */
UNIT_TEST(shown_ends)
{
	static const struct {
		const char *text, *shown;
	} rows[] = {
		{ "", "" },
		{ "nine char", "nine char" },
		{ "ten chars!", "ten chars!" },
		{ "/usr/lib/libc.so", "/us~ibc.so" },
		{ "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9 of 12 ch\xc3\xa9",
		  "\xc3\xa9\xc3\xa9\xc3\xa9~12 ch\xc3\xa9" },
		{ "\x1b[31mred\x1b", "~ed\\x1b" },
	};
	char to[100];

	for (size_t i = 0; i < COUNT(rows); i++) {
		text_shown_ends(to, sizeof(to), str_of(rows[i].text), 10);
		assert_string_equal(to, rows[i].shown);
	}
}

UNIT_TEST(equal_nocase)
{
	const struct {
		int line;
		struct str a, b;
		bool equal;
	} rows[] = {
		{ ROW, STR(""), STR_NONE, true },
		{ ROW, STR("Cycles_9"), STR("cYCLES_9"), true },
		{ ROW, STR("AZaz"), STR("azAZ"), true },
		{ ROW, STR("ab"), STR("abc"), false },
		{ ROW, STR("a\0b"), STR("A\0B"), true },
		{ ROW, STR("a\0b"), STR("a\0c"), false },
		/* These differ by 0x20 as well. */
		{ ROW, STR("@["), STR("`{"), false },
		{ ROW, STR("_1"), STR("\x7f\x11"), false },
		{ ROW, STR("\xc3\x84"), STR("\xc3\xa4"), false },
		{ ROW, STR("\xc4"), STR("\xe4"), false },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		ROW_INT(&rows[i], str_equal_nocase(rows[i].a, rows[i].b), rows[i].equal);
		ROW_INT(&rows[i], str_equal_nocase(rows[i].b, rows[i].a), rows[i].equal);
	}
}
