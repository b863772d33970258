/*
 * bulk.h - bulk-loads rows into a database file: writes its b-trees page by page while
 * SQLite has the file closed.
 *
 * The order of calls, which docs/bulk-load.md explains:
 *
 *   SQLite creates tables and indexes, all empty, and closes the file
 *   bulk_open, bulk_table for each table       nothing is written
 *   bulk_add for each row, by row id           leaves
 *   bulk_end_rows                              indexes, interior pages
 *   SQLite opens the file; bulk_find_roots; SQLite closes it
 *   bulk_set_roots                             roots: all is in place
 *   SQLite opens the file and does the rest
 *
 * A table or a row that cannot be loaded is left: the caller inserts it at the end.  So
 * is an index: bulk_reindex().
 */
#ifndef PERFTAB_BULK_BULK_H
#define PERFTAB_BULK_BULK_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "model/run_columns.h"
#include "output/sqlite_bulk/catalog.h"
#include "output/sqlite_bulk/page_account.h"

struct bulk;
struct bulk_table;

struct bulk_options {
	const char *path;
	size_t memory_bytes; /* for the keys that are sorted */
	bool is_checked;     /* each page, before it is written: page_check.h */
	uint32_t lock_byte;  /* 0: SQLite's own; else see SQLITE_TESTCTRL_PENDING_BYTE */
};

/* ST_UNSUPPORTED: the file is left to SQLite, error->text is the reason. */
MUST_CHECK enum status bulk_open(struct bulk **bulk, const struct bulk_options *options,
				 struct error *error);
/*
 * The table of the catalog with the layout's name, and with its columns in that order.
 * It may be the catalog of another database of the same schema.  If the table is left to
 * SQLite, *table is NULL and *reason, to be freed by sqlite3_free(), says why.
 */
MUST_CHECK enum status bulk_table(struct bulk *bulk, struct catalog *catalog,
				  const struct table *layout, struct bulk_table **table,
				  char **reason, struct error *error);
/*
 * Adds one row; `slots` integers follow it, as in a batch.  `rowid` is used unless the
 * first column is the row id.  *loaded false: the row was not added.
 */
MUST_CHECK enum status bulk_add(struct bulk_table *table, const char *row, size_t slots,
				int64_t rowid, bool *loaded, struct error *error);
/*
 * Rows of context_switch; *loaded false: none was added, and each is for bulk_add().
 * `next`, or NULL, comes after them: its columns are asked for meanwhile.
 */
MUST_CHECK enum status bulk_add_run(struct bulk_table *table,
				    const struct run_columns *run,
				    const struct run_columns *next, bool *loaded,
				    struct error *error);
/*
 * No more rows come: another thread begins to write an index while rows of other tables
 * are added.  Rows that come nevertheless are not loaded.
 */
MUST_CHECK enum status bulk_end_table(struct bulk_table *table, struct error *error);

/* Bytes of keys that did not fit into the memory given. */
uint64_t bulk_spilled(const struct bulk *bulk);

MUST_CHECK enum status bulk_end_rows(struct bulk *bulk, struct error *error);
MUST_CHECK enum status bulk_find_roots(struct bulk *bulk, sqlite3 *db,
				       struct error *error);
MUST_CHECK enum status bulk_set_roots(struct bulk *bulk, struct error *error);
/*
 * SQL that makes the indexes whose keys did not fit, once all rows are there; NULL: there
 * are none, or no memory.  For sqlite3_free().
 */
char *bulk_reindex(const struct bulk *bulk);

/*
 * For page accounting after the left rows are inserted: the rows or entries that a tree
 * should have (false: SQLite filled it alone), and the pages that are as they were
 * loaded.
 */
bool bulk_expects(const struct bulk *bulk, const char *name, uint64_t *count);
void bulk_known_pages(const struct bulk *bulk, struct bulk_page_account *account);
void bulk_close(struct bulk *bulk);

#endif
