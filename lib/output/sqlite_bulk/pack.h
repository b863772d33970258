/*
 * pack.h - packs sorted keys: the difference of each from the one before it.
 *
 *   1 byte     sizes of the two numbers: low half the first, high half the other
 *   0-8 bytes  the value less the one before
 *   0-8 bytes  how far the row id is beyond the next one, which it mostly is; the sign
 *              in the lowest bit
 *
 * Numbers are little-endian.  Packing has no branches: its time does not depend on the
 * sizes.
 */
#ifndef PERFTAB_BULK_PACK_H
#define PERFTAB_BULK_PACK_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Most bytes of a key, and bytes after the last one that may be read or overwritten. */
#define PACKED_BYTES_MAX 17
#define PACKED_SLACK_BYTES 8

/* NULL sorts before all integers; INT64_MIN, which is never a key, represents it. */
#define BULK_KEY_NULL INT64_MIN

struct bulk_key {
	uint64_t value; /* in unsigned order: see key_value() */
	int64_t rowid;
};

static inline uint64_t key_value(int64_t number)
{
	return (uint64_t)number ^ (UINT64_C(1) << 63);
}

static inline int64_t key_number(const struct bulk_key *key)
{
	return (int64_t)(key->value ^ (UINT64_C(1) << 63));
}

static inline uint64_t pack_little(uint64_t number)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	number = __builtin_bswap64(number);
#endif
	return number;
}

static inline size_t pack_number(uint8_t *to, uint64_t number)
{
	uint64_t bytes = pack_little(number);

	memcpy(to, &bytes, sizeof(bytes));
	return ((63 ^ (size_t)__builtin_clzll(number | 1)) / 8) + (number != 0);
}

static inline uint64_t unpack_number(const uint8_t *from, size_t size)
{
	static const uint64_t masks[] = {
		0,
		UINT64_C(0xff),
		UINT64_C(0xffff),
		UINT64_C(0xffffff),
		UINT64_C(0xffffffff),
		UINT64_C(0xffffffffff),
		UINT64_C(0xffffffffffff),
		UINT64_C(0xffffffffffffff),
		UINT64_MAX,
	};
	uint64_t bytes;

	memcpy(&bytes, from, sizeof(bytes));
	return pack_little(bytes) & masks[size];
}

/* Returns where the next key goes; `before` becomes the key. */
static inline uint8_t *pack_key(uint8_t *to, struct bulk_key *before, struct bulk_key key)
{
	uint64_t rise = (uint64_t)key.rowid - (uint64_t)before->rowid - 1;
	size_t first = pack_number(to + 1, key.value - before->value);
	size_t second =
		pack_number(to + 1 + first, rise << 1 ^ (uint64_t)((int64_t)rise >> 63));

	to[0] = (uint8_t)(first | second << 4);
	*before = key;
	return to + 1 + first + second;
}

/* Returns where the next key is; `key`, the one before, becomes this one. */
static inline const uint8_t *unpack_key(const uint8_t *from, struct bulk_key *key)
{
	size_t first = from[0] & 15u, second = from[0] >> 4;
	uint64_t rise = unpack_number(from + 1 + first, second);

	key->value += unpack_number(from + 1, first);
	key->rowid = (int64_t)((uint64_t)key->rowid + 1 + (rise >> 1 ^ (0 - (rise & 1))));
	return from + 1 + first + second;
}

#endif
