/*
 * ratios.h - ratios of counters as a view.
 */
#ifndef PERFTAB_OUTPUT_SQLITE_RATIOS_H
#define PERFTAB_OUTPUT_SQLITE_RATIOS_H

#include <sqlite3.h>

/* Creates process_metric, when all counters are there.  Returns what SQLite says. */
int sqlite_ratios_create(sqlite3 *db);

#endif
