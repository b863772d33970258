/* test_pages.c - lib/formats/database/pages.h: a table's pages hold what SQLite reads. */
#include <sqlite3.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/database/pages.h"
#include "unit.h"

struct thing_row {
	int64_t id, number, value;
	double real;
	struct str text, blob;
};

static const struct field fields[] = {
	{ "id", FIELD_INT, offsetof(struct thing_row, id) },
	{ "number", FIELD_INT, offsetof(struct thing_row, number) },
	{ "value", FIELD_VALUE, offsetof(struct thing_row, value) },
	{ "real", FIELD_REAL, offsetof(struct thing_row, real) },
	{ "text", FIELD_TEXT, offsetof(struct thing_row, text) },
	{ "blob", FIELD_BLOB, offsetof(struct thing_row, blob) },
};
static const struct table things = { "thing", fields, COUNT(fields),
				     sizeof(struct thing_row) };

/* A row and two deltas after it. */
struct wide {
	struct thing_row row;
	int64_t deltas[3];
};

#define CREATE                                                                      \
	"CREATE TABLE thing (id INTEGER PRIMARY KEY, number INTEGER, other TEXT, "  \
	"real REAL, value INTEGER, text TEXT, blob BLOB, delta_0 INTEGER, delta_1 " \
	"INTEGER)"
/* Numbers of every width and sign, NULLs, texts and blobs of several lengths. */
#define FILL                                                                             \
	"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 3000) "    \
	"INSERT INTO thing SELECT i * 3, nullif((i % 2 * 2 - 1) * (1 << (i % 63)), -8)," \
	"'other', CASE i % 4 WHEN 0 THEN NULL WHEN 1 THEN i ELSE i / 7.0 END, "          \
	"nullif(i % 5, 2), CASE WHEN i % 3 THEN printf('%.*c', i % 90, 'x') END, "       \
	"CASE WHEN i % 2 THEN zeroblob(1 + i % 40) END, -i, i << 40 FROM n"

static char path[] = "/tmp/perftab-pages.XXXXXX";

static void run(sqlite3 *db, const char *sql)
{
	char *error = NULL;

	if (sqlite3_exec(db, sql, NULL, NULL, &error) != SQLITE_OK)
		fail_msg("%s: %s", sql, error);
}

