/* test_perf_counter_sql.c - the SQL functions of the counter calculator. */
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "counters/perf_counter.h"
#include "counters/perf_counter_sql.h"
#include "unit.h"

static int setup(void **state)
{
	sqlite3 *db;

	if (sqlite3_open(":memory:", &db) != SQLITE_OK ||
	    perf_counter_sql_register(db) != SQLITE_OK)
		return -1;
	*state = db;
	return 0;
}

static int teardown(void **state)
{
	return sqlite3_close(*state);
}

UNIT_GROUP(setup, teardown);

/* The first column of the first row as text, "NULL", or "error: ...". */
static void ask(sqlite3 *db, const char *sql, char *answer, size_t room)
{
	sqlite3_stmt *statement;
	const char *text;
	int result;

	if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK) {
		(void)snprintf(answer, room, "error: %s", sqlite3_errmsg(db));
		return;
	}
	result = sqlite3_step(statement);
	text = result == SQLITE_ROW ? (const char *)sqlite3_column_text(statement, 0)
				    : NULL;
	if (result != SQLITE_ROW)
		(void)snprintf(answer, room, "error: %s", sqlite3_errmsg(db));
	else
		(void)snprintf(answer, room, "%s", text ? text : "NULL");
	sqlite3_finalize(statement);
}

#define VALUE "perf_counter_value"
#define STATUS_OF "perf_counter_status"
#define RATE "272696320" /* PERF_COUNTER_COUNTER */
#define TEN_UMLAUTS \
	"\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4"

