/*
 * wrap.h - sums and differences that wrap instead of overflowing.
 *
 * Counters are 64-bit and may have any value; two's complement sums of their deltas still
 * balance when they wrap, and are not undefined.
 */
#ifndef PERFTAB_WRAP_H
#define PERFTAB_WRAP_H

#include <stdint.h>

static inline int64_t wrap_add(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a + (uint64_t)b);
}

static inline void wrap_add_to(int64_t *sum, int64_t more)
{
	*sum = wrap_add(*sum, more);
}

static inline int64_t wrap_sub(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a - (uint64_t)b);
}

#endif
