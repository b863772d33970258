/*
 * test_sql_plan.c - lib/sql: which constraints a cursor gets, and that its rows are those
 * of a WHERE over all rows; rows as JSON.
 */
#include <stdlib.h>
#include <string.h>

#include "sql/functions.h"
#include "sql/private.h"
#include "unit.h"

#define TRACE "'" SAMPLES_DIRECTORY "/perf/good-switch-group.data'"
#define SWITCHES "perftab_switches(" TRACE ")"

static sqlite3 *open_database(void)
{
	const struct trace_functions options = { .no_sandbox = true };
	sqlite3 *db;

	assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
	assert_int_equal(trace_functions_register(db, &options), SQLITE_OK);
	return db;
}

/* The last column of the last row. */
static const char *ask(sqlite3 *db, const char *sql)
{
	static char answer[512];
	sqlite3_stmt *query;
	int result;

	answer[0] = '\0';
	if (sqlite3_prepare_v2(db, sql, -1, &query, NULL) != SQLITE_OK)
		fail_msg("%s: %s", sql, sqlite3_errmsg(db));
	while ((result = sqlite3_step(query)) == SQLITE_ROW) {
		const unsigned char *text =
			sqlite3_column_text(query, sqlite3_column_count(query) - 1);

		snprintf(answer, sizeof(answer), "%s",
			 text ? (const char *)text : "NULL");
	}
	if (result != SQLITE_DONE)
		fail_msg("%s: %s", sql, sqlite3_errmsg(db));
	sqlite3_finalize(query);
	return answer;
}

/* --- constraints --- */

#define MIDDLE "(SELECT ts_ns FROM all_rows ORDER BY ts_ns LIMIT 1 OFFSET 20)"
#define LATER "(SELECT ts_ns FROM all_rows ORDER BY ts_ns LIMIT 1 OFFSET 40)"

/* Constants, for the order of constraints in a plan is that of the text then. */
static const struct {
	int line;
	const char *letters, *where;
} plans[] = {
	{ ROW, "p", "1" },
	{ ROW, "pc", "cpu = 1" },
	{ ROW, "p", "cpu > 0" },
	{ ROW, "pcc", "cpu = 0 AND cpu = 1" },
	{ ROW, "pt", "ts_ns = " MIDDLE },
	{ ROW, "pf", "ts_ns >= " MIDDLE },
	{ ROW, "pF", "ts_ns > " MIDDLE },
	{ ROW, "pu", "ts_ns <= " MIDDLE },
	{ ROW, "pU", "ts_ns < " MIDDLE },
	{ ROW, "pfu", "ts_ns >= " MIDDLE " AND ts_ns <= " LATER },
	{ ROW, "pfu", "ts_ns BETWEEN " LATER " AND " MIDDLE },
	{ ROW, "pcFU", "cpu = 0 AND ts_ns > " MIDDLE " AND ts_ns < " LATER },
	{ ROW, "pff", "ts_ns >= " LATER " AND ts_ns >= " MIDDLE },
	{ ROW, "ptu", "ts_ns = " MIDDLE " AND ts_ns <= " MIDDLE },
	{ ROW, "p", "ts_ns <> " MIDDLE },
	{ ROW, "p", "prev_thread_id = 3" },
};

static int compare_letters(const void *a, const void *b)
{
	return *(const char *)a - *(const char *)b;
}

/* The letters of a plan are the end of "SCAN ... VIRTUAL TABLE INDEX 0:pc", sorted. */
static const char *letters_of(sqlite3 *db, const char *where)
{
	static char letters[64];
	char sql[1024];
	sqlite3_stmt *query;

	letters[0] = '\0';
	snprintf(sql, sizeof(sql),
		 "EXPLAIN QUERY PLAN SELECT ts_ns FROM " SWITCHES " WHERE %s", where);
	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &query, NULL), SQLITE_OK);
	while (sqlite3_step(query) == SQLITE_ROW) {
		const char *text = (const char *)sqlite3_column_text(query, 3);

		if (strstr(text, "perftab_switches"))
			snprintf(letters, sizeof(letters), "%s", strrchr(text, ':') + 1);
	}
	sqlite3_finalize(query);
	qsort(letters, strlen(letters), 1, compare_letters);
	return letters;
}

/* How many rows a cursor steps over, with those that SQLite drops itself. */
static const char *rows_of(sqlite3 *db, const char *from, const char *where)
{
	char sql[1024];

	snprintf(
		sql, sizeof(sql),
		"SELECT count(*) || ' ' || coalesce(sum(delta_1), 0) || ' ' || "
		"coalesce(min(ts_ns), '') || ' ' || coalesce(max(ts_ns), '') || ' ' || "
		"coalesce(sum(cpu), '') || ' ' || coalesce(sum(detail_id), '') FROM %s WHERE %s",
		from, where);
	return ask(db, sql);
}

