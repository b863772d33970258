/*
 * test_writers_agree.c - the same rows, written as CSV and as SQLite, are the same rows.
 */
#include <stdlib.h>
#include <string.h>

#include "output/outputs.h"
#include "output/sqlite/batch.h"
#include "rows.h"

/* Differences are reported with its table and its first different line. */
static void assert_same_lines(const char *table, const char *csv, const char *sql)
{
	size_t line = 1, from = 0, i = 0;

	for (; csv[i] && csv[i] == sql[i]; i++) {
		if (csv[i] != '\n')
			continue;
		line++;
		from = i + 1;
	}
	if (csv[i] || sql[i])
		fail_msg("%s, line %zu:\n  csv: %.*s\n  sql: %.*s", table, line,
			 (int)strcspn(csv + from, "\n"), csv + from,
			 (int)strcspn(sql + from, "\n"), sql + from);
}

static void assert_agree_on(sqlite3 *db, const char *directory, const char *table)
{
	char *csv = rows_of_csv(directory, table);
	char *sql = rows_of_table(db, table);

	if (!csv && !rows_agree(csv, sql))
		fail_msg("%s.csv is missing", table);
	if (csv)
		assert_same_lines(table, csv, sql);
}

static void assert_agree(const struct rows *rows)
{
	const struct sink_options as_csv = { .path = unit_below(unit_directory(),
								"csv") };
	const struct sink_options as_sql = { .path = unit_path("db") };
	sqlite3 *db;

	rows_write(rows, &csv_writer, &as_csv);
	rows_write(rows, &sqlite_writer, &as_sql);
	db = rows_open_database(as_sql.path);
	for (size_t t = 0; t <= RECORD_TABLES; t++) {
		const char *table = t < RECORD_TABLES ? tables[t].name : "charge_status";

		assert_agree_on(db, as_csv.path, table);
	}
	for (size_t i = 0; i < rows->count; i++)
		if (rows->records[i].kind == RECORD_OWN_TABLE && i < 3)
			assert_agree_on(db, as_csv.path, rows->records[i].table->name);
}

UNIT_TEST(nothing)
{
	const struct rows none = { NULL, 0, 0 };

	assert_agree(&none);
}

UNIT_TEST(nasty)
{
	struct rows rows = { NULL, 0, 0 };

	rows_add_nasty(&rows);
	assert_agree(&rows);
}

/* A group that widens the table when there are rows already, then both in turn. */
UNIT_TEST(widths)
{
	struct rows rows = { NULL, 0, 0 };

	rows_add_group(&rows, 1, 1);
	for (int64_t id = 1; id <= BATCH_ROWS + 3; id++)
		rows_add_switch(&rows, id, 1, 1, id);
	rows_add_group(&rows, 2, 3);
	for (int64_t id = BATCH_ROWS + 4; id <= 3 * BATCH_ROWS; id++)
		rows_add_switch(&rows, id, id % 2 + 1, id % 2 ? 3 : 1,
				INT64_MAX - id % 3);
	rows_add_group(&rows, 3, 0);
	rows_add_switch(&rows, 3 * BATCH_ROWS + 1, 3, 0, 0);
	assert_agree(&rows);
}

/*
 * Rows of two widths in turn, neither of which fits a page: SQLite has to take them all.
 */
UNIT_TEST(other_widths)
{
	static const size_t widths[][2] = { { 600, 700 }, { 3, 700 } };

	for (size_t i = 0; i < COUNT(widths); i++) {
		struct rows rows = { NULL, 0, 0 };

		rows_add_group(&rows, 1, (int64_t)widths[i][0]);
		rows_add_group(&rows, 2, (int64_t)widths[i][1]);
		for (int64_t id = 1; id <= 200; id++)
			rows_add_switch(&rows, id, id % 2 + 1, widths[i][id % 2],
					(INT64_C(1) << 60) + id);
		assert_agree(&rows);
	}
}

/* Many texts, so that batches are handed over early. */
UNIT_TEST(long_texts)
{
	struct rows rows = { NULL, 0, 0 };
	char text[8192];

	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = "x\"\n,y"[i % 5];
	for (int64_t i = 0; i < 1000; i++)
		rows_add(&rows, RECORD_header_fact,
			 &(struct header_fact_row){
				 i, { text + i, 20 }, { text, (size_t)i * 8 } });
	assert_agree(&rows);
}

