/* merge_rounds.c - collects keys up to a bound from all blocks, and sorts them. */
#include "output/sqlite_bulk/merge_rounds.h"

#include <stdlib.h>

#include "output/sqlite_bulk/sort.h"

bool merge_rounds_init(struct bulk_merge_rounds *rounds, size_t blocks, size_t room,
		       uint64_t step)
{
	*rounds = (struct bulk_merge_rounds){ .room = room, .step = step };
	rounds->blocks = malloc(blocks * sizeof(*rounds->blocks));
	rounds->after = malloc(blocks * sizeof(*rounds->after));
	rounds->keys = malloc(room * sizeof(*rounds->keys));
	rounds->scratch = malloc(room * sizeof(*rounds->scratch));
	return rounds->blocks && rounds->after && rounds->keys && rounds->scratch;
}

void merge_rounds_release(struct bulk_merge_rounds *rounds)
{
	free(rounds->blocks);
	free(rounds->after);
	free(rounds->keys);
	free(rounds->scratch);
	*rounds = (struct bulk_merge_rounds){ .blocks = NULL };
}

void merge_rounds_add(struct bulk_merge_rounds *rounds, const uint8_t *packed,
		      uint64_t count)
{
	struct bulk_cursor *block = &rounds->blocks[rounds->count];

	if (!count)
		return;
	*block = (struct bulk_cursor){ .left = count };
	block->at = unpack_key(packed, &block->key);
	rounds->count++;
}

/* --- a round --- */

static uint64_t least_value(const struct bulk_merge_rounds *rounds)
{
	uint64_t least = UINT64_MAX;

	for (size_t i = 0; i < rounds->count; i++)
		if (rounds->blocks[i].key.value < least)
			least = rounds->blocks[i].key.value;
	return least;
}

/* Keys of a block up to the bound, as many as there is room for. */
static struct bulk_cursor collect_block(struct bulk_merge_rounds *rounds,
					struct bulk_cursor block, uint64_t bound)
{
	while (block.left && block.key.value <= bound && rounds->filled < rounds->room) {
		rounds->keys[rounds->filled++] = block.key;
		if (--block.left)
			block.at = unpack_key(block.at, &block.key);
	}
	return block;
}

/* False: there is no room for all of them. */
static bool collect(struct bulk_merge_rounds *rounds, uint64_t bound)
{
	bool has_room = true;

	rounds->filled = rounds->taken = rounds->after_count = 0;
	for (size_t i = 0; i < rounds->count; i++) {
		struct bulk_cursor block =
			collect_block(rounds, rounds->blocks[i], bound);

		if (!block.left)
			continue;
		rounds->after[rounds->after_count++] = block;
		has_room &= block.key.value > bound;
	}
	return has_room;
}

/*
 * Some keys of the least value have no room: those of the first blocks are the first
 * ones, so the others can wait for the next round.
 */
static void make_round(struct bulk_merge_rounds *rounds)
{
	uint64_t least = least_value(rounds);
	struct bulk_cursor *before = rounds->blocks;

	for (;;) {
		uint64_t most = UINT64_MAX - least;
		uint64_t bound = least + (rounds->step < most ? rounds->step : most);

		if (collect(rounds, bound) || bound == least)
			break;
		rounds->step /= 2;
	}
	if (rounds->filled < rounds->room / 2)
		rounds->step = rounds->step <= UINT64_MAX / 4 ? 2 * rounds->step + 1
							      : UINT64_MAX;
	rounds->blocks = rounds->after;
	rounds->after = before;
	rounds->count = rounds->after_count;
	sort_keys(&rounds->keys, &rounds->scratch, rounds->filled);
}

size_t merge_rounds_next(struct bulk_merge_rounds *rounds, struct bulk_key *to,
			 size_t room)
{
	size_t count;

	if (rounds->taken == rounds->filled) {
		if (!rounds->count)
			return 0;
		make_round(rounds);
	}
	count = rounds->filled - rounds->taken;
	count = count < room ? count : room;
	memcpy(to, rounds->keys + rounds->taken, count * sizeof(*to));
	rounds->taken += count;
	return count;
}
