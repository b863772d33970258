/*
 * sqlite_format.h - SQLite's file format: offsets, kinds of pages, types of values,
 * numbers.
 *
 * docs/bulk-load.md has the layouts.
 */
#ifndef PERFTAB_SQLITE_FORMAT_H
#define PERFTAB_SQLITE_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Offsets in the header of the file, at the beginning of page 1. */
enum file_header {
	HEADER_PAGE_BYTES = 16,	   /* u16; 1: 65536 */
	HEADER_WRITE_VERSION = 18, /* 1: rollback journal, 2: WAL */
	HEADER_READ_VERSION = 19,
	HEADER_RESERVED = 20, /* bytes at the end of each page */
	HEADER_CHANGES = 24,  /* a difference invalidates other caches */
	HEADER_PAGES = 28,
	HEADER_FREE_FIRST = 32, /* the first trunk page, 0: there are no free pages */
	HEADER_FREE_COUNT = 36,
	HEADER_SCHEMA_FORMAT = 44,
	HEADER_VACUUM_ROOT = 52,  /* not 0: there are pointer map pages */
	HEADER_ENCODING = 56,	  /* 1: UTF-8 */
	HEADER_CHANGES_THEN = 92, /* HEADER_PAGES is of this HEADER_CHANGES */
	HEADER_BYTES = 100,
};

/* Offsets in the header of a b-tree page; on page 1 it follows that of the file. */
enum page_header {
	PAGE_KIND = 0,	    /* one of enum page_kind */
	PAGE_FREE = 1,	    /* u16, the first gap between cells, or 0 */
	PAGE_CELLS = 3,	    /* u16 */
	PAGE_CONTENT = 5,   /* u16, where the first cell begins; 0: 65536 */
	PAGE_FRAGMENTS = 7, /* bytes in gaps that are too small to count */
	PAGE_RIGHT = 8,	    /* u32, interior pages only: the last child */
	LEAF_HEADER_BYTES = 8,
	INTERIOR_HEADER_BYTES = 12,
};

enum page_kind {
	INDEX_INTERIOR = 2,
	TABLE_INTERIOR = 5,
	INDEX_LEAF = 10,
	TABLE_LEAF = 13,
};

/* Serial types of values, beside those of integers. */
enum value_type {
	TYPE_NULL = 0,
	TYPE_REAL = 7,
	TYPE_BLOB = 12, /* plus two for each byte */
	TYPE_TEXT = 13, /* likewise */
};

#define NUMBER_TYPES 10 /* types below it: NULL, integers and reals */

/* Bytes of a value of such a type.  No function: compilers reload its table each time. */
static const uint8_t number_bytes[NUMBER_TYPES] = { 0, 1, 2, 3, 4, 6, 8, 8, 0, 0 };

#define CHILD_BYTES 4 /* at the beginning of a cell of an interior page */
#define VARINT_BYTES_MAX 9

static inline bool page_is_known(uint8_t kind)
{
	return kind == INDEX_INTERIOR || kind == TABLE_INTERIOR || kind == INDEX_LEAF ||
	       kind == TABLE_LEAF;
}

static inline bool page_is_leaf(uint8_t kind)
{
	return kind == INDEX_LEAF || kind == TABLE_LEAF;
}

static inline bool page_is_index(uint8_t kind)
{
	return kind == INDEX_LEAF || kind == INDEX_INTERIOR;
}

/* The largest payload of a cell that needs no overflow page. */
static inline size_t payload_max(bool is_index, size_t usable)
{
	return is_index ? (usable - 12) * 64 / 255 - 23 : usable - 35;
}

static inline void put_u16(uint8_t *to, size_t value)
{
	to[0] = (uint8_t)(value >> 8);
	to[1] = (uint8_t)value;
}

static inline void put_u32(uint8_t *to, uint32_t value)
{
	put_u16(to, value >> 16);
	put_u16(to + 2, value & 0xffff);
}

static inline size_t get_u16(const uint8_t *from)
{
	return (size_t)from[0] << 8 | from[1];
}

static inline uint32_t get_u32(const uint8_t *from)
{
	return (uint32_t)(get_u16(from) << 16 | get_u16(from + 2));
}

/*
 * Seven bits in each byte, the highest first; the ninth byte has eight.  It ends at
 * `end`; returns where it begins.
 */
static inline uint8_t *varint_before(uint8_t *end, uint64_t value)
{
	if (value >> 56) {
		*--end = (uint8_t)value;
		value >>= 8;
		for (int i = 0; i < VARINT_BYTES_MAX - 1; i++, value >>= 7)
			*--end = (uint8_t)(value | 0x80);
		return end;
	}
	*--end = value & 0x7f;
	while (value >>= 7)
		*--end = (uint8_t)(value | 0x80);
	return end;
}

/* Reads up to `end`; returns the bytes read, or 0 if it ends later, without a value. */
static inline size_t get_varint(const uint8_t *from, const uint8_t *end, uint64_t *value)
{
	uint64_t sum = 0;

	for (size_t i = 1; i <= VARINT_BYTES_MAX && from < end; i++) {
		uint8_t byte = *from++;

		if (i == VARINT_BYTES_MAX) {
			*value = sum << 8 | byte;
			return i;
		}
		sum = sum << 7 | (byte & 0x7f);
		if (byte < 0x80) {
			*value = sum;
			return i;
		}
	}
	return 0;
}

/* The bytes of a cell before its payload; 0: it does not end before `end`. */
static inline size_t decode_front(const uint8_t *cell, const uint8_t *end, uint8_t kind,
				  uint64_t *payload, uint64_t *rowid)
{
	size_t front = page_is_leaf(kind) ? 0 : CHILD_BYTES, size = 1;

	*payload = *rowid = 0;
	if (front > (size_t)(end - cell))
		return 0;
	if (kind != TABLE_INTERIOR)
		front += size = get_varint(cell + front, end, payload);
	if (size && !page_is_index(kind))
		front += size = get_varint(cell + front, end, rowid);
	return size ? front : 0;
}

#endif
