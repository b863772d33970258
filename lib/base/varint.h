/*
 * varint.h - LEB128: integers of 1 to 10 bytes, seven bits a byte, the lowest first.
 *
 * Pages (page/data.js), Parquet, protobuf and ClickHouse have them.
 */
#ifndef PERFTAB_VARINT_H
#define PERFTAB_VARINT_H

#include "base/bytes.h"

#define LEB128_BYTES_MAX 10

static inline size_t varint_encode(uint8_t to[LEB128_BYTES_MAX], uint64_t value)
{
	size_t length = 0;

	while (value > 0x7f) {
		to[length++] = (uint8_t)(value & 0x7f) | 0x80;
		value >>= 7;
	}
	to[length++] = (uint8_t)value;
	return length;
}

/* Encodes numbers near 0, of either sign, as small ones. */
static inline uint64_t varint_zigzag(int64_t value)
{
	return (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0);
}

static inline int64_t varint_signed(uint64_t value)
{
	return (int64_t)(value >> 1 ^ (value & 1 ? UINT64_MAX : 0));
}

static inline void varint_put(struct bytes *bytes, uint64_t value)
{
	uint8_t text[LEB128_BYTES_MAX];

	bytes_put(bytes, text, varint_encode(text, value));
}

/* Decodes what this program encoded; returns 0 at the end. */
static inline uint64_t varint_decode(const uint8_t **at, const uint8_t *end)
{
	uint64_t value = 0;

	if (*at < end && **at < 0x80)
		return *(*at)++;
	for (unsigned int shift = 0; *at < end && shift < 64; shift += 7) {
		uint8_t byte = *(*at)++;

		value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			break;
	}
	return value;
}

#endif