static const struct {
	int line;
	const char *sql, *answer;
} rows[] = {
	/* Values are real numbers, always. */
	{ ROW, VALUE "(" RATE ", 0, 9, 0, 100000000, 10000000)", "0.9" },
	{ ROW, "typeof(" VALUE "(65536, NULL, 7, NULL, NULL, NULL))", "real" },
	{ ROW, "typeof(" VALUE "(" RATE ", 0, 9, 5, 5, 1))", "null" },
	{ ROW, STATUS_OF "(" RATE ", 0, 9, 0, 1, 1)", "ok" },
	{ ROW, STATUS_OF "(" RATE ", 9, 8, 0, 1, 1)", "negative" },
	{ ROW, VALUE "(" RATE ", 9, 8, 0, 1, 1)", "NULL" },
	{ ROW, STATUS_OF "(" RATE ", 4294967290, 5, 0, 1, 1)", "wrapped" },
	{ ROW, VALUE "(" RATE ", 4294967290, 5, 0, 1, 1)", "11.0" },
	/* NULL is what is not known. */
	{ ROW, STATUS_OF "(NULL, 1, 2, 1, 2, 1)", "unknown_type" },
	{ ROW, STATUS_OF "(" RATE ", 1, NULL, 1, 2, 1)", "missing" },
	{ ROW, STATUS_OF "(" RATE ", NULL, 2, 1, 2, 1)", "single_sample" },
	{ ROW, STATUS_OF "(" RATE ", 1, 2, NULL, 2, 1)", "no_time" },
	{ ROW, STATUS_OF "(" RATE ", 1, 2, 1, NULL, 1)", "no_time" },
	{ ROW, STATUS_OF "(" RATE ", 1, 2, 1, 2, NULL)", "no_frequency" },
	{ ROW, STATUS_OF "(" RATE ", 1, 2, 1, 2, 1, NULL, NULL, NULL, NULL)", "ok" },
	/* Types are unsigned; anything else is none. */
	{ ROW, STATUS_OF "(2147483648, 1, 2, 1, 2, 1)", "no_number" },
	{ ROW, STATUS_OF "(-1, 1, 2, 1, 2, 1)", "unknown_type" },
	{ ROW, STATUS_OF "(4567663616, 1, 2, 1, 2, 1)", "unknown_type" },
	{ ROW, VALUE "('0x10410400', 0, 9, 0, 1, 1)", "9.0" },
	/* Values are unsigned 64-bit, however they are written. */
	{ ROW, VALUE "(65792, 0, -1, 0, 0, 0)", "1.84467440737096e+19" },
	{ ROW, VALUE "(65792, 0, '18446744073709551615', 0, 0, 0)",
	  "1.84467440737096e+19" },
	{ ROW, VALUE "(65792, 0, '0xFFFFffffFFFFffff', 0, 0, 0)",
	  "1.84467440737096e+19" },
	{ ROW, VALUE "(65536, 0, '042', 0, 0, 0)", "42.0" },
	/* A real number has lost digits, and other texts are none. */
	{ ROW, VALUE "(65792, 0, 18446744073709551615, 0, 0, 0)",
	  "error: n1: expected an integer, found a real number" },
	{ ROW, VALUE "(65792, 0, '18446744073709551616', 0, 0, 0)",
	  "error: n1: expected an integer, found the text '18446744073709551616'" },
	{ ROW, VALUE "(65792, 0, '', 0, 0, 0)",
	  "error: n1: expected an integer, found the text ''" },
	{ ROW, VALUE "(65792, 0, '0x', 0, 0, 0)",
	  "error: n1: expected an integer, found the text '0x'" },
	{ ROW, VALUE "(65792, 0, '1a', 0, 0, 0)",
	  "error: n1: expected an integer, found the text '1a'" },
	{ ROW, STATUS_OF "(65792, 0, 1, x'00', 0, 0)",
	  "error: d0: expected an integer, found a blob" },
	{ ROW, VALUE "('x', 0, 1, 0, 0, 0)",
	  "error: type: expected an integer, found the text 'x'" },
	/* Multi-timers, their variants, and bytes. */
	{ ROW, STATUS_OF "(574686464, 0, 30, 0, 20, 10)", "no_multi" },
	{ ROW, VALUE "(574686464, 0, 30, 0, 20, 10, 4)", "37.5" },
	{ ROW, VALUE "(574686464, 0, 30, 0, 20, 10, 4, 'share')", "37.5" },
	{ ROW, VALUE "(574686464, 0, 30, 0, 20, 10, 4, 'kit')", "150.0" },
	{ ROW, VALUE "(574686464, 0, 30, 0, 20, 10, 4, 'pdh')",
	  "error: variant: expected share, ce, kit, sdk or pcq, found the text 'pdh'" },
	{ ROW, VALUE "(574686464, 0, 30, 0, 20, 10, 4, 1)",
	  "error: variant: expected share, ce, kit, sdk or pcq, found an integer" },
	{ ROW, VALUE "(574686464, 0, 30, 0, 20, 10, 4, 'kit' || char(0))",
	  "error: variant: expected share, ce, kit, sdk or pcq, found the text 'kit'" },
	{ ROW, VALUE "(65792, 0, '1' || char(0), 0, 0, 0)",
	  "error: n1: expected an integer, found the text '1'" },
	/* Long texts are cut between characters: 40 of them. */
	{ ROW,
	  VALUE "('" TEN_UMLAUTS TEN_UMLAUTS TEN_UMLAUTS TEN_UMLAUTS
		"xx', 0, 1, 0, 0, 0)",
	  "error: type: expected an integer, found the text '" TEN_UMLAUTS TEN_UMLAUTS
		  TEN_UMLAUTS TEN_UMLAUTS "'" },
	{ ROW, STATUS_OF "(" RATE ", 4294967290, 5, 0, 1, 1, NULL, NULL, 8)",
	  "negative" },
	{ ROW, STATUS_OF "(" RATE ", 4294967290, 5, 0, 1, 1, NULL, NULL, 4)", "wrapped" },
	{ ROW, STATUS_OF "(" RATE ", 1, 5, 0, 1, 1, NULL, NULL, 0)", "bytes" },
	{ ROW, STATUS_OF "(" RATE ", 1, 5, 0, 1, 1, NULL, NULL, 4294967300)", "bytes" },
	{ ROW, STATUS_OF "(1073874176, 0, 1, 9, 1, 1, NULL, NULL, 8, 8)",
	  "negative_base" },
	{ ROW, STATUS_OF "(1073874176, 0, 1, 4294967295, 1, 1, NULL, NULL, 8, 4)",
	  "wrapped" },
	/* How many arguments. */
	{ ROW, VALUE "(1, 2, 3, 4, 5)",
	  "error: expected 6 to 10 arguments: type, n0, n1, d0, d1, frequency, multi, variant, "
	  "n_bytes, d_bytes" },
	{ ROW, STATUS_OF "(1, 2, 3, 4, 5, 6, 7, 'ce', 4, 4, 4)",
	  "error: expected 6 to 10 arguments: type, n0, n1, d0, d1, frequency, multi, variant, "
	  "n_bytes, d_bytes" },
	/* What a type is. */
	{ ROW, "perf_counter_type_name(" RATE ")", "PERF_COUNTER_COUNTER" },
	{ ROW, "perf_counter_type_name(0x40030500)", "PERF_LARGE_RAW_BASE" },
	{ ROW, "perf_counter_type_name(1)", "NULL" },
	{ ROW, "perf_counter_type_name(NULL)", "NULL" },
	{ ROW, "perf_counter_type_name(0.5)",
	  "error: type: expected an integer, found a real number" },
	{ ROW, "perf_counter_unit(" RATE ")", "/sec" },
	{ ROW, "perf_counter_unit(65536)", "" },
	{ ROW, "perf_counter_unit(7)", "NULL" },
	{ ROW, "perf_counter_over(" RATE ")", "ticks" },
	{ ROW, "perf_counter_over(0x20510500)", "100ns" },
	{ ROW, "perf_counter_over(0x30240500)", "object" },
	{ ROW, "perf_counter_over(0x40020500)", "base" },
	{ ROW, "perf_counter_over(65536)", "NULL" },
	{ ROW, "perf_counter_over(7)", "NULL" },
	{ ROW, "perf_counter_base_type(0x40020500)", "1073939458" },
	{ ROW, "perf_counter_base_type(0x22410500)", "1107494144" },
	{ ROW, "perf_counter_base_type(" RATE ")", "NULL" },
	{ ROW, "perf_counter_base_type(NULL)", "NULL" },
};

