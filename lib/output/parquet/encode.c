/* encode.c - packs numbers as Parquet wants them; see encode.h. */
#include "output/parquet/encode.h"

#include <string.h>

#define VARINT_BYTES_MAX 10

/* Of DELTA_BINARY_PACKED: values of a block, and its parts, each with its own width. */
#define BLOCK_VALUES 128
#define BLOCK_PARTS 4
#define PART_VALUES (BLOCK_VALUES / BLOCK_PARTS)

/* Bytes after packed values that pack() may overwrite. */
#define PACK_SLACK 8

/* Of the hybrid: packed values come in eights; fewer equal ones are packed. */
#define GROUP_VALUES 8

void encode_varint(struct bytes *to, uint64_t value)
{
	uint8_t made[VARINT_BYTES_MAX];
	size_t used = 0;

	for (; value >= 0x80; value >>= 7)
		made[used++] = (uint8_t)(value | 0x80);
	made[used++] = (uint8_t)value;
	bytes_put(to, made, used);
}

static uint64_t zigzag(int64_t value)
{
	return (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0);
}

void encode_zigzag(struct bytes *to, int64_t value)
{
	encode_varint(to, zigzag(value));
}

/* --- packed bits --- */

static unsigned int width_of(uint64_t value)
{
	return value ? 64 - (unsigned int)__builtin_clzll(value) : 0;
}

unsigned int encode_width(uint32_t max)
{
	return width_of(max);
}

static uint8_t *put_word(uint8_t *to, uint64_t word)
{
	for (int i = 0; i < 8; i++)
		to[i] = (uint8_t)(word >> (8 * i));
	return to + 8;
}

/* Widths up to this are packed with up to 7 bits that are left of the byte before. */
#define WIDTH_STORED 56

/*
 * `count` values, a multiple of 8 and at most PART_VALUES; the lowest bits first.  Writes
 * count * width / 8 bytes, and up to PACK_SLACK more.  Narrow values are joined in pairs
 * first: fewer steps.
 */
static void pack(uint8_t *to, const uint64_t *values, size_t count, unsigned int width)
{
	uint64_t joined[PART_VALUES / 2], word = 0;
	unsigned int used = 0;

	for (; width && width <= WIDTH_STORED / 2 && count % 2 == 0;
	     width *= 2, values = joined) {
		count /= 2;
		for (size_t i = 0; i < count; i++)
			joined[i] = values[2 * i] | values[2 * i + 1] << width;
	}
	for (size_t i = 0; width && width <= WIDTH_STORED && i < count; i++) {
		word |= values[i] << used;
		put_word(to, word);
		used += width;
		to += used / 8;
		word >>= used - used % 8;
		used %= 8;
	}
	for (size_t i = 0; width > WIDTH_STORED && i < count; i++) {
		word |= values[i] << used;
		used += width;
		if (used < 64)
			continue;
		to = put_word(to, word);
		used -= 64;
		/* What did not fit: the value's highest `used` bits. */
		word = used ? values[i] >> (width - used) : 0;
	}
	for (; used; used -= 8, word >>= 8)
		*to++ = (uint8_t)word;
}

/* Room for `count` bytes that pack() writes; NULL: out of memory. */
static uint8_t *extend_to_pack(struct bytes *to, size_t count)
{
	uint8_t *room = bytes_extend(to, count + PACK_SLACK);

	to->size -= room ? PACK_SLACK : 0;
	return room;
}

/* --- DELTA_BINARY_PACKED --- */

/* Four at a time: each comparison waits for the last one. */
struct encode_range encode_range(const int64_t *values, size_t count)
{
	int64_t first = count ? values[0] : 0;
	int64_t least[4] = { first, first, first, first };
	int64_t greatest[4] = { first, first, first, first };
	size_t i = 0;

	for (; i + 4 <= count; i += 4)
		for (size_t k = 0; k < 4; k++) {
			int64_t value = values[i + k];

			least[k] = value < least[k] ? value : least[k];
			greatest[k] = value > greatest[k] ? value : greatest[k];
		}
	for (; i < count; i++) {
		least[0] = values[i] < least[0] ? values[i] : least[0];
		greatest[0] = values[i] > greatest[0] ? values[i] : greatest[0];
	}
	for (size_t k = 1; k < 4; k++) {
		least[0] = least[k] < least[0] ? least[k] : least[0];
		greatest[0] = greatest[k] > greatest[0] ? greatest[k] : greatest[0];
	}
	return (struct encode_range){ least[0], greatest[0] };
}

