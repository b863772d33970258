/*
 * test_bulk_refusal.c - what lib/output/sqlite_bulk/bulk.c leaves to SQLite, and what
 * lib/output/sqlite/check.c does not let pass.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/sqlite_format.h"
#include "output/sqlite/check.h"
#include "output/sqlite_bulk/catalog.h"
#include "output/sqlite_bulk/page_account.h"
#include "output/sqlite_bulk/page_check.h"
#include "output/sqlite_bulk/pages.h"
#include "unit.h"

static const char *made(const char *sql)
{
	const char *path = unit_path("t.db");
	sqlite3 *db;

	(void)unlink(path);
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	sqlite3_exec(db, "PRAGMA synchronous = OFF", NULL, NULL, NULL);
	if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
		fail_msg("%s: %s", sql, sqlite3_errmsg(db));
	sqlite3_close(db);
	return path;
}

/* --- files --- */

static const struct file_case {
	int line;
	const char *sql;
	const char *reason; /* NULL: not refused */
} files[] = {
	{ ROW, "CREATE TABLE t(a)", NULL },
	{ ROW, "PRAGMA page_size = 512; CREATE TABLE t(a)", NULL },
	{ ROW, "PRAGMA page_size = 65536; CREATE TABLE t(a)", NULL },
	{ ROW, "PRAGMA auto_vacuum = FULL; CREATE TABLE t(a)", "auto_vacuum" },
	{ ROW, "PRAGMA auto_vacuum = INCREMENTAL; CREATE TABLE t(a)", "auto_vacuum" },
	{ ROW, "PRAGMA encoding = 'UTF-16le'; CREATE TABLE t(a)", "not UTF-8" },
	{ ROW, "PRAGMA journal_mode = WAL; CREATE TABLE t(a)", "write-ahead log" },
};

UNIT_TEST(files)
{
	for (size_t i = 0; i < COUNT(files); i++) {
		struct error error = { ST_OK, 0, "" };
		struct bulk_pages pages;
		enum status status =
			pages_open(&pages, made(files[i].sql), BULK_LOCK_BYTE, &error);

		ROW_INT(&files[i], status, files[i].reason ? ST_UNSUPPORTED : ST_OK);
		if (files[i].reason && !strstr(error.text, files[i].reason))
			fail_msg("line %d: %s", files[i].line, error.text);
		if (!files[i].reason)
			pages_close(&pages);
	}
}

UNIT_TEST(no_database)
{
	const char *path = unit_path("text");
	struct error error = { ST_OK, 0, "" };
	struct bulk_pages pages;
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	for (int i = 0; i < 200; i++)
		fputs("no database", file);
	fclose(file);
	assert_int_equal(pages_open(&pages, path, BULK_LOCK_BYTE, &error),
			 ST_UNSUPPORTED);
	HAS(error.text, "not an SQLite database");
}

/* --- tables --- */

