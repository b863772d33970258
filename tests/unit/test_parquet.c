/*
 * test_parquet.c - Parquet read back by a reader that has only the format from its
 * documents: random columns, all widths of numbers, NULLs, no rows, row groups.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/text.h"
#include "model/record.h"
#include "output/fleet/seconds.h"
#include "output/parquet/block.h"
#include "output/parquet/encode.h"
#include "output/parquet/folders.h"
#include "output/parquet/table.h"
#include "reader.h"
#include "unit.h"

static uint64_t seed;

static uint64_t random_bits(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

/* Numbers that need up to `width` bits, and now and then what is near the ends. */
static int64_t random_number(unsigned int width)
{
	uint64_t bits = width ? random_bits() >> (64 - width) : 0;

	return (int64_t)(random_bits() % 4 ? bits : 0 - bits);
}

/* --- a table and the text that it must give --- */

#define COLUMNS 5

struct written {
	struct parquet_table table;
	struct parquet_maker maker;
	struct error error;
	FILE *file;
	char *expected; /* its text */
	size_t expected_size;
	FILE *text;
};

static const struct parquet_column columns[COLUMNS] = {
	{ "number", PARQUET_INT, false }, { "maybe", PARQUET_INT, true },
	{ "real", PARQUET_REAL, true },	  { "text", PARQUET_TEXT, true },
	{ "bytes", PARQUET_BYTES, true },
};

static void begin(struct written *written, bool only_plain)
{
	*written = (struct written){ .maker = { .only_plain = only_plain },
				     .file = tmpfile() };
	assert_non_null(written->file);
	written->text = open_memstream(&written->expected, &written->expected_size);
	assert_non_null(written->text);
	fputs("number|maybe|real|text|bytes\n", written->text);
	assert_int_equal(parquet_table_begin(&written->table, fileno(written->file),
					     "file", columns, COLUMNS, &written->maker,
					     &written->error),
			 ST_OK);
}

static void put_row(struct written *written, unsigned int width, unsigned int nulls)
{
	static const char letters[] = "abc\xc3\xa9xyz";
	int64_t number = random_number(width), maybe = random_number(width);
	double real = (double)random_number(width) / 8;
	struct str text = { letters, random_bits() % 4 };
	struct str bytes = { (const char *)&number, random_bits() % 9 };
	struct parquet_table *table = &written->table;

	if (maybe == INT_NONE || random_bits() % 8 < nulls)
		maybe = INT_NONE;
	if (random_bits() % 8 < nulls)
		text.ptr = NULL;
	assert_int_equal(parquet_table_add_row(table), ST_OK);
	parquet_set_int(table, 0, number);
	parquet_set_number(table, 1, maybe);
	parquet_set_real(table, 2, real);
	assert_true(parquet_set_text(table, 3, text));
	assert_true(parquet_set_text(table, 4, bytes));
	fprintf(written->text, "%lld|", (long long)number);
	if (maybe != INT_NONE)
		fprintf(written->text, "%lld", (long long)maybe);
	fprintf(written->text, "|%.17g|%.*s|", real, text.ptr ? (int)text.len : 0,
		text.ptr ? text.ptr : "");
	for (size_t i = 0; i < bytes.len; i++)
		fprintf(written->text, "%02x", (unsigned char)bytes.ptr[i]);
	fputc('\n', written->text);
}

/* Reads the file again, and compares. */
static void finish(struct written *written, const char *what)
{
	static const struct parquet_key key = { "name", { "value", 5 } };
	char *read_text = NULL, *keys = NULL;
	size_t read_size = 0, key_size = 0, size;
	uint8_t *data;
	FILE *to;

	assert_int_equal(parquet_table_finish(&written->table, &key, 1), ST_OK);
	fclose(written->text);
	size = (size_t)written->table.file.size;
	data = malloc(size);
	assert_non_null(data);
	assert_int_equal(pread(fileno(written->file), data, size, 0), (ssize_t)size);
	to = open_memstream(&read_text, &read_size);
	assert_non_null(to);
	if (parquet_print(to, data, size))
		fail_msg("%s: %s", what, parquet_print(to, data, size));
	fclose(to);
	assert_int_equal(read_size, written->expected_size);
	assert_memory_equal(read_text, written->expected, read_size);
	to = open_memstream(&keys, &key_size);
	assert_null(parquet_print_keys(to, data, size));
	fclose(to);
	assert_string_equal(keys, "name=value\n");
	parquet_table_release(&written->table);
	parquet_maker_release(&written->maker);
	fclose(written->file);
	free(read_text);
	free(written->expected);
	free(keys);
	free(data);
}

