/*
 * all_tables.h - every table of a trace, with the columns that it has in a database.
 */
#ifndef PERFTAB_PARQUET_ALL_TABLES_H
#define PERFTAB_PARQUET_ALL_TABLES_H

#include "base/arena.h"
#include "output/parquet/file.h"
#include "output/parquet/folders.h"

struct trace_table;

struct all_tables {
	struct folders *folders;     /* of the caller */
	struct parquet_maker *maker; /* likewise */
	struct trace_table *first;
	struct arena arena;
};

/* A row of any table; switches of groups with more counters get a file of their own. */
MUST_CHECK enum status all_tables_put(struct all_tables *tables,
				      const struct record *record);
/* The end of a trace: the files get their places. */
MUST_CHECK enum status all_tables_finish(struct all_tables *tables,
					 const struct parquet_key *keys, size_t count);
void all_tables_release(struct all_tables *tables);

#endif
