/*
 * table.h - a Parquet file that is filled row by row.
 */
#ifndef PERFTAB_PARQUET_TABLE_H
#define PERFTAB_PARQUET_TABLE_H

#include "output/parquet/dictionary.h"
#include "output/parquet/file.h"

/* Memory for the rows of a group of one file, and for the texts of a column. */
#define PARQUET_TABLE_BYTES ((size_t)4 << 20)

/* A column of the rows that wait. */
struct parquet_cells {
	int64_t *numbers;
	uint32_t *texts;
	uint8_t *is_null;
	struct dictionary dictionary;
};

struct parquet_table {
	struct parquet_file file;
	struct parquet_maker *maker; /* of the caller */
	struct parquet_cells *cells; /* by column */
	size_t rows, room, rows_max;
	bool texts_are_full; /* of a column: the next row begins a group */
};

/* Writes to `fd`, which stays the caller's; `columns` must outlive the table. */
MUST_CHECK enum status parquet_table_begin(struct parquet_table *table, int fd,
					   const char *path,
					   const struct parquet_column *columns,
					   size_t count, struct parquet_maker *maker,
					   struct error *error);
/* A new row, all of whose columns must be set. */
MUST_CHECK enum status parquet_table_add_row(struct parquet_table *table);
void parquet_set_int(struct parquet_table *table, size_t column, int64_t value);
void parquet_set_real(struct parquet_table *table, size_t column, double value);
void parquet_set_null(struct parquet_table *table, size_t column);
/* False: out of memory. */
MUST_CHECK bool parquet_set_text(struct parquet_table *table, size_t column,
				 struct str text);
/* A number that may be INT_NONE. */
void parquet_set_number(struct parquet_table *table, size_t column, int64_t value);
MUST_CHECK enum status parquet_table_finish(struct parquet_table *table,
					    const struct parquet_key *keys, size_t count);
void parquet_table_release(struct parquet_table *table);

#endif
