/* Small deterministic random numbers (splitmix64): same seed, same file, on any host. */
#ifndef GENERATE_RANDOM_H
#define GENERATE_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

struct rng {
	uint64_t state;
};

uint64_t rng_next(struct rng *rng);

/* From first to last, both included. */
uint64_t rng_range(struct rng *rng, uint64_t first, uint64_t last);

/* True once in `of` times on average. */
bool rng_chance(struct rng *rng, uint64_t of);

/* Between 2^low_bits and 2^high_bits, each power of two equally likely. */
uint64_t rng_log(struct rng *rng, unsigned low_bits, unsigned high_bits);

/* Seed of its own for each name. */
uint64_t rng_seed(uint64_t seed, const char *name);

#endif
