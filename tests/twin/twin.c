/* twin.c - see twin.h. */
#include "twin.h"

#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/sqlite_format.h"
#include "output/sqlite_bulk/bulk.h"
#include "output/sqlite_bulk/page_account.h"

#define PENDING_BYTE_OF_SQLITE 0x40000000u
#define MEMORY_BYTES ((size_t)16 << 20)

static bool wrong(struct twin *twin, const char *format, ...) PRINTF_LIKE(2, 3);

static bool wrong(struct twin *twin, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(twin->text, sizeof(twin->text), format, args);
	va_end(args);
	return false;
}

static const char *path_of(const struct twin *twin, const char *name, char path[512])
{
	snprintf(path, 512, "%s/%s.db", twin->directory, name);
	return path;
}

static bool run_sql(struct twin *twin, sqlite3 *db, const char *sql)
{
	return sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK ||
	       wrong(twin, "%s: %s", sql, sqlite3_errmsg(db));
}

/* --- an empty database of the schema --- */

static void append_table(const struct twin *twin, sqlite3_str *sql)
{
	static const char *const types[] = { "INTEGER", "INTEGER", "REAL", "TEXT",
					     "BLOB" };

	sqlite3_str_appendf(sql, "CREATE TABLE \"%w\" (", twin->table->name);
	for (size_t i = 0; i < twin->table->field_count; i++)
		sqlite3_str_appendf(sql, "%s\"%w\" %s%s%s", i ? ", " : "",
				    twin->table->fields[i].name,
				    types[twin->table->fields[i].kind],
				    !i && twin->has_id ? " PRIMARY KEY" : "",
				    i < 64 && twin->not_null >> i & 1 ? " NOT NULL" : "");
	sqlite3_str_appendall(sql, ") STRICT;");
}

static sqlite3 *create(struct twin *twin, const char *name)
{
	sqlite3_str *sql = sqlite3_str_new(NULL);
	char path[512], *text;
	sqlite3 *db;

	unlink(path_of(twin, name, path));
	sqlite3_open(path, &db);
	if (twin->reserved)
		sqlite3_file_control(db, "main", SQLITE_FCNTL_RESERVE_BYTES,
				     &twin->reserved);
	sqlite3_str_appendf(sql,
			    "PRAGMA page_size = %d; PRAGMA journal_mode = OFF;"
			    "PRAGMA synchronous = OFF;",
			    (int)twin->page_bytes);
	append_table(twin, sql);
	for (size_t i = 0; i < twin->table->field_count && i < 64; i++)
		if (twin->indexed >> i & 1)
			sqlite3_str_appendf(sql,
					    "CREATE INDEX \"by %d\" ON \"%w\"(\"%w\");",
					    (int)i, twin->table->name,
					    twin->table->fields[i].name);
	for (size_t i = 0; i < twin->wide_count; i++)
		sqlite3_str_appendf(
			sql, i ? ", \"%w\"" : "CREATE INDEX wide ON \"%w\"(\"%w\"",
			i ? twin->table->fields[twin->wide[i]].name : twin->table->name,
			twin->table->fields[twin->wide[i]].name);
	sqlite3_str_appendall(sql, twin->wide_count ? ");" : "");
	text = sqlite3_str_finish(sql);
	if (!run_sql(twin, db, text)) {
		sqlite3_close(db);
		db = NULL;
	}
	sqlite3_free(text);
	return db;
}

/* --- a row through SQLite --- */

static sqlite3_stmt *prepare_insert(const struct twin *twin, sqlite3 *db)
{
	sqlite3_str *sql = sqlite3_str_new(NULL);
	sqlite3_stmt *insert = NULL;
	char *text;

	sqlite3_str_appendf(sql, "INSERT INTO \"%w\" (%s", twin->table->name,
			    twin->has_id ? "" : "rowid, ");
	for (size_t i = 0; i < twin->table->field_count; i++)
		sqlite3_str_appendf(sql, "%s\"%w\"", i ? ", " : "",
				    twin->table->fields[i].name);
	sqlite3_str_appendf(sql, ") VALUES (%s", twin->has_id ? "" : "?, ");
	for (size_t i = 0; i < twin->table->field_count; i++)
		sqlite3_str_appendf(sql, "%s?", i ? ", " : "");
	sqlite3_str_appendall(sql, ")");
	text = sqlite3_str_finish(sql);
	sqlite3_prepare_v2(db, text, -1, &insert, NULL);
	sqlite3_free(text);
	return insert;
}

