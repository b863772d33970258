/* test_other_cpu.c - numbers copied past the caches: all of them, and nothing else. */
#define OTHER_CPU_ALWAYS
#include "base/other_cpu.h"

#include "unit.h"

#define NUMBERS 21

/* From and to any place, aligned to 16 bytes or not. */
UNIT_TEST(all_of_them)
{
	int64_t from[NUMBERS + 1], to[NUMBERS + 3];

	for (size_t i = 0; i < NUMBERS + 1; i++)
		from[i] = (int64_t)i + 1;
	for (size_t count = 0; count < NUMBERS; count++) {
		for (size_t odd = 0; odd < 4; odd++) {
			int64_t *at = to + 1 + odd % 2;
			const int64_t *first = from + odd / 2;

			memset(to, 0, sizeof(to));
			other_cpu_copy(at, first, count);
			other_cpu_fence();
			assert_memory_equal(at, first, count * sizeof(*at));
			assert_int_equal(at[-1], 0);
			assert_int_equal(at[count], 0);
		}
	}
}
