/*
 * staging.h - rows that cannot be laid down wait in a temporary database.
 *
 * It has the schema of the output, so that SQLite says at once what is wrong with a row;
 * its file has no name, and goes with the program.  At the end its rows are inserted into
 * the output, under the row ids they were given.
 */
#ifndef PERFTAB_SQLITE_SIDE_H
#define PERFTAB_SQLITE_SIDE_H

#include <sqlite3.h>

#include "model/record.h"
#include "output/sqlite/batch.h"

/* An SQLite result code; *side is to be closed in any case. */
int staging_open(sqlite3 **staging);
/*
 * Inserts a row of the batch.  *insert, NULL at first, is the statement kept for the next
 * row of the batch, to be finalized.
 */
int staging_add(sqlite3 *staging, sqlite3_stmt **insert, const struct batch *batch,
		const char *row, int64_t rowid);
/* All rows of the table, into one of the same name and columns. */
int staging_copy(sqlite3 *staging, sqlite3 *to, const struct table *table);

#endif
