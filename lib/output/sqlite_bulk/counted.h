/*
 * counted.h - orders keys whose values are small numbers, by counting.
 *
 * The values of an index over ids, as of threads, are few against its rows.  At the end
 * it is known how many rows have each, so row ids get to their places in one pass,
 * without comparing.  Row ids must be consecutive.
 */
#ifndef PERFTAB_BULK_COUNTED_H
#define PERFTAB_BULK_COUNTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "output/sqlite_bulk/pack.h"

/* The value of each row, in 2 bytes if that is enough for all of them. */
struct bulk_counted_block {
	uint16_t *narrow; /* NULL: they are wide */
	uint32_t *wide;
};

struct bulk_counted {
	int64_t first_id;   /* of the first row */
	struct arena bytes; /* of the blocks */
	struct bulk_counted_block *blocks;
	size_t block_keys, block_count;
	size_t block_bytes; /* of all */
	size_t count;
	uint32_t *of_value; /* rows with each value; then where they begin, and end */
	size_t value_room;
	uint32_t *order;     /* of rows, by value */
	size_t at, value_at; /* the next one, and its value */
};

/* Bytes that so many rows need, in the end. */
size_t counted_bytes(const struct bulk_counted *counted);
/*
 * Adds a block of keys; all but the last have the size of the first.  False: they are not
 * such keys, or there is no memory; nothing was added.
 */
bool counted_add(struct bulk_counted *counted, const struct bulk_key *keys, size_t count);
/* Gives back the keys of a block, as they were added; returns how many. */
size_t counted_block(const struct bulk_counted *counted, size_t block,
		     struct bulk_key *keys);
/* Orders them all; false: out of memory. */
bool counted_order(struct bulk_counted *counted);
/* The next keys in order; 0: the end. */
size_t counted_next(struct bulk_counted *counted, struct bulk_key *to, size_t room);
void counted_release(struct bulk_counted *counted);

#endif
