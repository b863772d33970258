/*
 * sql_host.c - a program with SQLite that loads perftab.so: two cursors at once, and a
 * trace that is not one.
 *
 *	sql_host EXTENSION TRACE
 */
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static sqlite3 *db;

static void need(bool is_right, const char *what)
{
	if (is_right)
		return;
	fprintf(stderr, "%s: %s\n", what, sqlite3_errmsg(db));
	exit(1);
}

static sqlite3_stmt *ask(const char *query, const char *path)
{
	sqlite3_stmt *statement;

	need(sqlite3_prepare_v2(db, query, -1, &statement, NULL) == SQLITE_OK, query);
	sqlite3_bind_text(statement, 1, path, -1, SQLITE_TRANSIENT);
	return statement;
}

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
	char *error = NULL;

	if (argc != 3 || sqlite3_open(":memory:", &db) != SQLITE_OK)
		return 1;
	sqlite3_enable_load_extension(db, 1);
	need(sqlite3_load_extension(db, argv[1], NULL, &error) == SQLITE_OK, "load");
	test_two_cursors(argv[2]);
	test_refusal();
	return sqlite3_close(db) == SQLITE_OK ? 0 : 1;
}
