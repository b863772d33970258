/*
 * extension.c - perftab.so: the SQL functions for other SQLite programs.
 *
 * SQLite finds the entry point by the name of the file.
 */
#include <sqlite3ext.h>
SQLITE_EXTENSION_INIT3

#include "counters/perf_counter_sql.h"
#include "sql/functions.h"

__attribute__((visibility("default"))) int sqlite3_perftab_init(
	sqlite3 *db, char **error, const sqlite3_api_routines *api);

int sqlite3_perftab_init(sqlite3 *db, char **error, const sqlite3_api_routines *api)
{
	int result;

	SQLITE_EXTENSION_INIT2(api);
	/* SQLITE_INNOCUOUS needs 3.31, and the functions called here must exist. */
	if (sqlite3_libversion_number() < 3031000) {
		*error = sqlite3_mprintf("perftab needs SQLite 3.31 or newer, this is %s",
					 sqlite3_libversion());
		return SQLITE_ERROR;
	}
	result = perf_counter_sql_register(db);
	return result == SQLITE_OK ? trace_functions_register(db, NULL) : result;
}
