/*
 * sql_host.c - a program with SQLite that loads perftab.so: two cursors at once, and a
 * trace that is not one.
 *
 *	sql_host EXTENSION TRACE
 */
#include "extension.h"

/* Steps two statements in turns: the rows are the same. */
static void test_two_cursors(const char *path)
{
	const char *query = "SELECT ts_ns, delta_0 FROM perftab_switches(?)";
	sqlite3_stmt *a = ask(query, path), *b = ask(query, path);
	int rows = 0;

	while (sqlite3_step(a) == SQLITE_ROW) {
		need(sqlite3_step(b) == SQLITE_ROW, "two cursors: fewer rows");
		need(sqlite3_column_int64(a, 0) == sqlite3_column_int64(b, 0) &&
			     sqlite3_column_int64(a, 1) == sqlite3_column_int64(b, 1),
		     "two cursors: other rows");
		rows++;
	}
	need(rows > 10 && sqlite3_step(b) == SQLITE_DONE, "two cursors");
	sqlite3_finalize(a);
	sqlite3_finalize(b);
}

static void test_refusal(void)
{
	sqlite3_stmt *statement = ask("SELECT * FROM perftab_samples(?)", "/dev/null");

	need(sqlite3_step(statement) == SQLITE_ERROR, "a file that is empty");
	sqlite3_finalize(statement);
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 1;
	open_with(argv[1]);
	test_two_cursors(argv[2]);
	test_refusal();
	return sqlite3_close(db) == SQLITE_OK ? 0 : 1;
}
