/*
 * bulk_record.h - a row in SQLite's record format: a header of serial types, and the
 * values behind it.
 *
 * Begin, put the values in the order of the columns, write.  A record that is larger than
 * a page could ever hold is noted, not an error: such rows are left to SQLite.
 */
#ifndef PERFTAB_BULK_RECORD_H
#define PERFTAB_BULK_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "core/str.h"

/* SQLite's own limit, unless it was built with another. */
#define BULK_COLUMNS_MAX 2000
/* Texts and blobs of one record; no page is larger. */
#define BULK_BODY_BYTES_MAX 65536

struct bulk_record {
	uint8_t *types_end, *body_end;
	bool too_large;
	/* A length of up to 64 KiB makes a serial type of at most three bytes. */
	uint8_t types[BULK_COLUMNS_MAX * 3 + 8];
	/* Integers are written eight bytes at a time, whatever they take. */
	uint8_t body[BULK_BODY_BYTES_MAX + BULK_COLUMNS_MAX * 8 + 8];
};

static inline void record_begin(struct bulk_record *record)
{
	record->types_end = record->types;
	record->body_end = record->body;
	record->too_large = false;
}

static inline void record_null(struct bulk_record *record)
{
	*record->types_end++ = 0;
}

/* The serial type of an integer of that many significant bits, and its size in bytes. */
struct bulk_int_size {
	uint8_t type, size;
};
extern const struct bulk_int_size bulk_int_sizes[64];

static inline struct bulk_int_size record_int_size(int64_t value)
{
	uint64_t magnitude = (uint64_t)(value ^ (value >> 63));
	struct bulk_int_size size = bulk_int_sizes[63 - __builtin_clzll(magnitude | 1)];

	/* 0 and 1 are types of their own (schema format 4). */
	if ((uint64_t)value < 2) {
		size.type = (uint8_t)(8 + value);
		size.size = 0;
	}
	return size;
}

/* Eight bytes of which the first `size` are the value; the rest is to be overwritten. */
static inline void record_int_bytes(uint8_t *to, int64_t value, unsigned int size)
{
	uint64_t bytes = (uint64_t)value << ((64 - 8 * size) & 63);

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	bytes = __builtin_bswap64(bytes);
#endif
	memcpy(to, &bytes, sizeof(bytes));
}

static inline void record_int(struct bulk_record *record, int64_t value)
{
	struct bulk_int_size size = record_int_size(value);

	*record->types_end++ = size.type;
	record_int_bytes(record->body_end, value, size.size);
	record->body_end += size.size;
}

/* In a column of type REAL. */
void record_real(struct bulk_record *record, double value);
void record_text(struct bulk_record *record, struct str text);
void record_blob(struct bulk_record *record, struct str bytes);

/* Header and body. */
static inline size_t record_size(const struct bulk_record *record)
{
	size_t types = (size_t)(record->types_end - record->types);

	/* The header's size counts the bytes it is itself written in. */
	return types + (types < 127 ? 1 : 2) + (size_t)(record->body_end - record->body);
}

/* Writes record_size() bytes. */
void record_write(const struct bulk_record *record, uint8_t *to);

#endif
