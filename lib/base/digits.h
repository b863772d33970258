/*
 * digits.h - numbers as decimal digits, eight at a time.
 *
 * The digits of a part below 10^8 are computed side by side in one word, by halves, as
 * multiplications by 1/100 and 1/10 are exact there; no step depends on how many digits
 * there are, and no byte is copied.
 */
#ifndef PERFTAB_DIGITS_H
#define PERFTAB_DIGITS_H

#include <stdint.h>
#include <string.h>

#define DIGITS_AT_ONCE UINT64_C(100000000)

/* The digits of a value below 10^8, the first one in the lowest byte. */
static inline uint64_t digits_of(uint64_t value)
{
	uint64_t halves = value / 10000 | value % 10000 << 32;
	uint64_t hundreds = (halves * 10486 >> 20) & UINT64_C(0x7f0000007f);
	uint64_t pairs = hundreds | (halves - 100 * hundreds) << 16;
	uint64_t tens = (pairs * 103 >> 10) & UINT64_C(0x000f000f000f000f);

	return tens | (pairs - 10 * tens) << 8;
}

static inline void digits_store(char *to, uint64_t digits)
{
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
	digits = __builtin_bswap64(digits);
#endif
	memcpy(to, &digits, sizeof(digits));
}

#define DIGITS_ZERO UINT64_C(0x3030303030303030)

/* Without leading zeros; eight bytes are written. */
static inline char *digits_put_first(char *to, uint64_t value)
{
	uint64_t digits = digits_of(value);
	/* The last digit stays. */
	unsigned int zeros =
		(unsigned int)__builtin_ctzll(digits | UINT64_C(1) << 56) / 8;

	digits_store(to, (digits | DIGITS_ZERO) >> 8 * zeros);
	return to + 8 - zeros;
}

static inline char *digits_put_next(char *to, uint64_t value)
{
	digits_store(to, digits_of(value) | DIGITS_ZERO);
	return to + 8;
}

/* Up to 20 bytes are written from `to` on; returns where the digits end. */
static inline char *digits_put(char *to, uint64_t value)
{
	uint64_t first = value / DIGITS_AT_ONCE;

	if (!first)
		return digits_put_first(to, value);
	if (first < DIGITS_AT_ONCE)
		to = digits_put_first(to, first);
	else
		to = digits_put_next(digits_put_first(to, first / DIGITS_AT_ONCE),
				     first % DIGITS_AT_ONCE);
	return digits_put_next(to, value % DIGITS_AT_ONCE);
}

/* The same with a sign, where the value is negative. */
static inline char *digits_put_int(char *to, int64_t value)
{
	uint64_t sign = (uint64_t)(value >> 63);

	*to = '-';
	return digits_put(to + (sign & 1), ((uint64_t)value ^ sign) - sign);
}

#endif
