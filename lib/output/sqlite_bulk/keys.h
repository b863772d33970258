/*
 * keys.h - sorts the keys of an index in bounded memory.
 *
 * Keys come with ascending row ids.  They are collected in a block, which is sorted when
 * it is full, and packed (pack.h).  When the packed blocks exceed the pool, the largest
 * sorters write theirs to a file, merged into one run if they overlap much.  At the end
 * blocks and runs are merged.
 *
 * The memory of all indexes comes from one pool, whose size is the bound.
 */
#ifndef PERFTAB_BULK_KEYS_H
#define PERFTAB_BULK_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/os.h"
#include "output/sqlite_bulk/counted.h"
#include "output/sqlite_bulk/merge_rounds.h"
#include "output/sqlite_bulk/stretch.h"

struct bulk_key_pool {
	size_t block_keys; /* keys in a block */
	size_t bytes;	   /* for everything */
	size_t used;
	const char *runs_path;
	int runs_fd; /* the file of all runs, unlinked; -1: none was needed */
	uint64_t runs_end;
	struct os_room reserved;
	struct bulk_key *scratch; /* one block, for sorting */
	uint8_t *packed;	  /* one block, packed */
	struct bulk_keys *sorters;
};

/* The next key of a source. */
struct bulk_head {
	uint64_t value;
	uint32_t source;
};

struct bulk_keys {
	struct bulk_key_pool *pool;
	struct bulk_keys *next;	  /* in the pool */
	struct bulk_key *filling; /* the block, or NULL */
	struct bulk_counted counted;
	bool is_sorted_by_block; /* the keys so far are in blocks, not in `counted` */
	size_t filled, room;
	struct arena bytes; /* of blocks, and of the buffers of runs */
	struct bulk_stretches runs, blocks;
	size_t packed_bytes; /* of the blocks */
	/* While merging: */
	struct bulk_stretch *sources;
	struct bulk_head *heap; /* sources with keys, the least first; one extra */
	size_t heap_count;
	uint64_t most;	     /* up to this value the first source stays first */
	size_t buffer_bytes; /* of each run */
	struct bulk_merge_rounds rounds; /* instead, if blocks overlap much */
	bool has_rounds;
};

/*
 * `bytes` limits all memory, if it is enough for a few small blocks.  The file of runs is
 * created at `runs_path`, which the caller owns, and unlinked at once.
 */
MUST_CHECK bool key_pool_init(struct bulk_key_pool *pool, size_t bytes,
			      const char *runs_path);
void key_pool_release(struct bulk_key_pool *pool);

/* `keys` must not move until it is released. */
void keys_init(struct bulk_keys *keys, struct bulk_key_pool *pool);
/* Makes room for keys when the block is full. */
MUST_CHECK enum status keys_begin_block(struct bulk_keys *keys, struct error *error);
MUST_CHECK static inline enum status keys_add(struct bulk_keys *keys, int64_t value,
					      int64_t rowid, struct error *error)
{
	enum status status =
		keys->filled == keys->room ? keys_begin_block(keys, error) : ST_OK;

	if (status == ST_OK)
		keys->filling[keys->filled++] =
			(struct bulk_key){ key_value(value), rowid };
	return status;
}
/* The same for the values of rows with consecutive ids. */
MUST_CHECK enum status keys_add_rows(struct bulk_keys *keys, const int64_t *values,
				     size_t count, int64_t first_id, struct error *error);
/* Ends the input: keys_next() then returns the keys in order. */
MUST_CHECK enum status keys_merge(struct bulk_keys *keys, struct error *error);
/* The next keys, at most `room`; *taken 0: the end. */
MUST_CHECK enum status keys_next(struct bulk_keys *keys, struct bulk_key *to, size_t room,
				 size_t *taken, struct error *error);
void keys_release(struct bulk_keys *keys);

#endif