/* --- tests --- */

UNIT_TEST(widths)
{
	for (unsigned int width = 0; width <= 64; width++)
		for (unsigned int nulls = 0; nulls <= 8; nulls += 4) {
			struct written written;

			seed = width * 16 + nulls + 1;
			begin(&written, width % 3 == 0);
			for (size_t i = 0; i < 300; i++)
				put_row(&written, width, nulls);
			finish(&written, "widths");
		}
}

UNIT_TEST(sizes)
{
	static const size_t sizes[] = { 0, 1, 2, 7, 8, 9, 32, 33, 128, 129, 130, 257 };

	for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++)
		for (int plain = 0; plain < 2; plain++) {
			struct written written;

			seed = k + 1;
			begin(&written, plain);
			for (size_t i = 0; i < sizes[k]; i++)
				put_row(&written, 20, 2);
			finish(&written, "sizes");
		}
}

/* CPUs with and without AVX2 make the same of a block. */
UNIT_TEST(blocks)
{
	int64_t values[1 + BLOCK_VALUES];
	struct block block, plain;

	seed = 9;
	for (unsigned int width = 0; width <= 64; width++)
		for (int again = 0; again < 20; again++) {
			for (size_t i = 0; i <= BLOCK_VALUES; i++)
				values[i] = random_number(width);
			values[random_bits() % (BLOCK_VALUES + 1)] = INT64_MAX;
			if (again % 2)
				values[random_bits() % (BLOCK_VALUES + 1)] = INT64_MIN;
			block_fill(&block, values + 1);
			block_fill_plain(&plain, values + 1);
			assert_memory_equal(&block, &plain, sizeof(block));
		}
}

/* Bit by bit. */
UNIT_TEST(packing)
{
	uint64_t values[PART_VALUES];
	uint8_t packed[PART_VALUES * 8 + PACK_SLACK];

	seed = 10;
	for (unsigned int width = 0; width <= 64; width++) {
		for (size_t i = 0; i < PART_VALUES; i++)
			values[i] = width ? random_bits() >> (64 - width) : 0;
		block_pack(packed, values, width);
		for (size_t bit = 0; bit < (size_t)PART_VALUES * width; bit++)
			assert_int_equal(packed[bit / 8] >> bit % 8 & 1,
					 values[bit / width] >> bit % width & 1);
	}
}

static struct encode_range range_of(const int64_t *values, size_t count)
{
	struct bytes to = { NULL, 0, 0, false };
	struct encode_range range = encode_delta(&to, values, count),
			    other = encode_range(values, count);

	bytes_release(&to);
	assert_int_equal(range.least, other.least);
	assert_int_equal(range.greatest, other.greatest);
	return range;
}

/* The least and greatest value at each place. */
UNIT_TEST(ranges)
{
	enum { COUNT_MAX = 2 * BLOCK_VALUES + 3 };
	int64_t values[COUNT_MAX] = { 0 };

	for (size_t i = 0; i < COUNT_MAX; i++) {
		values[i] = -7;
		assert_int_equal(range_of(values, COUNT_MAX).least, -7);
		assert_int_equal(range_of(values, i + 1).least, -7);
		values[i] = INT64_MAX;
		assert_int_equal(range_of(values, COUNT_MAX).greatest, INT64_MAX);
		values[i] = 0;
	}
	assert_int_equal(range_of(values, 0).greatest, 0);
}

/* One row more and less than full groups. */
UNIT_TEST(row_groups)
{
	for (int more = -1; more <= 1; more++) {
		struct written written;

		seed = (uint64_t)(more + 2);
		begin(&written, false);
		written.table.rows_max = 500;
		for (int i = 0; i < 1000 + more; i++)
			put_row(&written, 33, 3);
		finish(&written, "row groups");
	}
}

