/* staging.c - keeps rows in a temporary database and copies them at the end. */
#include "output/sqlite/staging.h"

#include "base/array.h"

static int copy_pages(sqlite3 *to, sqlite3 *from)
{
	sqlite3_backup *backup = sqlite3_backup_init(to, "main", from, "main");
	int result = backup ? sqlite3_backup_step(backup, -1) : sqlite3_errcode(to);

	(void)sqlite3_backup_finish(backup);
	return result == SQLITE_DONE ? SQLITE_OK : result;
}

int staging_open(sqlite3 **staging, sqlite3 *catalog)
{
	int result = sqlite3_open_v2(
		"", staging,
		SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL);

	if (result == SQLITE_OK)
		result = copy_pages(*staging, catalog);
	if (result == SQLITE_OK)
		result = sqlite3_exec(*staging,
				      "PRAGMA journal_mode = OFF;"
				      "PRAGMA cache_size = -4096;"
				      "PRAGMA foreign_keys = OFF;"
				      "BEGIN",
				      NULL, NULL, NULL);
	return result;
}

/* A name of SQLite for the row id that is not a column's; NULL: all are columns. */
static const char *rowid_name(const struct table *table)
{
	static const char *const names[] = { "rowid", "_rowid_", "oid" };

	for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
		bool taken = false;

		for (size_t k = 0; k < table->field_count; k++)
			taken |= sqlite3_stricmp(table->fields[k].name, names[i]) == 0;
		if (!taken)
			return names[i];
	}
	return NULL;
}

static void append_names(sqlite3_str *sql, const struct batch *batch)
{
	const char *rowid = rowid_name(batch->table);

	if (rowid)
		sqlite3_str_appendf(sql, "%s, ", rowid);
	for (size_t i = 0; i < batch->table->field_count; i++)
		sqlite3_str_appendf(sql, "%s\"%w\"", i ? ", " : "",
				    batch->table->fields[i].name);
	for (size_t i = 0; i < batch->slots; i++)
		sqlite3_str_appendf(sql, ", delta_%d", (int)i);
}

static int prepare(sqlite3 *db, sqlite3_str *sql, sqlite3_stmt **statement)
{
	char *text = sqlite3_str_finish(sql);
	int result = text ? sqlite3_prepare_v3(db, text, -1, SQLITE_PREPARE_PERSISTENT,
					       statement, NULL)
			  : SQLITE_NOMEM;

	sqlite3_free(text);
	return result;
}

/* INSERT INTO t (rowid, a, b, delta_0) VALUES (?, ?, ?, ?) */
static int prepare_insert(sqlite3 *db, const struct batch *batch, sqlite3_stmt **insert)
{
	sqlite3_str *sql = sqlite3_str_new(db);
	size_t columns = batch->table->field_count + batch->slots +
			 (rowid_name(batch->table) != NULL);

	sqlite3_str_appendf(sql, "INSERT INTO \"%w\" (", batch->table->name);
	append_names(sql, batch);
	sqlite3_str_appendall(sql, ") VALUES (?");
	for (size_t i = 1; i < columns; i++)
		sqlite3_str_appendall(sql, ", ?");
	sqlite3_str_appendall(sql, ")");
	return prepare(db, sql, insert);
}

/* Unbound parameters are NULL. */
static int bind_field(sqlite3_stmt *insert, int place, enum field_kind kind,
		      const char *from)
{
	struct str text;
	int64_t value;
	double real;

	if (kind == FIELD_REAL) {
		memcpy(&real, from, sizeof(real));
		return sqlite3_bind_double(insert, place, real);
	}
	if (field_is_int(kind)) {
		memcpy(&value, from, sizeof(value));
		return value == INT_NONE && kind == FIELD_INT
			       ? SQLITE_OK
			       : sqlite3_bind_int64(insert, place, value);
	}
	memcpy(&text, from, sizeof(text));
	if (!text.ptr)
		return SQLITE_OK;
	return kind == FIELD_BLOB ? sqlite3_bind_blob64(insert, place, text.ptr, text.len,
							SQLITE_STATIC)
				  : sqlite3_bind_text64(insert, place, text.ptr, text.len,
							SQLITE_STATIC, SQLITE_UTF8);
}

static int bind_row(sqlite3_stmt *insert, const struct batch *batch, const char *row,
		    int64_t rowid)
{
	const struct table *table = batch->table;
	int place = 1, result = SQLITE_OK;

	/* An INTEGER PRIMARY KEY comes later and overrides it. */
	if (rowid_name(table))
		result = sqlite3_bind_int64(insert, place++, rowid);
	for (size_t i = 0; i < table->field_count && result == SQLITE_OK; i++)
		result = bind_field(insert, place++, table->fields[i].kind,
				    row + table->fields[i].offset);
	for (size_t i = 0; i < batch->slots && result == SQLITE_OK; i++)
		result = bind_field(insert, place++, FIELD_VALUE,
				    row + table->row_size + i * sizeof(int64_t));
	return result;
}

static int step(sqlite3_stmt *insert, int result)
{
	if (result == SQLITE_OK)
		result = sqlite3_step(insert);
	sqlite3_reset(insert);
	sqlite3_clear_bindings(insert);
	return result == SQLITE_DONE ? SQLITE_OK : result;
}

int staging_add(sqlite3 *staging, sqlite3_stmt **insert, const struct batch *batch,
		const char *row, int64_t rowid)
{
	int result = *insert ? SQLITE_OK : prepare_insert(staging, batch, insert);

	return result == SQLITE_OK ? step(*insert, bind_row(*insert, batch, row, rowid))
				   : result;
}

/* SELECT of every column of the table, the row id first. */
static int prepare_copy(sqlite3 *staging, sqlite3 *to, const struct table *table,
			sqlite3_stmt **select, sqlite3_stmt **insert)
{
	const char *rowid = rowid_name(table);
	sqlite3_str *sql = sqlite3_str_new(staging);
	int result, columns;

	sqlite3_str_appendf(sql, "SELECT %s%s* FROM \"%w\"", rowid ? rowid : "",
			    rowid ? ", " : "", table->name);
	result = prepare(staging, sql, select);
	if (result != SQLITE_OK)
		return result;
	columns = sqlite3_column_count(*select);
	sql = sqlite3_str_new(to);
	sqlite3_str_appendf(sql, "INSERT INTO \"%w\" (", table->name);
	for (int i = 0; i < columns; i++)
		sqlite3_str_appendf(sql, "%s\"%w\"", i ? ", " : "",
				    i || !rowid ? sqlite3_column_name(*select, i)
						: rowid);
	sqlite3_str_appendall(sql, ") VALUES (?");
	for (int i = 1; i < columns; i++)
		sqlite3_str_appendall(sql, ", ?");
	sqlite3_str_appendall(sql, ")");
	return prepare(to, sql, insert);
}

int staging_copy(sqlite3 *staging, sqlite3 *to, const struct table *table)
{
	sqlite3_stmt *select = NULL, *insert = NULL;
	int result = prepare_copy(staging, to, table, &select, &insert);

	while (result == SQLITE_OK && (result = sqlite3_step(select)) == SQLITE_ROW) {
		result = SQLITE_OK;
		for (int i = 0; i < sqlite3_column_count(select); i++)
			if (result == SQLITE_OK)
				result = sqlite3_bind_value(
					insert, i + 1, sqlite3_column_value(select, i));
		result = step(insert, result);
	}
	sqlite3_finalize(select);
	sqlite3_finalize(insert);
	return result == SQLITE_DONE ? SQLITE_OK : result;
}
