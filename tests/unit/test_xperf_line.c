/*
 * test_xperf_line.c - lib/formats/etw/xperf_line.c: fields of a line, whatever its bytes.
 */
#include <stdlib.h>
#include <string.h>

#include "formats/etw/xperf.h"
#include "unit.h"

struct lines {
	struct xperf_line *line;
	struct input input;
	struct error error;
};

static void open_lines(struct lines *lines, const char *bytes, size_t size)
{
	*lines = (struct lines){ .line = calloc(1, sizeof(*lines->line)) };
	assert_non_null(lines->line);
	input_open_memory(&lines->input, bytes, size, &lines->error);
	assert_int_equal(xperf_line_open(lines->line), ST_OK);
}

static void close_lines(struct lines *lines)
{
	xperf_line_close(lines->line);
	input_close(&lines->input);
	free(lines->line);
}

static enum status next_split(struct lines *lines)
{
	enum status status = xperf_line_next(lines->line, &lines->input);

	return status == ST_OK ? xperf_line_split(lines->line) : status;
}

/* Fields of the one line, with | between them. */
static const char *fields_of(const char *bytes, size_t size)
{
	static char text[256];
	struct lines lines;

	text[0] = '\0';
	open_lines(&lines, bytes, size);
	assert_int_equal(next_split(&lines), ST_OK);
	for (size_t i = 0; i < lines.line->count; i++) {
		struct str field = lines.line->fields[i];

		strcat(text, i ? "|" : "");
		for (size_t k = 0; k < field.len; k++) {
			const char letter[2] = { field.ptr[k] ? field.ptr[k] : '~', 0 };

			strcat(text, letter);
		}
	}
	close_lines(&lines);
	return text;
}

static const struct {
	int line;
	const char *bytes, *fields;
} splits[] = {
	{ ROW, "    CSwitch,   12, a.exe (   4)\r\n", "CSwitch|12|a.exe (   4)" },
	{ ROW, "\n", "" },
	{ ROW, "   \t \r\n", "" },
	{ ROW, "one", "one" },
	{ ROW, "a,,b,\n", "a||b|" },
	{ ROW, ",\n", "|" },
	/* Quotes mean nothing, wherever they stand and whether they close or not. */
	{ ROW, "\"n.exe\"!0xfff, \"b\n", "\"n.exe\"!0xfff|\"b" },
	{ ROW, "\"a, b\"\n", "\"a|b\"" },
	/* A carriage return ends a line only before its newline. */
	{ ROW, "a\rb, c\r\r\n", "a\rb|c" },
	{ ROW, "\xe9t\xe9, \xff\n", "\xe9t\xe9|\xff" },
};

UNIT_TEST(split)
{
	for (size_t i = 0; i < COUNT(splits); i++)
		ROW_TEXT(&splits[i], fields_of(splits[i].bytes, strlen(splits[i].bytes)),
			 splits[i].fields);
	/* A NUL is a byte like any other: no quote. */
	assert_string_equal(fields_of("\0a, b\0, c\n", 10), "~a|b~|c");
	assert_string_equal(fields_of("\0, x, \0 y\n", 10), "~|x|~ y");
}

UNIT_TEST(lines)
{
	static const char text[] = "a, 1\nb, 2\r\n\nc";
	struct lines lines;

	open_lines(&lines, text, sizeof(text) - 1);
	assert_int_equal(next_split(&lines), ST_OK);
	assert_int_equal(lines.line->offset, 0);
	assert_int_equal(lines.line->size, 5);
	assert_true(lines.line->has_end);
	assert_int_equal(next_split(&lines), ST_OK);
	assert_int_equal(lines.line->offset, 5);
	assert_int_equal(lines.line->size, 6);
	ASSERT_STR(lines.line->raw, "b, 2");
	ASSERT_STR(xperf_field(lines.line, 1), "2");
	assert_null(xperf_field(lines.line, 2).ptr);
	assert_int_equal(next_split(&lines), ST_OK);
	assert_int_equal(lines.line->count, 0);
	assert_int_equal(next_split(&lines), ST_OK);
	assert_false(lines.line->has_end);
	assert_int_equal(xperf_line_next(lines.line, &lines.input), ST_END);
	close_lines(&lines);
}

