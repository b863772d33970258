/*
 * rows.h - a private table-valued function over a batch of rows.
 *
 *   INSERT INTO t (a, b) SELECT c0, c1 FROM perftab_rows(?1)
 *
 * with a struct batch bound by sqlite3_bind_pointer() as SQLITE_ROWS_POINTER.  One step
 * inserts the whole batch, about twice as fast as a step per row.  perftab_few_rows(?1)
 * is the same for up to SQLITE_ROWS_FEW_COLUMNS columns, and is prepared ten times as
 * fast.
 */
#ifndef PERFTAB_SQLITE_ROWS_H
#define PERFTAB_SQLITE_ROWS_H

#include <sqlite3.h>

#define SQLITE_ROWS_POINTER "perftab-batch"
#define SQLITE_ROWS_FEW_COLUMNS 32

/* Returns an SQLite result code. */
int sqlite_rows_register(sqlite3 *db);

#endif