static sqlite3 *open_new(const char *before, const char *table, const char *after)
{
	sqlite3 *db;
	int fd;

	strcpy(path + strlen(path) - 6, "XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	run(db, before);
	run(db, table);
	run(db, after);
	return db;
}

static void close_and_remove(sqlite3 *db)
{
	char name[sizeof(path) + 8];

	sqlite3_close(db);
	remove(path);
	snprintf(name, sizeof(name), "%s-wal", path);
	remove(name);
	snprintf(name, sizeof(name), "%s-shm", path);
	remove(name);
}

static void same_text(sqlite3_stmt *rows, int column, struct str text)
{
	if (sqlite3_column_type(rows, column) == SQLITE_NULL) {
		assert_null(text.ptr);
		return;
	}
	assert_non_null(text.ptr);
	assert_int_equal(text.len, sqlite3_column_bytes(rows, column));
	if (text.len)
		assert_memory_equal(text.ptr, sqlite3_column_blob(rows, column),
				    text.len);
}

static void same_row(sqlite3_stmt *rows, const struct wide *got)
{
	assert_int_equal(got->row.id, sqlite3_column_int64(rows, 0));
	if (sqlite3_column_type(rows, 1) == SQLITE_NULL)
		assert_true(got->row.number == INT_NONE);
	else
		assert_int_equal(got->row.number, sqlite3_column_int64(rows, 1));
	assert_int_equal(got->row.value, sqlite3_column_int64(rows, 2));
	if (sqlite3_column_type(rows, 3) == SQLITE_NULL)
		assert_true(got->row.real != got->row.real);
	else
		assert_true(got->row.real == sqlite3_column_double(rows, 3));
	same_text(rows, 4, got->row.text);
	same_text(rows, 5, got->row.blob);
	assert_int_equal(got->deltas[0], sqlite3_column_int64(rows, 6));
	assert_int_equal(got->deltas[1], sqlite3_column_int64(rows, 7));
}

/* Walks the table beside SQLite: how many rows were the same, and how it ended. */
static size_t compare(sqlite3 *db, enum db_step *end)
{
	struct db_pages pages;
	struct db_walk walk;
	struct wide got;
	sqlite3_stmt *rows;
	size_t count = 0;

	*end = DB_UNFIT;
	db_pages_open(&pages, db);
	if (!db_walk_begin(&walk, &pages, db, &things, offsetof(struct wide, deltas),
			   2)) {
		run(db, "ROLLBACK");
		return 0;
	}
	assert_int_equal(sqlite3_prepare_v2(db,
					    "SELECT id, number, value, real, text, blob, "
					    "delta_0, delta_1 FROM thing ORDER BY rowid",
					    -1, &rows, NULL),
			 SQLITE_OK);
	while ((*end = db_walk_next(&walk, &got)) == DB_ROW) {
		assert_int_equal(sqlite3_step(rows), SQLITE_ROW);
		same_row(rows, &got);
		count++;
	}
	assert_int_equal(walk.any, count > 0);
	assert_int_equal(walk.rowid, count * 3);
	assert_int_equal(sqlite3_step(rows), *end == DB_END ? SQLITE_DONE : SQLITE_ROW);
	sqlite3_finalize(rows);
	db_walk_end(&walk);
	run(db, "ROLLBACK");
	return count;
}

/* Trees of one to four levels. */
UNIT_TEST(rows)
{
	static const char *const sizes[] = { "512", "1024", "32768", "65536" };

	for (size_t i = 0; i < COUNT(sizes); i++) {
		char pragma[64];
		enum db_step end;
		sqlite3 *db;

		snprintf(pragma, sizeof(pragma), "PRAGMA page_size = %s", sizes[i]);
		db = open_new(pragma, CREATE, FILL);
		assert_int_equal(compare(db, &end), 3000);
		assert_int_equal(end, DB_END);
		run(db, "DELETE FROM thing");
		assert_int_equal(compare(db, &end), 0);
		assert_int_equal(end, DB_END);
		close_and_remove(db);
	}
}

/* --- numbers alone, which are decoded without a look at each type --- */

struct numbers_row {
	int64_t id, number, value;
	int64_t deltas[3]; /* the last: for columns that are not wanted */
};

static const struct field number_fields[] = {
	{ "id", FIELD_INT, offsetof(struct numbers_row, id) },
	{ "number", FIELD_INT, offsetof(struct numbers_row, number) },
	{ "value", FIELD_VALUE, offsetof(struct numbers_row, value) },
};
static const struct table numbers = { "thing", number_fields, COUNT(number_fields),
				      offsetof(struct numbers_row, deltas) };

/* In each column NULLs, both constants, and numbers of every width and sign. */
UNIT_TEST(rows_of_numbers)
{
	sqlite3 *db = open_new(
		"", CREATE,
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT "
		"900), v(i, v) AS (SELECT i, CASE i % 3 WHEN 0 THEN i / 3 % 2 WHEN 1 "
		"THEN (i % 2 * 2 - 1) * (1 << (i % 63)) END FROM n) INSERT INTO thing "
		"SELECT a.i, a.v, NULL, NULL, b.v, NULL, NULL, c.v, d.v FROM v AS a JOIN "
		"v AS b ON b.i = a.i % 900 + 1 JOIN v AS c ON c.i = (a.i + 1) % 900 + 1 "
		"JOIN v AS d ON d.i = (a.i + 7) % 900 + 1");
	struct db_pages pages;
	struct db_walk walk;
	struct numbers_row got;
	sqlite3_stmt *rows;
	size_t count = 0;

	db_pages_open(&pages, db);
	assert_true(db_walk_begin(&walk, &pages, db, &numbers,
				  offsetof(struct numbers_row, deltas), 2));
	assert_true(walk.is_numbers);
	assert_int_equal(sqlite3_prepare_v2(
				 db,
				 "SELECT id, coalesce(number, -1 << 63), coalesce(value, "
				 "0), coalesce(delta_0, 0), coalesce(delta_1, 0) FROM "
				 "thing ORDER BY rowid",
				 -1, &rows, NULL),
			 SQLITE_OK);
	for (; db_walk_next(&walk, &got) == DB_ROW; count++) {
		assert_int_equal(sqlite3_step(rows), SQLITE_ROW);
		assert_int_equal(got.id, sqlite3_column_int64(rows, 0));
		assert_true(got.number == sqlite3_column_int64(rows, 1));
		assert_true(got.value == sqlite3_column_int64(rows, 2));
		assert_true(got.deltas[0] == sqlite3_column_int64(rows, 3));
		assert_true(got.deltas[1] == sqlite3_column_int64(rows, 4));
	}
	assert_int_equal(count, 900);
	assert_int_equal(sqlite3_step(rows), SQLITE_DONE);
	sqlite3_finalize(rows);
	db_walk_end(&walk);
	run(db, "ROLLBACK");
	close_and_remove(db);
}

/* What SQLite has to read: how many rows come before it. */
static const struct {
	int line;
	const char *before, *table, *after;
	size_t rows;
} unfit[] = {
	{ ROW, "", CREATE,
	  FILL ";UPDATE thing SET text = hex(zeroblob(9999)) WHERE id = 900", 299 },
	{ ROW, "", CREATE, FILL ";UPDATE thing SET number = 'x' WHERE id = 300", 99 },
	{ ROW, "", CREATE, FILL ";UPDATE thing SET number = 0.5 WHERE id = 300", 99 },
	{ ROW, "", CREATE,
	  FILL ";UPDATE thing SET text = CAST('' AS BLOB) WHERE id = 300", 99 },
	{ ROW, "PRAGMA encoding = 'UTF-16le'", CREATE, FILL, 0 },
	{ ROW, "PRAGMA journal_mode = WAL", CREATE, FILL, 0 },
	{ ROW, "", CREATE " WITHOUT ROWID", FILL, 0 },
	{ ROW, "", "CREATE TABLE thing (id INTEGER PRIMARY KEY)", "", 0 },
	{ ROW, "", "CREATE TABLE another (id INTEGER PRIMARY KEY)", "", 0 },
	{ ROW, "", "CREATE VIEW thing AS SELECT 1 AS id", "", 0 },
	/* A column that was added later is not in the rows. */
	{ ROW, "",
	  "CREATE TABLE thing (id INTEGER PRIMARY KEY, number, real REAL, value, text, "
	  "blob, delta_0)",
	  "INSERT INTO thing (id) VALUES (3); ALTER TABLE thing ADD COLUMN delta_1", 0 },
	/* And one that is worked out is not in the file. */
	{ ROW, "",
	  "CREATE TABLE thing (id INTEGER PRIMARY KEY, number, real REAL, value, text, "
	  "blob, delta_0, delta_1 AS (number))",
	  "INSERT INTO thing (id) VALUES (3)", 0 },
};

UNIT_TEST(unfit)
{
	for (size_t i = 0; i < COUNT(unfit); i++) {
		sqlite3 *db = open_new(unfit[i].before, unfit[i].table, unfit[i].after);
		struct db_pages pages;
		struct db_walk walk;
		enum db_step end = DB_UNFIT;

		if (unfit[i].rows) {
			ROW_INT(&unfit[i], compare(db, &end), unfit[i].rows);
		} else {
			struct wide got;

			db_pages_open(&pages, db);
			if (db_walk_begin(&walk, &pages, db, &things,
					  offsetof(struct wide, deltas), 2))
				end = db_walk_next(&walk, &got);
			db_walk_end(&walk);
		}
		ROW_INT(&unfit[i], end, DB_UNFIT);
		close_and_remove(db);
	}
}

/* Bytes of a page changed: whatever comes, it ends, and nothing else is read. */
UNIT_TEST(damaged)
{
	sqlite3 *db = open_new("PRAGMA page_size = 512", CREATE, FILL);
	struct db_pages pages;
	struct db_walk walk;
	struct wide got;
	FILE *file;

	db_pages_open(&pages, db);
	assert_non_null(pages.file);
	file = fopen(path, "r+b");
	assert_non_null(file);
	for (long page = 1; page < 40; page++) {
		for (long at = 0; at < 24; at++) {
			long place = page * 512 + at * (page % 2 ? 1 : 21);
			size_t steps = 0;
			int byte;

			fseek(file, place, SEEK_SET);
			byte = fgetc(file);
			fseek(file, place, SEEK_SET);
			fputc(byte ^ (at % 2 ? 0xff : 1), file);
			fflush(file);
			if (db_walk_begin(&walk, &pages, db, &things,
					  offsetof(struct wide, deltas), 2))
				while (db_walk_next(&walk, &got) == DB_ROW)
					steps++;
			assert_true(steps < 512 * pages.page_count);
			db_walk_end(&walk);
			fseek(file, place, SEEK_SET);
			fputc(byte, file);
			fflush(file);
		}
	}
	fclose(file);
	run(db, "ROLLBACK");
	close_and_remove(db);
}