/* Runs of every length between packed numbers. */
UNIT_TEST(runs)
{
	struct written written;

	begin(&written, false);
	for (int run = 1; run < 80; run++)
		for (int i = 0; i < run; i++) {
			struct parquet_table *table = &written.table;
			bool known = run % 2;

			assert_int_equal(parquet_table_add_row(table), ST_OK);
			parquet_set_int(table, 0, run);
			parquet_set_number(table, 1, known ? run : INT_NONE);
			parquet_set_null(table, 2);
			assert_true(parquet_set_text(table, 3,
						     run % 3 ? STR("a") : STR("b")));
			assert_true(parquet_set_text(table, 4, STR_NONE));
			fprintf(written.text, "%d|%s", run, "");
			if (known)
				fprintf(written.text, "%d", run);
			fprintf(written.text, "||%s|\n", run % 3 ? "a" : "b");
		}
	finish(&written, "runs");
}

/* Pages that are compressed in part only to see whether it is worth it. */
UNIT_TEST(large_pages)
{
	struct written written;

	seed = 7;
	for (unsigned int width = 1; width <= 64; width += 63) {
		begin(&written, false);
		for (size_t i = 0; i < 20000; i++)
			put_row(&written, width, 1);
		finish(&written, "large pages");
	}
}

static bool is_compressed(unsigned int width)
{
	enum { ROWS = 32768 };
	const struct parquet_column column = { "number", PARQUET_INT, false };
	int64_t *numbers = calloc(ROWS, sizeof(*numbers));
	struct parquet_values values = { .rows = ROWS, .numbers = numbers };
	struct parquet_maker maker = { .only_plain = true };
	struct bytes to = { NULL, 0, 0, false };
	struct parquet_chunk chunk;

	assert_non_null(numbers);
	for (size_t i = 0; i < ROWS; i++)
		numbers[i] = random_number(width);
	assert_true(parquet_make_chunk(&maker, &column, &values, &to, &chunk));
	assert_int_equal(chunk.size, to.size);
	assert_true(chunk.unpacked_size >= ROWS * sizeof(int64_t));
	parquet_maker_release(&maker);
	bytes_release(&to);
	free(numbers);
	return !chunk.is_unpacked;
}

/* INT_NONE is NULL wherever it is, and never in the statistics. */
UNIT_TEST(numbers_that_are_none)
{
	const struct parquet_column column = { "number", PARQUET_INT, true };
	int64_t numbers[] = { 5, 7, 6, INT_NONE };
	struct parquet_values values = { .rows = 4,
					 .none_is_null = true,
					 .numbers = numbers };
	struct parquet_maker maker = { .only_plain = false };
	struct bytes to = { NULL, 0, 0, false };
	struct parquet_chunk chunk;

	for (size_t i = 0; i < 4; i++) {
		int64_t other = numbers[i];

		numbers[i] = numbers[3];
		numbers[3] = other;
		assert_true(parquet_make_chunk(&maker, &column, &values, &to, &chunk));
		assert_int_equal(chunk.nulls, 1);
		assert_int_equal(chunk.least.bytes[0], 5);
		assert_int_equal(chunk.greatest.bytes[0], 7);
		numbers[3] = numbers[i];
		numbers[i] = other;
	}
	for (size_t i = 0; i < 4; i++)
		numbers[i] = INT_NONE;
	assert_true(parquet_make_chunk(&maker, &column, &values, &to, &chunk));
	assert_int_equal(chunk.nulls, 4);
	assert_false(chunk.has_bounds);
	parquet_maker_release(&maker);
	bytes_release(&to);
}

UNIT_TEST(compression)
{
	seed = 8;
	assert_true(is_compressed(8));
	assert_false(is_compressed(64));
}

/* Numbers that are not known are NULL, by a flag of their row or by themselves. */
UNIT_TEST(two_ways_to_be_null)
{
	enum { ROWS = 1000 };
	static const struct parquet_column column = { "number", PARQUET_INT, true };
	struct bytes made[2] = { { NULL, 0, 0, false }, { NULL, 0, 0, false } };
	int64_t numbers[ROWS];
	uint8_t is_null[ROWS];

	for (size_t i = 0; i < ROWS; i++) {
		is_null[i] = i % 3 == 0 || i > 900;
		numbers[i] = is_null[i] ? INT_NONE : (int64_t)i;
	}
	for (size_t way = 0; way < 2; way++) {
		const struct parquet_values values = { .rows = ROWS,
						       .numbers = numbers,
						       .is_null = way ? is_null : NULL,
						       .none_is_null = !way };
		struct parquet_maker maker = { .only_plain = true };
		struct parquet_chunk chunk;

		assert_true(
			parquet_make_chunk(&maker, &column, &values, &made[way], &chunk));
		assert_int_equal(chunk.nulls, 301 + 99);
		parquet_maker_release(&maker);
	}
	assert_int_equal(made[0].size, made[1].size);
	assert_memory_equal(made[0].data, made[1].data, made[0].size);
	bytes_release(&made[0]);
	bytes_release(&made[1]);
}

