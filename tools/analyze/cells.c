/* cells.c - prints single values as text, CSV and JSON. */
#include "cells.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define WHOLE_MAX 1e20

/* --- CSV --- */

static bool needs_quotes(struct str text)
{
	for (size_t i = 0; i < text.len; i++)
		if (memchr(",\"\r\n", text.ptr[i], 4))
			return true;
	return false;
}

void csv_cell(FILE *to, struct str text, bool safe)
{
	bool defused = safe && text.len && memchr("=+-@\t\r", text.ptr[0], 6);

	if (!text.ptr)
		return;
	if (!needs_quotes(text)) {
		fputs(defused ? "'" : "", to);
		fwrite(text.ptr, 1, text.len, to);
		return;
	}
	fputs(defused ? "\"'" : "\"", to);
	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] == '"')
			fputc('"', to);
		fputc(text.ptr[i], to);
	}
	fputc('"', to);
}

void csv_number(FILE *to, int64_t value)
{
	if (value != INT_NONE)
		csv_value(to, value);
}

void csv_value(FILE *to, int64_t value)
{
	char digits[TEXT_INT_MAX];

	fwrite(digits, 1, text_int(digits, value), to);
}

void print_real(FILE *to, double value)
{
	char text[40];

	if (__builtin_isinf(value)) {
		fputs(value < 0 ? "-1e999" : "1e999", to);
		return;
	}
	/* Whole numbers without an exponent: all that a counter of 8 bytes can be. */
	if (value == floor(value) && fabs(value) < WHOLE_MAX) {
		fprintf(to, "%.0f", value);
		return;
	}
	for (int digits = 15; digits <= 17; digits++) {
		text_print(text, sizeof(text), "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	fputs(text, to);
}

/* --- text --- */

void print_shown(FILE *to, struct str text, size_t columns)
{
	char shown[512];

	text_shown(shown, sizeof(shown), text, columns);
	fputs(shown, to);
}

/* Bytes of the first character as text_shown() shows it, and its columns. */
static size_t first_shown(struct str text, size_t *columns)
{
	size_t length = text_utf8_length(text.ptr, text.len);
	bool is_plain = length && !text_is_control(text_utf8_code(text.ptr, length));

	*columns = is_plain ? 1 : 4;
	return is_plain ? length : 1;
}

static size_t shown_columns(struct str text)
{
	size_t all = 0, columns;

	for (size_t at = 0; at < text.len; all += columns)
		at += first_shown((struct str){ text.ptr + at, text.len - at }, &columns);
	return all;
}

void shown_name(char *to, size_t size, struct str name, size_t columns)
{
	size_t head = columns / 3, tail = columns - head - 1, all = shown_columns(name);
	size_t begun;

	text_shown(to, size, name, all > columns ? head + 1 : columns);
	if (all <= columns)
		return;
	for (size_t each; all > tail; all -= each) {
		size_t bytes = first_shown(name, &each);

		name = (struct str){ name.ptr + bytes, name.len - bytes };
	}
	begun = strlen(to);
	text_shown(to + begun, size - begun, name, tail);
}

void print_path(FILE *to, struct str path, size_t columns)
{
	char shown[4096];

	shown_name(shown, sizeof(shown), path, columns);
	fputs(shown, to);
}

void print_words(FILE *to, const char *words)
{
	size_t used = 0, columns = text_columns() - 4;

	while (*words) {
		size_t length = strcspn(words, " ");

		if (used && used + 1 + length > columns) {
			fputc('\n', to);
			used = 0;
		}
		used += (used ? 1 : 0) + length;
		fprintf(to, "%s%.*s", used > length ? " " : "", (int)length, words);
		words += length + (words[length] == ' ');
	}
	fputc('\n', to);
}

void shown_cell(struct text_table *table, size_t column, struct str text, size_t columns)
{
	char shown[512];

	shown_name(shown, sizeof(shown), text, columns);
	text_table_text(table, column, str_of(shown));
}

void id_cell(struct text_table *table, size_t column, int64_t id)
{
	char digits[TEXT_INT_MAX];

	if (id != INT_NONE)
		text_table_text(table, column,
				(struct str){ digits, text_int(digits, id) });
}
