/*
 * catalog.h - what SQLite says about its tables and indexes, for laying them down.
 */
#ifndef PERFTAB_BULK_CATALOG_H
#define PERFTAB_BULK_CATALOG_H

#include <sqlite3.h>
#include <stdbool.h>

#include "model/record.h"

/* A column of a table, or an index over one of its columns. */
struct catalog_column {
	const char *name;
	const char *type; /* as declared */
	bool not_null;
	bool has_default;
	bool is_id; /* INTEGER PRIMARY KEY: the row id by another name */
};

/*
 * Why SQLite has to fill the table itself: "it has triggers".  "" when there is no
 * reason; NULL: SQLite failed.  To be freed by sqlite3_free().
 */
char *catalog_refusal(sqlite3 *db, const char *table);
/* Calls take() with each column, in order, until it returns false; an SQLite code. */
int catalog_columns(sqlite3 *db, const char *table,
		    bool (*visit)(void *context, size_t place,
				  const struct catalog_column *column),
		    void *context);
/* The same with each index and the place of its one column. */
int catalog_indexes(sqlite3 *db, const char *table,
		    bool (*visit)(void *context, const char *index, size_t column),
		    void *context);
/* The root page of a table or index; 0: there is none. */
uint32_t catalog_root(sqlite3 *db, const char *name);

#endif
