/*
 * encode.h - the encodings of Parquet columns that perftab writes.
 *
 * As Apache Parquet documents them: DELTA_BINARY_PACKED for integers, the hybrid of runs
 * and packed bits for NULLs and for numbers of a dictionary, PLAIN for the rest.
 * Memory that runs out sets bytes.failed.
 */
#ifndef PERFTAB_PARQUET_ENCODE_H
#define PERFTAB_PARQUET_ENCODE_H

#include <stdbool.h>

#include "base/bytes.h"

struct encode_range {
	int64_t least, greatest;
};
/* Of no values both are 0. */
struct encode_range encode_range(const int64_t *values, size_t count);

/* Any values, differences may wrap around; their range. */
struct encode_range encode_delta(struct bytes *to, const int64_t *values, size_t count);
/* Values below 2^width, width 0 to 32. */
void encode_hybrid(struct bytes *to, const uint32_t *values, size_t count,
		   unsigned int width);
/* The same of `length` equal values. */
void encode_run(struct bytes *to, uint32_t value, size_t length, unsigned int width);
/* Bits that a number up to `max` needs, 0 to 32. */
unsigned int encode_width(uint32_t max);

#endif
