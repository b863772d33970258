/*
 * file.h - a Parquet file: row groups, one after the other, and the footer, their list.
 *
 * As Apache Parquet documents its file format.
 */
#ifndef PERFTAB_PARQUET_FILE_H
#define PERFTAB_PARQUET_FILE_H

#include "base/arena.h"
#include "output/parquet/chunk.h"

/* Rows of a group; fewer where rows are wide. */
#define PARQUET_GROUP_ROWS ((size_t)128 * 1024)

struct parquet_group {
	size_t rows;
	struct parquet_group *next;
	struct parquet_chunk chunks[]; /* by column */
};

struct parquet_file {
	int fd;	       /* of the caller; -1: not begun */
	uint64_t size; /* bytes written */
	uint64_t rows;
	const struct parquet_column *columns; /* of the caller, until the end */
	size_t column_count;
	struct parquet_group *groups, **last;
	size_t group_count;
	struct arena arena;
	struct bytes buffer; /* chunks that are not written yet */
	const char *path;    /* of the caller; for messages */
	struct error *error; /* likewise */
};

/* Text for the metadata of a file. */
struct parquet_key {
	const char *name;
	struct str value;
};

MUST_CHECK enum status parquet_file_begin(struct parquet_file *file);
/* A new row group, for whose chunks there is room; NULL: out of memory. */
struct parquet_group *parquet_file_add_group(struct parquet_file *file, size_t rows);
/* Makes the chunk of a column, which is in `buffer` then.  False: out of memory. */
MUST_CHECK bool parquet_file_put_chunk(struct parquet_file *file,
				       struct parquet_group *group, size_t column,
				       struct parquet_maker *maker,
				       const struct parquet_values *values);
/* Writes `buffer`. */
MUST_CHECK enum status parquet_file_flush(struct parquet_file *file);
MUST_CHECK enum status parquet_file_finish(struct parquet_file *file,
					   const struct parquet_key *keys, size_t count);
void parquet_file_release(struct parquet_file *file);

#endif
