/*
 * sql_trace.h - a trace as a temporary database, for --sql.
 */
#ifndef PERFTAB_SQL_TRACE_H
#define PERFTAB_SQL_TRACE_H

#include <sqlite3.h>
#include <stdbool.h>

#include "base/error.h"

struct sql_trace {
	char folder[4096]; /* made for it; "": none */
	char path[4128];   /* of the database in it */
	bool is_damaged;   /* the trace; it was reported */
	bool only_totals;  /* the tables that bills are made of; others are empty */
};

/* Whether the query names a view that needs no more than totals, and no other rows. */
bool sql_trace_needs_totals(const char *path, const char *query);
/* Whether the query, in a database of totals, reads only tables that are complete. */
bool sql_trace_suffices(sqlite3 *db, const char *query);

/*
 * Converts it.  sql_trace_remove() in any case.  SIGINT and SIGTERM are caught meanwhile,
 * and end the program.
 */
MUST_CHECK enum status sql_trace_convert(struct sql_trace *trace, const char *path,
					 struct error *error);
/*
 * Removes the files; an open database can still be read.  Windows does not remove what is
 * open: call it again when the database is closed.
 */
void sql_trace_remove(struct sql_trace *trace);

#endif
