/* test_exact_ratio.c - exact_ratio.h against quotients that Python's Fraction rounded. */
#include <string.h>

#include "counters/exact_ratio.h"
#include "unit.h"

struct quotient {
	int line;
	uint64_t numerator[3], denominator[3]; /* factors */
	double value;
};

/* The ends, ties and what is next to them; then numbers from a die. */
static const struct quotient quotients[] = {
	{ ROW,
	  { 0xffffffffffffffffu, 0xffffffffffffffffu, 0xffffffffffffffffu },
	  { 0x1u, 0x1u, 0x1u },
	  0x1.0000000000000p+192 },
	{ ROW,
	  { 0x1u, 0x1u, 0x1u },
	  { 0xffffffffffffffffu, 0xffffffffffffffffu, 0xffffffffffffffffu },
	  0x1.0000000000000p-192 },
	{ ROW,
	  { 0xffffffffffffffffu, 0xffffffffffffffffu, 0x64u },
	  { 0xffffffffffffffffu, 0xffffffffffffffffu, 0x1u },
	  0x1.9000000000000p+6 },
	{ ROW,
	  { 0xffffffffffffffffu, 0x64u, 0x1u },
	  { 0xffffffffffffffffu, 0xffffffffffffffffu, 0x1u },
	  0x1.9000000000000p-58 },
	{ ROW,
	  { 0xffffffffffffffffu, 0xffffffffffffffffu, 0x1u },
	  { 0xfffffffffffffffeu, 0xffffffffffffffffu, 0x1u },
	  0x1.0000000000000p+0 },
	{ ROW,
	  { 0x20000000000001u, 0x1u, 0x1u },
	  { 0x1u, 0x1u, 0x1u },
	  0x1.0000000000000p+53 },
	{ ROW,
	  { 0x20000000000003u, 0x1u, 0x1u },
	  { 0x1u, 0x1u, 0x1u },
	  0x1.0000000000002p+53 },
	{ ROW,
	  { 0x40000000000002u, 0x1u, 0x1u },
	  { 0x1u, 0x1u, 0x1u },
	  0x1.0000000000000p+54 },
	{ ROW,
	  { 0x40000000000006u, 0x1u, 0x1u },
	  { 0x1u, 0x1u, 0x1u },
	  0x1.0000000000002p+54 },
	{ ROW,
	  { 0x40000000000003u, 0x1u, 0x1u },
	  { 0x1u, 0x1u, 0x1u },
	  0x1.0000000000001p+54 },
	{ ROW,
	  { 0x8000000000000400u, 0x8000000000000000u, 0x1u },
	  { 0x1u, 0x1u, 0x1u },
	  0x1.0000000000000p+126 },
	{ ROW,
	  { 0x8000000000000400u, 0x8000000000000000u, 0x3u },
	  { 0x3u, 0x1u, 0x1u },
	  0x1.0000000000000p+126 },
	{ ROW,
	  { 0x8000000000000401u, 0x8000000000000000u, 0x1u },
	  { 0x1u, 0x1u, 0x1u },
	  0x1.0000000000001p+126 },
	{ ROW,
	  { 0xffffffffffffffffu, 0x1u, 0x1u },
	  { 0x3u, 0x1u, 0x1u },
	  0x1.5555555555555p+62 },
	{ ROW,
	  { 0xffffffffffffffffu, 0x989680u, 0x1u },
	  { 0xffffffffffffffffu, 0x1u, 0x1u },
	  0x1.312d000000000p+23 },
	{ ROW,
	  { 0x1fffffffffffffu, 0x1u, 0x1u },
	  { 0x20000000000001u, 0x1u, 0x1u },
	  0x1.ffffffffffffep-1 },
	{ ROW,
	  { 0x20000000000001u, 0x1u, 0x1u },
	  { 0x1fffffffffffffu, 0x1u, 0x1u },
	  0x1.0000000000001p+0 },
	{ ROW,
	  { 0x9af2a74de4u, 0x62e3a6a3a450u, 0x348u },
	  { 0xbb3u, 0xe8u, 0x99950du },
	  0x1.ee062f1e75519p+52 },
	{ ROW,
	  { 0x6f0u, 0xf670511e20b8fu, 0x8d1u },
	  { 0x69d64a0f21ddb6u, 0xf28cu, 0x142e1667u },
	  0x1.dcb9af5d3545cp-26 },
	{ ROW,
	  { 0x93u, 0x7cf5e0cb1e29cu, 0x17d9af6u },
	  { 0x1288fu, 0x229a9824ede6a4u, 0x9227u },
	  0x1.2b1e529dfffc3p-2 },
	{ ROW,
	  { 0xd08f6d0558u, 0x1a61dbu, 0xbeaae4u },
	  { 0x1187u, 0x120u, 0x9eu },
	  0x1.50bd613ab1f8dp+56 },
	{ ROW,
	  { 0x3f8a829u, 0x2835f9c6f87718u, 0xec66a7895e761d1u },
	  { 0x265ec3d5c90a958u, 0xcb5c7427u, 0xb2f14cu },
	  0x1.baf7901bd3062p+26 },
	{ ROW,
	  { 0x14f4733fu, 0x3f86734721u, 0x72ebabced20u },
	  { 0x1f9be4bcfcu, 0x78u, 0x3074ff2a3af4d4u },
	  0x1.aa23800d05dd1p+11 },
	{ ROW,
	  { 0xeee26e87555u, 0x504be4b6bf46c69u, 0x30eu },
	  { 0x16357124242u, 0xfe498289fcdu, 0x6b84107119a72d1u },
	  0x1.8b442e5b8c743p-32 },
	{ ROW,
	  { 0xf1du, 0x5795e8229u, 0x1fu },
	  { 0x93a5aa3c81u, 0x2ddd3ad48db40afu, 0x2acb3e3151288u },
	  0x1.2200bcc20f0a5p-95 },
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
