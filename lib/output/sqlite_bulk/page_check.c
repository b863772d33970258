/* page_check.c - reads the cells of a page again. */
#include "output/sqlite_bulk/page_check.h"

#include <string.h>

#include "base/sqlite_format.h"

/* --- records --- */

/* The size of a value, after its type; false: there is no such type. */
static bool add_value(const uint8_t **at, const uint8_t *end, size_t *size)
{
	uint64_t type = **at;
	size_t bytes = 1;

	if (type < NUMBER_TYPES) {
		*size += number_bytes[type];
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
static bool decode_entry(const uint8_t *from, size_t size, int64_t key[PAGE_CHECK_VALUES])
{
	size_t header = from[0], count = header - 1;
	const uint8_t *at = from + header;

	if (!is_record(from, size) || count > PAGE_CHECK_VALUES)
		return false;
	memset(key, 0, PAGE_CHECK_VALUES * sizeof(*key));
	for (size_t i = 0; i < count; i++) {
		uint8_t type = from[1 + i];

		if (type == TYPE_REAL || type >= NUMBER_TYPES)
			return false;
		key[i] = type == TYPE_NULL ? INT64_MIN
			 : type > 7	   ? type - 8
					   : int_at(at, number_bytes[type]);
		at += number_bytes[type];
	}
	return true;
}

/* --- cells --- */

/* A cell of a page: its key, and its size; false: it is not one. */
static bool decode_cell(const uint8_t *cell, const uint8_t *end, uint8_t kind,
			int64_t key[PAGE_CHECK_VALUES], size_t *size)
{
	uint64_t payload, rowid;
	size_t front = decode_front(cell, end, kind, &payload, &rowid);
	const uint8_t *record = cell + front;

	if (!front || payload > (uint64_t)(end - record) ||
	    (!page_is_leaf(kind) && get_u32(cell) == 0))
		return false;
	*size = front + (size_t)payload;
	key[0] = (int64_t)rowid;
	if (kind == TABLE_INTERIOR)
		return true;
	return payload &&
	       (kind == TABLE_LEAF ? is_record(record, (size_t)payload)
				   : decode_entry(record, (size_t)payload, key));
}

static bool is_less(const int64_t *a, const int64_t *b)
{
	for (size_t i = 0; i < PAGE_CHECK_VALUES; i++)
		if (a[i] != b[i])
			return a[i] < b[i];
	return false;
}

bool page_is_sound(struct bulk_page_check *check, const uint8_t *page, size_t usable)
{
	uint8_t kind = page[PAGE_KIND];
	bool is_leaf = page_is_leaf(kind);
	size_t count = get_u16(page + PAGE_CELLS), content = get_u16(page + PAGE_CONTENT);
	size_t header = is_leaf ? LEAF_HEADER_BYTES : INTERIOR_HEADER_BYTES, end = usable;
	struct bulk_page_check before = { .any = false };

	if (!page_is_known(kind))
		return false;
	if (is_leaf) /* else keys of the page alone */
		before = *check;
	if (content == 0)
		content = 65536;
	if (content > usable || header + 2 * count > content)
		return false;
	for (size_t i = 0; i < count; i++) {
		size_t at = get_u16(page + header + 2 * i), size;
		int64_t key[PAGE_CHECK_VALUES] = { 0 };

		if (at < content || at >= end ||
		    !decode_cell(page + at, page + end, kind, key, &size) ||
		    at + size != end || (before.any && !is_less(before.key, key)))
			return false;
		end = at;
		before.any = true;
		memcpy(before.key, key, sizeof(key));
	}
	if (is_leaf)
		*check = before;
	return end == content && (is_leaf || (count && get_u32(page + PAGE_RIGHT)));
}
