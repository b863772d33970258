/*
 * test_perf_counter_seed.c - what Microsoft's "Calculating Counter Values" gets wrong.
 *
 * Its sample was compiled and run; each row has the input, what it printed, and what is
 * right. Where the sample prints no value at all, the reason stands beside.
 */
#include "counter_pairs.h"

#define HZ 10000000u
#define INV PERF_100NSEC_MULTI_TIMER_INV

static const struct pair_row bugs[] = {
	/* 1, 2: rates are cast to a DWORD: 0, and 1410065408. */
	{ ROW, PAIR(PERF_COUNTER_COUNTER, 0, 9, 0, 10 * HZ, HZ), GIVES(0.9) },
	{ ROW, PAIR(PERF_COUNTER_BULK_COUNT, 0, 10000000000u, 0, HZ, HZ), GIVES(1e10) },
	/* 3: a 32-bit counter that wrapped is refused. */
	{ ROW, PAIR(PERF_COUNTER_COUNTER, 4294967290u, 5, 0, HZ, HZ), WRAPS_TO(11) },
	/* 4: gauges that go down are refused. */
	{ ROW, PAIR(PERF_COUNTER_RAWCOUNT, 10, 7, 0, 0, 0), GIVES(7) },
	{ ROW, PAIR(PERF_RAW_FRACTION, 3, 1, 4, 4, 0), GIVES(25) },
	/* 5: the older sample is shown: 7, 25 %, 5 s. */
	{ ROW, PAIR(PERF_COUNTER_RAWCOUNT, 7, 10, 0, 0, 0), GIVES(10) },
	{ ROW, PAIR(PERF_RAW_FRACTION, 1, 3, 4, 4, 0), GIVES(75) },
	{ ROW, PAIR(PERF_ELAPSED_TIME, HZ, HZ, 6 * HZ, 7 * HZ, HZ), GIVES(6) },
	/* 6, 7: DT / F in integers: 150 %, and infinite, for an interval of 0.5 s. */
	{ ROW,
	  PAIR(PERF_COUNTER_MULTI_TIMER, 0, 3 * HZ / 2, 0, 3 * HZ / 2, HZ, .has = HAS_ALL,
	       .multi = 1),
	  GIVES(100) },
	{ ROW,
	  PAIR(PERF_COUNTER_MULTI_TIMER, 0, HZ / 2, 0, HZ / 2, HZ, .has = HAS_ALL,
	       .multi = 1),
	  GIVES(100) },
	/* Its own formula, as it is meant: the counter in seconds, 1.5 of them in 1.5 s.
	 */
	{ ROW,
	  PAIR(PERF_COUNTER_MULTI_TIMER, 0, 3, 0, 3 * HZ / 2, HZ, .has = HAS_ALL,
	       .multi = 2, .variant = PERF_VARIANT_SDK),
	  GIVES(100) },
	/* 8: the inverse is not divided by the components: 200 %; and not by their time.
	 */
	{ ROW, PAIR(INV, 0, 2 * HZ, 0, HZ, HZ, .has = HAS_ALL, .multi = 4), GIVES(50) },
	{ ROW,
	  PAIR(INV, 0, 2 * HZ, 0, HZ, HZ, .has = HAS_ALL, .multi = 4,
	       .variant = PERF_VARIANT_SDK),
	  GIVES(200) },
	{ ROW,
	  PAIR(PERF_COUNTER_MULTI_TIMER_INV, 0, 2 * HZ, 0, HZ, HZ, .has = HAS_ALL,
	       .multi = 4),
	  GIVES(50) },
	/* 9: 100 times the counter overflows: 7.77 %. */
	{ ROW,
	  PAIR(PERF_100NSEC_TIMER, 0, 200000000000000000u, 0, 200000000000000000u, 0),
	  GIVES(100) },
	/* 10: calculated, and never printed. */
	{ ROW, PAIR(PERF_AVERAGE_BULK, 0, 8192, 0, 4, 0), GIVES(2048) },
	/* 11: -nan and inf. */
	{ ROW, PAIR(PERF_COUNTER_COUNTER, 0, 0, 5, 5, HZ), REFUSES(TIME) },
	{ ROW, PAIR(PERF_COUNTER_COUNTER, 0, 9, 5, 5, HZ), REFUSES(TIME) },
	{ ROW, PAIR(PERF_AVERAGE_TIMER, 0, 9, 5, 5, HZ), REFUSES(ZERO_BASE) },
	{ ROW, PAIR(PERF_RAW_FRACTION, 0, 9, 0, 0, 0), REFUSES(ZERO_BASE) },
	/* 12: a start in the future is 1844674407370.96 s ago. */
	{ ROW, PAIR(PERF_ELAPSED_TIME, 0, 2 * HZ, 0, HZ, HZ), REFUSES(FUTURE_START) },
	/* 13: only the counter is checked for going down. */
	{ ROW, PAIR(PERF_AVERAGE_BULK, 0, 9, 5, 4, 0), REFUSES(NEGATIVE_BASE) },
	{ ROW, PAIR(PERF_COUNTER_TIMER, 0, 9, 5, 4, HZ), REFUSES(TIME) },
	{ ROW, PAIR(PERF_100NSEC_TIMER, 0, 9, 5, 4, 0), REFUSES(TIME) },
	/* Its companion reads 4 bytes of an object timer, and 8 of an average timer. */
	{ ROW, PAIR(PERF_OBJ_TIME_TIMER, 0, 1ull << 32, 0, 1ull << 33, 0), GIVES(50) },
	{ ROW, PAIR(PERF_AVERAGE_TIMER, 0, 1ull << 32, 0, 1, 1), GIVES(4294967296.0) },
};

UNIT_TEST(bugs)
{
	check_pairs(bugs, COUNT(bugs));
}