static const struct table_case {
	int line;
	const char *sql;
	const char *reason; /* "" not refused */
} table_cases[] = {
	{ ROW, "CREATE TABLE t(a INTEGER, b TEXT) STRICT", "" },
	{ ROW, "CREATE TABLE t(a INTEGER PRIMARY KEY, b INTEGER); CREATE INDEX i ON t(b)",
	  "" },
	{ ROW, "CREATE TABLE t(a INTEGER PRIMARY KEY, b) WITHOUT ROWID", "ordinary" },
	{ ROW, "CREATE VIEW t AS SELECT 1", "no such table" },
	{ ROW, "CREATE TABLE t(a TEXT PRIMARY KEY)", "primary key" },
	{ ROW, "CREATE TABLE t(a, b INTEGER PRIMARY KEY)", "primary key" },
	{ ROW, "CREATE TABLE t(a INTEGER, b INTEGER, PRIMARY KEY(a, b))", "primary key" },
	{ ROW, "CREATE TABLE t(a INTEGER PRIMARY KEY DESC)", "unique" },
	{ ROW, "CREATE TABLE t(a INTEGER PRIMARY KEY AUTOINCREMENT)", "AUTOINCREMENT" },
	{ ROW, "CREATE TABLE t(a, b AS (a + 1))", "generated" },
	{ ROW, "CREATE TABLE t(a CHECK (a > 0))", "CHECK" },
	{ ROW, "CREATE TABLE t(a INTEGER UNIQUE)", "unique" },
	{ ROW,
	  "CREATE TABLE t(a); CREATE TRIGGER r AFTER INSERT ON t BEGIN SELECT 1; END",
	  "triggers" },
	{ ROW, "CREATE TABLE t(a INTEGER); CREATE INDEX i ON t(a) WHERE a > 0",
	  "partial" },
	{ ROW, "CREATE TABLE t(a INTEGER, b INTEGER); CREATE INDEX i ON t(a, b)", "" },
	{ ROW,
	  "CREATE TABLE t(a INTEGER, b INTEGER, c INTEGER, d INTEGER, e INTEGER);"
	  "CREATE INDEX i ON t(a, b, c, d, e)",
	  "more than four columns" },
	{ ROW, "CREATE TABLE t(a INTEGER, b TEXT); CREATE INDEX i ON t(a, b)",
	  "other than" },
	{ ROW, "CREATE TABLE t(a INTEGER); CREATE INDEX i ON t(a DESC)", "other than" },
	{ ROW, "CREATE TABLE t(a INTEGER); CREATE INDEX i ON t(a + 1)", "other than" },
	{ ROW, "CREATE TABLE t(a TEXT); CREATE INDEX i ON t(a)", "other than" },
	{ ROW, "CREATE TABLE t(a REAL); CREATE INDEX i ON t(a)", "other than" },
	{ ROW,
	  "CREATE TABLE t(a INTEGER); CREATE INDEX i ON t(a); CREATE INDEX j ON t(a)",
	  "" },
};

UNIT_TEST(tables)
{
	for (size_t i = 0; i < COUNT(table_cases); i++) {
		const struct table_case *c = &table_cases[i];
		struct catalog catalog = { .db = NULL };
		char *reason;

		sqlite3_open(made(c->sql), &catalog.db);
		reason = catalog_refusal(&catalog, "t");
		if (!reason || (c->reason[0] ? !strstr(reason, c->reason) : reason[0]))
			fail_msg("line %d: '%s', expected '%s'", c->line, reason,
				 c->reason);
		sqlite3_free(reason);
		catalog_release(&catalog);
		sqlite3_close(catalog.db);
	}
}

struct pair_row {
	int64_t a;
	int64_t b;
};

static const struct field pair_fields[] = {
	{ "a", FIELD_INT, offsetof(struct pair_row, a) },
	{ "b", FIELD_INT, offsetof(struct pair_row, b) },
};
static const struct table pair = { "t", pair_fields, 2, sizeof(struct pair_row) };

/* The table `pair` of a database, or the reason why SQLite must fill it. */
static enum status pair_table(struct bulk *bulk, sqlite3 *db, struct bulk_table **table,
			      char **reason, struct error *error)
{
	struct catalog catalog = { .db = db };
	enum status status = bulk_table(bulk, &catalog, &pair, table, reason, error);

	catalog_release(&catalog);
	return status;
}

/* Writes a row into the database at `path`; returns the outcome. */
static enum status bulk_one(const char *path, char text[256])
{
	const struct bulk_options options = { .path = path, .memory_bytes = 1 << 20 };
	const struct pair_row row = { 1, 2 };
	struct error error = { ST_OK, 0, "" };
	struct bulk_table *table = NULL;
	struct bulk *bulk = NULL;
	char *reason = NULL;
	enum status status = bulk_open(&bulk, &options, &error);
	sqlite3 *db;
	bool loaded;

	sqlite3_open(path, &db);
	if (status == ST_OK)
		status = pair_table(bulk, db, &table, &reason, &error);
	if (status == ST_OK && !table)
		status = error_set(&error, ST_UNSUPPORTED, ERROR_NO_OFFSET, "%s", reason);
	if (status == ST_OK)
		status = bulk_add(table, (const char *)&row, 0, 1, &loaded, &error);
	if (status == ST_OK)
		status = bulk_end_rows(bulk, &error);
	if (status == ST_OK)
		status = bulk_find_roots(bulk, db, &error);
	sqlite3_close(db);
	if (status == ST_OK)
		status = bulk_set_roots(bulk, &error);
	sqlite3_free(reason);
	bulk_close(bulk);
	memcpy(text, error.text, sizeof(error.text));
	return status;
}

