/* file.c - opens a converted database and checks its schema version. */
#include "formats/database/file.h"

#include <sqlite3.h>
#include <string.h>

#include "base/cursor.h"
#include "base/os.h"
#include "base/text.h"
#include "model/record.h"
#include "schema.h"

#define PROGRESS_STEPS 100000
#define TEXT_BYTES_MAX (16 << 20)
#define APPLICATION_ID_OFFSET 68 /* "Database File Format" of SQLite, section 1.3 */

int database_probe(const uint8_t *head, size_t len)
{
	struct cursor c;

	if (len < APPLICATION_ID_OFFSET + 4 || memcmp(head, "SQLite format 3", 16) != 0)
		return 0;
	c = cursor_over(head + APPLICATION_ID_OFFSET, 4, 0, true);
	return cursor_u32(&c) == SCHEMA_APPLICATION_ID ? 100 : 0;
}

enum status database_file_failed(sqlite3 *db, struct error *error)
{
	int code = sqlite3_errcode(db);

	if (code == SQLITE_INTERRUPT)
		return error_set(error, ST_INTERRUPTED, ERROR_NO_OFFSET, "interrupted");
	return error_set(error,
			 code == SQLITE_NOMEM	? ST_NOMEM
			 : code == SQLITE_IOERR ? ST_IO
						: ST_CORRUPT,
			 ERROR_NO_OFFSET, "database: %s", sqlite3_errmsg(db));
}

static int poll_interrupt(void *unused)
{
	(void)unused;
	return os_interrupted();
}

static enum status check_version(sqlite3 *db, struct error *error)
{
	sqlite3_stmt *statement;
	int version = -1;

	if (sqlite3_prepare_v2(db, "PRAGMA user_version", -1, &statement, NULL) !=
	    SQLITE_OK)
		return database_file_failed(db, error);
	if (sqlite3_step(statement) == SQLITE_ROW)
		version = sqlite3_column_int(statement, 0);
	if (sqlite3_finalize(statement) != SQLITE_OK)
		return database_file_failed(db, error);
	if (version != SCHEMA_VERSION)
		return error_set(
			error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
			"database: schema version %d, expected %d: convert the trace "
			"again",
			version, SCHEMA_VERSION);
	return ST_OK;
}

/* `vfs`: NULL is SQLite's own. */
static enum status open_through(const char *vfs, sqlite3 **db, const char *path,
				struct error *error)
{
	char *plain = sqlite3_mprintf("%s%s", os_is_absolute(path) ? "" : "./", path);
	int opened;

	if (!plain)
		return error_nomem(error);
	/* With a folder before it no name is taken for a URI or ":memory:". */
	/* No other thread uses it: without its mutex a column costs half. */
	opened = sqlite3_open_v2(plain, db, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX,
				 vfs);
	sqlite3_free(plain);
	if (opened != SQLITE_OK)
		return database_file_failed(*db, error);
	sqlite3_db_config(*db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(*db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	/* A column that is not there must not be taken for a text. */
	sqlite3_db_config(*db, SQLITE_DBCONFIG_DQS_DML, 0, NULL);
	sqlite3_limit(*db, SQLITE_LIMIT_LENGTH, TEXT_BYTES_MAX);
	sqlite3_progress_handler(*db, PROGRESS_STEPS, poll_interrupt, NULL);
	return check_version(*db, error);
}

enum status database_file_open(sqlite3 **db, const char *path, struct error *error)
{
	return open_through(NULL, db, path, error);
}

static enum status check_table(sqlite3 *db, sqlite3_stmt *find, const char *table,
			       struct error *error)
{
	enum status status = ST_OK;

	sqlite3_bind_text(find, 1, table, -1, SQLITE_STATIC);
	if (sqlite3_step(find) == SQLITE_ROW) {
		const char *column = (const char *)sqlite3_column_text(find, 0);
		char shown[200];

		text_shown(shown, sizeof(shown), str_of(column ? column : "?"), 40);
		status = error_set(error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
				   "database: %s.%s is a generated column, expected "
				   "stored ones",
				   table, shown);
	}
	if (sqlite3_reset(find) != SQLITE_OK && status == ST_OK)
		status = database_file_failed(db, error);
	return status;
}

enum status database_file_check_columns(sqlite3 *db, struct error *error)
{
	sqlite3_stmt *find;
	enum status status = ST_OK;

	if (sqlite3_prepare_v2(db,
			       "SELECT name FROM pragma_table_xinfo(?1) WHERE hidden > 1",
			       -1, &find, NULL) != SQLITE_OK)
		return database_file_failed(db, error);
	for (size_t i = 0; i < RECORD_TABLES && status == ST_OK; i++)
		status = check_table(db, find, tables[i].name, error);
	sqlite3_finalize(find);
	return status;
}

/* --- a database that is gone when it is closed --- */

#define REMOVING_VFS "perftab-removing"

/* SQLite does so with temporary files of its own, at once where the system can. */
static int open_removed(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags,
			int *opened)
{
	sqlite3_vfs *own = sqlite3_vfs_find(NULL);

	(void)vfs;
	return own->xOpen(own, name, file, flags | SQLITE_OPEN_DELETEONCLOSE, opened);
}

enum status database_file_open_removed(sqlite3 **db, const char *path,
				       struct error *error)
{
	static sqlite3_vfs vfs;
	const sqlite3_vfs *own = sqlite3_vfs_find(NULL);

	if (!own)
		return error_nomem(error);
	if (!vfs.zName) {
		vfs = *own;
		vfs.pNext = NULL;
		vfs.zName = REMOVING_VFS;
		vfs.xOpen = open_removed;
		sqlite3_vfs_register(&vfs, false);
	}
	return open_through(REMOVING_VFS, db, path, error);
}
