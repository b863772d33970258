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

/* From where on all values are above all before; *above says which.  `count`: nowhere. */
static size_t find_part(const struct bulk_counted *counted, const struct bulk_key *keys,
			size_t count, size_t *above)
{
	size_t all = counted->above, found = count;

	for (size_t i = 0; i < count; i++) {
		size_t value = (size_t)key_number(&keys[i]);

		if (found < count && value < *above)
			found = count;
		if (value < all)
			continue;
		if (found == count) {
			found = i;
			*above = all;
		}
		all = value + 1;
	}
	return found;
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

/* Of values that are not known yet; false: out of memory. */
static bool add_block(struct bulk_counted *counted, size_t first, size_t count,
		      size_t most)
{
	size_t bytes = count * (most > UINT16_MAX ? sizeof(uint32_t) : sizeof(uint16_t));
	struct bulk_counted_block *blocks =
		realloc(counted->blocks, (counted->block_count + 1) * sizeof(*blocks));
	struct bulk_counted_block block = { .first = first, .count = count };

	if (!blocks)
		return false;
	counted->blocks = blocks;
	if (most > UINT16_MAX)
		block.wide = arena_alloc(&counted->bytes, bytes);
	else
		block.narrow = arena_alloc(&counted->bytes, bytes);
	if (!block.wide && !block.narrow)
		return false;
	counted->block_bytes += bytes;
	blocks[counted->block_count++] = block;
	return true;
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

/* The last part gets rows, not below `least`: parts that are not above those are none. */
static void extend_part(struct bulk_counted *counted, size_t count, size_t least)
{
	struct bulk_counted_part *last;
	size_t rows;

	if (!count)
		return;
	while (least < counted->parts[counted->part_count - 1].above)
		counted->part_count--;
	last = &counted->parts[counted->part_count - 1];
	counted->count += count;
	rows = counted->count - last->first;
	counted->part_room = rows > counted->part_room ? rows : counted->part_room;
}

static bool make_part(struct bulk_counted *counted)
{
	struct bulk_counted_part *parts = realloc(
		counted->parts, (counted->part_count + 1) * sizeof(*counted->parts));

	if (parts)
		counted->parts = parts;
	return parts != NULL;
}

/* Keys before and after the begin of a part are in blocks of their own. */
static bool add_blocks(struct bulk_counted *counted, const struct bulk_key *keys,
		       size_t count, size_t part, size_t most)
{
	size_t before = counted->block_count, bytes = counted->block_bytes;
	bool added = !part || add_block(counted, counted->count, part, most);

	if (added && part < count)
		added = make_part(counted) &&
			add_block(counted, counted->count + part, count - part, most);
	if (!added) {
		counted->block_count = before;
		counted->block_bytes = bytes;
		return false;
	}
	for (size_t b = before; b < counted->block_count; b++) {
		struct bulk_counted_block *block = &counted->blocks[b];

		fill_block(counted, block, keys + (block->first - counted->count));
	}
	return true;
}

bool counted_add(struct bulk_counted *counted, const struct bulk_key *keys, size_t count)
{
	struct range range = range_of(keys, count);
	size_t part = count, above = 0;

	if (range.most == VALUES_MAX || counted->count + count > UINT32_MAX ||
	    (counted->count &&
	     keys[0].rowid != counted->first_id + (int64_t)counted->count) ||
	    !grow_values(counted, range.most))
		return false;
	if (range.most >= counted->above)
		part = find_part(counted, keys, count, &above);
	if (!add_blocks(counted, keys, count, part, range.most))
		return false;
	if (!counted->count)
		counted->first_id = keys[0].rowid;
	extend_part(counted, part, range.least);
	if (part < count) {
		counted->parts[counted->part_count++] =
			(struct bulk_counted_part){ counted->count, above };
		extend_part(counted, count - part, above);
	}
	if (range.most >= counted->above)
		counted->above = range.most + 1;
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
	uint32_t *places = counted->of_value;
	size_t next = ++counted->part_at, from = counted->ordered_to;
	size_t to =
		next < counted->part_count ? counted->parts[next].first : counted->count;

	while (counted->block_at < counted->block_count &&
	       counted->blocks[counted->block_at].first < to) {
		const struct bulk_counted_block *block =
			&counted->blocks[counted->block_at++];
		uint32_t row = (uint32_t)block->first;

		for (size_t i = 0; i < block->count; i++)
			counted->order[places[value_at(block, i)]++ - from] = row++;
	}
	counted->ordered_from = from;
	counted->ordered_to = to;
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