UNIT_TEST(names_that_are_no_text)
{
	struct written written;

	begin(&written, false);
	assert_int_equal(parquet_table_add_row(&written.table), ST_OK);
	parquet_set_int(&written.table, 0, 1);
	for (size_t i = 1; i < COLUMNS; i++)
		parquet_set_null(&written.table, i);
	assert_true(parquet_set_text(&written.table, 3, STR("a\xff")));
	fputs("1|||a\\xff|\n", written.text);
	finish(&written, "no text");
}

UNIT_TEST(places)
{
	struct trace_row trace = { .path = STR("/some/where/a trace.data"),
				   .host = STR("../rack/7"),
				   .first_ns = 5,
				   .last_ns = INT_NONE,
				   .wall_offset_ns = INT64_C(1795265192440184916) };
	char name[FLEET_TEXT_BYTES], again[FLEET_TEXT_BYTES];
	struct fleet_place place;

	fleet_place(&place, &trace, 0);
	assert_string_equal(place.host, "%2E.%2Frack%2F7");
	assert_string_equal(place.date, "2026-11-21");
	assert_memory_equal(place.trace, "a%20trace.data-", 15);
	assert_int_equal(strlen(place.trace), 23);
	memcpy(again, place.trace, sizeof(again));
	fleet_place(&place, &trace, 1);
	assert_string_not_equal(place.trace, again);
	trace.wall_offset_ns = INT_NONE;
	trace.host = STR_NONE;
	fleet_place(&place, &trace, 0);
	assert_string_equal(place.host, "");
	assert_string_equal(place.date, "");
	memset(again, 'x', sizeof(again));
	fleet_escape(name, (struct str){ again, sizeof(again) });
	assert_int_equal(strlen(name), 96 + 9);
	fleet_escape(name, STR("sched:sched_switch"));
	assert_string_equal(name, "sched%3Asched_switch");
	fleet_escape(name, STR("aux.data"));
	assert_string_equal(name, "%61ux.data");
	fleet_escape(name, STR("host."));
	assert_string_equal(name, "host%2E");
}

/* --- the tree of a fleet --- */

/* The linker gives the call to it: a sandbox that forbids moving to other folders. */
static bool moves_fail;
bool __wrap_os_move_in(struct os_folder *folder, const char *from, const char *to);
bool __real_os_move_in(struct os_folder *folder, const char *from, const char *to);
bool __wrap_os_move_in(struct os_folder *folder, const char *from, const char *to)
{
	if (!moves_fail)
		return __real_os_move_in(folder, from, to);
	errno = EXDEV;
	return false;
}

/* A file of so many bytes in its place; how many it has there, or -1. */
static long placed(struct folders *folders, size_t size, size_t suffix, const char *path)
{
	struct folders_file file;
	char *bytes = unit_alloc(size + 1), *found;
	size_t got = 0;

	for (size_t i = 0; i < size; i++)
		bytes[i] = (char)(i * 7 >> 3);
	assert_int_equal(folders_begin(folders, &file), ST_OK);
	assert_int_equal(write(file.fd, bytes, size), size);
	if (folders_finish(folders, &file, "bill", "cycles", suffix) != ST_OK)
		return -1;
	assert_int_equal(file.fd, -1);
	assert_false(unit_exists(unit_path(file.name)));
	found = unit_read_file(unit_path(path), &got);
	assert_non_null(found);
	assert_int_equal(got, size);
	assert_memory_equal(found, bytes, size);
	return (long)got;
}

#define PLACE "bill/counters=cycles/host=h/date=__HIVE_DEFAULT_PARTITION__/"

