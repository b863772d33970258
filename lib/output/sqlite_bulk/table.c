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

struct description {
	struct bulk_table *table;
	const struct table *layout;
	const char *mismatch; /* a reason to leave the table to SQLite */
	bool out_of_memory;
};

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

static bool on_column(void *context, size_t place, const struct catalog_column *column)
{
	struct description *description = context;
	const struct field *field;

	/* Columns added later: the records have no values for them. */
	if (place >= description->layout->field_count) {
		if (column->not_null || column->has_default)
			description->mismatch = "it has other columns";
		return !description->mismatch;
	}
	field = &description->layout->fields[place];
	if (strcmp(field->name, column->name) != 0) {
		description->mismatch = "it has other columns";
		return false;
	}
	if (strcmp(type_of(field->kind), column->type) != 0) {
		description->mismatch = "it has columns of other types";
		return false;
	}
	description->table->columns[place] = (struct bulk_column){
		.kind = field->kind,
		.offset = field->offset,
		.not_null = column->not_null,
		.is_id = column->is_id,
	};
	description->table->column_count = place + 1;
	return true;
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

static bool on_index_column(void *context, const char *name, size_t column)
{
	struct description *description = context;
	struct bulk_table *table = description->table;
	struct bulk_index *index = table->indexes;

	if (!index || strcmp(index->name, name) != 0)
		index = add_index(table, name);
	if (!index) {
		description->out_of_memory = true;
		return false;
	}
	index->columns[index->column_count++] = column;
	index->composite.columns = index->column_count;
	table->columns[column].is_key = true;
	return true;
}

static enum status describe(struct description *description, struct catalog *catalog,
			    struct error *error)
{
	struct bulk_table *table = description->table;

	if (catalog_columns(catalog, table->name, on_column, description) != SQLITE_OK)
		return refused(catalog->db, error);
	if (!description->mismatch &&
	    table->column_count != description->layout->field_count)
		description->mismatch = "it has other columns";
	if (description->mismatch)
		return ST_OK;
	if (catalog_indexes(catalog, table->name, on_index_column, description) !=
	    SQLITE_OK)
		return refused(catalog->db, error);
	return description->out_of_memory ? error_nomem(error) : ST_OK;
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

enum status table_describe(struct catalog *catalog, const struct table *layout,
			   struct bulk_table **table, char **reason, struct error *error)
{
	struct bulk_table *made =
		calloc(1, sizeof(*made) + layout->field_count * sizeof(made->columns[0]));
	struct description description = { made, layout, NULL, false };
	enum status status;

	*table = NULL;
	*reason = catalog_refusal(catalog, layout->name);
	if (!*reason || (*reason)[0]) {
		free(made);
		return *reason ? ST_OK : refused(catalog->db, error);
	}
	sqlite3_free(*reason);
	*reason = NULL;
	if (made)
		made->name = sqlite3_mprintf("%s", layout->name);
	if (!made || !made->name) {
		free(made);
		return error_nomem(error);
	}
	made->row_size = layout->row_size;
	status = describe(&description, catalog, error);
	if (status == ST_OK && description.mismatch) {
		*reason = sqlite3_mprintf("%s", description.mismatch);
		status = *reason ? ST_OK : error_nomem(error);
	} else if (status == ST_OK) {
		made->is_plain = is_plain(made);
		*table = made;
		return ST_OK;
	}
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
