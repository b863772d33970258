/*
 * sql.h - one SELECT of the user's, asked of a database made by perftab-convert, or of a
 * trace: in place, or of a temporary database.
 *
 * For those whose SQLite loads no extensions: it has the functions of docs/counters.md.
 */
#ifndef PERFTAB_SQL_H
#define PERFTAB_SQL_H

#include <stdbool.h>

#include "base/error.h"

struct sql_options {
	const char *query;
	bool json; /* else CSV */
	bool csv_safe;
	bool no_sandbox; /* the program is not in one */
};

/*
 * Prints the rows on stdout; what was printed before a failure stays.  *is_damaged: the
 * trace is, and that was reported.
 */
MUST_CHECK enum status sql_print(const char *path, const struct sql_options *options,
				 bool *is_damaged, struct error *error);

#endif
