/* block.c - see block.h; loops of known length, of which compilers make vectors. */
#include "output/parquet/block.h"

#include <string.h>

#include "base/array.h"
#include "base/compiled_twice.h"
#include "base/unroll.h"

/* Little-endian, in one store where the machine is. */
static inline void put_word(uint8_t *to, uint64_t word)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	memcpy(to, &word, sizeof(word));
#else
	for (size_t i = 0; i < sizeof(word); i++)
		to[i] = (uint8_t)(word >> (8 * i));
#endif
}

/* --- differences --- */

static int64_t lesser(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t greater(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

void block_fill_plain(struct block *block, const int64_t *values)
{
	int64_t least_delta = INT64_MAX, least = INT64_MAX, greatest = INT64_MIN;

	for (size_t i = 0; i < BLOCK_VALUES; i++) {
		int64_t value = values[i];
		int64_t delta = (int64_t)((uint64_t)value - (uint64_t)values[i - 1]);

		block->above[i] = (uint64_t)delta;
		least_delta = lesser(least_delta, delta);
		least = lesser(least, value);
		greatest = greater(greatest, value);
	}
	for (size_t part = 0; part < BLOCK_PARTS; part++) {
		uint64_t *above = block->above + part * PART_VALUES, bits = 0;

		for (size_t i = 0; i < PART_VALUES; i++) {
			above[i] -= (uint64_t)least_delta;
			bits |= above[i];
		}
		block->bits[part] = bits;
	}
	block->least_delta = least_delta;
	block->least = least;
	block->greatest = greatest;
}

#ifdef HAVE_AVX2

#define LANES 4

typedef int64_t lanes __attribute__((vector_size(LANES * sizeof(int64_t))));
typedef uint64_t bits __attribute__((vector_size(LANES * sizeof(uint64_t))));

/* Of each lane `a` where the mask is set. */
#define CHOOSE(mask, a, b) (((mask) & (a)) | (~(mask) & (b)))

AVX2 static int64_t least_lane(const lanes *all)
{
	return lesser(lesser((*all)[0], (*all)[1]), lesser((*all)[2], (*all)[3]));
}

AVX2 static int64_t greatest_lane(const lanes *all)
{
	return greater(greater((*all)[0], (*all)[1]), greater((*all)[2], (*all)[3]));
}

AVX2 static void subtract_least(struct block *block)
{
	const uint64_t least = (uint64_t)block->least_delta;
	const bits all_least = { least, least, least, least };

	for (size_t part = 0; part < BLOCK_PARTS; part++) {
		bits used = { 0 }, above;

		for (size_t i = 0; i < PART_VALUES; i += LANES) {
			uint64_t *at = block->above + part * PART_VALUES + i;

			memcpy(&above, at, sizeof(above));
			above -= all_least;
			memcpy(at, &above, sizeof(above));
			used |= above;
		}
		block->bits[part] = used[0] | used[1] | used[2] | used[3];
	}
}

AVX2 static void fill_by_avx2(struct block *block, const int64_t *values)
{
	lanes least_delta, least, greatest, value, before, delta;

	memcpy(&least, values, sizeof(least));
	memcpy(&before, values - 1, sizeof(before));
	greatest = least;
	least_delta = (lanes)((bits)least - (bits)before);
	for (size_t i = 0; i < BLOCK_VALUES; i += LANES) {
		memcpy(&value, values + i, sizeof(value));
		memcpy(&before, values + i - 1, sizeof(before));
		delta = (lanes)((bits)value - (bits)before);
		memcpy(block->above + i, &delta, sizeof(delta));
		least_delta = CHOOSE(delta < least_delta, delta, least_delta);
		least = CHOOSE(value < least, value, least);
		greatest = CHOOSE(value > greatest, value, greatest);
	}
	block->least_delta = least_lane(&least_delta);
	block->least = least_lane(&least);
	block->greatest = greatest_lane(&greatest);
	subtract_least(block);
}
#endif

void block_fill(struct block *block, const int64_t *values)
{
#ifdef HAVE_AVX2
	if (cpu_has_avx2()) {
		fill_by_avx2(block, values);
		return;
	}
#endif
	block_fill_plain(block, values);
}

/* --- bits --- */

/* Of a width that the compiler knows nothing is left but shifts and stores. */
static ALWAYS_INLINE void pack(uint8_t *to, const uint64_t *values, unsigned int width)
{
	uint64_t word = 0;
	unsigned int used = 0;

	COMPLETELY
	for (size_t i = 0; i < PART_VALUES; i++) {
		word |= values[i] << used;
		used += width;
		if (used < 64)
			continue;
		put_word(to, word);
		to += sizeof(word);
		used -= 64;
		/* What did not fit: the value's highest `used` bits. */
		word = used ? values[i] >> (width - used) : 0;
	}
	if (used)
		put_word(to, word);
}

#define WIDTH(width)                                                  \
	static void pack_##width(uint8_t *to, const uint64_t *values) \
	{                                                             \
		pack(to, values, width);                              \
	}
#include "output/parquet/widths.def"
#undef WIDTH

/* Wider ones are rare. */
static void pack_any(uint8_t *to, const uint64_t *values, unsigned int width)
{
	pack(to, values, width);
}

void block_pack(uint8_t *to, const uint64_t *values, unsigned int width)
{
	static void (*const packers[])(uint8_t *, const uint64_t *) = {
		NULL,
#define WIDTH(width) pack_##width,
#include "output/parquet/widths.def"
#undef WIDTH
	};

	if (width >= ARRAY_COUNT(packers))
		pack_any(to, values, width);
	else if (width)
		packers[width](to, values);
}
