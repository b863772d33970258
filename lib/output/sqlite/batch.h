/*
 * batch.h - collects rows of one table until there are enough to load them.
 *
 * Rows of runs can be kept as columns; they are in the order of their ids, as the others
 * are, but it must be found from the ids what comes first.
 */
#ifndef PERFTAB_BATCH_H
#define PERFTAB_BATCH_H

#include "base/arena.h"
#include "output/sqlite_bulk/bulk.h"

/* Rows of a statement, and of a batch at first: 512 rows fit the L2 cache. */
#define BATCH_ROWS 512
/* Bytes of texts at which a batch is loaded early. */
#define BATCH_TEXT_BYTES ((size_t)1 << 20)
/* Maximum of runs that are kept as columns. */
#define BATCH_RUNS 512

struct batch {
	const struct table *table;
	size_t text_from, text_to; /* its fields that may be texts are in between */
	size_t slots;		   /* deltas after each row */
	size_t row_bytes;	   /* row struct and deltas */
	size_t count;
	size_t room; /* rows that fit */
	char *rows;  /* from the end on, the columns of runs */
	struct run_columns *runs;
	size_t run_count;
	size_t run_rows;    /* rows of all runs */
	struct arena texts; /* copies of the texts of rows */
	size_t text_bytes;
};

/* False: out of memory. */
bool batch_init(struct batch *batch, const struct table *table, size_t slots,
		size_t room);
/* As batch_add(), for rows that may have texts. */
bool batch_add_row(struct batch *batch, const struct record *record, char *row);
/* False: out of memory. */
static inline bool batch_add(struct batch *batch, const struct record *record)
{
	char *row = batch->rows + batch->count++ * batch->row_bytes;

	if (record->kind != RECORD_context_switch)
		return batch_add_row(batch, record, row);
	/* The most frequent rows: a size that the compiler knows. */
	memcpy(row, record->data, sizeof(struct context_switch_row));
	if (batch->slots)
		memcpy(row + sizeof(struct context_switch_row), record->deltas,
		       batch->slots * sizeof(int64_t));
	return true;
}
/* Adds rows from place `at` on, as many as there is room for; returns the next place. */
size_t batch_add_run(struct batch *batch, const struct run_rows *rows, size_t at);
/*
 * Adds all rows of a run as columns; `is_for_other`: another thread will load them.
 * False:  they do not fit.
 */
bool batch_add_columns(struct batch *batch, const struct run_rows *rows,
		       bool is_for_other);
/* Gets a row of a run in the form of batch_row(). */
void batch_run_row(const struct batch *batch, const struct run_columns *run, size_t at,
		   char *row);
static inline bool batch_is_full(const struct batch *batch)
{
	return batch->count + batch->run_rows == batch->room ||
	       batch->text_bytes > BATCH_TEXT_BYTES;
}
/* Returns whether it has neither rows nor runs. */
static inline bool batch_is_empty(const struct batch *batch)
{
	return batch->count == 0 && batch->run_count == 0;
}
void batch_clear(struct batch *batch);
void batch_release(struct batch *batch);

static inline const char *batch_row(const struct batch *batch, size_t row)
{
	return batch->rows + row * batch->row_bytes;
}

#endif
