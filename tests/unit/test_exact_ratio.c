/* test_exact_ratio.c - exact_ratio.h against quotients that Python's Fraction rounded. */
#include <string.h>

#include "counters/exact_ratio.h"
#include "unit.h"

struct quotient {
	int line;
	uint64_t numerator[3], denominator[3]; /* factors */
	double value;
};

#define MAX UINT64_MAX
#define QUOTIENT(n0, n1, n2, d0, d1, d2, value)            \
	{                                                  \
		ROW, { n0, n1, n2 }, { d0, d1, d2 }, value \
	}

/* The ends, ties and what is next to them; then numbers from a die. */
static const struct quotient quotients[] = {
	QUOTIENT(MAX, MAX, MAX, 1, 1, 1, 0x1p+192),
	QUOTIENT(1, 1, 1, MAX, MAX, MAX, 0x1p-192),
	QUOTIENT(MAX, MAX, 0x64, MAX, MAX, 1, 0x1.9p+6),
	QUOTIENT(MAX, 0x64, 1, MAX, MAX, 1, 0x1.9p-58),
	QUOTIENT(MAX, MAX, 1, 0xfffffffffffffffe, MAX, 1, 0x1p+0),
	QUOTIENT(0x20000000000001, 1, 1, 1, 1, 1, 0x1p+53),
	QUOTIENT(0x20000000000003, 1, 1, 1, 1, 1, 0x1.0000000000002p+53),
	QUOTIENT(0x40000000000002, 1, 1, 1, 1, 1, 0x1p+54),
	QUOTIENT(0x40000000000006, 1, 1, 1, 1, 1, 0x1.0000000000002p+54),
	QUOTIENT(0x40000000000003, 1, 1, 1, 1, 1, 0x1.0000000000001p+54),
	QUOTIENT(0x8000000000000400, 0x8000000000000000, 1, 1, 1, 1, 0x1p+126),
	QUOTIENT(0x8000000000000400, 0x8000000000000000, 3, 3, 1, 1, 0x1p+126),
	QUOTIENT(0x8000000000000401, 0x8000000000000000, 1, 1, 1, 1,
		 0x1.0000000000001p+126),
	QUOTIENT(MAX, 1, 1, 3, 1, 1, 0x1.5555555555555p+62),
	QUOTIENT(MAX, 0x989680, 1, MAX, 1, 1, 0x1.312dp+23),
	QUOTIENT(0x1fffffffffffff, 1, 1, 0x20000000000001, 1, 1, 0x1.ffffffffffffep-1),
	QUOTIENT(0x20000000000001, 1, 1, 0x1fffffffffffff, 1, 1, 0x1.0000000000001p+0),
	QUOTIENT(0x9af2a74de4, 0x62e3a6a3a450, 0x348, 0xbb3, 0xe8, 0x99950d,
		 0x1.ee062f1e75519p+52),
	QUOTIENT(0x6f0, 0xf670511e20b8f, 0x8d1, 0x69d64a0f21ddb6, 0xf28c, 0x142e1667,
		 0x1.dcb9af5d3545cp-26),
	QUOTIENT(0x93, 0x7cf5e0cb1e29c, 0x17d9af6, 0x1288f, 0x229a9824ede6a4, 0x9227,
		 0x1.2b1e529dfffc3p-2),
	QUOTIENT(0xd08f6d0558, 0x1a61db, 0xbeaae4, 0x1187, 0x120, 0x9e,
		 0x1.50bd613ab1f8dp+56),
	QUOTIENT(0x3f8a829, 0x2835f9c6f87718, 0xec66a7895e761d1, 0x265ec3d5c90a958,
		 0xcb5c7427, 0xb2f14c, 0x1.baf7901bd3062p+26),
	QUOTIENT(0x14f4733f, 0x3f86734721, 0x72ebabced20, 0x1f9be4bcfc, 0x78,
		 0x3074ff2a3af4d4, 0x1.aa23800d05dd1p+11),
	QUOTIENT(0xeee26e87555, 0x504be4b6bf46c69, 0x30e, 0x16357124242, 0xfe498289fcd,
		 0x6b84107119a72d1, 0x1.8b442e5b8c743p-32),
	QUOTIENT(0xf1d, 0x5795e8229, 0x1f, 0x93a5aa3c81, 0x2ddd3ad48db40af,
		 0x2acb3e3151288, 0x1.2200bcc20f0a5p-95),
};

static struct wide product(const uint64_t *factors)
{
	return wide_times(wide_times(wide_of(factors[0]), factors[1]), factors[2]);
}

UNIT_TEST(quotients)
{
	for (size_t i = 0; i < COUNT(quotients); i++) {
		const struct quotient *row = &quotients[i];
		struct wide n = product(row->numerator), d = product(row->denominator);

		ROW_TRUE(row, exact_ratio(n, d) == row->value);
		ROW_TRUE(row, exact_ratio_long(n, d) == row->value);
	}
}

UNIT_TEST(zero)
{
	assert_true(exact_ratio(wide_of(0), wide_of(UINT64_MAX)) == 0);
	assert_true(exact_ratio_long(wide_of(0), wide_of(UINT64_MAX)) == 0);
}

static uint64_t die(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return *state >> 11 | 1;
}

/* Where the processor divides exactly rounded by itself, the long way gives the same. */
UNIT_TEST(both_ways)
{
	uint64_t seed = 1;

	for (int i = 0; i < 20000; i++) {
		uint64_t n = die(&seed) >> (i % 50), d = die(&seed) >> (i / 50 % 50);

		if (d == 0)
			continue;
		assert_true(exact_ratio_long(wide_of(n), wide_of(d)) ==
			    (double)n / (double)d);
	}
}

UNIT_TEST(minus)
{
	static const uint64_t top[3] = { UINT64_MAX, UINT64_MAX, UINT64_MAX };
	struct wide all = product(top), one = wide_of(1), high = { { 0, 0, 0, 1 } };
	struct wide less = wide_minus(high, one);

	assert_int_equal(wide_compare(all, all), 0);
	assert_int_equal(wide_compare(one, all), -1);
	assert_int_equal(wide_compare(all, one), 1);
	assert_int_equal(wide_compare(wide_minus(all, all), wide_of(0)), 0);
	/* A borrow that goes through every limb. */
	assert_true(less.limb[0] == UINT64_MAX && less.limb[1] == UINT64_MAX &&
		    less.limb[2] == UINT64_MAX && less.limb[3] == 0);
	less = wide_minus(high, (struct wide){ { 1, UINT64_MAX, 0, 0 } });
	assert_true(less.limb[0] == UINT64_MAX && less.limb[1] == 0 &&
		    less.limb[2] == UINT64_MAX && less.limb[3] == 0);
}
