/*
 * sql_in_place.h - a trace as views over the functions of lib/sql, for --sql.
 *
 * One pass, no temporary database, and a query with LIMIT ends early.
 */
#ifndef PERFTAB_SQL_IN_PLACE_H
#define PERFTAB_SQL_IN_PLACE_H

#include <sqlite3.h>
#include <stdatomic.h>
#include <stdbool.h>

struct sql_in_place {
	const char *path;
	atomic_bool is_damaged; /* what was read; it was reported */
};

/*
 * Opens a database in memory in which `query` can be asked of the trace.  False: the
 * query needs more than one pass over one table, a view, or something else that a
 * converted trace has; *db is then NULL.  `in_place` must outlive the database.
 */
bool sql_in_place_open(sqlite3 **db, struct sql_in_place *in_place, const char *query);

#endif
