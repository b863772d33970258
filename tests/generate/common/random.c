/* Small deterministic random numbers: splitmix64. */
#include "random.h"

uint64_t rng_next(struct rng *rng)
{
	uint64_t z = rng->state += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

uint64_t rng_range(struct rng *rng, uint64_t first, uint64_t last)
{
	return first + rng_next(rng) % (last - first + 1);
}

bool rng_chance(struct rng *rng, uint64_t of)
{
	return rng_next(rng) % of == 0;
}

uint64_t rng_log(struct rng *rng, unsigned low_bits, unsigned high_bits)
{
	uint64_t floor = (uint64_t)1 << rng_range(rng, low_bits, high_bits - 1);

	return floor + rng_next(rng) % floor;
}

uint64_t rng_seed(uint64_t seed, const char *name)
{
	uint64_t hash = 0xcbf29ce484222325u;

	for (; *name; name++)
		hash = (hash ^ (uint8_t)*name) * 0x100000001b3u;
	return seed ^ hash;
}
