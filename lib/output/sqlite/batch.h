/*
 * batch.h - collects rows of one table until there are enough to load them.
 */
#ifndef PERFTAB_BATCH_H
#define PERFTAB_BATCH_H

#include "base/arena.h"
#include "model/run.h"

/* More gains nothing (measured); 512 rows fit the L2 cache. */
#define BATCH_ROWS 512
/* Bytes of texts at which a batch is loaded early. */
#define BATCH_TEXT_BYTES ((size_t)1 << 20)

struct batch {
	const struct table *table;
	size_t slots;	  /* deltas after each row */
	size_t row_bytes; /* row struct and deltas */
	size_t count;
	size_t room; /* rows that fit */
	char *rows;
	struct arena texts; /* what the rows' texts point to */
	size_t text_bytes;
};

/* False: out of memory. */
bool batch_init(struct batch *batch, const struct table *table, size_t slots,
		size_t room);
/* batch_add() for rows that may have texts. */
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
static inline bool batch_is_full(const struct batch *batch)
{
	return batch->count == batch->room || batch->text_bytes > BATCH_TEXT_BYTES;
}
void batch_clear(struct batch *batch);
void batch_release(struct batch *batch);

static inline const char *batch_row(const struct batch *batch, size_t row)
{
	return batch->rows + row * batch->row_bytes;
}

#endif
