/* record.c - encodes SQLite records and cells from the last column to the first. */
#include "output/sqlite_bulk/record.h"

#include "base/sqlite_format.h"

/* clang-format off */
#define EIGHT(type, size)                                                          \
	{ type, size }, { type, size }, { type, size }, { type, size }, { type, size }, \
	{ type, size }, { type, size }, { type, size }

/* With room for the sign; 0 and 1 have types without bytes (schema format 4). */
const struct bulk_int_size bulk_int_sizes[128] = {
	{ 8, 0 }, { 9, 0 }, { 1, 1 }, { 1, 1 }, { 1, 1 }, { 1, 1 }, { 1, 1 }, { 1, 1 },
	EIGHT(2, 2), EIGHT(3, 3), EIGHT(4, 4), EIGHT(5, 6), EIGHT(5, 6), EIGHT(6, 8), EIGHT(6, 8),
	/* negative ones */
	EIGHT(1, 1),
	EIGHT(2, 2), EIGHT(3, 3), EIGHT(4, 4), EIGHT(5, 6), EIGHT(5, 6), EIGHT(6, 8), EIGHT(6, 8),
};
/* clang-format on */

/* A larger integer is not shorter than a real. */
#define REAL_AS_INT_MAX ((double)((int64_t)1 << 47))

void record_real(struct bulk_record *record, double value)
{
	uint64_t bits;

	if (value != value) { /* NaN: SQLite has no such value */
		record_null(record);
		return;
	}
	/* SQLite stores a whole number as an integer, and reads it back as a real. */
	if (value >= -REAL_AS_INT_MAX && value < REAL_AS_INT_MAX &&
	    value == (double)(int64_t)value) {
		record_int(record, (int64_t)value);
		return;
	}
	memcpy(&bits, &value, sizeof(bits));
	*--record->front.types = TYPE_REAL;
	record_int_bytes(record->front.cell, (int64_t)bits);
	record->front.cell -= sizeof(bits);
}

void record_bytes(struct bulk_record *record, struct str bytes, enum value_type type)
{
	size_t used = (size_t)(record_end(record) - record->front.cell);

	if (!bytes.ptr) {
		record_null(record);
		return;
	}
	if (bytes.len > BULK_BODY_BYTES_MAX || used + bytes.len > BULK_BODY_BYTES_MAX) {
		record->too_large = true;
		return;
	}
	record->front.types = varint_before(record->front.types, type + 2 * bytes.len);
	record->front.cell -= bytes.len;
	if (bytes.len)
		memcpy(record->front.cell, bytes.ptr, bytes.len);
}

size_t record_cell(struct bulk_record *record, int64_t rowid)
{
	const uint8_t *types_end = record->types_room + sizeof(record->types_room);
	size_t types = (size_t)(types_end - record->front.types), payload;

	record->front.cell -= types;
	memcpy(record->front.cell, record->front.types, types);
	/* The header's size counts the bytes it is itself written in. */
	record->front.cell =
		varint_before(record->front.cell, types + (types < 127 ? 1 : 2));
	payload = (size_t)(record_end(record) - record->front.cell);
	record->front.cell = varint_before(record->front.cell, (uint64_t)rowid);
	record->front.cell = varint_before(record->front.cell, payload);
	return payload;
}
