/* table.c - checks whether a table can be bulk-loaded, and describes it. */
#include "output/sqlite_bulk/table.h"

#include <stdlib.h>
#include <string.h>

static enum status refused(sqlite3 *db, struct error *error)
{
	return error_set(error, sqlite3_errcode(db) == SQLITE_NOMEM ? ST_NOMEM : ST_IO,
			 ERROR_NO_OFFSET, "cannot read the schema: %s",
			 sqlite3_errmsg(db));
}

static const char *type_of(enum field_kind kind)
{
	switch (kind) {
	case FIELD_REAL:
		return "REAL";
	case FIELD_TEXT:
		return "TEXT";
	case FIELD_BLOB:
		return "BLOB";
	case FIELD_INT:
	case FIELD_VALUE:
		break;
	}
	return "INTEGER";
}

/* Describes the columns; returns a reason to leave the table to SQLite, or NULL. */
static const char *add_columns(struct bulk_table *table, const struct table *layout,
			       sqlite3_stmt *columns)
{
	size_t place = 0;

	for (; sqlite3_step(columns) == SQLITE_ROW; place++) {
		const char *name = (const char *)sqlite3_column_text(columns, 0);
		const char *type = (const char *)sqlite3_column_text(columns, 1);
		bool not_null = sqlite3_column_int(columns, 2) != 0;
		bool has_default = sqlite3_column_int(columns, 3) != 0;
		const struct field *field;

		/* Columns added later: the records have no values for them. */
		if (place >= layout->field_count) {
			if (not_null || has_default)
				return "it has other columns";
			continue;
		}
		field = &layout->fields[place];
		if (!name || strcmp(field->name, name) != 0)
			return "it has other columns";
		if (!type || strcmp(type_of(field->kind), type) != 0)
			return "it has columns of other types";
		table->columns[place] = (struct bulk_column){
			.kind = field->kind,
			.offset = field->offset,
			.not_null = not_null,
			.is_id = sqlite3_column_int(columns, 4) != 0,
		};
	}
	table->column_count = layout->field_count;
	return place < layout->field_count ? "it has other columns" : NULL;
}

static struct bulk_index *add_index(struct bulk_table *table, const char *name)
{
	struct bulk_index *index = calloc(1, sizeof(*index));

	if (!index)
		return NULL;
	index->name = sqlite3_mprintf("%s", name);
	index->next = table->indexes;
	table->indexes = index;
	return index->name ? index : NULL;
}

/* False: out of memory. */
static bool add_index_column(struct bulk_table *table, const char *name, size_t column)
{
	struct bulk_index *index = table->indexes;

	if (name && (!index || strcmp(index->name, name) != 0))
		index = add_index(table, name);
	if (!name || !index)
		return false;
	index->columns[index->column_count++] = column;
	index->composite.columns = index->column_count;
	table->columns[column].is_key = true;
	return true;
}

/* Whether all columns are integers, as in the most frequent tables. */
static bool is_plain(const struct bulk_table *table)
{
	for (size_t i = 0; i < table->column_count; i++) {
		const struct bulk_column *column = &table->columns[i];

		if (column->kind != FIELD_INT || column->offset != i * sizeof(int64_t) ||
		    (column->not_null && !column->is_id))
			return false;
	}
	return table->row_size == table->column_count * sizeof(int64_t);
}

static enum status describe(struct bulk_table *table, const struct table *layout,
			    struct catalog *catalog, char **reason, struct error *error)
{
	const char *mismatch;
	sqlite3_stmt *rows;
	bool added = true;

	*reason = catalog_refusal(catalog, layout->name);
	if (!*reason)
		return refused(catalog->db, error);
	if ((*reason)[0])
		return ST_OK;
	sqlite3_free(*reason);
	*reason = NULL;
	rows = catalog_ask(catalog, CATALOG_COLUMNS, layout->name);
	mismatch = add_columns(table, layout, rows);
	if (!rows || sqlite3_reset(rows) != SQLITE_OK)
		return refused(catalog->db, error);
	if (mismatch) {
		*reason = sqlite3_mprintf("%s", mismatch);
		return *reason ? ST_OK : error_nomem(error);
	}
	table->is_plain = is_plain(table);
	rows = catalog_ask(catalog, CATALOG_INDEXES, layout->name);
	while (added && sqlite3_step(rows) == SQLITE_ROW)
		added = add_index_column(table,
					 (const char *)sqlite3_column_text(rows, 0),
					 (size_t)sqlite3_column_int64(rows, 1));
	if (!rows || sqlite3_reset(rows) != SQLITE_OK)
		return refused(catalog->db, error);
	return added ? ST_OK : error_nomem(error);
}

enum status table_describe(struct catalog *catalog, const struct table *layout,
			   struct bulk_table **table, char **reason, struct error *error)
{
	struct bulk_table *made =
		calloc(1, sizeof(*made) + layout->field_count * sizeof(made->columns[0]));
	enum status status;

	*table = NULL;
	*reason = NULL;
	if (!made)
		return error_nomem(error);
	made->row_size = layout->row_size;
	made->name = sqlite3_mprintf("%s", layout->name);
	status = made->name ? describe(made, layout, catalog, reason, error)
			    : error_nomem(error);
	if (status == ST_OK && !*reason)
		*table = made;
	else
		table_release(made);
	return status;
}

void table_release(struct bulk_table *table)
{
	while (table->indexes) {
		struct bulk_index *index = table->indexes;

		table->indexes = index->next;
		keys_release(&index->keys);
		composite_release(&index->composite);
		tree_release(&index->tree);
		sqlite3_free(index->name);
		free(index);
	}
	tree_release(&table->tree);
	sqlite3_free(table->name);
	free(table);
}
