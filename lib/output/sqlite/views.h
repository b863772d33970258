/*
 * views.h - the views whose columns are the trace's own counters.
 *
 * Created after all rows, from the tables counter and counter_group.
 */
#ifndef PERFTAB_SQLITE_VIEWS_H
#define PERFTAB_SQLITE_VIEWS_H

#include <sqlite3.h>

/* An SQLite result code. */
int sqlite_views_create(sqlite3 *db);

#endif
