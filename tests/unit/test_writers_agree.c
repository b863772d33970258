/* test_writers_agree.c - the same rows, written as CSV and as SQLite, are the same rows.
 */
#include <stdlib.h>
#include <string.h>

#include "rows.h"
#include "writers/batch.h"
#include "writers/writers.h"

/* What differs is told with its table and its first different line. */
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

static void assert_agree(const struct rows *rows)
{
	char *dir = unit_directory();
	const struct sink_options as_csv = { .path = unit_path(dir, "csv") };
	const struct sink_options as_sql = { .path = unit_path(dir, "db") };
	sqlite3 *db;

	rows_write(rows, &csv_writer, &as_csv);
	rows_write(rows, &sqlite_writer, &as_sql);
	db = rows_open_database(as_sql.path);
	for (size_t t = 0; t <= RECORD_TABLES; t++) {
		const char *table = t < RECORD_TABLES ? tables[t].name : "charge_status";
		char *csv = rows_of_csv(as_csv.path, table);
		char *sql = rows_of_table(db, table);

		assert_same_lines(table, csv, sql);
		free(csv);
		free(sql);
	}
	sqlite3_close(db);
	unit_remove(dir);
}

static void test_nothing(void **state)
{
	const struct rows none = { NULL, 0, 0 };

	(void)state;
	assert_agree(&none);
}

static void test_nasty(void **state)
{
	struct rows rows = { NULL, 0, 0 };

	(void)state;
	rows_add_nasty(&rows);
	assert_agree(&rows);
	rows_free(&rows);
}

/* A group that widens the table when there are rows already, then both in turn. */
static void test_widths(void **state)
{
	struct rows rows = { NULL, 0, 0 };

	(void)state;
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
	rows_free(&rows);
}

/* Many texts, so that batches are handed over early. */
static void test_long_texts(void **state)
{
	struct rows rows = { NULL, 0, 0 };
	char text[8192];

	(void)state;
	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = "x\"\n,y"[i % 5];
	for (int64_t i = 0; i < 1000; i++)
		rows_add(&rows, RECORD_header_fact,
			 &(struct header_fact_row){
				 i, { text + i, 20 }, { text, (size_t)i * 8 } });
	assert_agree(&rows);
	rows_free(&rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_nasty),
		cmocka_unit_test(test_widths),
		cmocka_unit_test(test_long_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
