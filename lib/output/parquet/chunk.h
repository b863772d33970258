/*
 * chunk.h - the values of one column in one row group: encoded, compressed, described.
 *
 * A chunk is a page of data, for texts after a page with the dictionary.  Both are
 * compressed with zstd, but large pages of numbers that hardly shrink.
 */
#ifndef PERFTAB_PARQUET_CHUNK_H
#define PERFTAB_PARQUET_CHUNK_H

#include "base/bytes.h"
#include "base/error.h"
#include "base/str.h"

enum parquet_type {
	PARQUET_INT,
	PARQUET_UTC, /* nanoseconds since 1970 */
	PARQUET_REAL,
	PARQUET_TEXT,
	PARQUET_BYTES,
};

struct parquet_column {
	const char *name; /* UTF-8 */
	enum parquet_type type;
	bool optional; /* has NULLs */
};

/* Texts longer than this have no statistics. */
#define PARQUET_BOUND_BYTES_MAX 64

/* A least or greatest value, as it is stored. */
struct parquet_bound {
	uint8_t bytes[PARQUET_BOUND_BYTES_MAX];
	size_t size;
};

/* Of a column of integers. */
int64_t parquet_bound_number(const struct parquet_bound *bound);

struct parquet_chunk {
	size_t rows, nulls;
	bool has_dictionary, is_plain, has_bounds;
	bool is_unpacked; /* not compressed */
	struct parquet_bound least, greatest;
	uint64_t size, unpacked_size; /* bytes in the file and before compression */
	uint64_t data_at;	      /* of the data page, from the chunk's start */
	uint64_t offset;	      /* of the chunk in the file, when it has one */
};

/* The values of a column: numbers[], or texts[] with their dictionary. */
struct parquet_values {
	size_t rows;
	const uint8_t *is_null; /* by row; NULL: none is, */
	bool none_is_null;	/* but numbers that are INT_NONE */
	const int64_t *numbers; /* of reals the bits; NULL: all numbers are NULL */
	const uint32_t *texts;	/* by row, in the dictionary; not read if it has one */
	const struct str *dictionary; /* all of it is used */
	size_t dictionary_size;
};

/* Buffers for making chunks, used again for each. */
struct parquet_maker {
	struct bytes plain, page;
	int64_t *numbers; /* without NULLs */
	uint32_t *indexes;
	size_t room;
	void *zstd;
	bool only_plain; /* no encodings that old readers lack */
};

/* Appends a chunk to `to` and describes it.  False: out of memory. */
bool parquet_make_chunk(struct parquet_maker *maker, const struct parquet_column *column,
			const struct parquet_values *values, struct bytes *to,
			struct parquet_chunk *chunk);
void parquet_maker_release(struct parquet_maker *maker);

#endif