UNIT_TEST(constraints)
{
	sqlite3 *db = open_database();

	ask(db, "CREATE TEMP TABLE all_rows AS SELECT * FROM " SWITCHES);
	assert_true(atoi(ask(db, "SELECT count(*) FROM all_rows WHERE cpu = 1")) > 0);
	assert_true(atoi(ask(db, "SELECT count(detail_id) FROM all_rows")) > 50);
	for (size_t i = 0; i < COUNT(plans); i++) {
		char wanted[512], sorted[16];

		snprintf(sorted, sizeof(sorted), "%s", plans[i].letters);
		qsort(sorted, strlen(sorted), 1, compare_letters);
		ROW_TEXT(&plans[i], letters_of(db, plans[i].where), sorted);
		snprintf(wanted, sizeof(wanted), "%s",
			 rows_of(db, "all_rows", plans[i].where));
		ROW_TEXT(&plans[i], rows_of(db, SWITCHES, plans[i].where), wanted);
	}
	sqlite3_close(db);
}

/* A cursor of any table has the same constraints by hidden columns. */
UNIT_TEST(hidden_columns)
{
	static const char any[] = "perftab_table(" TRACE ", 'counter_base')";
	sqlite3 *db = open_database();
	char sql[1024], wanted[64];

	snprintf(sql, sizeof(sql), "SELECT count(*) FROM %s", any);
	assert_true(atoi(ask(db, sql)) > 1);
	snprintf(sql, sizeof(sql), "SELECT sum(json ->> '$.cpu' = 1) FROM %s", any);
	snprintf(wanted, sizeof(wanted), "%s", ask(db, sql));
	assert_true(atoi(wanted) > 0);
	snprintf(sql, sizeof(sql), "SELECT count(*) FROM %s WHERE cpu = 1", any);
	assert_string_equal(ask(db, sql), wanted);
	snprintf(sql, sizeof(sql), "EXPLAIN QUERY PLAN %s",
		 "SELECT count(*) FROM perftab_table('x', 'y') WHERE cpu = 1");
	HAS(ask(db, sql), "0:cps");
	sqlite3_close(db);
}

/* Both ends of a time are in it, in tables whose rows come one by one, too. */
UNIT_TEST(times_of_any_table)
{
	static const char *const ops[] = { "=", "<=", ">=", "<" };
	sqlite3 *db = open_database();

	ask(db, "CREATE TEMP TABLE comms AS SELECT json ->> '$.ts_ns' AS at "
		"FROM perftab_table(" TRACE ", 'comm')");
	for (size_t i = 0; i < COUNT(ops); i++) {
		char sql[1024], wanted[64];

		snprintf(
			sql, sizeof(sql),
			"SELECT count(*) FROM comms WHERE at %s (SELECT max(at) FROM comms)",
			ops[i]);
		snprintf(wanted, sizeof(wanted), "%s", ask(db, sql));
		assert_true(i == 3 || atoi(wanted) > 0);
		snprintf(sql, sizeof(sql),
			 "SELECT count(*) FROM perftab_table(" TRACE
			 ", 'comm') WHERE ts_ns "
			 "%s (SELECT max(at) FROM comms)",
			 ops[i]);
		assert_string_equal(ask(db, sql), wanted);
	}
	sqlite3_close(db);
}

/* Idle has a line in a bill if it ran: recordings of tasks have none. */
UNIT_TEST(idle_in_bills)
{
	sqlite3 *db = open_database();

	assert_string_equal(ask(db,
				"SELECT count(*) FROM perftab_bill('" SAMPLES_DIRECTORY
				"/perf/good-task-group.data') WHERE line = 'idle'"),
			    "0");
	assert_string_equal(ask(db, "SELECT count(*) > 0 FROM perftab_bill(" TRACE
				    ") WHERE line = 'idle'"),
			    "1");
	sqlite3_close(db);
}

/* A row for each counter. */
UNIT_TEST(counters_in_bills)
{
	sqlite3 *db = open_database();

	assert_string_equal(ask(db,
				"SELECT group_concat(counter || ' ' || value) FROM "
				"perftab_bill(" TRACE ") WHERE process = 'sum-unsorted'"),
			    "sched:sched_switch 11,task-clock 60560993,page-faults 15,"
			    "msr/tsc/ 148105343");
	assert_string_equal(ask(db, "SELECT group_concat(DISTINCT line) FROM "
				    "perftab_bill(" TRACE ") WHERE threads IS NULL"),
			    "with idle,unattributed");
	sqlite3_close(db);
}

/* A path with a zero in it is not that of another file. */
UNIT_TEST(arguments_are_texts)
{
	sqlite3 *db = open_database();
	sqlite3_stmt *query;

	assert_int_equal(sqlite3_prepare_v2(db,
					    "SELECT count(*) FROM perftab_switches("
					    "CAST(" TRACE " || X'00' || 'x' AS TEXT))",
					    -1, &query, NULL),
			 SQLITE_OK);
	assert_int_equal(sqlite3_step(query), SQLITE_ERROR);
	HAS(sqlite3_errmsg(db), "the arguments are texts");
	sqlite3_finalize(query);
	sqlite3_close(db);
}