/* A line of the greatest length is read, one of a byte more is skipped to its end. */
UNIT_TEST(long)
{
	size_t size = 2 * XPERF_LINE_BYTES_MAX + 8;
	char *text = malloc(size);
	struct lines lines;

	memset(text, ',', size);
	text[XPERF_LINE_BYTES_MAX - 1] = '\n';
	text[size - 4] = '\n';
	open_lines(&lines, text, size);
	assert_int_equal(next_split(&lines), ST_OK);
	assert_int_equal(lines.line->count, XPERF_LINE_BYTES_MAX);
	assert_int_equal(xperf_line_next(lines.line, &lines.input), ST_LIMIT);
	assert_int_equal(lines.line->offset, XPERF_LINE_BYTES_MAX);
	assert_int_equal(next_split(&lines), ST_OK);
	assert_int_equal(lines.line->size, 3);
	assert_int_equal(xperf_line_next(lines.line, &lines.input), ST_END);
	close_lines(&lines);
	memset(text, 'x', size);
	open_lines(&lines, text, size);
	assert_int_equal(xperf_line_next(lines.line, &lines.input), ST_LIMIT);
	assert_int_equal(xperf_line_next(lines.line, &lines.input), ST_END);
	close_lines(&lines);
	free(text);
}

UNIT_TEST(span)
{
	static const char text[] = " a,  b , c d,e\n";
	struct lines lines;

	open_lines(&lines, text, sizeof(text) - 1);
	assert_int_equal(next_split(&lines), ST_OK);
	ASSERT_STR(xperf_line_span(lines.line, 0, 0), "a");
	ASSERT_STR(xperf_line_span(lines.line, 0, 1), "a,  b");
	ASSERT_STR(xperf_line_span(lines.line, 1, 3), "b , c d,e");
	ASSERT_STR(xperf_line_span(lines.line, 3, 3), "e");
	ASSERT_STR(xperf_line_span(lines.line, 3, 9), "e");
	assert_null(xperf_line_span(lines.line, 4, 4).ptr);
	close_lines(&lines);
}

static const struct {
	int line;
	const char *text;
	bool is_number;
	int64_t number;
} numbers[] = {
	{ ROW, "0", true, 0 },
	{ ROW, "-1", true, -1 },
	{ ROW, "9223372036854775807", true, INT64_MAX },
	{ ROW, "9223372036854775808", false, 0 },
	{ ROW, "-9223372036854775807", true, -INT64_MAX },
	{ ROW, "-9223372036854775808", false, 0 },
	{ ROW, "18446744073709551616", false, 0 },
	{ ROW, "0x10", true, 16 },
	{ ROW, "0XfFfFffffFFFFFFFF", true, -1 },
	{ ROW, "0x10000000000000000", false, 0 },
	{ ROW, "0x", false, 0 },
	{ ROW, "0xg", false, 0 },
	{ ROW, "", false, 0 },
	{ ROW, "-", false, 0 },
	{ ROW, "1 2", false, 0 },
	{ ROW, "1.5", false, 0 },
	{ ROW, "000000000000000000001", false, 0 },
};

UNIT_TEST(numbers)
{
	uint64_t count;

	for (size_t i = 0; i < COUNT(numbers); i++) {
		int64_t number = 0;

		ROW_INT(&numbers[i], xperf_number(str_of(numbers[i].text), &number),
			numbers[i].is_number);
		if (numbers[i].is_number)
			ROW_INT(&numbers[i], number, numbers[i].number);
	}
	assert_true(xperf_count(STR("18446744073709551615"), &count));
	assert_true(count == UINT64_MAX);
	assert_false(xperf_count(STR("18446744073709551616"), &count));
	assert_false(xperf_count(STR("-1"), &count));
}
