/*
 * sql_trace.h - a trace as a temporary database, for --sql.
 */
#ifndef PERFTAB_SQL_TRACE_H
#define PERFTAB_SQL_TRACE_H

#include <sqlite3.h>
#include <stdbool.h>

#include "base/error.h"

struct sql_trace {
	bool only_totals; /* the tables that bills are made of; others are empty */
	bool is_damaged;  /* the trace; it was reported */
};

/* Whether the query names a view that needs no more than totals, and no other rows. */
bool sql_trace_needs_totals(const char *path, const char *query);
/* Whether the query, in a database of totals, reads only tables that are complete. */
bool sql_trace_suffices(sqlite3 *db, const char *query);

/*
 * Converts it, and opens the database.  SIGINT and SIGTERM are caught meanwhile, and end
 * the program.  No file is left, however it ends from then on.  The caller closes *db,
 * also after a failure.
 */
MUST_CHECK enum status sql_trace_open(struct sql_trace *trace, sqlite3 **db,
				      const char *path, struct error *error);

#endif