static void bind(sqlite3_stmt *insert, int place, enum field_kind kind, const char *from)
{
	struct str text;
	int64_t value;
	double real;

	if (kind == FIELD_REAL) {
		memcpy(&real, from, sizeof(real));
		sqlite3_bind_double(insert, place, real);
	} else if (field_is_int(kind)) {
		memcpy(&value, from, sizeof(value));
		if (value != INT_NONE || kind == FIELD_VALUE)
			sqlite3_bind_int64(insert, place, value);
	} else {
		memcpy(&text, from, sizeof(text));
		if (text.ptr && kind == FIELD_TEXT)
			sqlite3_bind_text64(insert, place, text.ptr, text.len,
					    SQLITE_STATIC, SQLITE_UTF8);
		else if (text.ptr)
			sqlite3_bind_blob64(insert, place, text.ptr, text.len,
					    SQLITE_STATIC);
	}
}

static int64_t rowid_of(const struct twin *twin, size_t i)
{
	return twin->rowids ? twin->rowids[i] : (int64_t)i + 1;
}

/* False: SQLite refuses it, which is not a fault here. */
static bool insert_row(const struct twin *twin, sqlite3_stmt *insert, size_t i)
{
	const char *row = twin->rows + i * twin->table->row_size;
	int place = 1;
	bool done;

	sqlite3_clear_bindings(insert);
	if (!twin->has_id)
		sqlite3_bind_int64(insert, place++, rowid_of(twin, i));
	for (size_t k = 0; k < twin->table->field_count; k++)
		bind(insert, place++, twin->table->fields[k].kind,
		     row + twin->table->fields[k].offset);
	done = sqlite3_step(insert) == SQLITE_DONE;
	sqlite3_reset(insert);
	return done;
}

static bool insert_all(struct twin *twin, sqlite3 *db, const bool *wanted)
{
	sqlite3_stmt *insert = prepare_insert(twin, db);

	if (!insert)
		return wrong(twin, "insert: %s", sqlite3_errmsg(db));
	sqlite3_exec(db, "BEGIN", NULL, NULL, NULL);
	for (size_t i = 0; i < twin->count; i++)
		if (!wanted || wanted[i])
			(void)insert_row(twin, insert, i);
	sqlite3_finalize(insert);
	return run_sql(twin, db, "COMMIT");
}

/* --- the bulk-loaded one --- */

/* Rows `from` to `to` as the columns of a run. */
static enum status add_run(struct twin *twin, struct bulk_table *table, size_t from,
			   size_t to, bool *loaded, struct error *error)
{
	static int64_t columns[11][128];
	const struct context_switch_row *first =
		(const void *)(twin->rows + from * twin->table->row_size);
	struct run_columns run = {
		.count = to - from,
		.first_id = first->switch_id,
		.cpu = first->cpu,
		.group_id = first->group_id,
		.ts_ns = columns[1],
		.prev_thread_id = columns[4],
		.next_thread_id = columns[5],
		.prev_state = columns[6],
		.on_cpu_ns = columns[8],
		.running_ns = first->running_ns == INT_NONE ? NULL : columns[9],
		.detail_id = first->detail_id == INT_NONE ? NULL : columns[10],
		.cpus = twin->has_cpus ? columns[2] : NULL,
	};
	enum status status;

	for (size_t i = from; i < to; i++)
		for (size_t c = 0; c < 11; c++)
			memcpy(&columns[c][i - from],
			       twin->rows + i * twin->table->row_size +
				       c * sizeof(int64_t),
			       sizeof(int64_t));
	status = bulk_add_run(table, &run, NULL, loaded, error);
	twin->runs += *loaded;
	return status;
}

