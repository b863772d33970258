/*
 * native.h - blocks of rows in ClickHouse's Native format, to a file or a pipe.
 *
 * A block is u64 columns and u64 rows as LEB128, then for each column its name and type
 * as texts (LEB128 length, bytes) and all its values: an Int64 is 8 bytes, a Date days
 * since 1970 in 2 bytes, little-endian; a Nullable has a byte for each row first, 1 where
 * there is no value.  Blocks of a stream may differ in their columns.
 */
#ifndef PERFTAB_CLICKHOUSE_NATIVE_H
#define PERFTAB_CLICKHOUSE_NATIVE_H

#include "base/bytes.h"
#include "base/error.h"
#include "base/str.h"

#define NATIVE_BLOCK_ROWS 65536u

enum native_type { NATIVE_TEXT, NATIVE_INT, NATIVE_NUMBER, NATIVE_DATE };

struct native_column {
	const char *name; /* UTF-8 */
	enum native_type type;
};

/* What ClickHouse calls a type; NATIVE_NUMBER may have no value. */
const char *native_type_name(enum native_type type);

struct native_cells {
	struct bytes values, nulls;
};

struct native_block {
	const struct native_column *columns; /* of the caller */
	size_t column_count;
	struct native_cells *cells; /* by column */
	size_t rows;
	size_t text_bytes; /* a block with long names has fewer rows */
	struct bytes bytes;
	int fd;		     /* of the caller */
	struct error *error; /* likewise */
};

MUST_CHECK enum status native_begin(struct native_block *block,
				    const struct native_column *columns, size_t count,
				    int fd, struct error *error);
/* Each column of a row gets its value, then the row ends. */
void native_put_text(struct native_block *block, size_t column, struct str text);
void native_put_int(struct native_block *block, size_t column, int64_t value);
/* INT_NONE: no value. */
void native_put_number(struct native_block *block, size_t column, int64_t value);
/* Days since 1970; INT_NONE, or a day that ClickHouse has not: 0. */
void native_put_date(struct native_block *block, size_t column, int64_t day);
MUST_CHECK enum status native_end_row(struct native_block *block);
/* Writes the last block, if it has rows. */
MUST_CHECK enum status native_finish(struct native_block *block);
void native_release(struct native_block *block);

/* All bytes, then forgets them. */
MUST_CHECK enum status native_write(int fd, struct bytes *bytes, struct error *error);

#endif
