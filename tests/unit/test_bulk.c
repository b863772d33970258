/*
 * test_bulk.c - lib/output/sqlite_bulk/bulk.c against SQLite: the same rows, bulk-loaded
 * and inserted, at every boundary of the file format.
 */
#include <stdlib.h>
#include <string.h>

#include "twin.h"
#include "unit.h"

#define COLUMNS_MAX 2000

/* --- tables made for a test --- */

struct made {
	struct table table;
	struct field fields[COLUMNS_MAX];
	char names[COLUMNS_MAX][8];
	char *rows;
	size_t room;
	struct twin twin;
};

static struct made *made_new(const char *kinds)
{
	struct made *made = calloc(1, sizeof(*made));
	size_t size = 0;

	assert_non_null(made);
	for (size_t i = 0; kinds[i]; i++) {
		enum field_kind kind = kinds[i] == 'i'	 ? FIELD_INT
				       : kinds[i] == 'v' ? FIELD_VALUE
				       : kinds[i] == 'r' ? FIELD_REAL
				       : kinds[i] == 't' ? FIELD_TEXT
							 : FIELD_BLOB;

		snprintf(made->names[i], sizeof(made->names[i]), "c%zu", i);
		made->fields[i] = (struct field){ made->names[i], kind, size };
		size += field_is_text(kind) ? sizeof(struct str) : 8;
	}
	made->table = (struct table){ "t", made->fields, strlen(kinds), size };
	made->twin = (struct twin){ .directory = unit_path(""),
				    .table = &made->table,
				    .page_bytes = 4096 };
	return made;
}

static void made_free(struct made *made)
{
	free(made->rows);
	free(made);
}

/* A row of zeros and NULLs, to be filled in. */
static char *add_row(struct made *made)
{
	size_t size = made->table.row_size;
	char *row;

	if (made->twin.count == made->room) {
		made->room = made->room ? 2 * made->room : 64;
		made->rows = realloc(made->rows, made->room * size);
		assert_non_null(made->rows);
		made->twin.rows = made->rows;
	}
	row = made->rows + made->twin.count++ * size;
	memset(row, 0, size);
	return row;
}

static void set_int(struct made *made, char *row, size_t column, int64_t value)
{
	memcpy(row + made->fields[column].offset, &value, sizeof(value));
}

static void set_real(struct made *made, char *row, size_t column, double value)
{
	memcpy(row + made->fields[column].offset, &value, sizeof(value));
}

static void set_text(struct made *made, char *row, size_t column, struct str value)
{
	memcpy(row + made->fields[column].offset, &value, sizeof(value));
}

static void assert_twins(struct made *made, size_t left)
{
	if (!twin_run(&made->twin))
		fail_msg("page size %zu, %zu rows: %s", made->twin.page_bytes,
			 made->twin.count, made->twin.text);
	if (made->twin.left != left)
		fail_msg("page size %zu, %zu rows: %zu left to SQLite, expected %zu",
			 made->twin.page_bytes, made->twin.count, made->twin.left, left);
}

static char filler[1 << 17];

static struct str text_of(size_t size)
{
	return (struct str){ filler, size };
}

/* --- how many rows --- */

/*
 * Cells of a table whose one column is a blob: the size of the payload, a row id of nine
 * bytes, two bytes or more of header, the blob.
 */
static const int64_t FAR = INT64_C(1) << 60;

/* A row that fills `bytes` of a page, its pointer included; far row ids. */
static void add_blob_rows(struct made *made, size_t count, size_t bytes)
{
	/* 2 pointer, 1 payload size, 9 row id, 1 header size, 1 type */
	size_t overhead = 2 + 1 + 9 + 1 + 1;

	overhead += bytes > 72;	 /* the type of a blob from 58 bytes on */
	overhead += bytes > 141; /* the size of a payload from 128 bytes on */
	for (size_t i = 0; i < count; i++)
		set_text(made, add_row(made), 0, text_of(bytes - overhead));
}

static int64_t *far_rowids(size_t count)
{
	int64_t *rowids = malloc((count + 1) * sizeof(*rowids));

	assert_non_null(rowids);
	for (size_t i = 0; i < count; i++)
		rowids[i] = FAR + (int64_t)i;
	return rowids;
}