/* Nothing is written over rows that are there, nor into other columns. */
UNIT_TEST(layouts)
{
	static const struct file_case cases[] = {
		{ ROW, "CREATE TABLE t(a INTEGER, b INTEGER)", NULL },
		{ ROW, "CREATE TABLE t(a INTEGER, b INTEGER, c TEXT)", NULL },
		{ ROW,
		  "CREATE TABLE t(a INTEGER, b INTEGER); INSERT INTO t VALUES (1, 2)",
		  "holds rows already" },
		{ ROW, "CREATE TABLE t(a INTEGER)", "other columns" },
		{ ROW, "CREATE TABLE t(b INTEGER, a INTEGER)", "other columns" },
		{ ROW, "CREATE TABLE t(a INTEGER, b INTEGER, c INTEGER DEFAULT 7)",
		  "other columns" },
		{ ROW, "CREATE TABLE t(a INTEGER, b TEXT)", "other types" },
	};
	char text[256];

	for (size_t i = 0; i < COUNT(cases); i++) {
		const char *path = made(cases[i].sql);

		ROW_INT(&cases[i], bulk_one(path, text),
			cases[i].reason ? ST_UNSUPPORTED : ST_OK);
		if (cases[i].reason && !strstr(text, cases[i].reason))
			fail_msg("line %d: %s", cases[i].line, text);
	}
}

/* --- the check --- */

/* Rows on many pages, with overflow, an index, and free pages. */
static const char *const varied =
	"PRAGMA page_size = 512; CREATE TABLE t(a INTEGER, b TEXT); CREATE INDEX i ON t(b);"
	"WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900)"
	" INSERT INTO t SELECT i, printf('%.*c', i % 97 * 13, 'x') || i FROM n;"
	"CREATE TABLE gone AS SELECT * FROM t; DROP TABLE gone;";

static enum status check(const char *path, const struct bulk *bulk, bool quick,
			 struct error *error)
{
	enum status status;
	sqlite3 *db;

	sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL);
	status = sqlite_account(path, bulk, db, error);
	sqlite3_close(db);
	return status == ST_OK && quick ? sqlite_quick_check(path, error) : status;
}

static enum status checked(const char *path, bool quick, char text[256])
{
	struct error error = { ST_OK, 0, "" };
	enum status status = check(path, NULL, quick, &error);

	memcpy(text, error.text, sizeof(error.text));
	return status;
}

static void write_byte(const char *path, off_t at, uint8_t byte)
{
	int fd = open(path, O_WRONLY);

	assert_true(fd >= 0 && pwrite(fd, &byte, 1, at) == 1);
	close(fd);
}

static uint32_t root_of(const char *path, const char *name)
{
	sqlite3 *db;
	uint32_t root;

	sqlite3_open(path, &db);
	root = catalog_root(db, name);
	sqlite3_close(db);
	return root;
}

UNIT_TEST(check)
{
	char text[256];
	const char *path = made(varied);
	off_t root = (off_t)(root_of(path, "t") - 1) * 512;
	uint8_t head[16];
	int fd;

	assert_int_equal(checked(path, true, text), ST_OK);
	/* A child of the table's root is its last child as well. */
	fd = open(path, O_RDONLY);
	assert_int_equal(pread(fd, head, sizeof(head), root), sizeof(head));
	close(fd);
	assert_int_equal(head[0], 5);
	for (int i = 0; i < 4; i++) {
		uint8_t byte;
		off_t cell = root + head[12] * 256 + head[13];

		fd = open(path, O_RDONLY);
		assert_int_equal(pread(fd, &byte, 1, cell + i), 1);
		close(fd);
		write_byte(path, root + 8 + i, byte);
	}
	assert_int_equal(checked(path, false, text), ST_CORRUPT);
	HAS(text, "is used twice");
	/* More cells than the root of 512 bytes has room for; one that leaves it. */
	path = made(varied);
	write_byte(path, root + 3, 2);
	assert_int_equal(checked(path, false, text), ST_CORRUPT);
	HAS(text, "page accounting of", "has more cells than room");
	/* A leaf of the index instead. */
	path = made(varied);
	write_byte(path, root, 2);
	assert_int_equal(checked(path, false, text), ST_CORRUPT);
	/* Free pages that are not free: the list begins nowhere. */
	path = made(varied);
	for (int i = 32; i < 40; i++)
		write_byte(path, i, 0);
	assert_int_equal(checked(path, false, text), ST_CORRUPT);
	HAS(text, "is not used");
	/* What only quick_check sees: rows out of order. */
	path = made("CREATE TABLE t(a INTEGER); INSERT INTO t VALUES (1), (2), (3)");
	write_byte(path, 4096 + 8, 15);
	write_byte(path, 4096 + 9, 0xff - 4 * 3);
	assert_int_equal(checked(path, false, text), ST_OK);
	assert_int_equal(checked(path, true, text), ST_CORRUPT);
	HAS(text, "quick_check of ");
}

