/* counted.c - row ids by value: counts, places, one pass. */
#include "output/sqlite_bulk/counted.h"

#include <stdlib.h>
#include <string.h>

#include "base/os.h"

/* Values beyond, NULL too, are sorted. */
#define VALUES_MAX ((size_t)1 << 22)
#define VALUES_MIN ((size_t)1 << 10)
#define LARGE_PAGE_BYTES ((size_t)2 << 20)

size_t counted_bytes(const struct bulk_counted *counted)
{
	return counted->block_bytes +
	       (counted->part_room + counted->value_room) * sizeof(uint32_t);
}

/* --- what is added --- */

/* Most is VALUES_MAX: a value is too large, or an id is missing. */
struct range {
	size_t least, most;
};

static struct range range_of(const struct bulk_key *keys, size_t count)
{
	struct range range = { VALUES_MAX, 0 };

	for (size_t i = 0; i < count; i++) {
		size_t value = (size_t)key_number(&keys[i]);

		if (value >= VALUES_MAX || keys[i].rowid != keys[0].rowid + (int64_t)i)
			return (struct range){ 0, VALUES_MAX };
		range.least = value < range.least ? value : range.least;
		range.most = value > range.most ? value : range.most;
	}
	return range;
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

/* Of values up to `most`, which are not known yet; NULL: out of memory. */
static struct bulk_counted_block *add_block(struct bulk_counted *counted, size_t count,
					    size_t most)
{
	size_t bytes = count * (most > UINT16_MAX ? sizeof(uint32_t) : sizeof(uint16_t));
	struct bulk_counted_block *blocks =
		realloc(counted->blocks, (counted->block_count + 1) * sizeof(*blocks));
	struct bulk_counted_block block = { .first = counted->count, .count = count };

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

static void fill_block(struct bulk_counted *counted, struct bulk_counted_block *block,
		       const struct bulk_key *keys)
{
	for (size_t i = 0; i < block->count; i++) {
		size_t value = (size_t)key_number(&keys[i]);

		if (block->narrow)
			block->narrow[i] = (uint16_t)value;
		else
			block->wide[i] = (uint32_t)value;
		counted->of_value[value + 1]++;
	}
}

static bool make_part_room(struct bulk_counted *counted)
{
	struct bulk_counted_part *parts = realloc(
		counted->parts, (counted->part_count + 1) * sizeof(*counted->parts));

	if (parts)
		counted->parts = parts;
	return parts != NULL;
}

/* The last block is of the last part, unless it has lower values, and may begin one. */
static void extend_parts(struct bulk_counted *counted, struct range range)
{
	size_t block = counted->block_count - 1, rows;

	if (!block)
		counted->parts[counted->part_count++] =
			(struct bulk_counted_part){ 0, 0 };
	while (range.least < counted->parts[counted->part_count - 1].least)
		counted->part_count--;
	rows = counted->count -
	       counted->blocks[counted->parts[counted->part_count - 1].block].first;
	counted->part_room = rows > counted->part_room ? rows : counted->part_room;
	if (range.most < counted->above)
		return;
	if (block)
		counted->parts[counted->part_count++] =
			(struct bulk_counted_part){ block, counted->above };
	counted->above = range.most + 1;
}

bool counted_add(struct bulk_counted *counted, const struct bulk_key *keys, size_t count)
{
	struct range range = range_of(keys, count);
	struct bulk_counted_block *block;

	if (range.most == VALUES_MAX || counted->count + count > UINT32_MAX ||
	    (counted->count &&
	     keys[0].rowid != counted->first_id + (int64_t)counted->count) ||
	    !grow_values(counted, range.most) || !make_part_room(counted))
		return false;
	block = add_block(counted, count, range.most);
	if (!block)
		return false;
	fill_block(counted, block, keys);
	if (!counted->count)
		counted->first_id = keys[0].rowid;
	counted->count += count;
	extend_parts(counted, range);
	return true;
}

static inline uint32_t value_at(const struct bulk_counted_block *block, size_t at)
{
	return block->narrow ? block->narrow[at] : block->wide[at];
}

size_t counted_block(const struct bulk_counted *counted, size_t number,
		     struct bulk_key *keys)
{
	const struct bulk_counted_block *block = &counted->blocks[number];

	for (size_t i = 0; i < block->count; i++)
		keys[i] = (struct bulk_key){
			key_value(value_at(block, i)),
			counted->first_id + (int64_t)(block->first + i),
		};
	return block->count;
}

/* --- in order --- */

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
	uint32_t *places = counted->of_value;

	for (size_t i = 1; i < counted->value_room; i++)
		places[i] += places[i - 1];
	counted->order = order_room(counted->part_room);
	return counted->order != NULL;
}

/* The next part: its rows are at the places of its values, all from its first row on. */
static void order_part(struct bulk_counted *counted)
{
	const struct bulk_counted_part *part = &counted->parts[counted->part_at++];
	bool is_last = counted->part_at == counted->part_count;
	size_t last_block = is_last ? counted->block_count - 1 : part[1].block;
	size_t above = is_last ? counted->above : part[1].least;
	size_t values = above - part->least, from = counted->ordered_to;
	uint32_t *places = counted->of_value;

	for (size_t b = part->block; b <= last_block; b++) {
		const struct bulk_counted_block *block = &counted->blocks[b];
		uint32_t row = (uint32_t)block->first;

		for (size_t i = 0; i < block->count; i++, row++) {
			size_t value = value_at(block, i);

			if (value - part->least < values)
				counted->order[places[value]++ - from] = row;
		}
	}
	counted->ordered_from = from;
	counted->ordered_to = places[above];
}

size_t counted_next(struct bulk_counted *counted, struct bulk_key *to, size_t room)
{
	size_t done = 0;

	while (done < room && counted->at < counted->count) {
		size_t end, last;
		uint64_t value;

		if (counted->at == counted->ordered_to)
			order_part(counted);
		end = counted->of_value[counted->value_at];
		last = end - counted->at < room - done ? end : counted->at + room - done;
		value = key_value((int64_t)counted->value_at);
		for (; counted->at < last; counted->at++) {
			int64_t row = counted->order[counted->at - counted->ordered_from];

			to[done++] = (struct bulk_key){ value, counted->first_id + row };
		}
		counted->value_at += counted->at == end;
	}
	return done;
}

void counted_release(struct bulk_counted *counted)
{
	arena_release(&counted->bytes);
	free(counted->blocks);
	free(counted->parts);
	free(counted->of_value);
	free(counted->order);
	*counted = (struct bulk_counted){ 0 };
}