static void run_counted(size_t page_bytes, size_t count, size_t bytes, size_t depth,
			bool modify)
{
	struct made *made = made_new("b");
	int64_t *rowids = far_rowids(count);

	made->twin.page_bytes = page_bytes;
	made->twin.rowids = rowids;
	made->twin.modify = modify;
	add_blob_rows(made, count, bytes);
	assert_twins(made, 0);
	if (made->twin.depth != depth)
		fail_msg("page size %zu, %zu rows: depth %zu, expected %zu", page_bytes,
			 count, made->twin.depth, depth);
	free(rowids);
	made_free(made);
}

/* No row, one, two; a leaf exactly full; one row more. */
UNIT_TEST(few_rows)
{
	for (size_t page = 512; page <= 65536; page *= 2) {
		/* 504 bytes after the header: 18 rows of 28; larger pages alike. */
		size_t bytes = page == 512 ? 28 : 100;
		size_t full = (page - 8) / bytes;

		run_counted(page, 0, bytes, 1, false);
		run_counted(page, 1, bytes, 1, true);
		run_counted(page, 2, bytes, 1, true);
		run_counted(page, full, bytes, 1, true);
		run_counted(page, full + 1, bytes, 2, true);
		run_counted(page, 2 * full, bytes, 2, false);
		run_counted(page, 2 * full + 1, bytes, 2, true);
	}
}

/*
 * With one row a leaf and pages of 512 bytes an interior page has up to 33 cells (4 bytes
 * of child, 9 of row id, 2 of pointer in 500).  A full one has 33 children; the last page
 * of each level may have one more.
 */
UNIT_TEST(levels)
{
	enum { CELLS = 33, BYTES = 400 };
	const size_t two = CELLS + 1;
	const size_t three = CELLS * CELLS + CELLS + 1;
	const size_t four = CELLS * CELLS * CELLS + three;

	for (size_t count = 30; count <= 40; count++)
		run_counted(512, count, BYTES, count > two ? 3 : 2, true);
	for (size_t count = three - 36; count <= three + 36; count += 6)
		run_counted(512, count, BYTES, count > three ? 4 : 3, false);
	run_counted(512, four, BYTES, 4, false);
	run_counted(512, four + 1, BYTES, 5, true);
}

/* Levels of an index: 19 cells of 24 and 2 bytes in 500, leaves of 22 entries. */
static void run_index(size_t count, size_t depth)
{
	struct made *made = made_new("i");
	int64_t *rowids = far_rowids(count);
	uint64_t value = 1;

	for (size_t i = 0; i < count; i++) {
		value = value * UINT64_C(6364136223846793005) + 1442695040888963407;
		set_int(made, add_row(made), 0,
			(int64_t)(value >> 2 | UINT64_C(1) << 61));
	}
	made->twin.page_bytes = 512;
	made->twin.rowids = rowids;
	made->twin.indexed = 1;
	made->twin.modify = count < 1000;
	assert_twins(made, 0);
	if (depth && made->twin.index_depth != depth)
		fail_msg("%zu entries: depth %zu, expected %zu", count,
			 made->twin.index_depth, depth);
	free(rowids);
	made_free(made);
}

UNIT_TEST(index_levels)
{
	/* A leaf that is full gives its last entry to the level above. */
	enum { LEAF = 22, CELLS = 19 };
	const size_t two = (CELLS + 1) * LEAF + LEAF;

	for (size_t count = 0; count <= 3 * LEAF; count++)
		run_index(count, count > LEAF ? 2 : 1);
	for (size_t count = two - 2 * LEAF; count <= two + LEAF; count += 7)
		run_index(count, 0);
	run_index(CELLS * CELLS * LEAF + 2 * CELLS * LEAF, 4);
	run_index(170000, 5);
}

/* --- which values --- */

