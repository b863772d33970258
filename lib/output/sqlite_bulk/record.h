/*
 * record.h - encodes a row as a cell with an SQLite record: a header of serial types,
 * then the values.
 *
 * Sizes precede the data in a cell, so it is written from its end: begin, then the values
 * from the last column to the first, then the front of the cell before them.  A record
 * larger than any page is noted, not an error: such rows are left to SQLite.
 */
#ifndef PERFTAB_BULK_RECORD_H
#define PERFTAB_BULK_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/sqlite_format.h"
#include "base/str.h"

/* SQLite's default limit. */
#define BULK_COLUMNS_MAX 2000
/* Most bytes of texts and blobs in a record; no page is larger. */
#define BULK_BODY_BYTES_MAX 65536

/* A length of up to 64 KiB makes a serial type of at most three bytes. */
#define BULK_TYPES_ROOM (BULK_COLUMNS_MAX * 3)
/* Integers are written eight bytes at a time, whatever their size. */
#define BULK_BODY_ROOM (BULK_BODY_BYTES_MAX + BULK_COLUMNS_MAX * 8 + 8)

/* The start of types and of values: both grow towards their first byte. */
struct bulk_front {
	uint8_t *types, *cell;
};

struct bulk_record {
	struct bulk_front front;
	bool too_large;
	uint8_t types_room[BULK_TYPES_ROOM];
	/* The values, and at the end the front of the cell. */
	uint8_t cell_room[BULK_TYPES_ROOM + 3 * VARINT_BYTES_MAX + BULK_BODY_ROOM];
};

static inline const uint8_t *record_end(const struct bulk_record *record)
{
	return record->cell_room + sizeof(record->cell_room);
}

static inline void record_begin(struct bulk_record *record)
{
	record->front.types = record->types_room + sizeof(record->types_room);
	record->front.cell = record->cell_room + sizeof(record->cell_room);
	record->too_large = false;
}

/* The serial type of an integer, and its size in bytes. */
struct bulk_int_size {
	uint8_t type, size;
};
/*
 * Indexed by the number of bits that differ from the sign, the sign counted; negative
 * values are in the second half.
 */
extern const struct bulk_int_size bulk_int_sizes[128];

/* No branch: whether a column is 0 or 1 in a row is random. */
static inline struct bulk_int_size record_int_size(int64_t value)
{
	uint64_t sign = (uint64_t)(value >> 63);
	uint64_t magnitude = (uint64_t)value ^ sign;
	/* One bit more than the magnitude has, so that 0 has one and 1 another. */
	unsigned int bit = (unsigned int)__builtin_clzll(2 * magnitude + 1) ^ 63;

	return bulk_int_sizes[bit | (sign & 64)];
}

/* The value ends at `end`; the eight bytes before that are written, whatever its size. */
static inline void record_int_bytes(uint8_t *end, int64_t value)
{
	uint64_t bytes = (uint64_t)value;

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	bytes = __builtin_bswap64(bytes);
#endif
	memcpy(end - sizeof(bytes), &bytes, sizeof(bytes));
}

/* By value, so that a row of integers is encoded in registers. */
static inline struct bulk_front front_int(struct bulk_front front, int64_t value)
{
	struct bulk_int_size size = record_int_size(value);

	*--front.types = size.type;
	record_int_bytes(front.cell, value);
	front.cell -= size.size;
	return front;
}

/* Of a value that is not negative. */
static inline struct bulk_front front_count(struct bulk_front front, int64_t value)
{
	uint64_t twice = 2 * (uint64_t)value + 1;
	struct bulk_int_size size =
		bulk_int_sizes[(unsigned int)__builtin_clzll(twice) ^ 63];

	*--front.types = size.type;
	record_int_bytes(front.cell, value);
	front.cell -= size.size;
	return front;
}

static inline struct bulk_front front_null(struct bulk_front front)
{
	*--front.types = TYPE_NULL;
	return front;
}

static inline void record_null(struct bulk_record *record)
{
	record->front = front_null(record->front);
}

static inline void record_int(struct bulk_record *record, int64_t value)
{
	record->front = front_int(record->front, value);
}

/* In a column of type REAL. */
void record_real(struct bulk_record *record, double value);
/* TYPE_TEXT or TYPE_BLOB; no bytes.ptr: NULL. */
void record_bytes(struct bulk_record *record, struct str bytes, enum value_type type);

/*
 * Ends the record after its last column: writes the front of the cell of a table's leaf.
 * The cell is record->front.cell .. record_end(); returns the size of the record in it.
 */
size_t record_cell(struct bulk_record *record, int64_t rowid);

#endif
