/*
 * merge_rounds.h - merges many sorted blocks whose values overlap.
 *
 * A heap compares each key with as many others as it is deep, and a processor cannot
 * foresee the results.  Here a round collects the keys up to a bound from all blocks and
 * sorts them by their digits: as quick for hundreds of blocks as for a few.
 */
#ifndef PERFTAB_BULK_MERGE_ROUNDS_H
#define PERFTAB_BULK_MERGE_ROUNDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "output/sqlite_bulk/pack.h"

/* The rest of a block. */
struct bulk_cursor {
	const uint8_t *at; /* the key after this one */
	struct bulk_key key;
	uint64_t left; /* keys, this one included; not 0 */
};

struct bulk_merge_rounds {
	struct bulk_cursor *blocks, *after; /* with keys left: before a round, after it */
	size_t count, after_count;
	struct bulk_key *keys, *scratch; /* of the round, sorted */
	size_t room, filled, taken;
	uint64_t step; /* from the least value to the bound */
};

/*
 * Rounds over blocks that merge_rounds_add() adds, in the order of their row ids; `room`
 * keys at a time, and `step` is a first guess of the values they are spread over.  False:
 * out of memory; merge_rounds_release() in any case.
 */
bool merge_rounds_init(struct bulk_merge_rounds *rounds, size_t blocks, size_t room,
		       uint64_t step);
/* Adds a block of `count` packed keys, which the caller keeps. */
void merge_rounds_add(struct bulk_merge_rounds *rounds, const uint8_t *packed,
		      uint64_t count);
/* Gets the next keys, at most `room`; 0: the end. */
size_t merge_rounds_next(struct bulk_merge_rounds *rounds, struct bulk_key *to,
			 size_t room);
void merge_rounds_release(struct bulk_merge_rounds *rounds);

#endif
