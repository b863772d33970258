/*
 * batch.h - rows of one table, collected until there are enough to be worth handing over.
 */
#ifndef PERFTAB_BATCH_H
#define PERFTAB_BATCH_H

#include "core/arena.h"
#include "core/record.h"

/* More gains nothing (STYLE, section 8); 512 rows fit the L2 cache. */
#define BATCH_ROWS 512
/* Texts of a batch may take this much before it is handed over early. */
#define BATCH_TEXT_BYTES ((size_t)1 << 20)

struct batch {
	const struct table *table;
	size_t slots;	  /* deltas behind each row */
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
bool batch_add(struct batch *batch, const struct record *record);
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
