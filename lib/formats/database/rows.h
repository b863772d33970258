/* rows.h - rows of tables by SQLite's own columns. */
#ifndef PERFTAB_DATABASE_ROWS_H
#define PERFTAB_DATABASE_ROWS_H

#include <sqlite3.h>

#include "model/record.h"

/* The names of the table's columns, with commas. */
void db_rows_columns(sqlite3_str *sql, const struct table *table);
/* The current row, whose first columns are those; its texts are SQLite's. */
void db_rows_decode(sqlite3_stmt *rows, const struct table *table, void *row);

#endif
