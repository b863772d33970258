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

/*
 * The reason why SQLite must fill the table: "it has triggers".  "" if there is none;
 * NULL: SQLite failed.  To be freed by sqlite3_free().
 */
char *catalog_refusal(sqlite3 *db, const char *table);
/* Calls visit() with each column, in order, until it returns false; an SQLite code. */
int catalog_columns(sqlite3 *db, const char *table,
		    bool (*visit)(void *context, size_t place,
				  const struct catalog_column *column),
		    void *context);
/* The same for each column of each index, by its place; an index's are together. */
int catalog_indexes(sqlite3 *db, const char *table,
		    bool (*visit)(void *context, const char *index, size_t column),
		    void *context);
/* The root page of a table or index; 0: there is none. */
uint32_t catalog_root(sqlite3 *db, const char *name);

#endif
