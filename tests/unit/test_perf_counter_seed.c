/*
 * test_perf_counter_seed.c - what Microsoft's "Calculating Counter Values" gets wrong.
 *
 * Its sample was compiled and run; each row has the input, what it printed, and what is
 * right. Where the sample prints no value at all, the reason is beside.
 */
#include "counter_pairs.h"

#define HZ 10000000u
#define INV PERF_100NSEC_MULTI_TIMER_INV

static const struct pair_row bugs[] = {
	/* 1, 2: rates are cast to a DWORD: 0, and 1410065408. */
	GIVES(0.9, PERF_COUNTER_COUNTER, 0, 9, 0, 10 * HZ, HZ),
	GIVES(1e10, PERF_COUNTER_BULK_COUNT, 0, 10000000000u, 0, HZ, HZ),
	/* 3: a 32-bit counter that wrapped is refused. */
	WRAPS_TO(11, PERF_COUNTER_COUNTER, 4294967290u, 5, 0, HZ, HZ),
	/* 4: gauges that go down are refused. */
	GIVES(7, PERF_COUNTER_RAWCOUNT, 10, 7, 0, 0, 0),
	GIVES(25, PERF_RAW_FRACTION, 3, 1, 4, 4, 0),
	/* 5: the older sample is shown: 7, 25 %, 5 s. */
	GIVES(10, PERF_COUNTER_RAWCOUNT, 7, 10, 0, 0, 0),
	GIVES(75, PERF_RAW_FRACTION, 1, 3, 4, 4, 0),
	GIVES(6, PERF_ELAPSED_TIME, HZ, HZ, 6 * HZ, 7 * HZ, HZ),
	/* 6, 7: DT / F in integers: 150 %, and infinite, for an interval of 0.5 s. */
	GIVES(100, PERF_COUNTER_MULTI_TIMER, 0, 3 * HZ / 2, 0, 3 * HZ / 2, HZ, OF(1)),
	GIVES(100, PERF_COUNTER_MULTI_TIMER, 0, HZ / 2, 0, HZ / 2, HZ, OF(1)),
	/*
	 * Its own formula, as it is meant: the counter in seconds, 1.5 of them in 1.5 s.
	 */
	GIVES(100, PERF_COUNTER_MULTI_TIMER, 0, 3, 0, 3 * HZ / 2, HZ, BY(2, SDK)),
	/*
	 * 8: the inverse is not divided by the components: 200 %; and not by their time.
	 */
	GIVES(50, INV, 0, 2 * HZ, 0, HZ, HZ, OF(4)),
	GIVES(200, INV, 0, 2 * HZ, 0, HZ, HZ, BY(4, SDK)),
	GIVES(50, PERF_COUNTER_MULTI_TIMER_INV, 0, 2 * HZ, 0, HZ, HZ, OF(4)),
	/* 9: 100 times the counter overflows: 7.77 %. */
	GIVES(100, PERF_100NSEC_TIMER, 0, 200000000000000000u, 0, 200000000000000000u, 0),
	/* 10: calculated, and never printed. */
	GIVES(2048, PERF_AVERAGE_BULK, 0, 8192, 0, 4, 0),
	/* 11: -nan and inf. */
	REFUSES(TIME, PERF_COUNTER_COUNTER, 0, 0, 5, 5, HZ),
	REFUSES(TIME, PERF_COUNTER_COUNTER, 0, 9, 5, 5, HZ),
	REFUSES(ZERO_BASE, PERF_AVERAGE_TIMER, 0, 9, 5, 5, HZ),
	REFUSES(ZERO_BASE, PERF_RAW_FRACTION, 0, 9, 0, 0, 0),
	/* 12: a start in the future is 1844674407370.96 s ago. */
	REFUSES(FUTURE_START, PERF_ELAPSED_TIME, 0, 2 * HZ, 0, HZ, HZ),
	/* 13: only the counter is checked for going down. */
	REFUSES(NEGATIVE_BASE, PERF_AVERAGE_BULK, 0, 9, 5, 4, 0),
	REFUSES(TIME, PERF_COUNTER_TIMER, 0, 9, 5, 4, HZ),
	REFUSES(TIME, PERF_100NSEC_TIMER, 0, 9, 5, 4, 0),
	/* Its companion reads 4 bytes of an object timer, and 8 of an average timer. */
	GIVES(50, PERF_OBJ_TIME_TIMER, 0, 1ull << 32, 0, 1ull << 33, 0),
	GIVES(4294967296.0, PERF_AVERAGE_TIMER, 0, 1ull << 32, 0, 1, 1),
};

UNIT_TEST(bugs)
{
	check_pairs(bugs, COUNT(bugs));
}