/* left[i] becomes true where row i was not written. */
static enum status bulk_rows(struct twin *twin, struct bulk_table *table, bool *left,
			     struct error *error)
{
	enum status status = ST_OK;

	for (size_t i = 0; i < twin->count && status == ST_OK; i++) {
		size_t end = i + twin->run_rows < twin->count ? i + twin->run_rows
							      : twin->count;
		bool loaded = false;

		if (twin->run_rows)
			status = add_run(twin, table, i, end, &loaded, error);
		if (loaded) {
			i = end - 1;
			continue;
		}
		status = bulk_add(table, twin->rows + i * twin->table->row_size, 0,
				  rowid_of(twin, i), &loaded, error);
		left[i] = !loaded;
		twin->left += !loaded;
	}
	return status;
}

static enum status lay(struct twin *twin, struct bulk *bulk, sqlite3 *like,
		       const char *path, bool *left, struct error *error)
{
	struct bulk_table *table = NULL;
	struct catalog catalog = { .db = like };
	sqlite3 *db = NULL;
	char *reason = NULL;
	enum status status =
		bulk_table(bulk, &catalog, twin->table, &table, &reason, error);

	catalog_release(&catalog);
	if (status == ST_OK && !table)
		status = error_set(error, ST_UNSUPPORTED, ERROR_NO_OFFSET, "%s", reason);
	sqlite3_free(reason);
	if (status == ST_OK)
		status = bulk_rows(twin, table, left, error);
	if (status == ST_OK)
		status = bulk_end_rows(bulk, error);
	if (status == ST_OK) {
		sqlite3_open(path, &db);
		status = bulk_find_roots(bulk, db, error);
		sqlite3_close(db);
	}
	return status == ST_OK ? bulk_set_roots(bulk, error) : status;
}

static bool make_bulk(struct twin *twin, sqlite3 *like, bool *left)
{
	char path[512];
	struct bulk_options options = {
		.path = path_of(twin, "a", path),
		.memory_bytes = twin->memory_bytes ? twin->memory_bytes : MEMORY_BYTES,
		.is_checked = true,
		.lock_byte = twin->lock_byte,
	};
	struct error error = { ST_OK, 0, "" };
	struct bulk *bulk = NULL;
	sqlite3 *db = create(twin, "a");
	enum status status;
	char *reindex;
	bool done;

	if (!db)
		return false;
	sqlite3_close(db);
	status = bulk_open(&bulk, &options, &error);
	if (status == ST_OK)
		status = lay(twin, bulk, like, path, left, &error);
	twin->spilled = bulk ? bulk_spilled(bulk) : 0;
	reindex = bulk ? bulk_reindex(bulk) : NULL;
	twin->is_reindexed = reindex;
	bulk_close(bulk);
	if (status != ST_OK) {
		sqlite3_free(reindex);
		return wrong(twin, "laying: %s", error.text);
	}
	sqlite3_open(path, &db);
	sqlite3_exec(db, "PRAGMA synchronous = OFF", NULL, NULL, NULL);
	done = !twin->left || insert_all(twin, db, left);
	if (done && reindex)
		done = run_sql(twin, db, reindex);
	sqlite3_free(reindex);
	sqlite3_close(db);
	return done;
}

/* --- comparing --- */

/* The first column of the first row must be `expected`. */
static bool answers(struct twin *twin, sqlite3 *db, const char *sql, const char *expected)
{
	sqlite3_stmt *statement;
	const char *answer = NULL;
	bool same;

	if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK)
		return wrong(twin, "%s: %s", sql, sqlite3_errmsg(db));
	if (sqlite3_step(statement) == SQLITE_ROW)
		answer = (const char *)sqlite3_column_text(statement, 0);
	same = answer && strcmp(answer, expected) == 0;
	if (!same)
		wrong(twin, "%.400s: %.400s, expected %s", sql,
		      answer ? answer : "nothing", expected);
	sqlite3_finalize(statement);
	return same;
}

