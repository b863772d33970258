/*
 * extension.h - what programs that load perftab.so share: a connection, whose errors end
 * the program.
 */
#ifndef PERFTAB_EXTENSION_H
#define PERFTAB_EXTENSION_H

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

static void open_with(const char *extension)
{
	char *error = NULL;

	need(sqlite3_open(":memory:", &db) == SQLITE_OK, "open");
	sqlite3_enable_load_extension(db, 1);
	need(sqlite3_load_extension(db, extension, NULL, &error) == SQLITE_OK, "load");
}

/* The caller finalizes it. */
static sqlite3_stmt *ask(const char *query, const char *path)
{
	sqlite3_stmt *statement;

	need(sqlite3_prepare_v2(db, query, -1, &statement, NULL) == SQLITE_OK, query);
	sqlite3_bind_text(statement, 1, path, -1, SQLITE_TRANSIENT);
	return statement;
}

#endif