UNIT_TEST(functions)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		char sql[256], answer[256];

		(void)snprintf(sql, sizeof(sql), "SELECT %s", rows[i].sql);
		ask(*state, sql, answer, sizeof(answer));
		ROW_TEXT(&rows[i], answer, rows[i].answer);
	}
}

/* Every type of the library is that of SQL. */
UNIT_TEST(types)
{
	for (size_t i = 0; i < perf_counter_type_count; i++) {
		char sql[128], answer[128];

		(void)snprintf(sql, sizeof(sql), "SELECT perf_counter_type_name(%u)",
			       perf_counter_types[i].type);
		ask(*state, sql, answer, sizeof(answer));
		assert_string_equal(answer, perf_counter_types[i].name);
	}
}

/* A view may use them in a database that is not trusted, and an index too. */
UNIT_TEST(schema)
{
	char answer[128];

	assert_int_equal(
		sqlite3_exec(
			*state,
			"CREATE TABLE raw(type, n0, n1, d0, d1, f);"
			"INSERT INTO raw VALUES (65536, 1, 7, 0, 0, 0);"
			"CREATE INDEX raw_by_name ON raw(perf_counter_type_name(type));"
			"CREATE VIEW cooked AS SELECT perf_counter_value(type, n0, n1, "
			"d0, d1, f) AS value FROM raw;"
			"PRAGMA trusted_schema = OFF",
			NULL, NULL, NULL),
		SQLITE_OK);
	ask(*state, "SELECT value FROM cooked", answer, sizeof(answer));
	assert_string_equal(answer, "7.0");
	ask(*state,
	    "SELECT n1 FROM raw WHERE perf_counter_type_name(type) = 'PERF_COUNTER_RAWCOUNT'",
	    answer, sizeof(answer));
	assert_string_equal(answer, "7");
}
