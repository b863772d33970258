/*
 * ratios.h - makes the view of ratios of counters.
 */
#ifndef PERFTAB_OUTPUT_SQLITE_RATIOS_H
#define PERFTAB_OUTPUT_SQLITE_RATIOS_H

#include <sqlite3.h>

/*
 * Appends the SQL of process_metric, when all counters are there; an SQLite result
 * code.
 */
int sqlite_ratios_append(sqlite3 *db, sqlite3_str *sql);

#endif
