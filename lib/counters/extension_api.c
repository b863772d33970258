/*
 * extension_api.c - in perftab.so: the functions of the SQLite that loads it.
 *
 * SQLite's header replaces each call with one through this pointer, which the entry of
 * the extension sets (lib/sql/extension.c).
 */
#include <sqlite3ext.h>
SQLITE_EXTENSION_INIT1
