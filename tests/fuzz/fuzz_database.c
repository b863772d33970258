/*
 * fuzz_database.c - any bytes as changes of a converted database, which is read then.
 *
 * The first byte: 1, every switch; 2, raw values of PerfLib; 4, one trace alone.  Then
 * changes of six bytes and a value: a cell gets a value of any type, a row is gone, a
 * table or a column is gone or has another name, a byte of the file is another.  The
 * database has no STRICT tables and no constraints, as a hostile one may.
 */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/formats.h"
#include "harness.h"
#include "mutant.h"
#include "scratch.h"
#include "template.h"

#define TABLES_MAX 256
#define CHANGES_MAX 64
/* Of the interrupt flag, each after 100,000 steps of SQLite. */
#define POLLS 20

static sqlite3 *db;
static char *names[TABLES_MAX];
static size_t table_count;

struct bytes {
	const uint8_t *at, *end;
};

static uint64_t next_number(struct bytes *bytes, size_t width)
{
	uint64_t value = 0;

	for (size_t i = 0; i < width && bytes->at < bytes->end; i++)
		value = value << 8 | *bytes->at++;
	return value;
}

static void run_sql(const char *sql)
{
	char *text = NULL;

	if (sqlite3_exec(db, sql, NULL, NULL, &text) != SQLITE_OK) {
		fprintf(stderr, "%s: %s\n", sql, text);
		exit(1);
	}
}

static int add_name(void *unused, int count, char **values, char **columns)
{
	(void)unused;
	(void)count;
	(void)columns;
	if (table_count < TABLES_MAX)
		names[table_count++] = sqlite3_mprintf("%s", values[0]);
	return 0;
}

/* The template in memory, without what keeps a table sound. */
static void open_template(void)
{
	sqlite3 *file;
	sqlite3_backup *copy;

	template_make(scratch_path("template.db"));
	if (sqlite3_open(scratch_path("template.db"), &file) != SQLITE_OK ||
	    sqlite3_open(":memory:", &db) != SQLITE_OK)
		exit(1);
	copy = sqlite3_backup_init(db, "main", file, "main");
	if (!copy || sqlite3_backup_step(copy, -1) != SQLITE_DONE)
		exit(1);
	sqlite3_backup_finish(copy);
	sqlite3_close(file);
	sqlite3_exec(db, "SELECT name FROM sqlite_schema WHERE type = 'table'", add_name,
		     NULL, NULL);
	run_sql("PRAGMA writable_schema = ON");
	run_sql("UPDATE sqlite_schema SET sql = replace(replace(sql, 'STRICT', ''), "
		"'NOT NULL', '') WHERE type = 'table'");
	run_sql("DELETE FROM sqlite_schema WHERE type IN ('view', 'index') AND sql IS NOT "
		"NULL");
	run_sql("PRAGMA writable_schema = RESET");
	run_sql("PRAGMA ignore_check_constraints = ON");
	run_sql("VACUUM");
}

/* --- changes --- */

static void bind_value(sqlite3_stmt *statement, struct bytes *bytes)
{
	uint64_t kind = next_number(bytes, 1), bits;
	size_t left, length;
	double real;

	switch (kind % 8) {
	case 0:
		sqlite3_bind_null(statement, 1);
		break;
	case 1:
		sqlite3_bind_int64(statement, 1, (sqlite3_int64)next_number(bytes, 1));
		break;
	case 2:
		sqlite3_bind_int64(statement, 1, (sqlite3_int64)next_number(bytes, 8));
		break;
	case 3: /* at an edge */
		sqlite3_bind_int64(statement, 1,
				   (sqlite3_int64)((UINT64_C(1) << (kind >> 3)) +
						   next_number(bytes, 1) % 3 - 1));
		break;
	case 4:
		bits = next_number(bytes, 8);
		memcpy(&real, &bits, sizeof(real));
		sqlite3_bind_double(statement, 1, real);
		break;
	default:
		length = (size_t)next_number(bytes, 1);
		left = (size_t)(bytes->end - bytes->at);
		length = length < left ? length : left;
		if (kind % 8 == 5)
			sqlite3_bind_blob(statement, 1, bytes->at, (int)length,
					  SQLITE_TRANSIENT);
		else
			sqlite3_bind_text(statement, 1, (const char *)bytes->at,
					  (int)length, SQLITE_TRANSIENT);
		bytes->at += length;
	}
}

