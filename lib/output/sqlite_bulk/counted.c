/* counted.c - row ids by value: counts, places, one pass. */
#include "output/sqlite_bulk/counted.h"

#include <stdlib.h>
#include <string.h>

#include "base/os.h"
#include "output/sqlite_bulk/keys.h"

/* Values beyond, NULL too, are sorted. */
#define VALUES_MAX ((size_t)1 << 22)
#define VALUES_MIN ((size_t)1 << 10)
#define LARGE_PAGE_BYTES ((size_t)2 << 20)

size_t counted_bytes(const struct bulk_counted *counted)
{
	return counted->block_bytes +
	       (counted->count + counted->value_room) * sizeof(uint32_t);
}

static size_t value_of(const struct bulk_key *key)
{
	return (size_t)key_value((int64_t)key->value);
}

/* The greatest value; VALUES_MAX: one is too large, or an id is missing. */
static size_t greatest(const struct bulk_key *keys, size_t count)
{
	size_t most = 0;

	for (size_t i = 0; i < count; i++) {
		size_t value = value_of(&keys[i]);

		if (value >= VALUES_MAX || keys[i].rowid != keys[0].rowid + (int64_t)i)
			return VALUES_MAX;
		most = value > most ? value : most;
	}
	return most;
}

static bool grow_values(struct bulk_counted *counted, size_t most)
{
	size_t room = counted->value_room ? counted->value_room : VALUES_MIN;
	uint32_t *of_value;

	while (room < most + 2)
		room *= 2;
	if (room == counted->value_room)
		return true;
	of_value = realloc(counted->of_value, room * sizeof(*of_value));
	if (!of_value)
		return false;
	memset(of_value + counted->value_room, 0,
	       (room - counted->value_room) * sizeof(*of_value));
	counted->of_value = of_value;
	counted->value_room = room;
	return true;
}

/* NULL: out of memory. */
static struct bulk_counted_block *add_block(struct bulk_counted *counted, size_t count,
					    size_t most)
{
	size_t bytes = count * (most > UINT16_MAX ? sizeof(uint32_t) : sizeof(uint16_t));
	struct bulk_counted_block *blocks =
		realloc(counted->blocks, (counted->block_count + 1) * sizeof(*blocks));
	struct bulk_counted_block block = { NULL, NULL };

	if (!blocks)
		return NULL;
	counted->blocks = blocks;
	if (most > UINT16_MAX)
		block.wide = arena_alloc(&counted->bytes, bytes);
	else
		block.narrow = arena_alloc(&counted->bytes, bytes);
	if (!block.wide && !block.narrow)
		return NULL;
	counted->block_bytes += bytes;
	blocks[counted->block_count] = block;
	return &blocks[counted->block_count++];
}

static inline uint32_t value_at(const struct bulk_counted_block *block, size_t at)
{
	return block->narrow ? block->narrow[at] : block->wide[at];
}

bool counted_add(struct bulk_counted *counted, const struct bulk_key *keys, size_t count)
{
	size_t most = greatest(keys, count);
	struct bulk_counted_block *block;

	if (most == VALUES_MAX || counted->count + count > UINT32_MAX ||
	    (counted->count &&
	     keys[0].rowid != counted->first_id + (int64_t)counted->count) ||
	    !grow_values(counted, most))
		return false;
	block = add_block(counted, count, most);
	if (!block)
		return false;
	if (!counted->count) {
		counted->first_id = keys[0].rowid;
		counted->block_keys = count;
	}
	for (size_t i = 0; i < count; i++) {
		size_t value = value_of(&keys[i]);

		if (block->narrow)
			block->narrow[i] = (uint16_t)value;
		else
			block->wide[i] = (uint32_t)value;
		counted->of_value[value + 1]++;
	}
	counted->count += count;
	return true;
}

static size_t block_count(const struct bulk_counted *counted, size_t block)
{
	size_t left = counted->count - block * counted->block_keys;

	return left < counted->block_keys ? left : counted->block_keys;
}

size_t counted_block(const struct bulk_counted *counted, size_t block,
		     struct bulk_key *keys)
{
	size_t from = block * counted->block_keys, count = block_count(counted, block);

	for (size_t i = 0; i < count; i++)
		keys[i] = (struct bulk_key){ key_value(value_at(&counted->blocks[block],
								i)),
					     counted->first_id + (int64_t)(from + i) };
	return count;
}

/* The order is written all over: in large pages, if it is large. */
static uint32_t *order_room(size_t count)
{
	size_t bytes = count * sizeof(uint32_t);
	uint32_t *order = bytes < LARGE_PAGE_BYTES
				  ? malloc(bytes)
				  : os_alloc_aligned(LARGE_PAGE_BYTES, bytes);

	if (order && bytes >= LARGE_PAGE_BYTES)
		os_prefer_large_pages(order, bytes);
	return order;
}

bool counted_order(struct bulk_counted *counted)
{
	uint32_t *places = counted->of_value, row = 0;

	counted->order = order_room(counted->count);
	if (!counted->order)
		return false;
	for (size_t i = 1; i < counted->value_room; i++)
		places[i] += places[i - 1];
	for (size_t b = 0; b < counted->block_count; b++) {
		const struct bulk_counted_block *block = &counted->blocks[b];
		size_t count = block_count(counted, b);

		for (size_t i = 0; i < count; i++)
			counted->order[places[value_at(block, i)]++] = row++;
	}
	return true;
}

size_t counted_next(struct bulk_counted *counted, struct bulk_key *to, size_t room)
{
	size_t done = 0;

	while (done < room && counted->at < counted->count) {
		size_t end = counted->of_value[counted->value_at];
		size_t last =
			end - counted->at < room - done ? end : counted->at + room - done;
		uint64_t value = key_value((int64_t)counted->value_at);

		for (; counted->at < last; counted->at++)
			to[done++] = (struct bulk_key){
				value, counted->first_id + counted->order[counted->at]
			};
		counted->value_at += counted->at == end;
	}
	return done;
}

void counted_release(struct bulk_counted *counted)
{
	arena_release(&counted->bytes);
	free(counted->blocks);
	free(counted->of_value);
	free(counted->order);
	*counted = (struct bulk_counted){ 0 };
}
