/* test_array.c - lib/base/array.h: arrays double and keep their elements. */
#include <stdlib.h>

#include "base/array.h"
#include "base/memory.h"
#include "base/scope.h"
#include "unit.h"

UNIT_TEST(append)
{
	uint32_t *numbers = NULL;
	size_t room = 0, moves = 0;

	for (uint32_t i = 0; i < 100000; i++) {
		size_t before = room;

		assert_true(ARRAY_GROW(numbers, room, i));
		assert_true(room > i);
		moves += room != before;
		numbers[i] = i;
	}
	for (uint32_t i = 0; i < 100000; i++)
		assert_int_equal(numbers[i], i);
	assert_in_range(moves, 1, 18);
	free(numbers);
}

/* One element far from the others: so many, and not a power of two. */
UNIT_TEST(jump)
{
	uint64_t *numbers = NULL;
	size_t room = 0;

	assert_true(ARRAY_GROW(numbers, room, 1000));
	assert_int_equal(room, 1001);
	assert_true(ARRAY_GROW(numbers, room, 1001));
	assert_int_equal(room, 2002);
	assert_true(ARRAY_GROW(numbers, room, 4004));
	assert_int_equal(room, 4005);
	free(numbers);
}

UNIT_TEST(zeroed)
{
	uint16_t *numbers = NULL;
	size_t room = 0;

	for (size_t at = 0; at < 10000; at += 1 + at / 2) {
		size_t before = room;

		assert_true(ARRAY_GROW_ZEROED(numbers, room, at));
		for (size_t i = 0; i < room; i++)
			assert_int_equal(numbers[i], i < before ? UINT16_MAX : 0);
		for (size_t i = before; i < room; i++)
			numbers[i] = UINT16_MAX;
	}
	free(numbers);
}

struct large {
	char bytes[4096];
};

/* More bytes than a size_t can count, or than there are. */
UNIT_TEST(too_large)
{
	static const size_t places[] = { SIZE_MAX, SIZE_MAX - 1, SIZE_MAX / 2,
					 SIZE_MAX / 4096, SIZE_MAX / 4096 + 1 };
	struct scope scope = { .failed = false };
	struct large *kept = NULL;
	size_t room = 0;

	assert_true(ARRAY_GROW(kept, room, 0));
	for (size_t i = 0; i < COUNT(places); i++) {
		struct scope *before = scope_enter(&scope);
		struct large *large = kept;
		size_t is_room = room;
		bool grown;

		atomic_store(&scope.failed, false);
		grown = i % 2 ? ARRAY_GROW(large, is_room, places[i])
			      : ARRAY_GROW_ZEROED(large, is_room, places[i]);
		assert_true(memory_failed());
		(void)scope_enter(before);
		assert_false(grown);
		assert_ptr_equal(large, kept);
		assert_int_equal(is_room, room);
	}
	free(kept);
}
