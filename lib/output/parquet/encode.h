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
/* Returns the range of values; 0 and 0 of none. */
struct encode_range encode_range(const int64_t *values, size_t count);

/* Encodes any values; differences may wrap.  Returns the range of the values. */
struct encode_range encode_delta(struct bytes *to, const int64_t *values, size_t count);
/* Encodes values below 2^width, width 0 to 32. */
void encode_hybrid(struct bytes *to, const uint32_t *values, size_t count,
		   unsigned int width);
/* As encode_hybrid() for `length` equal values. */
void encode_run(struct bytes *to, uint32_t value, size_t length, unsigned int width);
/* Returns the bits that a number up to `max` needs, 0 to 32. */
unsigned int encode_width(uint32_t max);

#endif
