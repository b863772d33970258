/*
 * fuzz_trace_sql.c - any bytes as a trace that SQL reads in place.
 *
 * Its size and a byte choose two queries.  Statements may fail with a text; some end
 * before the trace does.
 */
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "mutant.h"
#include "mutate_perf.h"
#include "scratch.h"
#include "sql/functions.h"

#define ROWS_MAX 5000

static const char *const queries[] = {
	"SELECT * FROM perftab_switches(?1)",
	"SELECT * FROM perftab_switches(?1) WHERE cpu = 1 AND ts_ns > 1000 LIMIT 3",
	"SELECT sum(delta_0), sum(delta_20) FROM perftab_switches(?1) GROUP BY cpu",
	"SELECT * FROM perftab_samples(?1)",
	"SELECT * FROM perftab_findings(?1)",
	"SELECT json, name, value, ts_ns FROM perftab_table(?1, 'thread')",
	"SELECT json, name, value FROM perftab_table(?1, 'header_fact')",
	"SELECT json FROM perftab_table(?1, 'sched_switch')",
	"SELECT * FROM perftab_bill(?1, 'process')",
	"SELECT * FROM perftab_bill(?1, 'cgroup')",
	"SELECT count(*) FROM perftab_findings(?1) AS a, perftab_bill(?1, 'cpu') AS b",
};

static sqlite3 *db;

static void begin(void)
{
	/* A thread that is not confined can report what a sanitizer finds. */
	const struct trace_functions options = { .no_sandbox = true };

	if (sqlite3_open(":memory:", &db) != SQLITE_OK ||
	    trace_functions_register(db, &options) != SQLITE_OK)
		abort();
}

/* Every byte of every value. */
static unsigned int sum_row(sqlite3_stmt *statement)
{
	unsigned int sum = 0;

	for (int i = 0; i < sqlite3_column_count(statement); i++) {
		const unsigned char *bytes = sqlite3_column_blob(statement, i);

		for (int k = sqlite3_column_bytes(statement, i); bytes && k-- > 0;)
			sum += bytes[k];
	}
	return sum;
}

/* Keeps the compiler from leaving the reads out. */
static volatile unsigned int seen;

static void ask(const char *query)
{
	sqlite3_stmt *statement;
	int result, rows = 0;

	if (sqlite3_prepare_v2(db, query, -1, &statement, NULL) != SQLITE_OK)
		abort();
	sqlite3_bind_text(statement, 1, scratch_path("trace"), -1, SQLITE_TRANSIENT);
	while ((result = sqlite3_step(statement)) == SQLITE_ROW && rows++ < ROWS_MAX)
		seen += sum_row(statement);
	if (result != SQLITE_ROW && result != SQLITE_DONE && !sqlite3_errmsg(db)[0])
		abort(); /* refused without a reason */
	sqlite3_finalize(statement);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const size_t count = sizeof(queries) / sizeof(queries[0]);

	if (size < 1)
		return 0;
	if (!db)
		begin();
	scratch_save("trace", data, size);
	ask(queries[size % count]);
	ask(queries[(size + 1 + data[size / 2]) % count]);
	return 0;
}

FUZZ_MUTATOR(mutate_perf_file);
