/*
 * counted.h - orders keys whose values are small numbers, by counting.
 *
 * The values of an index over ids, as of threads, are few against its rows.  At the end
 * it is known how many rows have each, so row ids get to their places in one pass,
 * without comparing.  Row ids must be consecutive.
 *
 * Ids of one trace are above those of the trace before.  So the values are in parts, each
 * in blocks of its own but for the one that it begins in, and only one part is ordered at
 * a time: in the memory, and mostly the cache, that the largest one needs.
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
	size_t first, count; /* rows */
};

struct bulk_counted_part {
	size_t block; /* the first one with its values */
	size_t least; /* of its values: no earlier block has it, or a greater one */
};

struct bulk_counted {
	int64_t first_id;   /* of the first row */
	struct arena bytes; /* of the blocks */
	struct bulk_counted_block *blocks;
	size_t block_count;
	size_t block_bytes; /* of all */
	size_t count;
	size_t above; /* all values */
	struct bulk_counted_part *parts;
	size_t part_count;
	size_t part_room;   /* for the rows of any part */
	uint32_t *of_value; /* rows with each value; then where they begin, and end */
	size_t value_room;
	uint32_t *order; /* rows of a part, by value */
	size_t ordered_from, ordered_to;
	size_t part_at;	     /* after that part */
	size_t at, value_at; /* the next one, and its value */
};

/* Returns the bytes that the rows so far need at the end. */
size_t counted_bytes(const struct bulk_counted *counted);
/* Adds keys; false: they do not fit, or out of memory, and nothing was added. */
bool counted_add(struct bulk_counted *counted, const struct bulk_key *keys, size_t count);
/* Gets the keys of a block in the order of adding; returns how many. */
size_t counted_block(const struct bulk_counted *counted, size_t block,
		     struct bulk_key *keys);
/* Orders the keys, after the last one; false: out of memory. */
bool counted_order(struct bulk_counted *counted);
/* Gets the next keys in order; 0: the end. */
size_t counted_next(struct bulk_counted *counted, struct bulk_key *to, size_t room);
void counted_release(struct bulk_counted *counted);

#endif