/* Every row of one that the other has not, types and all, and the other way round. */
static bool same_rows(struct twin *twin, sqlite3 *db)
{
	const char *const sides[2][2] = { { "main", "b" }, { "b", "main" } };
	bool same = true;

	for (size_t k = 0; k < 2 && same; k++) {
		sqlite3_str *sql = sqlite3_str_new(NULL);
		char *text;

		sqlite3_str_appendall(sql, "SELECT count(*) FROM (");
		for (size_t side = 0; side < 2; side++) {
			sqlite3_str_appendall(sql, side ? " EXCEPT SELECT rowid"
							: "SELECT rowid");
			for (size_t i = 0; i < twin->table->field_count; i++)
				sqlite3_str_appendf(sql, ", \"%w\", typeof(\"%w\")",
						    twin->table->fields[i].name,
						    twin->table->fields[i].name);
			sqlite3_str_appendf(sql, " FROM %s.\"%w\"", sides[k][side],
					    twin->table->name);
		}
		sqlite3_str_appendall(sql, ")");
		text = sqlite3_str_finish(sql);
		same = answers(twin, db, text, "0");
		sqlite3_free(text);
	}
	return same;
}

static sqlite3_stmt *scan(const struct twin *twin, sqlite3 *db, const char *schema,
			  size_t column)
{
	const char *name = twin->table->fields[column].name;
	char *sql = sqlite3_mprintf("SELECT \"%w\", rowid FROM %s.\"%w\" INDEXED BY \"by "
				    "%d\" ORDER BY \"%w\"",
				    name, schema, twin->table->name, (int)column, name);
	sqlite3_stmt *statement = NULL;

	sqlite3_prepare_v2(db, sql, -1, &statement, NULL);
	sqlite3_free(sql);
	return statement;
}

/* Entry by entry, as they stand in the index. */
static bool same_index(struct twin *twin, sqlite3 *db, size_t column)
{
	sqlite3_stmt *a = scan(twin, db, "main", column);
	sqlite3_stmt *b = scan(twin, db, "b", column);
	size_t entry = 0;
	bool same = a && b;
	int step = SQLITE_ROW;

	while (same && step == SQLITE_ROW) {
		step = sqlite3_step(a);
		same = sqlite3_step(b) == step;
		if (step == SQLITE_ROW)
			same &= sqlite3_column_type(a, 0) == sqlite3_column_type(b, 0) &&
				sqlite3_column_int64(a, 0) ==
					sqlite3_column_int64(b, 0) &&
				sqlite3_column_int64(a, 1) == sqlite3_column_int64(b, 1);
		entry++;
	}
	if (!same)
		wrong(twin, "index over column %zu: entry %zu differs: %s", column, entry,
		      sqlite3_errmsg(db));
	sqlite3_finalize(a);
	sqlite3_finalize(b);
	return same;
}

static bool compare(struct twin *twin, sqlite3 *db)
{
	bool same =
		answers(twin, db, "PRAGMA integrity_check", "ok") && same_rows(twin, db);

	for (size_t i = 0; i < twin->table->field_count && i < 64 && same; i++)
		if (twin->indexed >> i & 1)
			same = same_index(twin, db, i);
	return same;
}

/* --- what an ordinary client does afterwards, to both --- */

static bool modify(struct twin *twin, sqlite3 *db)
{
	static const char *const changes[] = {
		"DELETE FROM %s.\"%w\" WHERE rowid %% 3 = 0",
		"UPDATE %s.\"%w\" SET rowid = rowid + 1000003 WHERE rowid %% 7 = 1 AND "
		"rowid BETWEEN 0 AND 1000000",
		"INSERT OR IGNORE INTO %s.\"%w\" SELECT * FROM b.\"%w\" WHERE rowid %% 5 = "
		"2 ORDER BY rowid DESC",
		"DELETE FROM %s.\"%w\" WHERE rowid %% 4 = 2",
	};
	bool same = true;

	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]) && same; i++) {
		/* b last: both get the rows that b had. */
		for (size_t k = 0; k < 2 && same; k++) {
			char *sql = sqlite3_mprintf(changes[i], k ? "b" : "main",
						    twin->table->name, twin->table->name);

			same = run_sql(twin, db, sql);
			sqlite3_free(sql);
		}
		same = same && answers(twin, db, "PRAGMA integrity_check", "ok");
	}
	return same && compare(twin, db) && run_sql(twin, db, "VACUUM main; VACUUM b") &&
	       run_sql(twin, db, "REINDEX") && compare(twin, db);
}