/* Around each power of two, on both sides of zero. */
static size_t boundaries(int64_t values[400])
{
	size_t count = 0;

	for (int bit = 0; bit < 63; bit++)
		for (int64_t by = -1; by <= 1; by++) {
			values[count++] = (INT64_C(1) << bit) + by;
			values[count++] = -(INT64_C(1) << bit) + by;
		}
	values[count++] = INT64_MAX;
	values[count++] = INT64_MIN + 1;
	values[count++] = INT64_MIN;
	return count;
}

UNIT_TEST(integers)
{
	struct made *made = made_new("ivvi");
	int64_t values[400];
	size_t count = boundaries(values);

	/* INT64_MIN is NULL in an INT, and a number in a VALUE. */
	for (size_t i = 0; i < count; i++) {
		char *row = add_row(made);

		set_int(made, row, 0, values[i]);
		set_int(made, row, 1, values[count - 1 - i]);
		set_int(made, row, 2, values[i]);
		set_int(made, row, 3, i % 3 ? values[i] : INT_NONE);
	}
	made->twin.modify = true;
	assert_twins(made, 0);
	/* INT64_MIN and NULL differ in an index: SQLite builds it. */
	made->twin.indexed = 15;
	assert_twins(made, 2);
	/* What may not be NULL is given to SQLite, which refuses it. */
	made->twin.indexed = 0;
	made->twin.not_null = 1;
	assert_twins(made, 1);
	made_free(made);
}

static int by_value(const void *a, const void *b)
{
	int64_t x, y;

	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	return x < y ? -1 : x > y;
}

/* Row ids of every size, negative ones too, as row ids and as INTEGER PRIMARY KEY. */
UNIT_TEST(row_ids)
{
	for (int has_id = 0; has_id < 2; has_id++) {
		struct made *made = made_new("ii");
		int64_t values[400], *ids = values;
		size_t count = boundaries(values), distinct = 0;

		qsort(values, count, sizeof(values[0]), by_value);
		for (size_t i = 0; i < count; i++)
			if (i == 0 || values[i] != values[i - 1])
				ids[distinct++] = values[i];
		for (size_t i = 1; i < distinct; i++) { /* not INT64_MIN: none is less */
			char *row = add_row(made);

			set_int(made, row, 0, ids[i]);
			set_int(made, row, 1, (int64_t)(i % 5));
		}
		made->twin.rowids = ids + 1;
		made->twin.has_id = has_id;
		made->twin.indexed = 2;
		assert_twins(made, 0);
		made_free(made);
	}
}

/* Not in order, or twice: left to SQLite, under the ids they were given. */
UNIT_TEST(out_of_order)
{
	static const int64_t ids[] = { 5, 7, 6, 8, 8, 1, 100, INT64_MIN, 101, -3, 102 };
	struct made *made = made_new("ii");

	for (size_t i = 0; i < COUNT(ids); i++) {
		char *row = add_row(made);

		set_int(made, row, 0, ids[i]);
		set_int(made, row, 1, (int64_t)i);
	}
	made->twin.has_id = true;
	made->twin.indexed = 2;
	made->twin.modify = false;
	made->twin.count = 4;
	assert_twins(made, 1);
	made->twin.count = 7;
	assert_twins(made, 3);
	made_free(made);
}

UNIT_TEST(reals)
{
	static const double values[] = { 0.0,
					 -0.0,
					 1.0,
					 -1.0,
					 0.5,
					 2.0,
					 127.0,
					 128.0,
					 -129.0,
					 32768.0,
					 8388608.0,
					 2147483648.0,
					 140737488355327.0,
					 140737488355328.0,
					 -140737488355328.0,
					 -140737488355329.0,
					 9007199254740992.0,
					 9223372036854775808.0,
					 -9223372036854775808.0,
					 1e300,
					 -1e-300,
					 5e-324,
					 1e308 * 10,
					 -1e308 * 10,
					 3.141592653589793,
					 1e308 * 10 - 1e308 * 10 };
	struct made *made = made_new("rr");

	for (size_t i = 0; i < COUNT(values); i++) {
		char *row = add_row(made);

		set_real(made, row, 0, values[i]);
		set_real(made, row, 1, values[COUNT(values) - 1 - i]);
	}
	made->twin.modify = true;
	assert_twins(made, 0);
	made->twin.not_null = 1;
	made->twin.modify = false;
	assert_twins(made, 1); /* not a number is NULL */
	made_free(made);
}