/* --- tables that a trace defines itself --- */

struct mixed_row {
	int64_t id, number;
	struct str text, bytes;
	int64_t value;
};

static const struct field mixed_fields[] = {
	{ "trace_id", FIELD_INT, offsetof(struct mixed_row, id) },
	{ "select", FIELD_INT, offsetof(struct mixed_row, number) },
	{ "Text_1", FIELD_TEXT, offsetof(struct mixed_row, text) },
	{ "rowid_", FIELD_BLOB, offsetof(struct mixed_row, bytes) },
	{ "value", FIELD_VALUE, offsetof(struct mixed_row, value) },
};
static const struct table mixed = { "order_by", mixed_fields, COUNT(mixed_fields),
				    sizeof(struct mixed_row) };

#define WIDE 256
static char wide_names[WIDE][16];
static struct field wide_fields[WIDE];
static const struct table wide = { "a_Wide_One", wide_fields, WIDE,
				   WIDE * sizeof(int64_t) };

/* Two of them in turn, more rows than a batch, with all kinds of columns and NULLs. */
UNIT_TEST(own_tables)
{
	static const char bytes[] = "\0\1\xff'\"";
	struct rows rows = { NULL, 0, 0 };

	for (size_t i = 0; i < WIDE; i++) {
		snprintf(wide_names[i], sizeof(wide_names[i]), "c_%zu", i);
		wide_fields[i] =
			(struct field){ wide_names[i], FIELD_INT, i * sizeof(int64_t) };
	}
	for (int64_t i = 0; i < 2 * BATCH_ROWS + 11; i++) {
		const struct mixed_row row = {
			.id = i,
			.number = i % 3 ? i : INT_NONE,
			.text = i % 5 ? str_of("a \"b\", c") : STR_NONE,
			.bytes = i % 7 ? (struct str){ bytes, (size_t)(i % 7) - 1 }
				       : STR_NONE,
			.value = i % 2 ? INT64_MIN : i,
		};
		int64_t cells[WIDE];

		for (int64_t k = 0; k < WIDE; k++)
			cells[k] = (i + k) % 11 ? k < 24 ? k : i * k : INT_NONE;
		rows_add_own(&rows, &mixed, &row);
		rows_add_own(&rows, &wide, cells);
		rows_add(&rows, RECORD_exit, &(struct exit_row){ 1, i, 2 });
	}
	assert_agree(&rows);
}

/* Text and bytes are kept as what they are. */
UNIT_TEST(own_types)
{
	const struct sink_options options = { .path = unit_path("own.db") };
	struct rows rows = { NULL, 0, 0 };
	struct mixed_row row = { 1, INT_NONE, STR("t"), { "\0b", 2 }, INT64_MIN };
	sqlite3 *db;

	rows_add_own(&rows, &mixed, &row);
	row.text = STR("");
	row.bytes = STR("");
	rows_add_own(&rows, &mixed, &row);
	row.text = row.bytes = STR_NONE;
	rows_add_own(&rows, &mixed, &row);
	rows_write(&rows, &sqlite_writer, &options);
	db = rows_open_database(options.path);
	rows_answer(db,
		    "SELECT group_concat(typeof(\"select\") || typeof(Text_1) || "
		    "length(Text_1) || typeof(rowid_) || hex(rowid_) || "
		    "length(rowid_) || value, ';') FROM order_by "
		    "WHERE Text_1 IS NOT NULL",
		    "nulltext1blob00622-9223372036854775808;"
		    "nulltext0blob0-9223372036854775808");
	rows_answer(db,
		    "SELECT count(*) FROM order_by WHERE Text_1 IS NULL AND "
		    "rowid_ IS NULL",
		    "1");
	rows_answer(db,
		    "SELECT strict || (SELECT group_concat(type) FROM "
		    "pragma_table_info('order_by')) FROM pragma_table_list "
		    "WHERE name = 'order_by'",
		    "1INTEGER,INTEGER,TEXT,BLOB,INTEGER");
}
