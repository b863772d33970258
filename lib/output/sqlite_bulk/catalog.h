/*
 * catalog.h - reads the description of tables and indexes from SQLite, for bulk loading.
 */
#ifndef PERFTAB_BULK_CATALOG_H
#define PERFTAB_BULK_CATALOG_H

#include <sqlite3.h>
#include <stdbool.h>

#include "model/record.h"

/* A column of a table. */
struct catalog_column {
	const char *name;
	const char *type; /* as declared */
	bool not_null;
	bool has_default;
	bool is_id; /* INTEGER PRIMARY KEY: an alias of the row id */
};

/* The statements are prepared once, for all tables: NULL at the beginning. */
struct catalog {
	sqlite3 *db; /* the caller's */
	sqlite3_stmt *refusal, *columns, *indexes;
};

/* Of the statements; before `db` is closed. */
void catalog_release(struct catalog *catalog);

/*
 * The reason why SQLite must fill the table: "it has triggers".  "" if there is none;
 * NULL: SQLite failed.  To be freed by sqlite3_free().
 */
char *catalog_refusal(struct catalog *catalog, const char *table);
/* Calls visit() with each column, in order, until it returns false; an SQLite code. */
int catalog_columns(struct catalog *catalog, const char *table,
		    bool (*visit)(void *context, size_t place,
				  const struct catalog_column *column),
		    void *context);
/* The same for each column of each index, by its place; an index's are together. */
int catalog_indexes(struct catalog *catalog, const char *table,
		    bool (*visit)(void *context, const char *index, size_t column),
		    void *context);
/* The root page of a table or index; 0: there is none. */
uint32_t catalog_root(sqlite3 *db, const char *name);

#endif
