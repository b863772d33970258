/* check.c - checks a finished database: page accounting, quick_check. */
#include "output/sqlite/check.h"

#include <string.h>

#include "base/os.h"
#include "output/sqlite_bulk/page_account.h"

#define PROGRESS_STEPS 100000 /* SQLite instructions between looks at the signals */

static enum status failed(sqlite3 *db, const char *path, struct error *error)
{
	return error_set(error, os_interrupted() ? ST_INTERRUPTED : ST_IO,
			 ERROR_NO_OFFSET, "cannot check %s: %s", path,
			 sqlite3_errmsg(db));
}

static enum status account_one(struct bulk_page_account *account, const struct bulk *bulk,
			       const char *name, uint32_t root, struct error *error)
{
	uint64_t cells, expected;
	enum status status = page_account_tree(account, root, &cells, error);

	if (status == ST_OK && bulk && bulk_expects(bulk, name, &expected) &&
	    cells != expected)
		return error_set(error, ST_CORRUPT, ERROR_NO_OFFSET,
				 "page accounting of %s: %s holds %llu rows, expected "
				 "%llu",
				 account->pages->path, name, (unsigned long long)cells,
				 (unsigned long long)expected);
	return status;
}

static enum status account_trees(struct bulk_page_account *account,
				 const struct bulk *bulk, sqlite3 *db,
				 struct error *error)
{
	sqlite3_stmt *trees;
	enum status status = ST_OK;
	int step = sqlite3_prepare_v2(db,
				      "SELECT 'sqlite_schema', 1 UNION ALL SELECT name, "
				      "rootpage FROM sqlite_schema WHERE rootpage > 0",
				      -1, &trees, NULL);

	while (status == ST_OK && (step = sqlite3_step(trees)) == SQLITE_ROW)
		status = account_one(account, bulk,
				     (const char *)sqlite3_column_text(trees, 0),
				     (uint32_t)sqlite3_column_int64(trees, 1), error);
	sqlite3_finalize(trees);
	if (status == ST_OK && step != SQLITE_DONE)
		return failed(db, account->pages->path, error);
	return status;
}

enum status sqlite_account(const char *path, const struct bulk *bulk, sqlite3 *db,
			   struct error *error)
{
	struct bulk_pages pages;
	struct bulk_page_account account;
	enum status status = pages_open(&pages, path, BULK_LOCK_BYTE, error);

	if (status != ST_OK)
		return status;
	status = page_account_begin(&account, &pages, error);
	if (status == ST_OK && bulk)
		bulk_known_pages(bulk, &account);
	if (status == ST_OK)
		status = account_trees(&account, bulk, db, error);
	if (status == ST_OK)
		status = page_account_end(&account, error);
	page_account_release(&account);
	pages_close(&pages);
	return status;
}

static enum status run_quick_check(const char *path, sqlite3 *db, struct error *error)
{
	sqlite3_stmt *check;
	enum status status = ST_OK;
	const char *answer;

	if (sqlite3_prepare_v2(db, "PRAGMA quick_check(1)", -1, &check, NULL) !=
		    SQLITE_OK ||
	    sqlite3_step(check) != SQLITE_ROW) {
		status = failed(db, path, error);
	} else {
		answer = (const char *)sqlite3_column_text(check, 0);
		if (!answer || strcmp(answer, "ok") != 0)
			status = error_set(error, ST_CORRUPT, ERROR_NO_OFFSET,
					   "quick_check of %s: %s", path,
					   answer ? answer : "no answer");
	}
	sqlite3_finalize(check);
	return status;
}

static int poll_interrupt(void *unused)
{
	(void)unused;
	return os_interrupted();
}

enum status sqlite_quick_check(const char *path, struct error *error)
{
	sqlite3 *db;
	enum status status;

	if (sqlite3_open_v2(path, &db,
			    SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX |
				    SQLITE_OPEN_PRIVATECACHE,
			    NULL) != SQLITE_OK) {
		status = failed(db, path, error);
	} else {
		sqlite3_progress_handler(db, PROGRESS_STEPS, poll_interrupt, NULL);
		status = run_quick_check(path, db, error);
	}
	sqlite3_close(db);
	return status;
}
