/*
 * insert.h - the INSERT of a batch, which reads as few columns as possible.
 *
 * SQLite asks a virtual table for every column of every row, which is most of the cost of
 * loading.  Columns with one small value in the whole batch (the CPU, since a ring is
 * written in one piece; the leader's 1; the group; times that were not recorded) are
 * constants of the statement instead, and SQLite assigns row ids that follow the table's
 * last one.
 */
#ifndef PERFTAB_SQLITE_INSERT_H
#define PERFTAB_SQLITE_INSERT_H

#include <sqlite3.h>

#include "output/sqlite/batch.h"

/* Statements kept for one batch; more shapes than that share the nearest one. */
#define INSERT_SHAPES_MAX 32
/* Columns from here on are always read. */
#define INSERT_SHAPE_COLUMNS 24
/* Constants from here on are read: there would be too many shapes. */
#define INSERT_CONSTANT_MAX 64

struct insert_shape {
	uint32_t constant;		      /* a bit for each constant column */
	int64_t values[INSERT_SHAPE_COLUMNS]; /* of constant columns; INT_NONE: NULL */
	bool own_id; /* insert the first column, the row id, unchanged */
	sqlite3_stmt *statement;
};

struct insert {
	struct insert_shape shapes[INSERT_SHAPES_MAX];
	size_t count;
};

/*
 * Inserts all rows of the batch; returns an SQLite result code.  *last_id is the last
 * row id of the table, or NULL for tables whose first column is not their row id.
 */
int insert_batch(struct insert *insert, sqlite3 *db, struct batch *batch,
		 int64_t *last_id);
void insert_release(struct insert *insert);

#endif