/* A text of one overflow page, which is said to go on. */
UNIT_TEST(overflow_goes_on)
{
	char text[256];
	const char *path = made("PRAGMA page_size = 512; CREATE TABLE t(a TEXT);"
				"INSERT INTO t VALUES (printf('%.*c', 700, 'x'))");

	assert_int_equal(checked(path, true, text), ST_OK);
	write_byte(path, 2 * 512 + 3, 2);
	assert_int_equal(checked(path, false, text), ST_CORRUPT);
	HAS(text, "page 3 has too many overflow pages");
}

/* --- databases that SQLite cannot read --- */

/* The text of a table is cut off, which SQLite sees when it next opens it. */
static const char *malformed(void)
{
	return made("CREATE TABLE t(a INTEGER, b INTEGER); PRAGMA writable_schema = ON;"
		    "UPDATE sqlite_schema SET sql = 'CREATE TABLE t(a INTEGER, b'");
}

UNIT_TEST(malformed_schema)
{
	char text[256];
	const char *path = malformed();

	assert_int_equal(bulk_one(path, text), ST_IO);
	HAS(text, "cannot read the schema: ", "malformed");
	assert_int_equal(checked(path, false, text), ST_IO);
	HAS(text, "cannot check ", path, "malformed");
}

/* Another connection took the table away after it was described. */
UNIT_TEST(table_that_is_gone)
{
	const char *path = made("CREATE TABLE t(a INTEGER, b INTEGER)");
	const struct bulk_options options = { .path = path, .memory_bytes = 1 << 20 };
	struct error error = { ST_OK, 0, "" };
	struct bulk_table *table = NULL;
	struct bulk *bulk = NULL;
	char *reason = NULL;
	sqlite3 *db;

	assert_int_equal(bulk_open(&bulk, &options, &error), ST_OK);
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(pair_table(bulk, db, &table, &reason, &error), ST_OK);
	assert_non_null(table);
	sqlite3_free(reason);
	assert_int_equal(sqlite3_exec(db, "DROP TABLE t", NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(bulk_find_roots(bulk, db, &error), ST_IO);
	HAS(error.text, "no root page of t: ");
	sqlite3_close(db);
	bulk_close(bulk);
}

/* A table that has another number of rows than were loaded. */
UNIT_TEST(lost_row)
{
	const char *path = made("CREATE TABLE t(a INTEGER, b INTEGER)");
	const struct bulk_options options = { .path = path, .memory_bytes = 1 << 20 };
	struct error error = { ST_OK, 0, "" };
	struct bulk_table *table = NULL;
	struct bulk *bulk = NULL;
	char *reason = NULL;
	sqlite3 *db;
	bool loaded;

	assert_int_equal(bulk_open(&bulk, &options, &error), ST_OK);
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(pair_table(bulk, db, &table, &reason, &error), ST_OK);
	assert_non_null(table);
	for (int64_t i = 1; i <= 3; i++) {
		const struct pair_row row = { i, 10 * i };

		assert_int_equal(bulk_add(table, (const char *)&row, 0, i, &loaded,
					  &error),
				 ST_OK);
		assert_true(loaded);
	}
	assert_int_equal(bulk_end_rows(bulk, &error), ST_OK);
	assert_int_equal(bulk_find_roots(bulk, db, &error), ST_OK);
	sqlite3_close(db);
	assert_int_equal(bulk_set_roots(bulk, &error), ST_OK);
	assert_int_equal(check(path, bulk, true, &error), ST_OK);
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, "DELETE FROM t WHERE a = 2", NULL, NULL, NULL),
			 SQLITE_OK);
	sqlite3_close(db);
	assert_int_equal(check(path, bulk, true, &error), ST_CORRUPT);
	HAS(error.text, "page accounting of ", ": t holds 2 rows, expected 3");
	bulk_close(bulk);
}

