/*
 * catalog.h - reads the description of tables and indexes from SQLite, for bulk loading.
 */
#ifndef PERFTAB_BULK_CATALOG_H
#define PERFTAB_BULK_CATALOG_H

#include <sqlite3.h>
#include <stdint.h>

/* Queries about a table, and the columns of their results. */
enum catalog_query {
	CATALOG_REFUSAL, /* see catalog_refusal() */
	/*
	 * Of each column: its name, its declared type, whether it is NOT NULL, whether it
	 * has a default, whether it is INTEGER PRIMARY KEY, an alias of the row id.
	 */
	CATALOG_COLUMNS,
	/* Of each column of each index, an index's together: the index, its place. */
	CATALOG_INDEXES,
	CATALOG_QUERIES
};

/* Statements, which are prepared once for all tables; NULL at first. */
struct catalog {
	sqlite3 *db; /* the caller's */
	sqlite3_stmt *statements[CATALOG_QUERIES];
};

/* Releases the statements; call it before closing `db`. */
void catalog_release(struct catalog *catalog);

/* Returns a query for sqlite3_step(), then sqlite3_reset(); NULL: SQLite failed. */
sqlite3_stmt *catalog_ask(struct catalog *catalog, enum catalog_query query,
			  const char *table);
/*
 * Returns the reason why SQLite must fill the table: "it has triggers".  "" if there is
 * none; NULL: SQLite failed.  To be freed by sqlite3_free().
 */
char *catalog_refusal(struct catalog *catalog, const char *table);
/* Returns the root page of a table or index; 0: there is none. */
uint32_t catalog_root(sqlite3 *db, const char *name);

#endif
