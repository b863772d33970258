/*
 * test_bulk_record.c - lib/output/sqlite_bulk/record.h: cells, byte by byte, as "Record
 * Format" and "B-tree Pages" of SQLite's file format have them.
 */
#include <math.h>
#include <string.h>

#include "output/sqlite_bulk/record.h"
#include "unit.h"

static struct bulk_record record;

/* The cell in hexadecimal; its first two numbers are the size of the record and 9. */
static const char *cell(void)
{
	static char text[2048];
	size_t payload = record_cell(&record, 9), at = 0;
	const uint8_t *from = record.front.cell, *end = record_end(&record);

	assert_int_equal(end - from, payload + 1 + (payload < 128 ? 1 : 2));
	for (; from < end; from++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%02x", *from);
	return text;
}

/* Each integer has the fewest bytes of 0, 1, 2, 3, 4, 6 and 8. */
UNIT_TEST(integers)
{
	static const struct {
		int line;
		int64_t value;
		const char *cell;
	} rows[] = {
		{ ROW, 0, "02090208" },
		{ ROW, 1, "02090209" },
		{ ROW, 2, "0309020102" },
		{ ROW, -1, "03090201ff" },
		{ ROW, 127, "030902017f" },
		{ ROW, 128, "040902020080" },
		{ ROW, -128, "0309020180" },
		{ ROW, -129, "04090202ff7f" },
		{ ROW, 32767, "040902027fff" },
		{ ROW, 32768, "05090203008000" },
		{ ROW, 8388607, "050902037fffff" },
		{ ROW, 8388608, "0609020400800000" },
		{ ROW, INT32_MAX, "060902047fffffff" },
		{ ROW, (int64_t)INT32_MAX + 1, "08090205000080000000" },
		{ ROW, (INT64_C(1) << 47) - 1, "080902057fffffffffff" },
		{ ROW, INT64_C(1) << 47, "0a0902060000800000000000" },
		{ ROW, INT64_MAX, "0a0902067fffffffffffffff" },
		{ ROW, INT64_MIN, "0a0902068000000000000000" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		record_begin(&record);
		record_int(&record, rows[i].value);
		ROW_TEXT(&rows[i], cell(), rows[i].cell);
		if (rows[i].value < 0)
			continue;
		record_begin(&record);
		record.front = front_count(record.front, rows[i].value);
		ROW_TEXT(&rows[i], cell(), rows[i].cell);
	}
}

/* Whole numbers in a column of reals are integers; there is no NaN. */
UNIT_TEST(reals)
{
	static const struct {
		int line;
		double value;
		const char *cell;
	} rows[] = {
		{ ROW, 1.5, "0a0902073ff8000000000000" },
		{ ROW, -0.25, "0a090207bfd0000000000000" },
		{ ROW, 3, "0309020103" },
		{ ROW, 140737488355327.0, "080902057fffffffffff" },
		{ ROW, 140737488355328.0, "0a09020742e0000000000000" },
		{ ROW, INFINITY, "0a0902077ff0000000000000" },
		{ ROW, NAN, "02090200" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		record_begin(&record);
		record_real(&record, rows[i].value);
		ROW_TEXT(&rows[i], cell(), rows[i].cell);
	}
}

/* From the last column to the first. */
UNIT_TEST(columns)
{
	record_begin(&record);
	record_bytes(&record, (struct str){ "\x00\xff", 2 }, TYPE_BLOB);
	record_bytes(&record, STR("ab"), TYPE_TEXT);
	record_null(&record);
	record_bytes(&record, STR(""), TYPE_TEXT);
	record_int(&record, 5);
	assert_string_equal(cell(), "0b0906010d001110"
				    "05"
				    "6162"
				    "00ff");
}

/* The size of a header counts its own bytes: one up to 127, then two. */
UNIT_TEST(sizes_of_headers)
{
	static const struct {
		int line;
		size_t columns;
		const char *begins;
	} rows[] = {
		{ ROW, 1, "02090200" },	      { ROW, 125, "7e097e0000" },
		{ ROW, 126, "7f097f0000" },   { ROW, 127, "810109810100" },
		{ ROW, 128, "810209810200" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		char begins[16];

		record_begin(&record);
		for (size_t k = 0; k < rows[i].columns; k++)
			record_null(&record);
		snprintf(begins, sizeof(begins), "%.*s", (int)strlen(rows[i].begins),
			 cell());
		ROW_TEXT(&rows[i], begins, rows[i].begins);
	}
}

/* A text that no page has room for is left to SQLite. */
UNIT_TEST(too_large)
{
	char *text = unit_alloc(BULK_BODY_BYTES_MAX + 1);

	memset(text, 'x', BULK_BODY_BYTES_MAX + 1);
	record_begin(&record);
	record_bytes(&record, (struct str){ text, BULK_BODY_BYTES_MAX }, TYPE_TEXT);
	assert_false(record.too_large);
	record_bytes(&record, STR("y"), TYPE_TEXT);
	assert_true(record.too_large);
	record_begin(&record);
	record_bytes(&record, (struct str){ text, BULK_BODY_BYTES_MAX + 1 }, TYPE_TEXT);
	assert_true(record.too_large);
}
