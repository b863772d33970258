/*
 * bytes.h - reads and writes the numbers of SQLite's file format: big-endian and varints.
 *
 * docs/bulk-load.md has the layouts.
 */
#ifndef PERFTAB_BULK_BYTES_H
#define PERFTAB_BULK_BYTES_H

#include <stddef.h>
#include <stdint.h>

#define VARINT_BYTES_MAX 9

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

/* Reads up to `end`; returns the bytes read, 0: it does not end there. */
static inline size_t get_varint(const uint8_t *from, const uint8_t *end, uint64_t *value)
{
	*value = 0;
	for (size_t i = 0; i < VARINT_BYTES_MAX && from + i < end; i++) {
		if (i == VARINT_BYTES_MAX - 1) {
			*value = *value << 8 | from[i];
			return VARINT_BYTES_MAX;
		}
		*value = *value << 7 | (from[i] & 0x7f);
		if (!(from[i] & 0x80))
			return i + 1;
	}
	return 0;
}

#endif
