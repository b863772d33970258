/*
 * xperf_line.c - lines of xperf's text, and their fields; see xperf.h.
 *
 * libcsv splits a line at its commas and trims the padding.  Quotes mean nothing in this
 * format (`"ntoskrnl.exe"!0xfff` is one plain field), so the quote character is the one
 * byte that no line holds, the newline; a NUL would count as a quote wherever it is.
 * Lines are cut here and not by libcsv, which would take a carriage return in a command
 * line for an end.
 */
#include <csv.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/text.h"
#include "formats/etw/xperf.h"

static void *bounded_realloc(void *old, size_t size)
{
	return size > 2 * XPERF_LINE_BYTES_MAX ? NULL : memory_resize(old, size);
}

static int is_no_end(unsigned char byte)
{
	(void)byte;
	return 0;
}

enum status xperf_line_open(struct xperf_line *line)
{
	line->csv = memory_alloc(sizeof(*line->csv));
	if (!line->csv)
		return ST_NOMEM;
	if (csv_init(line->csv, 0) != 0) {
		free(line->csv);
		line->csv = NULL;
		return ST_NOMEM;
	}
	csv_set_quote(line->csv, '\n');
	csv_set_term_func(line->csv, is_no_end);
	csv_set_realloc_func(line->csv, bounded_realloc);
	csv_set_blk_size(line->csv, 4096);
	return ST_OK;
}

void xperf_line_close(struct xperf_line *line)
{
	if (line->csv)
		csv_free(line->csv);
	free(line->csv);
	line->csv = NULL;
}

static void on_field(void *bytes, size_t size, void *context)
{
	struct xperf_line *line = context;

	/* Fields are parts of the line: they fit. */
	if (line->count < XPERF_FIELDS_MAX && size <= sizeof(line->text) - line->used) {
		line->fields[line->count] = (struct str){ line->text + line->used, size };
		if (size)
			memcpy(line->text + line->used, bytes, size);
		line->used += size;
	}
	line->count++;
}

/* The first bytes after the padding, before they are gone. */
static void copy_beginning(struct xperf_line *line, const struct input *in)
{
	struct str text =
		xperf_trim((struct str){ (const char *)in->pos, XPERF_LINE_BYTES_MAX });

	if (text.len > XPERF_BEGINNING_BYTES)
		text.len = XPERF_BEGINNING_BYTES;
	if (text.len)
		memcpy(line->text, text.ptr, text.len);
	line->raw = (struct str){ line->text, text.len };
}

/* ST_LIMIT, with all of the line consumed. */
static enum status skip_long(struct xperf_line *line, struct input *in)
{
	copy_beginning(line, in);
	line->size = 0;
	for (;;) {
		size_t have = input_buffered(in);
		const uint8_t *end = have ? memchr(in->pos, '\n', have) : NULL;
		size_t part = end ? (size_t)(end - in->pos) + 1 : have;

		line->size += part;
		input_consume(in, part);
		if (end || !input_fill(in, 1))
			return ST_LIMIT;
	}
}

/* Bytes up to and with the newline, or to the end of the input; 0: too long. */
static size_t find_end(struct xperf_line *line, struct input *in)
{
	size_t looked = 0;

	line->has_end = true;
	for (;;) {
		size_t have = input_buffered(in);
		size_t look =
			have <= XPERF_LINE_BYTES_MAX ? have : XPERF_LINE_BYTES_MAX + 1;
		const uint8_t *end =
			look > looked ? memchr(in->pos + looked, '\n', look - looked)
				      : NULL;

		if (end)
			return (size_t)(end - in->pos) + 1;
		if (have > XPERF_LINE_BYTES_MAX)
			return 0;
		looked = have;
		if (input_peek_some(in, have + 1) <= have) {
			line->has_end = false;
			return have;
		}
	}
}

enum status xperf_line_next(struct xperf_line *line, struct input *in)
{
	size_t size, length;

	if (!input_peek(in, 1))
		return ST_END;
	size = find_end(line, in);
	line->offset = in->offset;
	line->count = line->used = 0;
	if (size == 0)
		return skip_long(line, in);
	line->size = size;
	length = size - line->has_end;
	while (length && in->pos[length - 1] == '\r')
		length--;
	line->raw = (struct str){ (const char *)in->pos, length };
	/* What is consumed stays in the buffer until the next peek. */
	input_consume(in, size);
	return ST_OK;
}

enum status xperf_line_split(struct xperf_line *line)
{
	struct str raw = line->raw;

	if (csv_parse(line->csv, raw.ptr, raw.len, on_field, NULL, line) != raw.len ||
	    csv_fini(line->csv, on_field, NULL, line) != 0)
		return ST_NOMEM;
	return ST_OK;
}

struct str xperf_line_span(const struct xperf_line *line, size_t first, size_t last)
{
	const char *end = line->raw.ptr + line->raw.len, *from = line->raw.ptr, *to;

	for (; first && from; first--, last--) {
		from = memchr(from, ',', (size_t)(end - from));
		from = from ? from + 1 : NULL;
	}
	if (!from)
		return STR_NONE;
	for (to = from; to < end; to++)
		if (*to == ',' && last-- == 0)
			break;
	return xperf_trim((struct str){ from, (size_t)(to - from) });
}

/* --- texts and numbers --- */

struct str xperf_trim(struct str text)
{
	while (text.len && (*text.ptr == ' ' || *text.ptr == '\t')) {
		text.ptr++;
		text.len--;
	}
	while (text.len &&
	       (text.ptr[text.len - 1] == ' ' || text.ptr[text.len - 1] == '\t'))
		text.len--;
	return text;
}

bool xperf_begins(struct str text, struct str with)
{
	return text.len >= with.len &&
	       str_equal_nocase((struct str){ text.ptr, with.len }, with);
}

bool xperf_count(struct str text, uint64_t *count)
{
	uint64_t value = 0;

	if (text.len == 0 || text.len > 20)
		return false;
	for (size_t i = 0; i < text.len; i++) {
		unsigned int digit = (unsigned int)((unsigned char)text.ptr[i] - '0');

		if (digit > 9 || __builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, digit, &value))
			return false;
	}
	*count = value;
	return true;
}

static bool hexadecimal(struct str digits, uint64_t *value)
{
	*value = 0;
	if (digits.len == 0 || digits.len > 16)
		return false;
	for (size_t i = 0; i < digits.len; i++) {
		int digit = text_hex_digit(ascii_lower(digits.ptr[i]));

		if (digit < 0)
			return false;
		*value = *value << 4 | (uint64_t)digit;
	}
	return true;
}

bool xperf_number(struct str text, int64_t *number)
{
	bool negative = text.len && text.ptr[0] == '-';
	uint64_t value;

	if (xperf_begins(text, STR("0x"))) {
		if (!hexadecimal((struct str){ text.ptr + 2, text.len - 2 }, &value))
			return false;
		*number = (int64_t)value;
		return true;
	}
	if (negative)
		text = (struct str){ text.ptr + 1, text.len - 1 };
	if (!xperf_count(text, &value) || value > INT64_MAX)
		return false;
	*number = negative ? -(int64_t)value : (int64_t)value;
	return true;
}