/* Columns of the table; `name` gets that of one of them. */
static const char *column_of(sqlite3_stmt **statement, const char *table, uint64_t column)
{
	char *sql = sqlite3_mprintf("SELECT * FROM \"%w\"", table);
	int count;

	sqlite3_prepare_v2(db, sql, -1, statement, NULL);
	sqlite3_free(sql);
	count = *statement ? sqlite3_column_count(*statement) : 0;
	return count ? sqlite3_column_name(*statement, (int)(column % (uint64_t)count))
		     : NULL;
}

static char *statement_of(uint64_t how, const char *table, const char *column,
			  uint64_t row)
{
	switch (how % 16) {
	case 0:
		return sqlite3_mprintf("DELETE FROM \"%w\" WHERE rowid %% %llu = 0",
				       table, (unsigned long long)row % 16 + 1);
	case 1:
		return sqlite3_mprintf("ALTER TABLE \"%w\" RENAME COLUMN \"%w\" TO x",
				       table, column);
	case 2:
		return row % 16 == 0 ? sqlite3_mprintf("DROP TABLE \"%w\"", table)
				     : sqlite3_mprintf("DELETE FROM \"%w\"", table);
	case 3:
		return sqlite3_mprintf("UPDATE OR REPLACE \"%w\" SET \"%w\" = ?1", table,
				       column);
	default:
		return sqlite3_mprintf("UPDATE OR REPLACE \"%w\" SET \"%w\" = ?1 WHERE "
				       "rowid = (SELECT rowid FROM \"%w\" LIMIT 1 "
				       "OFFSET %llu %% (SELECT count(*) + 1 FROM "
				       "\"%w\"))",
				       table, column, table, (unsigned long long)row,
				       table);
	}
}

static void change(struct bytes *bytes)
{
	uint64_t how = next_number(bytes, 1);
	const char *table = names[next_number(bytes, 1) % table_count];
	uint64_t which = next_number(bytes, 1), row = next_number(bytes, 2);
	sqlite3_stmt *columns = NULL, *statement = NULL;
	const char *column = column_of(&columns, table, which);
	char *sql = column ? statement_of(how, table, column, row) : NULL;

	if (sql && sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK) {
		if (sqlite3_bind_parameter_count(statement))
			bind_value(statement, bytes);
		(void)sqlite3_step(statement);
	}
	sqlite3_free(sql);
	sqlite3_finalize(columns);
	sqlite3_finalize(statement);
}

/* --- a run --- */

/* The database as a file; of its bytes up to three are others. */
static void save(const char *name, uint64_t damage, struct bytes *bytes)
{
	sqlite3_int64 size = 0;
	unsigned char *image = sqlite3_serialize(db, "main", &size, 0);

	if (!image)
		abort();
	for (uint64_t i = 0; i < damage % 4; i++) {
		size_t at = (size_t)(next_number(bytes, 3) % (uint64_t)size);

		image[at] = (unsigned char)next_number(bytes, 1);
	}
	scratch_save(name, image, (size_t)size);
	sqlite3_free(image);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct reader_ops *const formats[] = { &database_reader, NULL };
	struct bytes bytes = { data, data + size };
	struct reader_options options = { .want_rows = true };
	uint64_t flags = next_number(&bytes, 1), damage = next_number(&bytes, 1);

	if (!db)
		open_template();
	template_allow_polls(UINT32_MAX);
	options.want_switches = flags & 1;
	options.want_values = flags & 2;
	options.trace_id = flags & 4 ? 1 : 0;
	run_sql("BEGIN");
	for (size_t i = 0; i < CHANGES_MAX && bytes.end - bytes.at > 4; i++)
		change(&bytes);
	save("fuzzed.db", damage < 192 ? 0 : damage, &bytes);
	run_sql("ROLLBACK");
	template_allow_polls(POLLS);
	(void)harness_run_path(scratch_path("fuzzed.db"), &options, formats);
	return 0;
}

/* A byte means something wherever it is: libFuzzer's own mutations are enough. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size,
			       unsigned int seed)
{
	struct mutant m = mutant_over(data, size, max_size, seed);

	mutant_change_all(&m, 0);
	return m.size;
}
