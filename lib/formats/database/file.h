/*
 * file.h - a converted database, opened as untrusted input.
 */
#ifndef PERFTAB_DATABASE_FILE_H
#define PERFTAB_DATABASE_FILE_H

#include <stddef.h>

#include "base/error.h"

struct sqlite3;

/* The first bytes are those of a database made by perftab-convert: 100, else 0. */
int database_probe(const uint8_t *head, size_t len);

/*
 * Opens it to be read, of this schema version.  Nothing in its schema is trusted, texts
 * are limited, and an interrupt ends a statement.  The caller closes *db, also after a
 * failure.
 */
MUST_CHECK enum status database_file_open(struct sqlite3 **db, const char *path,
					  struct error *error);
/*
 * The same; nothing is left of the file when it is closed, or when the process ends in
 * any way.  POSIX removes its name at once.
 */
MUST_CHECK enum status database_file_open_removed(struct sqlite3 **db, const char *path,
						  struct error *error);

/*
 * ST_UNSUPPORTED: a column of a table that is read is generated, by an expression that
 * may never end and which no interrupt reaches.
 */
MUST_CHECK enum status database_file_check_columns(struct sqlite3 *db,
						   struct error *error);

/* What SQLite has just refused, in words. */
enum status database_file_failed(struct sqlite3 *db, struct error *error);

#endif