UNIT_TEST(files_get_their_place)
{
	struct error error = { .status = ST_OK };
	struct folders folders = { .error = &error,
				   .place = { .host = "h", .trace = "t" } };
	struct folders_file file;

	folders.folder = os_folder_open(unit_directory());
	assert_non_null(folders.folder);
	assert_int_equal(placed(&folders, 10, 0, PLACE "t.parquet"), 10);
	/* Copied, where it cannot be moved: more than a piece, and nothing at all. */
	moves_fail = true;
	assert_int_equal(placed(&folders, 150000, 1, PLACE "t-1.parquet"), 150000);
	assert_int_equal(placed(&folders, 0, 2, PLACE "t-2.parquet"), 0);
	/* Not over a file that is there. */
	assert_int_equal(placed(&folders, 5, 2, NULL), -1);
	HAS(error.text, "cannot name " PLACE "t-2.parquet: File exists");
	moves_fail = false;
	error.status = ST_OK;
	/* Where a folder would be is a file. */
	unit_write_file(unit_path("bill/counters=cycles/host=x"), "", 0);
	snprintf(folders.place.host, sizeof(folders.place.host), "x");
	assert_int_equal(placed(&folders, 5, 0, NULL), -1);
	HAS(error.text, "cannot ", "host=x", ": Not a directory");
	error.status = ST_OK;
	/* The folder is gone. */
	os_folder_close(folders.folder);
	folders.folder = os_folder_open(unit_directory());
	assert_int_equal(rmdir(unit_path("")), 0);
	assert_int_equal(folders_begin(&folders, &file), ST_IO);
	HAS(error.text, "cannot create ", ".parquet: No such file or directory");
	folders_close(&file);
	os_folder_close(folders.folder);
}

/* Pieces below, at and above the size of the buffer, with and without a file. */
UNIT_TEST(spooled)
{
	static const size_t wholes[] = { 0, 1, 100, 65536, 65537, 300000 };
	static const size_t pieces[] = { 1, 7, 4096, 65535, 65536, 65537, 200000 };

	seed = 3;
	for (size_t i = 0; i < sizeof(wholes) / sizeof(wholes[0]); i++) {
		size_t size = wholes[i], some;
		uint8_t *bytes = calloc(size + 1, 1), *got = calloc(size + 1, 1);
		struct error error = { .status = ST_OK };
		struct spool spool = { .fd = -1, .error = &error };

		for (size_t at = 0; at < size; at++)
			bytes[at] = (uint8_t)random_bits();
		for (size_t at = 0; at < size; at += some) {
			some = pieces[random_bits() % 7];
			some = some < size - at ? some : size - at;
			assert_int_equal(spool_write(&spool, bytes + at, some), ST_OK);
		}
		for (size_t at = 0; at < size; at += some) {
			some = pieces[random_bits() % 7];
			some = some < size - at ? some : size - at;
			assert_int_equal(spool_read(&spool, got + at, some), ST_OK);
		}
		assert_memory_equal(bytes, got, size);
		assert_int_equal(spool.fd >= 0, size > 65536);
		assert_int_equal(spool_read(&spool, got, 1), ST_IO);
		assert_string_equal(error.text,
				    "cannot read a temporary file: Input/output error");
		spool_close(&spool);
		free(bytes);
		free(got);
	}
}

UNIT_TEST(seconds)
{
	struct error error = { .status = ST_OK };
	struct seconds seconds;
	struct second_row *got = calloc(1, sizeof(*got) + sizeof(int64_t));

	assert_non_null(got);
	seconds_begin(&seconds, 1, &error);
	seconds_row(&seconds, INT64_C(2999999999), 7, CLASS_CHARGED)->values[0] += 5;
	seconds_row(&seconds, -1, 7, CLASS_CHARGED)->values[0] += 3;
	seconds_row(&seconds, INT64_C(2000000000), 7, CLASS_CHARGED)->values[0] += 6;
	seconds_row(&seconds, INT64_C(2000000000), 7, CLASS_WITH_IDLE)->values[0] += 1;
	assert_int_equal(seconds_finish(&seconds), ST_OK);
	assert_int_equal(seconds_next(&seconds, got), ST_OK);
	assert_int_equal(got->second, -1);
	assert_int_equal(got->values[0], 3);
	assert_int_equal(seconds_next(&seconds, got), ST_OK);
	assert_int_equal(got->second, 2);
	assert_int_equal(got->values[0], 11);
	assert_int_equal(seconds_next(&seconds, got), ST_OK);
	assert_int_equal(got->class, CLASS_WITH_IDLE);
	assert_int_equal(seconds_next(&seconds, got), ST_END);
	seconds_release(&seconds);
	free(got);
}
