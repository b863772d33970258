/*
 * sql_host.c - a program with an SQLite of its own, under Windows: loads an extension and
 * prints the rows of a query: sql_host EXTENSION QUERY
 */
#include <sqlite3.h>
#include <stdio.h>

static int print_row(void *context, int count, char **values, char **names)
{
	(void)context;
	(void)names;
	for (int i = 0; i < count; i++)
		printf("%s%s", i ? "|" : "", values[i] ? values[i] : "");
	printf("\n");
	return 0;
}

int main(int argc, char **argv)
{
	sqlite3 *db = NULL;
	char *why = NULL;

	if (argc != 3) {
		fputs("usage: sql_host EXTENSION QUERY\n", stderr);
		return 2;
	}
	if (sqlite3_open(":memory:", &db) == SQLITE_OK &&
	    sqlite3_enable_load_extension(db, 1) == SQLITE_OK &&
	    sqlite3_load_extension(db, argv[1], NULL, &why) == SQLITE_OK &&
	    sqlite3_exec(db, argv[2], print_row, NULL, &why) == SQLITE_OK) {
		sqlite3_close(db);
		return 0;
	}
	fprintf(stderr, "sql_host: %s\n", why ? why : sqlite3_errmsg(db));
	sqlite3_free(why);
	sqlite3_close(db);
	return 1;
}
