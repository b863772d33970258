/*
 * block.h - a block of DELTA_BINARY_PACKED: differences, their least, and bits in use.
 *
 * Most of the time of writing Parquet is spent here; CPUs with AVX2 do four values at a
 * time.
 */
#ifndef PERFTAB_PARQUET_BLOCK_H
#define PERFTAB_PARQUET_BLOCK_H

#include <stddef.h>
#include <stdint.h>

/* Values of a block, and its parts, each with its own width. */
#define BLOCK_VALUES 128
#define BLOCK_PARTS 4
#define PART_VALUES (BLOCK_VALUES / BLOCK_PARTS)

/* Bytes after packed values that block_pack() may overwrite. */
#define PACK_SLACK 8

struct block {
	uint64_t above[BLOCK_VALUES]; /* differences, each above the least one */
	uint64_t bits[BLOCK_PARTS];   /* of each part: all its bits together */
	int64_t least_delta;
	int64_t least, greatest; /* values */
};

/* Of a whole block: values[0] differs from the value before it, and so on. */
void block_fill(struct block *block, const int64_t *values);
/* The same for any CPU. */
void block_fill_plain(struct block *block, const int64_t *values);

/* PART_VALUES values below 2^width as bits, the lowest first: width * 4 bytes. */
void block_pack(uint8_t *to, const uint64_t *values, unsigned int width);

#endif
