/*
 * random_columns.c - writes a Parquet file with random columns, by lib/, for readers
 * of others.
 *
 *   random_parquet FILE SEED ROWS [plain]
 *
 * A column for each width of numbers, 0 to 64 bits, with and without NULLs in turns, one
 * of texts, one of reals, and two of NULLs alone; row groups of 300 rows.  Prints its
 * rows as read_parquet does.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/record.h"
#include "output/parquet/table.h"

enum { WIDTHS = 65, GROUP_ROWS = 300 };
enum { TEXT = WIDTHS, REAL, NO_NUMBER, NO_TEXT, COLUMNS };

static uint64_t seed;

static uint64_t random_bits(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static void need(bool is_right)
{
	if (is_right)
		return;
	fputs("random_parquet: cannot write\n", stderr);
	exit(1);
}

/* Of up to `width` bits, of either sign. */
static int64_t random_number(size_t width)
{
	uint64_t bits = width ? random_bits() >> (64 - width) : 0;

	return (int64_t)(random_bits() % 2 ? bits : 0 - bits);
}

static void put_number(struct parquet_table *table, size_t width, bool is_optional)
{
	int64_t number = random_number(width);

	if (is_optional && random_bits() % 3 == 0)
		number = INT_NONE;
	if (is_optional)
		parquet_set_number(table, width, number);
	else
		parquet_set_int(table, width, number);
	if (!is_optional || number != INT_NONE)
		printf("%" PRId64, number);
	putchar('|');
}

static void put_text(struct parquet_table *table)
{
	static const char letters[] = "abc\xc3\xa9xyz\xe2\x82\xac";
	static const size_t lengths[] = { 1, 2, 3, 5, 6, 7, 8, 11 };
	struct str text = { letters, lengths[random_bits() % 8] };

	if (random_bits() % 5 == 0)
		text = STR_NONE;
	need(parquet_set_text(table, TEXT, text));
	printf("%.*s|", (int)text.len, text.ptr ? text.ptr : "");
}

/* One that all readers print alike. */
static void put_real(struct parquet_table *table)
{
	double real = (double)random_number(20) / 8;

	if (random_bits() % 3 == 0) {
		parquet_set_null(table, REAL);
	} else {
		parquet_set_real(table, REAL, real);
		printf("%.17g", real);
	}
	parquet_set_null(table, NO_NUMBER);
	parquet_set_null(table, NO_TEXT);
	puts("||");
}

int main(int argc, char **argv)
{
	static char names[WIDTHS][8];
	static struct parquet_column columns[COLUMNS];
	struct parquet_maker maker = { .only_plain = argc > 4 };
	struct error error = { .status = ST_OK };
	struct parquet_table table;
	int fd = argc > 3 ? open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0666) : -1;

	need(fd >= 0);
	seed = strtoull(argv[2], NULL, 10) * 2 + 1;
	for (size_t i = 0; i < WIDTHS; i++) {
		snprintf(names[i], sizeof(names[i]), "w%zu", i);
		columns[i] = (struct parquet_column){ names[i], PARQUET_INT, i % 2 };
		printf("%s|", names[i]);
	}
	columns[TEXT] = (struct parquet_column){ "text", PARQUET_TEXT, true };
	columns[REAL] = (struct parquet_column){ "real", PARQUET_REAL, true };
	columns[NO_NUMBER] = (struct parquet_column){ "no_number", PARQUET_INT, true };
	columns[NO_TEXT] = (struct parquet_column){ "no_text", PARQUET_TEXT, true };
	puts("text|real|no_number|no_text");
	need(parquet_table_begin(&table, fd, argv[1], columns, COLUMNS, &maker, &error) ==
	     ST_OK);
	table.rows_max = GROUP_ROWS;
	for (size_t rows = strtoull(argv[3], NULL, 10); rows; rows--) {
		need(parquet_table_add_row(&table) == ST_OK);
		for (size_t i = 0; i < WIDTHS; i++)
			put_number(&table, i, columns[i].optional);
		put_text(&table);
		put_real(&table);
	}
	need(parquet_table_finish(&table, NULL, 0) == ST_OK && close(fd) == 0);
	parquet_table_release(&table);
	parquet_maker_release(&maker);
	return 0;
}