/* --- the file itself --- */

static size_t depth_of(const struct bulk_pages *pages, uint32_t page)
{
	uint8_t head[12], child[4];
	struct error error = { ST_OK, 0, "" };
	size_t depth = 1;

	while (pages_read(pages, page, 0, head, sizeof(head), &error) == ST_OK &&
	       head[0] <= 5 && depth < 30) { /* an interior page */
		/* The child of its first cell. */
		if (pages_read(pages, page, 12, child, 2, &error) != ST_OK ||
		    pages_read(pages, page, get_u16(child), child, 4, &error) != ST_OK)
			break;
		page = get_u32(child);
		depth++;
	}
	return depth;
}

static bool account(struct twin *twin, sqlite3 *db, const struct bulk_pages *pages)
{
	struct bulk_page_account account;
	struct error error = { ST_OK, 0, "" };
	enum status status = page_account_begin(&account, pages, &error);
	sqlite3_stmt *trees;
	uint64_t cells;

	sqlite3_prepare_v2(db, "SELECT 1 UNION ALL SELECT rootpage FROM sqlite_schema",
			   -1, &trees, NULL);
	for (int row = 0; status == ST_OK && sqlite3_step(trees) == SQLITE_ROW; row++) {
		uint32_t root = (uint32_t)sqlite3_column_int64(trees, 0);

		status = page_account_tree(&account, root, &cells, &error);
		if (row == 1)
			twin->depth = depth_of(pages, root);
		if (row == 2)
			twin->index_depth = depth_of(pages, root);
	}
	sqlite3_finalize(trees);
	if (status == ST_OK)
		status = page_account_end(&account, &error);
	page_account_release(&account);
	return status == ST_OK || wrong(twin, "%s", error.text);
}

static bool check_file(struct twin *twin)
{
	struct bulk_pages pages;
	struct error error = { ST_OK, 0, "" };
	char path[512];
	sqlite3 *db;
	bool good;

	if (pages_open(&pages, path_of(twin, "a", path),
		       twin->lock_byte ? twin->lock_byte : BULK_LOCK_BYTE,
		       &error) != ST_OK)
		return wrong(twin, "opening: %s", error.text);
	sqlite3_open(path, &db);
	good = account(twin, db, &pages);
	sqlite3_close(db);
	pages_close(&pages);
	return good;
}

static bool make_and_compare(struct twin *twin, bool *left)
{
	sqlite3 *b = create(twin, "b"), *a;
	char path[512], *attach;
	bool good = b && make_bulk(twin, b, left) && insert_all(twin, b, NULL);

	sqlite3_close(b);
	if (!good || !check_file(twin))
		return false;
	sqlite3_open(path_of(twin, "a", path), &a);
	/* Nothing here is to survive a crash: no waiting for the disk. */
	attach = sqlite3_mprintf("ATTACH %Q AS b;"
				 "PRAGMA main.synchronous = OFF;"
				 "PRAGMA b.synchronous = OFF",
				 path_of(twin, "b", path));
	good = run_sql(twin, a, attach) && compare(twin, a) &&
	       (!twin->modify || modify(twin, a));
	sqlite3_free(attach);
	sqlite3_close(a);
	return good;
}

bool twin_run(struct twin *twin)
{
	bool *left = calloc(twin->count + 1, sizeof(*left)), good;
	char path[512];

	twin->left = 0;
	twin->text[0] = '\0';
	sqlite3_test_control(SQLITE_TESTCTRL_PENDING_BYTE,
			     twin->lock_byte ? twin->lock_byte : PENDING_BYTE_OF_SQLITE);
	good = make_and_compare(twin, left);
	sqlite3_test_control(SQLITE_TESTCTRL_PENDING_BYTE, PENDING_BYTE_OF_SQLITE);
	free(left);
	unlink(path_of(twin, "a", path));
	unlink(path_of(twin, "b", path));
	return good;
}
