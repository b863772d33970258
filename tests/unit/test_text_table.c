/* test_text_table.c - tools/common/text_table.h: columns, blocks and numbers. */
#include "common/text_table.h"

#include <stdlib.h>

#include "unit.h"

static void setup(struct text_table *table)
{
	setenv("COLUMNS", "40", 1);
	text_table_init(table, 4, 1);
}

UNIT_FIXTURE(struct text_table, setup, text_table_release);

static void row(struct text_table *table, const char *a, const char *b, const char *c,
		const char *d)
{
	text_table_row(table);
	text_table_text(table, 0, str_of(a));
	text_table_text(table, 1, str_of(b));
	text_table_text(table, 2, str_of(c));
	text_table_text(table, 3, str_of(d));
}

static void assert_prints(const struct text_table *table, const char *expected)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	text_table_print(table, to);
	fclose(to);
	assert_string_equal(text, expected);
	free(text);
}

/* 4 + 2 + 10 + 2 + 10 + 2 + 10 are 40 columns, as wide as the screen. */
UNIT_CASE(as_wide_as_the_screen, struct text_table *table)
{
	row(table, "name", "1234567890", "1234567890", "1234567890");
	assert_prints(table, "name  1234567890  1234567890  1234567890\n");
}

/* One more: the last column begins another block, with the name. */
UNIT_CASE(wider_than_the_screen, struct text_table *table)
{
	row(table, "name", "1234567890", "1234567890", "12345678901");
	table->rules = 1;
	row(table, "b", "2", "", "3");
	assert_prints(table, "name  1234567890  1234567890\n"
			     "----------------------------\n"
			     "   b           2\n"
			     "\n"
			     "name  12345678901\n"
			     "-----------------\n"
			     "   b            3\n");
	table->one_block = true;
	assert_prints(table, "name  1234567890  1234567890\n"
			     "----------------------------\n"
			     "   b           2\n"
			     "not shown: 12345678901 (wider terminal)\n");
}

/* Characters count, not bytes; nothing ends with blanks. */
UNIT_CASE(aligned, struct text_table *table)
{
	table->left[0] = true;
	row(table, "\xc3\xa4\xc3\xb6", "", "x", "");
	row(table, "long", "y", "", "");
	row(table, "", "", "", "z");
	assert_prints(table, "\xc3\xa4\xc3\xb6       x\n"
			     "long  y\n"
			     "            z\n");
}

UNIT_CASE(numbers, struct text_table *table)
{
	static const struct {
		int line;
		int64_t ns;
		const char *text;
	} rows[] = {
		{ ROW, 0, "0.000" },
		{ ROW, 1000, "0.001" },
		{ ROW, 1234567890, "1,234.568" },
		{ ROW, 4499, "0.004" },
		{ ROW, 4500, "0.005" },
		{ ROW, 999500, "1.000" },
		{ ROW, -1000, "-0.001" },
		{ ROW, -999499, "-0.999" },
		{ ROW, -999500, "-1.000" },
		{ ROW, -1234567890, "-1,234.568" },
		{ ROW, 499, "0.000" },
		{ ROW, -499, "0.000" },
		{ ROW, INT64_MAX, "9,223,372,036,854.776" },
		{ ROW, INT64_MIN + 1, "-9,223,372,036,854.776" },
	};

	text_table_row(table);
	for (size_t i = 0; i < COUNT(rows); i++) {
		text_table_ms(table, 0, rows[i].ns);
		ROW_STR(&rows[i], table->cells[0], rows[i].text);
	}
	text_table_int(table, 1, -1234);
	text_table_int(table, 2, INT_NONE);
	text_table_real(table, 3, 2.345, 2, "GHz");
	ASSERT_STR(table->cells[1], "-1,234");
	ASSERT_STR(table->cells[2], "");
	ASSERT_STR(table->cells[3], "2.35 GHz");
	text_table_real(table, 3, 0.5, 1, "");
	ASSERT_STR(table->cells[3], "0.5");
}
