/*
 * image.h - the empty database of the schema, as SQLite made it when the programs were
 * built (schema/make_image.c).
 */
#ifndef PERFTAB_SQLITE_IMAGE_H
#define PERFTAB_SQLITE_IMAGE_H

#include <sqlite3.h>
#include <stdbool.h>

#include "base/error.h"

/*
 * Writes it to the empty file at `path`, which errors call `name`; pages of 32768 or 4096
 * bytes.
 */
MUST_CHECK enum status image_write(const char *path, const char *name,
				   bool has_large_pages, bool has_indexes,
				   struct error *error);
/* Opens a copy in memory; returns an SQLite code.  Close *db in any case. */
int image_open(sqlite3 **db, bool has_indexes);

#endif
