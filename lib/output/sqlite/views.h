/*
 * views.h - makes the views with a column for each counter of the trace.
 *
 * Created after all rows, from the tables counter and counter_group.
 */
#ifndef PERFTAB_SQLITE_VIEWS_H
#define PERFTAB_SQLITE_VIEWS_H

#include <sqlite3.h>

/* Returns an SQLite result code. */
int sqlite_views_create(sqlite3 *db);

#endif
