/*
 * sql_trace.h - a trace as a temporary database, for --sql.
 */
#ifndef PERFTAB_SQL_TRACE_H
#define PERFTAB_SQL_TRACE_H

#include <stdbool.h>

#include "base/error.h"

struct sql_trace {
	char folder[4096]; /* made for it; "": none */
	char path[4128];   /* of the database in it */
	bool is_damaged;   /* the trace; it was reported */
};

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
