/*
 * exact_ratio.h - quotients of integers of up to 192 bits, rounded once.
 *
 * Raw counters are 64-bit and formulas multiply up to three of them, so that even 128
 * bits overflow.  Products are made here in full; the only rounding is that of the
 * quotient, to the nearest double, ties to even.
 */
#ifndef PERFTAB_EXACT_RATIO_H
#define PERFTAB_EXACT_RATIO_H

#include <stdint.h>

/* An unsigned integer of 256 bits, lowest limb first. */
struct wide {
	uint64_t limb[4];
};

struct wide wide_of(uint64_t value);
/* Modulo 2^256; a product of at most four factors always fits. */
struct wide wide_times(struct wide a, uint64_t b);
/* a - b, modulo 2^256. */
struct wide wide_minus(struct wide a, struct wide b);
/* Negative, 0 or positive as a is less than, equal to or greater than b. */
int wide_compare(struct wide a, struct wide b);

/* numerator / denominator; the denominator is not 0 and below 2^200. */
double exact_ratio(struct wide numerator, struct wide denominator);
/* The same without the fast path, for tests. */
double exact_ratio_long(struct wide numerator, struct wide denominator);

#endif
