/*
 * check.h - checks a database before it gets its name.
 */
#ifndef PERFTAB_SQLITE_CHECK_H
#define PERFTAB_SQLITE_CHECK_H

#include <stdbool.h>

#include "base/error.h"
#include "output/sqlite_bulk/bulk.h"

/*
 * Page accounting (account.h) of a database that no connection has open, and SQLite's own
 * quick_check if `quick`.  `bulk`: the loader that wrote its pages, or NULL.
 */
MUST_CHECK enum status sqlite_check(const char *path, const struct bulk *bulk, bool quick,
				    struct error *error);

#endif
