/*
 * check.h - checks a database before it gets its name.
 */
#ifndef PERFTAB_SQLITE_CHECK_H
#define PERFTAB_SQLITE_CHECK_H

#include <sqlite3.h>

#include "base/error.h"
#include "output/sqlite_bulk/bulk.h"

/*
 * Page accounting (page_account.h) of the database at `path`.  `db` has it open and knows
 * its trees, with all changes in the file.  `bulk`: the loader that wrote its pages, or
 * NULL.
 */
MUST_CHECK enum status sqlite_account(const char *path, const struct bulk *bulk,
				      sqlite3 *db, struct error *error);
/* SQLite's own check of a database that no connection has open. */
MUST_CHECK enum status sqlite_quick_check(const char *path, struct error *error);

#endif
