/* sort.c - sorts keys by digits of their values. */
#include "output/sqlite_bulk/sort.h"

#define DIGIT_BITS_MAX 11u
#define DIGITS_MAX (1u << DIGIT_BITS_MAX)

bool sort_is_done(const struct bulk_key *keys, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (keys[i - 1].value > keys[i].value)
			return false;
	return true;
}

/* One stable pass by one digit of the distance from `least`. */
static void sort_by_digit(const struct bulk_key *from, struct bulk_key *to, size_t count,
			  uint64_t least, unsigned int shift, unsigned int bits)
{
	uint32_t place[DIGITS_MAX] = { 0 };
	uint32_t sum = 0, mask = (1u << bits) - 1;

	for (size_t i = 0; i < count; i++)
		place[(from[i].value - least) >> shift & mask]++;
	for (size_t i = 0; i <= mask; i++) {
		uint32_t here = place[i];

		place[i] = sum;
		sum += here;
	}
	for (size_t i = 0; i < count; i++)
		to[place[(from[i].value - least) >> shift & mask]++] = from[i];
}

void sort_keys(struct bulk_key **keys, struct bulk_key **scratch, size_t count)
{
	uint64_t least = UINT64_MAX, most = 0;
	unsigned int bits, passes;

	if (sort_is_done(*keys, count))
		return;
	for (size_t i = 0; i < count; i++) {
		uint64_t value = (*keys)[i].value;

		least = value < least ? value : least;
		most = value > most ? value : most;
	}
	bits = 64 - (unsigned int)__builtin_clzll((most - least) | 1);
	passes = (bits + DIGIT_BITS_MAX - 1) / DIGIT_BITS_MAX;
	bits = (bits + passes - 1) / passes;
	for (unsigned int i = 0; i < passes; i++) {
		struct bulk_key *sorted = *scratch;

		sort_by_digit(*keys, sorted, count, least, i * bits, bits);
		*scratch = *keys;
		*keys = sorted;
	}
}