/* A block of 1 to 128 differences: of values[0] to the value before it, and so on. */
static void put_block(struct bytes *to, const int64_t *values, size_t count)
{
	int64_t deltas[BLOCK_VALUES], least;
	uint8_t widths[BLOCK_PARTS] = { 0 };
	size_t parts = (count + PART_VALUES - 1) / PART_VALUES, bytes = 0;
	uint8_t *room;

	deltas[0] = (int64_t)((uint64_t)values[0] - (uint64_t)values[-1]);
	for (size_t i = 1; i < count; i++)
		deltas[i] = (int64_t)((uint64_t)values[i] - (uint64_t)values[i - 1]);
	least = encode_range(deltas, count).least;
	for (size_t i = count; i < BLOCK_VALUES; i++)
		deltas[i] = least;
	for (size_t part = 0; part < parts; part++) {
		int64_t *some = deltas + part * PART_VALUES;
		uint64_t bits = 0;

		for (size_t i = 0; i < PART_VALUES; i++) {
			some[i] = (int64_t)((uint64_t)some[i] - (uint64_t)least);
			bits |= (uint64_t)some[i];
		}
		widths[part] = (uint8_t)width_of(bits);
		bytes += (size_t)widths[part] * PART_VALUES / 8;
	}
	encode_zigzag(to, least);
	bytes_put(to, widths, sizeof(widths));
	room = extend_to_pack(to, bytes);
	for (size_t part = 0; part < parts && room; part++) {
		pack(room, (const uint64_t *)deltas + part * PART_VALUES, PART_VALUES,
		     widths[part]);
		room += (size_t)widths[part] * PART_VALUES / 8;
	}
}

void encode_delta(struct bytes *to, const int64_t *values, size_t count)
{
	encode_varint(to, BLOCK_VALUES);
	encode_varint(to, BLOCK_PARTS);
	encode_varint(to, count);
	encode_zigzag(to, count ? values[0] : 0);
	for (size_t done = 1; done < count;) {
		size_t some = count - done < BLOCK_VALUES ? count - done : BLOCK_VALUES;

		put_block(to, values + done, some);
		done += some;
	}
}

/* --- runs and packed bits --- */

static size_t run_length(const uint32_t *values, size_t count)
{
	size_t length = 1;

	while (length < count && values[length] == values[0])
		length++;
	return length;
}

void encode_run(struct bytes *to, uint32_t value, size_t length, unsigned int width)
{
	encode_varint(to, (uint64_t)length << 1);
	for (unsigned int bits = 0; bits < width; bits += 8)
		bytes_put(to, &(uint8_t){ (uint8_t)(value >> bits) }, 1);
}

/* Values in eights; the last ones are filled up with zeros. */
static void put_packed(struct bytes *to, const uint32_t *values, size_t count,
		       unsigned int width)
{
	size_t groups = (count + GROUP_VALUES - 1) / GROUP_VALUES;
	uint8_t *room;

	if (count == 0)
		return;
	encode_varint(to, (uint64_t)groups << 1 | 1);
	room = extend_to_pack(to, groups * width);
	for (size_t done = 0; room && done < count; done += GROUP_VALUES) {
		uint64_t eight[GROUP_VALUES] = { 0 };

		for (size_t i = 0; i < GROUP_VALUES && done + i < count; i++)
			eight[i] = values[done + i];
		pack(room, eight, GROUP_VALUES, width);
		room += width;
	}
}

void encode_hybrid(struct bytes *to, const uint32_t *values, size_t count,
		   unsigned int width)
{
	size_t packed = 0, at = 0; /* from `packed` on to be written in eights */

	while (at < count) {
		size_t length = run_length(values + at, count - at);
		/* Packed values end at a multiple of 8, so a run may lend them some. */
		size_t lent =
			(GROUP_VALUES - (at - packed) % GROUP_VALUES) % GROUP_VALUES;

		if (length < lent + GROUP_VALUES) {
			at += length;
			continue;
		}
		put_packed(to, values + packed, at + lent - packed, width);
		encode_run(to, values[at], length - lent, width);
		at += length;
		packed = at;
	}
	put_packed(to, values + packed, count - packed, width);
}
