/*
 * staging.h - a temporary database for rows that the bulk loader leaves.
 *
 * It has the schema of the output, so that SQLite reports an invalid row at once; its
 * file has no name and ends with the program.  At the end its rows are inserted into the
 * output with the row ids they would have had.
 */
#ifndef PERFTAB_SQLITE_STAGING_H
#define PERFTAB_SQLITE_STAGING_H

#include <sqlite3.h>

#include "model/record.h"
#include "output/sqlite/batch.h"

/*
 * Opens it with the tables of `catalog`.  An SQLite result code; *staging is to be closed
 * in any case.
 */
int staging_open(sqlite3 **staging, sqlite3 *catalog);
/*
 * Inserts a row of the batch.  *insert, NULL at first, is the statement kept for the next
 * row of the batch, to be finalized.
 */
int staging_add(sqlite3 *staging, sqlite3_stmt **insert, const struct batch *batch,
		const char *row, int64_t rowid);
/* Copies all rows of the table into one of the same name and columns. */
int staging_copy(sqlite3 *staging, sqlite3 *to, const struct table *table);

#endif
