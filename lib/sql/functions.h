/*
 * functions.h - table-valued functions over traces, for one SQLite connection:
 *
 *   perftab_switches(path)     context_switch, with delta_0, delta_1, ...
 *   perftab_samples(path)      sample
 *   perftab_findings(path)     finding
 *   perftab_table(path, name)  any table: its columns are hidden, and `json` has all
 *   perftab_bill(path, by)     the bill, a row for each line and counter
 *
 * docs/library.md describes them.  Each cursor reads its trace with a feed of its own.
 */
#ifndef PERFTAB_SQL_FUNCTIONS_H
#define PERFTAB_SQL_FUNCTIONS_H

#include "model/record.h"

struct sqlite3;

struct trace_functions {
	bool for_views; /* views may use them: else no schema can name files to read */
	bool no_sandbox;
	/* Of each trace that is read to its end, in another thread; or NULL. */
	void (*finding)(void *context, const char *format,
			const struct finding_row *finding);
	void *context;
};

/* Deltas that `*` has; more of them are hidden columns. */
#define SQL_DELTAS_SHOWN 16

/* Registers them for one connection; options may be NULL.  An SQLite result code. */
int trace_functions_register(struct sqlite3 *db, const struct trace_functions *options);
/*
 * Declares their columns now, not when a statement first names them: SQLite then asks the
 * authorizer whether the schema may be written.  False: as sqlite3_errmsg() says.
 */
bool trace_functions_declare(struct sqlite3 *db);

#endif
