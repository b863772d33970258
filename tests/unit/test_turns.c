/* test_turns.c - times off the CPU, from turns in any order. */
#include "output/folded/turns.h"
#include "unit.h"

struct sums {
	int64_t first, second; /* by where the thread left */
	int calls;
};
static char first_place, second_place;

static void add(void *context, void *left_at, int64_t away_ns)
{
	struct sums *sums = context;

	*(left_at == &first_place ? &sums->first : &sums->second) += away_ns;
	sums->calls++;
}

static void take(struct turns *turns, int64_t ts_ns, void *left_at)
{
	static struct turn memory[TURNS_MAX];
	size_t room;

	if (turns_full(turns, &room) && room) {
		turns->turns = memory;
		turns->room = room;
	}
	turns_add(turns, ts_ns, left_at);
}

/* The ring of a CPU is read before that of another where the thread was earlier. */
UNIT_TEST(turns_of_two_rings)
{
	struct turns turns = { .count = 0 };
	struct sums sums = { .calls = 0 };

	take(&turns, 300, NULL);
	take(&turns, 310, &second_place);
	take(&turns, 350, NULL);
	take(&turns, 100, NULL);
	take(&turns, 110, &first_place);
	turns_settle(&turns, true, add, &sums);
	assert_int_equal(sums.first, 190);
	assert_int_equal(sums.second, 40);
	assert_int_equal(sums.calls, 2);
	assert_int_equal(turns.count, 0);
}

/* The sample of the switch and the SWITCH record say the same, some time apart. */
UNIT_TEST(turns_known_twice)
{
	struct turns turns = { .count = 0 };
	struct sums sums = { .calls = 0 };

	take(&turns, 100, &first_place);
	take(&turns, 260, NULL);
	take(&turns, 250, NULL);
	turns_settle(&turns, true, add, &sums);
	assert_int_equal(sums.first, 150);
	assert_int_equal(sums.calls, 1);
}

/* It came and left again at one time. */
UNIT_TEST(turns_without_length)
{
	struct turns turns = { .count = 0 };
	struct sums sums = { .calls = 0 };

	take(&turns, 200, &second_place);
	take(&turns, 200, NULL);
	take(&turns, 260, NULL);
	take(&turns, 100, &first_place);
	turns_settle(&turns, true, add, &sums);
	assert_int_equal(sums.first, 100);
	assert_int_equal(sums.second, 60);
}

UNIT_TEST(turns_whose_return_is_unknown)
{
	struct turns turns = { .count = 0 };
	struct sums sums = { .calls = 0 };

	take(&turns, 100, &first_place);
	take(&turns, 200, &second_place);
	take(&turns, 230, NULL);
	take(&turns, 240, &first_place);
	turns_settle(&turns, true, add, &sums);
	assert_int_equal(sums.first, 0);
	assert_int_equal(sums.second, 30);
}

/*
 * However many there are, the sum is the same; the last leave waits for its return, also
 * where it is the last one that is settled.
 */
UNIT_TEST(turns_beyond_the_room)
{
	for (int before = 0; before < 2; before++) {
		struct turns turns = { .count = 0 };
		struct sums sums = { .calls = 0 };
		size_t room;

		if (before)
			take(&turns, -10, NULL);
		for (int i = 0; i < 3 * TURNS_MAX; i++) {
			if (turns_full(&turns, &room) && !room)
				turns_settle(&turns, false, add, &sums);
			take(&turns, 10 * i, i % 2 ? NULL : &first_place);
			assert_in_range(turns.count, 1, TURNS_MAX);
		}
		turns_settle(&turns, true, add, &sums);
		assert_int_equal(sums.calls, 3 * TURNS_MAX / 2);
		assert_int_equal(sums.first, 10 * 3 * TURNS_MAX / 2);
	}
}
