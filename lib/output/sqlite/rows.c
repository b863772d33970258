/* rows.c - the table-valued functions through which SQLite reads a batch. */
#include "output/sqlite/rows.h"

#include <stdlib.h>

#include "base/text.h"
#include "output/sqlite/batch.h"
#include "sql/field.h"

/* The columns of a function cost time in every statement. */
static int widths[] = {
	SQLITE_ROWS_FEW_COLUMNS,
	GROUP_COUNTERS_MAX + 32, /* the widest table, context_switch */
};

struct rows_vtab {
	sqlite3_vtab base; /* SQLite's part, first */
	int columns;
};

struct rows_cursor {
	sqlite3_vtab_cursor base; /* SQLite's part, first */
	const struct batch *batch;
	const char *row;
	const char *end;
};

static int rows_connect(sqlite3 *db, void *aux, int argc, const char *const *argv,
			sqlite3_vtab **vtab, char **error)
{
	int columns = *(const int *)aux;
	char *sql = malloc((size_t)columns * 8 + 64);
	struct rows_vtab *rows = sqlite3_malloc(sizeof(*rows));
	size_t at;
	int result;

	(void)argc, (void)argv, (void)error;
	if (!sql || !rows) {
		free(sql);
		sqlite3_free(rows);
		return SQLITE_NOMEM;
	}
	*rows = (struct rows_vtab){ .columns = columns };
	at = text_print(sql, 64, "CREATE TABLE x(");
	for (int i = 0; i < columns; i++)
		at += text_print(sql + at, 8, "c%d,", i);
	text_print(sql + at, 32, "batch HIDDEN)");
	result = sqlite3_declare_vtab(db, sql);
	free(sql);
	if (result == SQLITE_OK)
		*vtab = &rows->base;
	else
		sqlite3_free(rows);
	return result;
}

static int rows_disconnect(sqlite3_vtab *vtab)
{
	sqlite3_free(vtab);
	return SQLITE_OK;
}

/* The only plan: the hidden column is set, rows come in order. */
static int rows_best_index(sqlite3_vtab *vtab, sqlite3_index_info *info)
{
	int hidden = ((const struct rows_vtab *)vtab)->columns;

	for (int i = 0; i < info->nConstraint; i++) {
		if (info->aConstraint[i].iColumn != hidden ||
		    !info->aConstraint[i].usable ||
		    info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ)
			continue;
		info->aConstraintUsage[i].argvIndex = 1;
		info->aConstraintUsage[i].omit = 1;
		info->estimatedRows = BATCH_ROWS;
		return SQLITE_OK;
	}
	return SQLITE_CONSTRAINT;
}

static int rows_open(sqlite3_vtab *vtab, sqlite3_vtab_cursor **cursor)
{
	struct rows_cursor *rows = sqlite3_malloc(sizeof(*rows));

	(void)vtab;
	if (!rows)
		return SQLITE_NOMEM;
	memset(rows, 0, sizeof(*rows));
	*cursor = &rows->base;
	return SQLITE_OK;
}

static int rows_close(sqlite3_vtab_cursor *cursor)
{
	sqlite3_free(cursor);
	return SQLITE_OK;
}

static int rows_filter(sqlite3_vtab_cursor *cursor, int plan, const char *name, int argc,
		       sqlite3_value **argv)
{
	struct rows_cursor *rows = (struct rows_cursor *)cursor;

	(void)plan, (void)name;
	rows->batch = argc ? sqlite3_value_pointer(argv[0], SQLITE_ROWS_POINTER) : NULL;
	rows->row = rows->end = NULL;
	if (rows->batch) {
		rows->row = rows->batch->rows;
		rows->end = batch_row(rows->batch, rows->batch->count);
	}
	return SQLITE_OK;
}

static int rows_next(sqlite3_vtab_cursor *cursor)
{
	struct rows_cursor *rows = (struct rows_cursor *)cursor;

	rows->row += rows->batch->row_bytes;
	return SQLITE_OK;
}

static int rows_eof(sqlite3_vtab_cursor *cursor)
{
	const struct rows_cursor *rows = (const struct rows_cursor *)cursor;

	return rows->row == rows->end;
}

static int rows_column(sqlite3_vtab_cursor *cursor, sqlite3_context *context, int column)
{
	const struct rows_cursor *rows = (const struct rows_cursor *)cursor;
	const struct table *table = rows->batch->table;
	size_t index = (size_t)column;

	if (index < table->field_count) {
		sql_result_field(context, rows->row + table->fields[index].offset,
				 table->fields[index].kind, SQLITE_STATIC);
	} else if (index < table->field_count + rows->batch->slots) {
		int64_t delta;

		memcpy(&delta,
		       rows->row + table->row_size +
			       (index - table->field_count) * sizeof(delta),
		       sizeof(delta));
		sqlite3_result_int64(context, delta);
	}
	return SQLITE_OK;
}

static int rows_rowid(sqlite3_vtab_cursor *cursor, sqlite3_int64 *rowid)
{
	const struct rows_cursor *rows = (const struct rows_cursor *)cursor;

	*rowid = (rows->row - rows->batch->rows) / (ptrdiff_t)rows->batch->row_bytes;
	return SQLITE_OK;
}

/* No xCreate: exists only as a function, never as a table of a schema. */
static const sqlite3_module rows_module = {
	.xConnect = rows_connect,
	.xBestIndex = rows_best_index,
	.xDisconnect = rows_disconnect,
	.xOpen = rows_open,
	.xClose = rows_close,
	.xFilter = rows_filter,
	.xNext = rows_next,
	.xEof = rows_eof,
	.xColumn = rows_column,
	.xRowid = rows_rowid,
};

int sqlite_rows_register(sqlite3 *db)
{
	int result =
		sqlite3_create_module(db, "perftab_few_rows", &rows_module, &widths[0]);

	return result == SQLITE_OK ? sqlite3_create_module(db, "perftab_rows",
							   &rows_module, &widths[1])
				   : result;
}