/* --- columns --- */

/* Rows are numbered from 1 by each cursor. */
UNIT_TEST(rows_have_numbers)
{
	sqlite3 *db = open_database();

	assert_string_equal(
		ask(db, "SELECT count(DISTINCT rowid) = count(*) AND min(rowid) = 1 "
			"AND max(rowid) = count(*) FROM " SWITCHES),
		"1");
	sqlite3_close(db);
}

/* After the names of all tables, and before the number of the row. */
UNIT_TEST(deltas_are_columns)
{
	static const struct sql_function any = { "any", SQL_ANY, RECORD_OWN_TABLE, "of" };
	static const struct sql_function switches = { "switches", SQL_SWITCHES,
						      RECORD_context_switch, NULL };
	struct sql_vtab vtab = {
		.function = &any, .shown = 1, .arguments = 2, .name_count = 5
	};

	assert_int_equal(sql_delta_of(&vtab, 7), -1);
	assert_int_equal(sql_delta_of(&vtab, 8), 0);
	assert_int_equal(sql_delta_of(&vtab, 7 + SQL_DELTAS_SHOWN), SQL_DELTAS_SHOWN - 1);
	assert_int_equal(sql_delta_of(&vtab, 8 + SQL_DELTAS_SHOWN), -1);
	vtab = (struct sql_vtab){ .function = &switches,
				  .shown = 11 + SQL_DELTAS_SHOWN,
				  .arguments = 1 };
	assert_true(sql_delta_of(&vtab, 10) < 0);
	assert_int_equal(sql_delta_of(&vtab, 11), 0);
	assert_int_equal(sql_delta_of(&vtab, 10 + SQL_DELTAS_SHOWN),
			 SQL_DELTAS_SHOWN - 1);
	assert_int_equal(sql_delta_of(&vtab, 11 + SQL_DELTAS_SHOWN), -1);
	assert_int_equal(sql_delta_of(&vtab, 12 + SQL_DELTAS_SHOWN), SQL_DELTAS_SHOWN);
}

/* --- JSON --- */

struct own_row {
	int64_t number, value;
	double real;
	struct str text, bytes;
};

static const struct field own_fields[] = {
	{ "number", FIELD_INT, offsetof(struct own_row, number) },
	{ "value", FIELD_VALUE, offsetof(struct own_row, value) },
	{ "real", FIELD_REAL, offsetof(struct own_row, real) },
	{ "a \"text\"", FIELD_TEXT, offsetof(struct own_row, text) },
	{ "bytes", FIELD_BLOB, offsetof(struct own_row, bytes) },
};
static const struct table own_table = { "own", own_fields, COUNT(own_fields),
					sizeof(struct own_row) };

static void write_json(sqlite3_context *context, int argc, sqlite3_value **argv)
{
	(void)argc, (void)argv;
	sql_result_json(context, sqlite3_user_data(context));
}

static const char *json_of(struct feed_row *row)
{
	sqlite3 *db = open_database();
	const char *text;

	assert_int_equal(sqlite3_create_function(db, "json_of", 0, SQLITE_UTF8, row,
						 write_json, NULL, NULL),
			 SQLITE_OK);
	text = ask(db, "SELECT json_of()");
	sqlite3_close(db);
	return text;
}

UNIT_TEST(json)
{
	static const int64_t deltas[] = { 5, INT64_MIN };
	struct own_row own = { .number = -7,
			       .value = INT64_MAX,
			       .real = 0.1,
			       .text = STR("q\"b\\n\n\303\244"),
			       .bytes = { "\0\x0f\xff\"", 4 } };
	struct feed_row row = { &own_table, (const char *)&own, NULL, 0 };

	assert_string_equal(json_of(&row),
			    "{\"number\":-7,\"value\":9223372036854775807,"
			    "\"real\":0.10000000000000001,\"a \\\"text\\\"\":"
			    "\"q\\\"b\\\\n\\u000a\303\244\",\"bytes\":\"000fff22\"}");
	own = (struct own_row){ .number = INT_NONE,
				.value = INT_NONE,
				.real = (double)__builtin_nan("") };
	row.deltas = deltas;
	row.slots = COUNT(deltas);
	assert_string_equal(json_of(&row),
			    "{\"number\":null,\"value\":-9223372036854775808,"
			    "\"real\":null,\"a \\\"text\\\"\":null,\"bytes\":null,"
			    "\"delta_0\":5,\"delta_1\":-9223372036854775808}");
	own = (struct own_row){ .real = -2e300, .bytes = STR("") };
	row.slots = 0;
	HAS(json_of(&row), "\"real\":-2.0", "e+300", "\"bytes\":\"\"}");
}
