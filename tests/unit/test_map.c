/* test_map.c - lib/base/map.h: what goes in comes out, whatever the keys. */
#include "base/map.h"
#include "unit.h"

#define MANY 100000

static int values[MANY];

UNIT_TEST(empty)
{
	struct map map = { NULL, 0, 0 };

	assert_null(map_get(&map, 0));
	assert_null(map_get(&map, UINT64_MAX));
	map_release(&map);
	assert_null(map_get(&map, 0));
}

/* Keys as they occur: runs, strides that share their low bits, the extremes. */
static uint64_t key_of(int pattern, uint64_t i)
{
	switch (pattern) {
	case 0:
		return i;
	case 1:
		return i << 32;
	case 2:
		return i * 4096;
	case 3:
		return UINT64_MAX - i;
	default:
		return i * UINT64_C(0x2545F4914F6CDD1D);
	}
}

UNIT_TEST(many)
{
	for (int pattern = 0; pattern < 5; pattern++) {
		struct map map = { NULL, 0, 0 };

		for (uint64_t i = 0; i < MANY; i++) {
			assert_null(map_get(&map, key_of(pattern, i)));
			assert_true(map_put(&map, key_of(pattern, i), &values[i]));
		}
		assert_int_equal(map.count, MANY);
		assert_true(map.capacity > MANY);
		for (uint64_t i = 0; i < MANY; i++)
			assert_ptr_equal(map_get(&map, key_of(pattern, i)), &values[i]);
		assert_null(map_get(&map, key_of(pattern, MANY)));
		map_release(&map);
		assert_int_equal(map.count, 0);
	}
}

/* How many of 4096 slots 1024 keys get that differ in 10 bits from `shift` on. */
static int slots_of(int shift)
{
	bool taken[4096] = { false };
	int slots = 0;

	for (uint64_t i = 0; i < 1024; i++) {
		size_t at = map_hash(i << shift, COUNT(taken));

		slots += !taken[at];
		taken[at] = true;
	}
	return slots;
}

/*
 * Keys that differ in few bits, anywhere, get as many slots as random ones (906, give or
 * take 10), whatever the seed: 300 of them, always the same, so that no luck decides.
 */
UNIT_TEST(every_bit)
{
	uint64_t own = map_salt(), seed = 1;

	for (int round = 0; round < 300; round++) {
		seed *= UINT64_C(0x2545F4914F6CDD1D);
		atomic_store(&map_seed, seed | 1);
		for (int shift = 0; shift <= 54; shift++)
			assert_in_range(slots_of(shift), 840, 1024);
	}
	atomic_store(&map_seed, own);
}

/* What a file can choose does not decide which keys are the same, whatever the salt. */
UNIT_TEST(chosen_keys)
{
	uint64_t own = map_salt(), seed = 1;

	for (int round = 0; round < 300; round++) {
		seed *= UINT64_C(0x2545F4914F6CDD1D);
		atomic_store(&map_seed, seed | 1);
		/* Differences in high bits, which an odd factor and a shift keep. */
		for (int a = 0; a < 64; a++)
			for (int b = 0; b < 64; b++) {
				uint64_t x = UINT64_C(1) << 63,
					 y = UINT64_C(1) << a | UINT64_C(1) << b;

				assert_int_not_equal(
					map_mix(map_mix(map_salt(), 7, 9), 8, 9),
					map_mix(map_mix(map_salt(), 7 ^ x, 9), 8 ^ y, 9));
			}
		/* Sums of multiples. */
		assert_int_not_equal(map_key(1, 2, 3, 0),
				     map_key(2, 2, 3 + INT64_C(0x2917014799A6026D), 0));
		assert_int_not_equal(map_key(1, 2, 3, 4), map_key(1, 2, 4, 3));
		assert_int_not_equal(map_key(1, 2, 3, 4), map_key(2, 1, 3, 4));
	}
	atomic_store(&map_seed, own);
}

UNIT_TEST(replace)
{
	struct map map = { NULL, 0, 0 };

	assert_true(map_put(&map, 7, &values[0]));
	assert_true(map_put(&map, 7, &values[1]));
	assert_int_equal(map.count, 1);
	assert_ptr_equal(map_get(&map, 7), &values[1]);
	map_release(&map);
	/* And it can be used again. */
	assert_true(map_put(&map, 8, &values[2]));
	assert_null(map_get(&map, 7));
	assert_ptr_equal(map_get(&map, 8), &values[2]);
	map_release(&map);
}