/*
 * Texts and blobs of every size at which a length, or the payload's, needs a byte more.
 */
UNIT_TEST(texts)
{
	static const size_t around[] = { 0,    1,    56,   57,	  58,	 63,   117,
					 120,  124,  126,  127,	  128,	 500,  4060,
					 8185, 8186, 8187, 16370, 16384, 65000 };

	for (size_t page = 512; page <= 65536; page *= 2) {
		struct made *made = made_new("itb");
		/* 5 bytes of header, or 7, and the integer's one. */
		size_t limit = page - 35, left = 0;

		for (size_t i = 0; i < COUNT(around); i++)
			for (size_t by = 0; by < 8; by++) {
				size_t size = around[i] + by;
				char *row = add_row(made);

				set_int(made, row, 0, 2);
				set_text(made, row, 1, i % 2 ? text_of(size) : STR_NONE);
				set_text(made, row, 2, i % 2 ? STR("") : text_of(size));
				/*
				 * Sizes of header: 1, 1, the text's type, 1; 1 of body.
				 */
				left += size + 5 + (size > 57) + (size > 8185) > limit;
			}
		made->twin.page_bytes = page;
		made->twin.modify = page == 1024;
		made->twin.not_null = 1;
		if (!twin_run(&made->twin))
			fail_msg("page size %zu: %s", page, made->twin.text);
		/* A boundary is within two bytes of the sum above. */
		if (made->twin.left + 3 < left || made->twin.left > left + 3)
			fail_msg("page size %zu: %zu left, expected about %zu", page,
				 made->twin.left, left);
		made_free(made);
	}
}

/* The largest row that fits a page, and one byte more. */
UNIT_TEST(largest)
{
	for (size_t page = 512; page <= 65536; page *= 2) {
		size_t limit = page - 35;
		size_t header = 1 + (limit > 8192 + 3 ? 3 : 2);

		for (size_t more = 0; more < 2; more++) {
			struct made *made = made_new("b");

			for (size_t i = 0; i < 5; i++)
				set_text(made, add_row(made), 0,
					 text_of(limit - header + more));
			made->twin.page_bytes = page;
			made->twin.modify = true;
			assert_twins(made, more ? 5 : 0);
			made_free(made);
		}
	}
}

/* The header's size counts itself: 126 columns take one byte for it, 127 two. */
UNIT_TEST(columns)
{
	static const size_t counts[] = { 1, 2, 125, 126, 127, 128, 129, 500, 900 };

	for (size_t i = 0; i < COUNT(counts); i++) {
		char kinds[COLUMNS_MAX + 1];
		struct made *made;

		memset(kinds, 'i', counts[i]);
		kinds[counts[i]] = '\0';
		made = made_new(kinds);
		for (int64_t r = 0; r < 40; r++) {
			char *row = add_row(made);

			for (size_t k = 0; k < counts[i]; k++)
				set_int(made, row, k,
					k % 7 == 3 ? INT_NONE : r * (int64_t)k);
		}
		made->twin.page_bytes = 8192;
		assert_twins(made, 0);
		made_free(made);
	}
}

/* --- where in the file --- */

static struct made *three_columns(size_t count)
{
	struct made *made = made_new("iit");

	for (size_t i = 0; i < count; i++) {
		char *row = add_row(made);

		set_int(made, row, 0, (int64_t)(i * 7919 % 1009) - 500);
		set_int(made, row, 1, i % 11 ? (int64_t)(i * i) : INT_NONE);
		set_text(made, row, 2, text_of(i % 90));
	}
	made->twin.indexed = 3;
	made->twin.modify = true;
	return made;
}

/* The page that SQLite locks is left out, wherever it comes to lie. */
UNIT_TEST(lock_page)
{
	/* Lower ones are page 1 for SQLite until it knows the size of the pages. */
	for (uint32_t page = 20; page < 130; page += 5) {
		struct made *made = three_columns(600);

		made->twin.page_bytes = 512;
		made->twin.lock_byte = page * 512;
		assert_twins(made, 0);
		made_free(made);
	}
}