/* SQLite never uses the page of its lock, here that of the only table. */
UNIT_TEST(locked_page)
{
	const char *path = made("PRAGMA page_size = 512; CREATE TABLE t(a)");
	struct error error = { ST_OK, 0, "" };
	struct bulk_page_account account;
	struct bulk_pages pages;
	uint64_t cells;

	assert_int_equal(pages_open(&pages, path, 512, &error), ST_OK);
	assert_int_equal(pages.lock_page, 2);
	assert_int_equal(page_account_begin(&account, &pages, &error), ST_OK);
	assert_int_equal(page_account_tree(&account, 1, &cells, &error), ST_OK);
	assert_int_equal(cells, 1);
	assert_int_equal(page_account_tree(&account, 2, &cells, &error), ST_CORRUPT);
	HAS(error.text, "page accounting of ", ": page 2 is the locked page");
	page_account_release(&account);
	pages_close(&pages);
}

/* A file that is longer than its header says. */
UNIT_TEST(other_size)
{
	struct error error = { ST_OK, 0, "" };
	const char *path = made("PRAGMA page_size = 512; CREATE TABLE t(a)");
	struct bulk_pages pages;

	assert_int_equal(truncate(path, 3 * 512), 0);
	assert_int_equal(pages_open(&pages, path, BULK_LOCK_BYTE, &error),
			 ST_UNSUPPORTED);
	assert_string_equal(error.text, "its size is 1536, expected that of its 2 pages");
}

/* --- pages --- */

/* The first page of a table or index, which has 512 bytes. */
static void read_root(const char *path, const char *name, uint8_t page[512])
{
	int fd = open(path, O_RDONLY);

	assert_true(fd >= 0);
	assert_int_equal(pread(fd, page, 512, (off_t)(root_of(path, name) - 1) * 512),
			 512);
	close(fd);
}

static bool is_sound(const uint8_t *page)
{
	struct bulk_page_check check = { .any = false };

	return page_is_sound(&check, page, 512);
}

/* Of a page that is sound each of these bytes is needed. */
static void assert_noticed(const uint8_t *page, size_t at, int byte, int line)
{
	uint8_t damaged[512];

	memcpy(damaged, page, sizeof(damaged));
	damaged[at] = (uint8_t)byte;
	if (is_sound(damaged))
		fail_msg("line %d: byte %zu may be %d", line, at, byte);
}

UNIT_TEST(sound_pages)
{
	const char *path =
		made("PRAGMA page_size = 512;"
		     "CREATE TABLE t(a INTEGER, b TEXT); CREATE INDEX i ON t(a);"
		     "INSERT INTO t VALUES (NULL, 'x'), (0, 'xy'), (1, ''), (300, NULL),"
		     "(70000, x'00')");
	struct bulk_page_check after = { true, { 3 } };
	uint8_t t[512], i[512];

	read_root(path, "t", t);
	read_root(path, "i", i);
	assert_true(is_sound(t));
	assert_true(is_sound(i));
	assert_noticed(t, 0, 12, __LINE__);	  /* no kind of page */
	assert_noticed(t, 4, t[4] + 1, __LINE__); /* cells */
	assert_noticed(t, 4, t[4] - 1, __LINE__);
	assert_noticed(t, 6, t[6] + 1, __LINE__); /* where they begin */
	assert_noticed(t, 9, t[9] - 1, __LINE__); /* the place of the first */
	/* The first cell's payload, row id, header and types; its text may be another. */
	for (size_t at = get_u16(t + 8); at < 511; at++)
		if (at != get_u16(t + 8) + 1u)
			assert_noticed(t, at, t[at] + 1, __LINE__);
	assert_noticed(t, get_u16(t + 8) + 1u, 2, __LINE__); /* as the second one */
	assert_noticed(i, get_u16(i + 12), i[get_u16(i + 12)] + 1, __LINE__);
	/* The first key becomes 1, the third NULL. */
	assert_noticed(i, get_u16(i + 8) + 2u, 9, __LINE__);
	assert_noticed(i, get_u16(i + 12) + 2u, 0, __LINE__);
	/* Row ids go on from leaf to leaf. */
	assert_false(page_is_sound(&after, t, 512));
	after.key[0] = 0;
	assert_true(page_is_sound(&after, t, 512));
	assert_true(after.key[0] == 5);
}
