/*
 * digits.h - numbers as decimal digits, eight at a time.
 *
 * The digits of a part below 10^8 are computed side by side in one word, by halves, as
 * multiplications by 1/100 and 1/10 are exact there; no step depends on how many digits
 * there are, and no byte is copied.
 */
#ifndef PERFTAB_DIGITS_H
#define PERFTAB_DIGITS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/compiled_twice.h"

#define DIGITS_AT_ONCE UINT64_C(100000000)

#define DIGITS_ZERO UINT64_C(0x3030303030303030)

/* Returns the 8 digits of a value below 10^8 as characters, the first in the low byte. */
static ALWAYS_INLINE uint64_t digits_of(uint64_t value)
{
	uint64_t halves = value / 10000 | value % 10000 << 32;
	uint64_t hundreds = (halves * 10486 >> 20) & UINT64_C(0x7f0000007f);
	uint64_t pairs = hundreds | (halves - 100 * hundreds) << 16;
	uint64_t tens = (pairs * 103 >> 10) & UINT64_C(0x000f000f000f000f);

	return (tens | (pairs - 10 * tens) << 8) + DIGITS_ZERO;
}

#ifdef HAVE_AVX2
/* As digits_of() for many values, four at a time; may go DIGITS_SLACK past the last. */
AVX2 static inline void digits_of_many_by_avx2(uint64_t *digits, const uint64_t *values,
					       size_t count)
{
	const __m256i greatest = _mm256_set1_epi64x((int64_t)DIGITS_AT_ONCE - 1);
	const __m256i none = _mm256_setzero_si256();
	const __m256i zero = _mm256_set1_epi8('0');
	const __m256i all_10000 = _mm256_set1_epi64x(10000);
	const __m256i by_10000 = _mm256_set1_epi64x(INT64_C(3518437209)); /* and 2^-45 */
	const __m256i all_100 = _mm256_set1_epi32(100);
	const __m256i by_100 = _mm256_set1_epi16(5243); /* and 2^-19 */
	const __m256i by_10 = _mm256_set1_epi16(6554);	/* and 2^-16 */
	const __m256i all_2559 = _mm256_set1_epi16(10 * 256 - 1);

	for (size_t i = 0; i < count; i += 4) {
		__m256i value, others, first, rest, tens;

		memcpy(&value, values + i, sizeof(value));
		others = _mm256_or_si256(_mm256_cmpgt_epi64(value, greatest),
					 _mm256_cmpgt_epi64(none, value));
		/* 8 digits in 64 bits become 4 in 32, 2 in 16, 1 in 8. */
		first = _mm256_srli_epi64(_mm256_mul_epu32(value, by_10000), 45);
		rest = _mm256_sub_epi64(value, _mm256_mul_epu32(first, all_10000));
		value = _mm256_or_si256(first, _mm256_slli_epi64(rest, 32));
		first = _mm256_srli_epi16(_mm256_mulhi_epu16(value, by_100), 3);
		rest = _mm256_sub_epi16(value, _mm256_madd_epi16(first, all_100));
		value = _mm256_or_si256(first, _mm256_slli_epi32(rest, 16));
		/* tens + (value - 10 * tens) * 256 */
		tens = _mm256_mulhi_epu16(value, by_10);
		value = _mm256_sub_epi16(_mm256_slli_epi16(value, 8),
					 _mm256_mullo_epi16(tens, all_2559));
		value = _mm256_or_si256(value, _mm256_or_si256(others, zero));
		memcpy(digits + i, &value, sizeof(value));
	}
}
#endif

/* How many values after the last digits_of_many() may read and write. */
#define DIGITS_SLACK 3

/* digits_of_many(): in place of the digits of a value that is not below 10^8. */
#define DIGITS_NONE UINT64_MAX

/* As digits_of() for many values; `digits` and `values` may be the same array. */
static ALWAYS_INLINE void digits_of_many(uint64_t *digits, const uint64_t *values,
					 size_t count, bool has_avx2)
{
#ifdef HAVE_AVX2
	if (has_avx2) {
		digits_of_many_by_avx2(digits, values, count);
		return;
	}
#endif
	(void)has_avx2;
	for (size_t i = 0; i < count; i++)
		digits[i] =
			values[i] < DIGITS_AT_ONCE ? digits_of(values[i]) : DIGITS_NONE;
}

static ALWAYS_INLINE void digits_store(char *to, uint64_t digits)
{
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
	digits = __builtin_bswap64(digits);
#endif
	memcpy(to, &digits, sizeof(digits));
}

/* Writes eight bytes, digits without leading zeros; returns the end of the digits. */
static ALWAYS_INLINE char *digits_put_trimmed(char *to, uint64_t digits)
{
	/* The first bit of what is not '0'; the last digit stays: 0x10 is in all. */
	unsigned int zeros =
		(unsigned int)__builtin_ctzll(digits & UINT64_C(0x1f0f0f0f0f0f0f0f)) / 8;

	digits_store(to, digits >> 8 * zeros);
	return to + 8 - zeros;
}

static inline char *digits_put_first(char *to, uint64_t value)
{
	return digits_put_trimmed(to, digits_of(value));
}

static inline char *digits_put_next(char *to, uint64_t value)
{
	digits_store(to, digits_of(value));
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