UNIT_TEST(reserved)
{
	static const int reserved[] = { 1, 12, 32 };

	for (size_t i = 0; i < COUNT(reserved); i++)
		for (size_t page = 512; page <= 65536; page *= 128) {
			struct made *made = three_columns(900);

			made->twin.page_bytes = page;
			made->twin.reserved = reserved[i];
			made->twin.modify = false; /* VACUUM needs the same again */
			assert_twins(made, 0);
			made_free(made);
		}
}

/* Keys that do not fit into memory go through the file of runs. */
UNIT_TEST(little_memory)
{
	struct made *made = three_columns(20000);

	made->twin.memory_bytes = 4096;
	made->twin.modify = false;
	assert_twins(made, 0);
	/* Nearly all of both indexes, at two bytes a key or more. */
	assert_true(made->twin.spilled > 2 * 15000 * 2);
	/* But no more than sorted keys take. */
	assert_true(made->twin.spilled < 2 * 20000 * 8);
	made->twin.memory_bytes = 0;
	assert_twins(made, 0);
	assert_true(made->twin.spilled == 0);
	made_free(made);
}

/* --- indexes over several columns --- */

/* Trace, snapshot, instance, counter, as in perflib_raw; a counter may be NULL. */
static struct made *snapshots(size_t count, size_t columns)
{
	static const size_t wide[][4] = { { 0, 1 }, { 0, 2, 1 }, { 0, 2, 3, 1 } };
	struct made *made = made_new("iiiit");

	for (size_t i = 0; i < count; i++) {
		char *row = add_row(made);
		size_t snapshot = i / 60 % 400;

		set_int(made, row, 0, 1 + (int64_t)(i / 24000));
		set_int(made, row, 1, snapshot ? (int64_t)snapshot * 3 : INT_NONE);
		set_int(made, row, 2, (int64_t)(i % 60 / 6 * 77777));
		set_int(made, row, 3, i % 6 ? (int64_t)(6 - i % 6) * 1000 : INT_NONE);
	}
	memcpy(made->twin.wide, wide[columns - 2], sizeof(made->twin.wide));
	made->twin.wide_count = columns;
	made->twin.indexed = 1 << 2;
	return made;
}

UNIT_TEST(several_columns)
{
	static const size_t pages[] = { 512, 4096, 65536 };

	for (size_t columns = 2; columns <= 4; columns++)
		for (size_t i = 0; i < COUNT(pages); i++) {
			struct made *made = snapshots(i ? 50000 : 5000, columns);

			made->twin.page_bytes = pages[i];
			made->twin.memory_bytes = i == 1 ? 4096 : 0;
			made->twin.modify = i == 0;
			assert_twins(made, 0);
			assert_false(made->twin.is_reindexed);
			made_free(made);
		}
}

/* One row of which the key does not fit: SQLite makes the index. */
UNIT_TEST(several_columns_left)
{
	static const struct {
		size_t row, column;
		int64_t value;
		bool left;
	} cases[] = {
		{ 500, 1, 1000, true },	   /* the next one is less */
		{ 500, 1, 0, true },	   /* less than the one before */
		{ 999, 1, 1000, false },   /* the last row */
		{ 500, 2, -1, true },	   /* negative */
		{ 500, 2, 1 << 28, true }, /* too large */
		{ 500, 2, (1 << 28) - 2, false },
		{ 500, 3, (1 << 23) - 1, true },
		{ 500, 3, (1 << 23) - 2, false },
		{ 500, 3, INT64_MAX, true },
		{ 999, 0, (1 << 12) - 1, true },
		{ 999, 0, (1 << 12) - 2, false },
		{ 500, 0, 0, true }, /* a trace that comes again */
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct made *made = snapshots(1000, 4);

		set_int(made, made->rows + cases[i].row * made->table.row_size,
			cases[i].column, cases[i].value);
		assert_twins(made, 0);
		if (made->twin.is_reindexed != cases[i].left)
			fail_msg("case %zu: left %d", i, made->twin.is_reindexed);
		made_free(made);
	}
}
