/* sound.c - reads the cells of a page again. */
#include "output/sqlite_bulk/sound.h"

#include <string.h>

#include "output/sqlite_bulk/bytes.h"

/* The first byte of a page; docs/bulk-load.md has the rest. */
enum {
	INDEX_INTERIOR = 2,
	TABLE_INTERIOR = 5,
	INDEX_LEAF = 10,
	TABLE_LEAF = 13,
};

#define TYPE_BLOB 12

/* Bytes of the values of types 0 to 9. */
static const uint8_t type_bytes[] = { 0, 1, 2, 3, 4, 6, 8, 8, 0, 0 };

/* --- records --- */

/* The size of a value, after its type; false: there is no such type. */
static bool add_value(const uint8_t **at, const uint8_t *end, size_t *size)
{
	uint64_t type = **at;
	size_t bytes = 1;

	if (type < sizeof(type_bytes)) {
		*size += type_bytes[type];
	} else {
		bytes = get_varint(*at, end, &type);
		if (!bytes || type < TYPE_BLOB || type >> 32)
			return false;
		*size += (size_t)(type - TYPE_BLOB) / 2;
	}
	*at += bytes;
	return true;
}

/* Whether a record fills its payload to the last byte. */
static bool is_record(const uint8_t *from, size_t size)
{
	uint64_t header;
	size_t bytes = get_varint(from, from + size, &header), filled;
	const uint8_t *at = from + bytes, *end;

	if (!bytes || header < bytes || header > size)
		return false;
	filled = (size_t)header;
	end = from + filled;
	while (at < end)
		if (!add_value(&at, end, &filled))
			return false;
	return filled == size;
}

static int64_t int_at(const uint8_t *from, size_t size)
{
	uint64_t value = size && (from[0] & 0x80) ? UINT64_MAX : 0;

	for (size_t i = 0; i < size; i++)
		value = value << 8 | from[i];
	return (int64_t)value;
}

/* The values of an entry, which are all integers; false: some are not, or too many. */
static bool decode_entry(const uint8_t *from, size_t size, int64_t key[BULK_SOUND_VALUES])
{
	size_t header = from[0], count = header - 1;
	const uint8_t *at = from + header;

	if (!is_record(from, size) || count > BULK_SOUND_VALUES)
		return false;
	memset(key, 0, BULK_SOUND_VALUES * sizeof(*key));
	for (size_t i = 0; i < count; i++) {
		uint8_t type = from[1 + i];

		if (type == 7 || type >= sizeof(type_bytes))
			return false;
		key[i] = type == 0  ? INT64_MIN
			 : type > 7 ? type - 8
				    : int_at(at, type_bytes[type]);
		at += type_bytes[type];
	}
	return true;
}

/* --- cells --- */

/* A cell of a page: its key, and its size; false: it is not one. */
static bool decode_cell(const uint8_t *cell, const uint8_t *end, uint8_t kind,
			int64_t key[BULK_SOUND_VALUES], size_t *size)
{
	bool is_table = kind == TABLE_LEAF || kind == TABLE_INTERIOR;
	const uint8_t *at = cell;
	uint64_t payload = 0, rowid;
	size_t bytes;

	if (kind == TABLE_INTERIOR || kind == INDEX_INTERIOR) {
		if (end - at < 5 || get_u32(at) == 0)
			return false;
		at += 4;
	}
	if (kind != TABLE_INTERIOR) {
		bytes = get_varint(at, end, &payload);
		if (!bytes || payload == 0 || payload > (uint64_t)(end - at))
			return false;
		at += bytes;
	}
	if (is_table) {
		bytes = get_varint(at, end, &rowid);
		if (!bytes)
			return false;
		at += bytes;
		key[0] = (int64_t)rowid;
	}
	*size = (size_t)(at - cell) + (size_t)payload;
	if (payload > (uint64_t)(end - at))
		return false;
	return kind == TABLE_INTERIOR ||
	       (is_table ? is_record(at, (size_t)payload)
			 : decode_entry(at, (size_t)payload, key));
}

static bool is_less(const int64_t *a, const int64_t *b)
{
	for (size_t i = 0; i < BULK_SOUND_VALUES; i++)
		if (a[i] != b[i])
			return a[i] < b[i];
	return false;
}

bool page_is_sound(struct bulk_sound *sound, const uint8_t *page, size_t usable)
{
	uint8_t kind = page[0];
	bool is_leaf = kind == TABLE_LEAF || kind == INDEX_LEAF;
	size_t count = get_u16(page + 3), content = get_u16(page + 5);
	size_t header = is_leaf ? 8 : 12, end = usable;
	struct bulk_sound before = { .any = false };

	if (!is_leaf && kind != TABLE_INTERIOR && kind != INDEX_INTERIOR)
		return false;
	if (is_leaf) /* else keys of the page alone */
		before = *sound;
	if (content == 0)
		content = 65536;
	if (content > usable || header + 2 * count > content)
		return false;
	for (size_t i = 0; i < count; i++) {
		size_t at = get_u16(page + header + 2 * i), size;
		int64_t key[BULK_SOUND_VALUES] = { 0 };

		if (at < content || at >= end ||
		    !decode_cell(page + at, page + end, kind, key, &size) ||
		    at + size != end || (before.any && !is_less(before.key, key)))
			return false;
		end = at;
		before.any = true;
		memcpy(before.key, key, sizeof(key));
	}
	if (is_leaf)
		*sound = before;
	return end == content && (is_leaf || (count && get_u32(page + 8)));
}
