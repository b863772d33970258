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

void print_path(FILE *to, struct str path, size_t columns)
{
	char shown[4096];

	text_shown_ends(shown, sizeof(shown), path, columns);
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

	text_shown_ends(shown, sizeof(shown), text, columns);
	text_table_text(table, column, str_of(shown));
}

void id_cell(struct text_table *table, size_t column, int64_t id)
{
	char digits[TEXT_INT_MAX];

	if (id != INT_NONE)
		text_table_text(table, column,
				(struct str){ digits, text_int(digits, id) });
}
