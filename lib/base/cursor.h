/*
 * cursor.h - a window onto input bytes.
 *
 * Reading past the end returns zero and sets overrun, which stays set: test it once per
 * record.  Memory outside [pos, end) is never touched.  Input is never cast to a struct.
 */
#ifndef PERFTAB_CURSOR_H
#define PERFTAB_CURSOR_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/str.h"

struct cursor {
	const uint8_t *pos;
	const uint8_t *end;
	uint64_t offset; /* input offset of *pos, for messages */
	bool big_endian;
	bool overrun; /* sticky */
};

static inline struct cursor cursor_over(const void *bytes, size_t size, uint64_t offset,
					bool big_endian)
{
	const uint8_t *start = bytes;

	return (struct cursor){ start, start ? start + size : start, offset, big_endian,
				false };
}

static inline size_t cursor_left(const struct cursor *c)
{
	return (size_t)(c->end - c->pos);
}

/* Returns n bytes in place and moves past them; NULL (and overrun) if fewer are left. */
static inline const uint8_t *cursor_bytes(struct cursor *c, size_t n)
{
	const uint8_t *at = c->pos;

	if (cursor_left(c) < n || c->overrun) {
		c->overrun = true;
		return NULL;
	}
	c->pos += n;
	c->offset += n;
	return at;
}

static inline void cursor_skip(struct cursor *c, size_t n)
{
	(void)cursor_bytes(c, n);
}

static inline uint8_t cursor_u8(struct cursor *c)
{
	const uint8_t *at = cursor_bytes(c, 1);

	return at ? *at : 0;
}

static inline uint16_t cursor_u16(struct cursor *c)
{
	const uint8_t *at = cursor_bytes(c, 2);
	uint16_t value = 0;

	if (at)
		memcpy(&value, at, sizeof(value));
	return c->big_endian ? __builtin_bswap16(value) : value;
}

static inline uint32_t cursor_u32(struct cursor *c)
{
	const uint8_t *at = cursor_bytes(c, 4);
	uint32_t value = 0;

	if (at)
		memcpy(&value, at, sizeof(value));
	return c->big_endian ? __builtin_bswap32(value) : value;
}

static inline uint64_t cursor_u64(struct cursor *c)
{
	const uint8_t *at = cursor_bytes(c, 8);
	uint64_t value = 0;

	if (at)
		memcpy(&value, at, sizeof(value));
	return c->big_endian ? __builtin_bswap64(value) : value;
}

/* Moves past the next n bytes and returns them as a cursor of their own. */
static inline struct cursor cursor_sub(struct cursor *c, size_t n)
{
	uint64_t offset = c->offset;
	const uint8_t *at = cursor_bytes(c, n);
	struct cursor sub = { at, at ? at + n : NULL, offset, c->big_endian, at == NULL };

	return sub;
}

/* Moves past a field of n bytes and returns its text, up to the first NUL if any. */
static inline struct str cursor_padded_str(struct cursor *c, size_t n)
{
	const uint8_t *at = cursor_bytes(c, n);
	const uint8_t *nul;

	if (!at)
		return STR_NONE;
	nul = memchr(at, 0, n);
	return (struct str){ (const char *)at, nul ? (size_t)(nul - at) : n };
}

/* Returns the text before the next NUL and moves past the NUL; overrun without one. */
static inline struct str cursor_nul_str(struct cursor *c)
{
	const uint8_t *at = c->pos;
	const uint8_t *nul = cursor_left(c) ? memchr(at, 0, cursor_left(c)) : NULL;

	if (!nul) {
		c->overrun = true;
		return STR_NONE;
	}
	cursor_skip(c, (size_t)(nul - at) + 1);
	return c->overrun ? STR_NONE
			  : (struct str){ (const char *)at, (size_t)(nul - at) };
}

#endif
