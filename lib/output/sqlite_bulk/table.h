/*
 * table.h - describes a table to bulk-load and its indexes.
 *
 * Only the parts of the loader know these structs; bulk.h is what others include.
 */
#ifndef PERFTAB_BULK_TABLE_H
#define PERFTAB_BULK_TABLE_H

#include "model/record.h"
#include "output/sqlite_bulk/catalog.h"
#include "output/sqlite_bulk/composite.h"
#include "output/sqlite_bulk/keys.h"
#include "output/sqlite_bulk/tree.h"

struct bulk_index {
	char *name;
	size_t columns[BULK_KEY_COLUMNS_MAX];
	size_t column_count;
	struct bulk_composite composite; /* of several columns */
	struct bulk_keys keys;
	struct bulk_tree tree;
	bool is_begun; /* by bulk_end_table() */
	struct error error;
	struct bulk_index *next;
};

struct bulk_column {
	enum field_kind kind;
	size_t offset; /* in the row */
	bool not_null;
	bool is_id;  /* INTEGER PRIMARY KEY: in the cell, not the record */
	bool is_key; /* there is an index over it */
};

struct bulk_table {
	struct bulk *bulk;
	struct bulk_table *next;
	char *name;
	struct bulk_tree tree;
	struct bulk_index *indexes;
	uint64_t loaded;  /* rows */
	uint64_t left;	  /* rows that were not loaded */
	int64_t greatest; /* row id so far, of loaded and left rows */
	size_t row_size;
	bool is_plain; /* only integers that may be NULL, in order */
	bool is_over;  /* bulk_end_table() was called */
	size_t column_count;
	struct bulk_column columns[];
};

/*
 * *table: the table in the catalog for rows of this layout, without trees and sorters; or
 * NULL and *reason, for sqlite3_free(), if SQLite must fill it.
 */
MUST_CHECK enum status table_describe(struct catalog *catalog, const struct table *layout,
				      struct bulk_table **table, char **reason,
				      struct error *error);
void table_release(struct bulk_table *table);

#endif
