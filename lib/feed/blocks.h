/*
 * blocks.h - copies of rows in blocks, handed from one thread to another.
 *
 * One thread adds rows to a block and hands it over, the other one reads the rows and
 * gives the block back.  A ring of blocks is between them.
 */
#ifndef PERFTAB_FEED_BLOCKS_H
#define PERFTAB_FEED_BLOCKS_H

#include <stdbool.h>

#include "base/buffer_bytes.h"
#include "feed/feed.h"

#define FEED_BLOCKS 4
/* Bytes of a block; a larger row gets a block of its own. */
#define FEED_BLOCK_BYTES BUFFER_SIZE((size_t)256 << 10, (size_t)4 << 10)

struct feed_block {
	char *bytes;
	size_t used, room;
	size_t rows;
};

/* The header of a copied row; the row, its deltas and its texts follow. */
struct feed_held {
	const struct table *table;
	uint32_t size; /* bytes of header, row, deltas and texts */
	uint32_t row_size;
	size_t slots;
};

/* Returns the bytes that a copy of the row needs. */
size_t feed_block_row_size(const struct record *record, bool has_texts);
/* Returns whether a block has rows and no room for `size` more bytes. */
static inline bool feed_block_is_full(const struct feed_block *block, size_t size)
{
	return block->used && block->room - block->used < size;
}
/* Adds the copy to a block that is not full; false: out of memory. */
bool feed_block_add(struct feed_block *block, const struct record *record, size_t size,
		    bool has_texts);
/*
 * Adds rows of context_switch from *at on with times from from_ns to to_ns, as many as
 * the block has room for, and moves *at past them.  False: out of memory.
 */
bool feed_block_add_run(struct feed_block *block, const struct run_rows *rows, size_t *at,
			int64_t from_ns, int64_t to_ns);
/* Gets the row at *at and moves *at past it; false: there are no more. */
static inline bool feed_block_next(const struct feed_block *block, size_t *at,
				   struct feed_row *row)
{
	const struct feed_held *held;

	if (*at >= block->used)
		return false;
	held = (const struct feed_held *)(const void *)(block->bytes + *at);
	row->table = held->table;
	row->data = (const char *)(held + 1);
	row->slots = held->slots;
	row->deltas =
		held->slots ? (const int64_t *)(const void *)(row->data + held->row_size)
			    : NULL;
	*at += held->size;
	return true;
}

#endif
