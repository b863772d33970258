/* encode.c - packs numbers as Parquet wants them; see encode.h. */
#include "output/parquet/encode.h"

#include <string.h>

#include "base/uninitialized.h"
#include "base/varint.h"
#include "output/parquet/block.h"

/* Of the hybrid: packed values come in eights; fewer equal ones are packed. */
#define GROUP_VALUES 8

/* --- packed bits --- */

static unsigned int width_of(uint64_t value)
{
	return value ? 64 - (unsigned int)__builtin_clzll(value) : 0;
}

unsigned int encode_width(uint32_t max)
{
	return width_of(max);
}

/* Room for `count` bytes, and `slack` more that may be written; NULL: out of memory. */
static uint8_t *extend_to_pack(struct bytes *to, size_t count, size_t slack)
{
	uint8_t *room = bytes_extend(to, count + slack + PACK_SLACK);

	to->size -= room ? slack + PACK_SLACK : 0;
	return room;
}

/* --- DELTA_BINARY_PACKED --- */

/* The last block may have fewer values: the others differ by the least difference. */
static void fill_some(struct block *block, const int64_t *values, size_t count)
{
	int64_t least = INT64_MAX;

	memset(block, 0, sizeof(*block));
	block->least = block->greatest = values[0];
	for (size_t i = 0; i < count; i++) {
		int64_t delta = (int64_t)((uint64_t)values[i] -
					  (uint64_t)values[(ptrdiff_t)i - 1]);

		block->above[i] = (uint64_t)delta;
		least = delta < least ? delta : least;
		block->least = values[i] < block->least ? values[i] : block->least;
		block->greatest =
			values[i] > block->greatest ? values[i] : block->greatest;
	}
	block->least_delta = least;
	for (size_t i = 0; i < count; i++) {
		block->above[i] -= (uint64_t)least;
		block->bits[i / PART_VALUES] |= block->above[i];
	}
}

/* 1 to 128 differences. */
static void put_block(struct bytes *to, const struct block *block, size_t count)
{
	uint8_t widths[BLOCK_PARTS] = { 0 };
	size_t parts = (count + PART_VALUES - 1) / PART_VALUES, bytes = 0;
	uint8_t *room;

	for (size_t part = 0; part < parts; part++) {
		widths[part] = (uint8_t)width_of(block->bits[part]);
		bytes += (size_t)widths[part] * PART_VALUES / 8;
	}
	varint_put(to, varint_zigzag(block->least_delta));
	bytes_put(to, widths, sizeof(widths));
	room = extend_to_pack(to, bytes, 0);
	for (size_t part = 0; part < parts && room; part++) {
		block_pack(room, block->above + part * PART_VALUES, widths[part]);
		room += (size_t)widths[part] * PART_VALUES / 8;
	}
}

struct encode_range encode_delta(struct bytes *to, const int64_t *values, size_t count)
{
	int64_t first = count ? values[0] : 0;
	struct encode_range range = { first, first };
	struct block block UNINITIALIZED;

	varint_put(to, BLOCK_VALUES);
	varint_put(to, BLOCK_PARTS);
	varint_put(to, count);
	varint_put(to, varint_zigzag(first));
	for (size_t done = 1; done < count;) {
		size_t some = count - done < BLOCK_VALUES ? count - done : BLOCK_VALUES;

		if (some == BLOCK_VALUES)
			block_fill(&block, values + done);
		else
			fill_some(&block, values + done, some);
		put_block(to, &block, some);
		range.least = block.least < range.least ? block.least : range.least;
		range.greatest =
			block.greatest > range.greatest ? block.greatest : range.greatest;
		done += some;
	}
	return range;
}

struct encode_range encode_range(const int64_t *values, size_t count)
{
	int64_t first = count ? values[0] : 0;
	struct encode_range range = { first, first };

	for (size_t i = 0; i < count; i++) {
		range.least = values[i] < range.least ? values[i] : range.least;
		range.greatest = values[i] > range.greatest ? values[i] : range.greatest;
	}
	return range;
}

/* --- runs and packed bits --- */

/* Are eight values, at least, equal? */
static bool are_equal(const uint32_t *values)
{
	uint32_t different = 0;

	for (size_t i = 0; i < GROUP_VALUES; i++)
		different |= values[i] ^ values[0];
	return different == 0;
}

static size_t run_length(const uint32_t *values, size_t count)
{
	size_t length = 0;

	while (length + GROUP_VALUES <= count && values[length] == values[0] &&
	       are_equal(values + length))
		length += GROUP_VALUES;
	while (length < count && values[length] == values[0])
		length++;
	return length;
}

void encode_run(struct bytes *to, uint32_t value, size_t length, unsigned int width)
{
	varint_put(to, (uint64_t)length << 1);
	for (unsigned int bits = 0; bits < width; bits += 8)
		bytes_put(to, &(uint8_t){ (uint8_t)(value >> bits) }, 1);
}

/* Values in eights, up to PART_VALUES at a time; the last ones are zeros. */
static void put_packed(struct bytes *to, const uint32_t *values, size_t count,
		       unsigned int width)
{
	size_t groups = (count + GROUP_VALUES - 1) / GROUP_VALUES;
	uint64_t some[PART_VALUES] UNINITIALIZED;
	uint8_t *room;

	if (count == 0)
		return;
	varint_put(to, (uint64_t)groups << 1 | 1);
	/* The last eights are packed with zeros after them. */
	room = extend_to_pack(to, groups * width, (size_t)PART_VALUES / 8 * width);
	for (; room && count >= PART_VALUES;
	     count -= PART_VALUES, values += PART_VALUES) {
		for (size_t i = 0; i < PART_VALUES; i++)
			some[i] = values[i];
		block_pack(room, some, width);
		room += (size_t)PART_VALUES / 8 * width;
	}
	memset(some, 0, sizeof(some));
	for (size_t i = 0; i < count; i++)
		some[i] = values[i];
	if (room && count)
		block_pack(room, some, width);
}

/* Runs of which no eight begin where packed eights do stay packed. */
void encode_hybrid(struct bytes *to, const uint32_t *values, size_t count,
		   unsigned int width)
{
	size_t packed = 0, at = 0; /* from `packed` on to be written in eights */

	while (at + GROUP_VALUES <= count) {
		size_t length;

		if (!are_equal(values + at)) {
			at += GROUP_VALUES;
			continue;
		}
		length = run_length(values + at, count - at);
		put_packed(to, values + packed, at - packed, width);
		encode_run(to, values[at], length, width);
		at += length;
		packed = at;
	}
	put_packed(to, values + packed, count - packed, width);
}
