/* test_arena.c - lib/base/arena.h: zeroed, aligned, and it never moves. */
#include <stdalign.h>
#include <string.h>

#include "base/arena.h"
#include "unit.h"

static bool is_zero(const unsigned char *at, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (at[i])
			return false;
	return true;
}

/* Sizes around the block of 64 KiB, and above it. */
UNIT_TEST(alloc)
{
	static const size_t sizes[] = { 0,     1,     15,     16,    17,      1000,
					65519, 65520, 65535,  65536, 65537,   1,
					65536, 7,     200000, 3,     1 << 20, 5 };
	unsigned char *got[COUNT(sizes)];
	struct arena arena = { NULL };

	for (size_t i = 0; i < COUNT(sizes); i++) {
		got[i] = arena_alloc(&arena, sizes[i]);
		assert_non_null(got[i]);
		assert_int_equal((uintptr_t)got[i] % alignof(max_align_t), 0);
		assert_true(is_zero(got[i], sizes[i]));
		memset(got[i], (int)i + 1, sizes[i]);
	}
	/* No allocation overlaps another. */
	for (size_t i = 0; i < COUNT(sizes); i++)
		for (size_t k = 0; k < sizes[i]; k++)
			assert_int_equal(got[i][k], i + 1);
	arena_release(&arena);
	assert_null(arena.blocks);
	arena_release(&arena);
}

UNIT_TEST(small_ones)
{
	struct arena arena = { NULL };
	unsigned char *first = arena_alloc(&arena, 1);
	unsigned char *last = first;

	*first = 0xaa;
	for (int i = 0; i < 20000; i++) {
		unsigned char *next = arena_alloc(&arena, 24);

		assert_true(next != last && is_zero(next, 24));
		memset(next, 0xff, 24);
		last = next;
	}
	assert_int_equal(*first, 0xaa);
	arena_release(&arena);
}

UNIT_TEST(too_large)
{
	struct arena arena = { NULL };

	assert_null(arena_alloc(&arena, SIZE_MAX));
	assert_null(arena_alloc(&arena, SIZE_MAX / 2 + 1));
	assert_non_null(arena_alloc(&arena, 8));
	arena_release(&arena);
}

UNIT_TEST(str)
{
	struct arena arena = { NULL };
	char text[] = "ab\0cd";
	struct str copy = arena_str(&arena, (struct str){ text, 5 });
	struct str empty = arena_str(&arena, STR(""));
	struct str none = arena_str(&arena, STR_NONE);

	memset(text, 'x', sizeof(text));
	assert_int_equal(copy.len, 5);
	assert_memory_equal(copy.ptr, "ab\0cd", 6);
	ASSERT_STR(empty, "");
	/* Callers ask only for texts that are there; it must not crash all the same. */
	assert_int_equal(none.len, 0);
	arena_release(&arena);
}
