/* exact_ratio.c - multiplies and divides integers of 192 bits, rounded to a double. */
#include "counters/exact_ratio.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>

#define LIMBS 4
/* One bit more than a double's 53 for rounding, and one for the bits cut off. */
#define QUOTIENT_BITS 55

struct wide wide_of(uint64_t value)
{
	return (struct wide){ { value, 0, 0, 0 } };
}

struct wide wide_times(struct wide a, uint64_t b)
{
	unsigned __int128 carry = 0;

	for (int i = 0; i < LIMBS; i++) {
		carry += (unsigned __int128)a.limb[i] * b;
		a.limb[i] = (uint64_t)carry;
		carry >>= 64;
	}
	return a;
}

struct wide wide_minus(struct wide a, struct wide b)
{
	bool borrow = false;

	for (int i = 0; i < LIMBS; i++) {
		uint64_t from = a.limb[i];

		a.limb[i] = from - b.limb[i] - borrow;
		borrow = from < b.limb[i] || (from == b.limb[i] && borrow);
	}
	return a;
}

int wide_compare(struct wide a, struct wide b)
{
	for (int i = LIMBS - 1; i >= 0; i--)
		if (a.limb[i] != b.limb[i])
			return a.limb[i] < b.limb[i] ? -1 : 1;
	return 0;
}

static int bits(struct wide a)
{
	for (int i = LIMBS - 1; i >= 0; i--)
		if (a.limb[i])
			return 64 * i + 64 - __builtin_clzll(a.limb[i]);
	return 0;
}

static struct wide shift_left(struct wide a, int by)
{
	struct wide to = { { 0 } };
	int whole = by / 64, part = by % 64;

	for (int i = LIMBS - 1; i >= whole; i--) {
		to.limb[i] = a.limb[i - whole] << part;
		if (part && i > whole)
			to.limb[i] |= a.limb[i - whole - 1] >> (64 - part);
	}
	return to;
}

static struct wide half(struct wide a)
{
	for (int i = 0; i < LIMBS; i++)
		a.limb[i] = a.limb[i] >> 1 | (i + 1 < LIMBS ? a.limb[i + 1] << 63 : 0);
	return a;
}

double exact_ratio_long(struct wide numerator, struct wide denominator)
{
	int up = QUOTIENT_BITS + bits(denominator) - bits(numerator);
	uint64_t quotient = 0;

	assert(bits(denominator) > 0 && bits(denominator) <= 200);
	if (bits(numerator) == 0)
		return 0;
	/* Both aligned, so that the whole quotient has 55 or 56 bits. */
	if (up > 0)
		numerator = shift_left(numerator, up);
	else
		denominator = shift_left(denominator, -up);
	denominator = shift_left(denominator, QUOTIENT_BITS);
	for (int i = 0; i <= QUOTIENT_BITS; i++) {
		quotient <<= 1;
		if (wide_compare(numerator, denominator) >= 0) {
			numerator = wide_minus(numerator, denominator);
			quotient |= 1;
		}
		denominator = half(denominator);
	}
	if (bits(numerator))
		quotient |= 1;
	/* The conversion rounds, once; the rest is a shift. */
	return ldexp((double)quotient, -up);
}

double exact_ratio(struct wide numerator, struct wide denominator)
{
	/* IEEE 754 rounds the quotient of two exact doubles correctly by itself. */
	if (bits(numerator) <= 53 && bits(denominator) <= 53)
		return (double)numerator.limb[0] / (double)denominator.limb[0];
	return exact_ratio_long(numerator, denominator);
}
