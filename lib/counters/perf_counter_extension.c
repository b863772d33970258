/*
 * perf_counter_extension.c - perftab.so: the SQL functions for other SQLite programs.
 *
 * SQLite finds the entry point by the name of the file.
 */
#include <sqlite3ext.h>
SQLITE_EXTENSION_INIT1

#include "counters/perf_counter_sql.h"

__attribute__((visibility("default"))) int sqlite3_perftab_init(
	sqlite3 *db, char **error, const sqlite3_api_routines *api);

int sqlite3_perftab_init(sqlite3 *db, char **error, const sqlite3_api_routines *api)
{
	SQLITE_EXTENSION_INIT2(api);
	/* SQLITE_INNOCUOUS needs 3.31, and the functions called here must exist. */
	if (sqlite3_libversion_number() < 3031000) {
		*error = sqlite3_mprintf("perftab needs SQLite 3.31 or newer, this is %s",
					 sqlite3_libversion());
		return SQLITE_ERROR;
	}
	return perf_counter_sql_register(db);
}
