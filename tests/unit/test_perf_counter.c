/*
 * test_perf_counter.c - every type and every status of perf_counter.h, and its variants.
 */
#include <math.h>
#include <string.h>

#include "counter_pairs.h"

#define MAX64 UINT64_MAX
/* Microsoft's usual clocks. */
#define HZ 10000000u
#define FILETIME 128315940386596596u

/* --- every type --- */

static const struct pair_row formulas[] = {
	GIVES(4294967294.0, PERF_COUNTER_RAWCOUNT_HEX, 1, 0xfffffffeu, 0, 0, 0),
	GIVES(2147483648.0, PERF_COUNTER_LARGE_RAWCOUNT_HEX, 1, 1u << 31, 0, 0, 0),
	GIVES(7, PERF_COUNTER_RAWCOUNT, 10, 7, 0, 0, 0),
	GIVES(0x1p64, PERF_COUNTER_LARGE_RAWCOUNT, 0, MAX64, 0, 0, 0),
	GIVES(7, PERF_COUNTER_DELTA, 5, 12, 0, 0, 0),
	GIVES(9007199254740988.0, PERF_COUNTER_LARGE_DELTA, 5, 1 + (1ull << 53), 0, 0, 0),
	GIVES(0.75, PERF_SAMPLE_COUNTER, 0, 3, 0, 4 * HZ, HZ),
	GIVES(2.5, PERF_COUNTER_QUEUELEN_TYPE, 100, 350, 1000, 1100, HZ),
	GIVES(2.5, PERF_COUNTER_LARGE_QUEUELEN_TYPE, 100, 350, 1000, 1100, HZ),
	GIVES(0.75, PERF_COUNTER_100NS_QUEUELEN_TYPE, 0, 3 * HZ, FILETIME,
	      FILETIME + 4 * HZ, 0),
	GIVES(0.5, PERF_COUNTER_OBJ_TIME_QUEUELEN_TYPE, 0, 3, 10, 16, 0),
	GIVES(0.9, PERF_COUNTER_COUNTER, 0, 9, 0, 10 * HZ, HZ),
	GIVES(1e10, PERF_COUNTER_BULK_COUNT, 0, 10000000000u, 0, HZ, HZ),
	GIVES(75, PERF_RAW_FRACTION, 1, 3, 4, 4, 0),
	GIVES(100, PERF_LARGE_RAW_FRACTION, 1, MAX64, 4, MAX64, 0),
	GIVES(100.0 / 3, PERF_COUNTER_TIMER, 0, 1, 0, 3, HZ),
	GIVES(100.0 / 3, PERF_PRECISION_SYSTEM_TIMER, 0, 1, 0, 3, 0),
	GIVES(100.0 / 3, PERF_100NSEC_TIMER, 0, 1, 0, 3, 0),
	/* Never capped: a disk with a queue. */
	GIVES(259, PERF_PRECISION_100NS_TIMER, 0, 259, FILETIME, FILETIME + 100, 0),
	GIVES(12.5, PERF_OBJ_TIME_TIMER, 0, 1, 0, 8, 0),
	GIVES(12.5, PERF_PRECISION_OBJECT_TIMER, 0, 1, 0, 8, 0),
	GIVES(75, PERF_SAMPLE_FRACTION, 10, 13, 20, 24, 0),
	GIVES(87.5, PERF_COUNTER_TIMER_INV, 0, 1, 0, 8, HZ),
	GIVES(87.5, PERF_100NSEC_TIMER_INV, 0, 1, 0, 8, 0),
	/* Not idle at all, and more than that: clocks are read one after the other. */
	GIVES(-0.1, PERF_100NSEC_TIMER_INV, 0, 1001, 0, 1000, 0),
	/* Four components, half used. */
	GIVES(50, PERF_COUNTER_MULTI_TIMER, 0, 2 * HZ, 0, HZ, HZ, OF(4)),
	GIVES(50, PERF_100NSEC_MULTI_TIMER, 0, 2 * HZ, 0, HZ, 0, OF(4)),
	GIVES(75, PERF_COUNTER_MULTI_TIMER_INV, 0, HZ, 0, HZ, HZ, OF(4)),
	GIVES(75, PERF_100NSEC_MULTI_TIMER_INV, 0, HZ, 0, HZ, 0, OF(4)),
	GIVES(-25, PERF_100NSEC_MULTI_TIMER_INV, 0, 5, 0, 1, 0, OF(4)),
	GIVES(0.25, PERF_AVERAGE_TIMER, 0, HZ, 10, 14, HZ),
	GIVES(1.5e-6, PERF_ELAPSED_TIME, 0, FILETIME, 0, FILETIME + 15, HZ),
	GIVES(2048, PERF_AVERAGE_BULK, 0, 8192, 10, 14, 0),
	/* No numbers of their own. */
	REFUSES(NO_NUMBER, PERF_COUNTER_TEXT, 1, 2, 1, 2, 1),
	REFUSES(NO_NUMBER, PERF_COUNTER_NODATA, 1, 2, 1, 2, 1),
	REFUSES(NO_NUMBER, PERF_COUNTER_HISTOGRAM_TYPE, 1, 2, 1, 2, 1),
	REFUSES(PARTNER, PERF_SAMPLE_BASE, 1, 2, 1, 2, 1),
	REFUSES(PARTNER, PERF_AVERAGE_BASE, 1, 2, 1, 2, 1),
	REFUSES(PARTNER, PERF_RAW_BASE, 1, 2, 1, 2, 1),
	REFUSES(PARTNER, PERF_LARGE_RAW_BASE, 1, 2, 1, 2, 1),
	REFUSES(PARTNER, PERF_COUNTER_MULTI_BASE, 1, 2, 1, 2, 1),
};

UNIT_TEST(formulas)
{
	check_pairs(formulas, COUNT(formulas));
	for (size_t t = 0; t < perf_counter_type_count; t++) {
		bool tested = false;

		for (size_t i = 0; i < COUNT(formulas); i++)
			tested |= formulas[i].pair.type == perf_counter_types[t].type;
		if (!tested)
			fail_msg("%s is not tested", perf_counter_types[t].name);
	}
}

/* --- every status --- */

static const struct pair_row refusals[] = {
	/* perf_counter_composite and PERF_DOUBLE_RAW are not of winperf.h; the third is
	 * the value that windows_exporter uses for PERF_LARGE_RAW_BASE. */
	REFUSES(UNKNOWN_TYPE, 0x00012000, 1, 2, 1, 2, 1),
	REFUSES(UNKNOWN_TYPE, 0xffffffff, 1, 2, 1, 2, 1),
	REFUSES(UNKNOWN_TYPE, 0x40030503, 1, 2, 1, 2, 1),
	REFUSES(MISSING, PERF_COUNTER_RAWCOUNT, 1, 2, 0, 0, 0, WITHOUT(N1)),
	REFUSES(MISSING, PERF_COUNTER_COUNTER, 1, 2, 1, 2, 1, WITHOUT(N1)),
	/*
	 * One sample is enough for some, and not for averages, although DELTA is not set.
	 */
	GIVES(2, PERF_COUNTER_RAWCOUNT, 9, 2, 0, 0, 0, .has = PERF_HAS_N1),
	GIVES(50, PERF_RAW_FRACTION, 9, 1, 9, 2, 0, .has = PERF_HAS_N1 | PERF_HAS_D1),
	GIVES(2, PERF_ELAPSED_TIME, 9, 1, 9, 3, 1,
	      .has = HAS_ALL & ~(unsigned)(PERF_HAS_N0 | PERF_HAS_D0)),
	REFUSES(SINGLE_SAMPLE, PERF_COUNTER_DELTA, 1, 2, 1, 2, 1, WITHOUT(N0)),
	REFUSES(SINGLE_SAMPLE, PERF_AVERAGE_TIMER, 1, 2, 1, 2, 1, WITHOUT(N0)),
	REFUSES(SINGLE_SAMPLE, PERF_AVERAGE_BULK, 1, 2, 1, 2, 1, WITHOUT(N0)),
	REFUSES(NO_TIME, PERF_COUNTER_TIMER, 1, 2, 1, 2, 1, WITHOUT(D0)),
	REFUSES(NO_TIME, PERF_COUNTER_TIMER, 1, 2, 1, 2, 1, WITHOUT(D1)),
	REFUSES(NO_TIME, PERF_ELAPSED_TIME, 1, 2, 1, 2, 1, WITHOUT(D1)),
	REFUSES(NO_BASE, PERF_RAW_FRACTION, 1, 2, 1, 2, 1, WITHOUT(D1)),
	REFUSES(NO_BASE, PERF_AVERAGE_BULK, 1, 2, 1, 2, 1, WITHOUT(D0)),
	REFUSES(NO_FREQUENCY, PERF_COUNTER_COUNTER, 1, 2, 1, 2, 1, WITHOUT(FREQUENCY)),
	REFUSES(NO_FREQUENCY, PERF_AVERAGE_TIMER, 1, 2, 1, 2, 1, WITHOUT(FREQUENCY)),
	GIVES(100, PERF_COUNTER_TIMER, 1, 2, 1, 2, 1, WITHOUT(FREQUENCY)),
	REFUSES(FREQUENCY, PERF_COUNTER_COUNTER, 1, 2, 1, 2, 0),
	REFUSES(FREQUENCY, PERF_COUNTER_COUNTER, 1, 2, 1, 2, MAX64),
	REFUSES(FREQUENCY, PERF_ELAPSED_TIME, 1, 2, 1, 2, 0),
	REFUSES(NO_MULTI, PERF_100NSEC_MULTI_TIMER, 1, 2, 1, 2, 1),
	REFUSES(ZERO_BASE, PERF_COUNTER_MULTI_TIMER_INV, 1, 2, 1, 2, 1, OF(0)),
	REFUSES(BYTES, PERF_COUNTER_COUNTER, 1, 1ull << 32, 1, 2, 1, .n_bytes = 4),
	REFUSES(BYTES, PERF_COUNTER_BULK_COUNT, 1, 2, 1, 2, 1, .n_bytes = 12),
	REFUSES(BYTES, PERF_AVERAGE_BULK, 1, 2, 1, 1ull << 32, 1, .d_bytes = 4),
	/* The clock stood still, went back, or is before its zero. */
	REFUSES(TIME, PERF_COUNTER_COUNTER, 1, 2, 7, 7, 1),
	REFUSES(TIME, PERF_COUNTER_TIMER, 1, 2, 7, 6, 1),
	REFUSES(TIME, PERF_100NSEC_TIMER_INV, 1, 2, MAX64, 6, 1),
	REFUSES(TIME, PERF_100NSEC_TIMER_INV, 1, 2, 6, MAX64, 1),
	REFUSES(TIME, PERF_ELAPSED_TIME, 1, 2, 6, MAX64, 1),
	REFUSES(TIME, PERF_COUNTER_COUNTER, 2, 1, 7, 6, 1),
	/* A counter of 8 bytes that goes down has begun anew, even just below its end. */
	REFUSES(NEGATIVE, PERF_COUNTER_BULK_COUNT, 9, 8, 1, 2, 1),
	REFUSES(NEGATIVE, PERF_COUNTER_BULK_COUNT, MAX64, 5, 1, 2, 1),
	REFUSES(NEGATIVE, PERF_COUNTER_LARGE_DELTA, MAX64, 0, 1, 2, 1),
	REFUSES(NEGATIVE, PERF_AVERAGE_BULK, 9, 8, 3, 2, 1),
	REFUSES(NEGATIVE_BASE, PERF_PRECISION_SYSTEM_TIMER, 1, 2, 3, 2, 1),
	REFUSES(NEGATIVE_BASE, PERF_PRECISION_SYSTEM_TIMER, 1, 2, MAX64, 0, 1),
	REFUSES(NEGATIVE_BASE, PERF_AVERAGE_BULK, 1, 2, 3, 2, 1),
	REFUSES(ZERO_BASE, PERF_AVERAGE_BULK, 1, 1, 3, 3, 1),
	REFUSES(ZERO_BASE, PERF_AVERAGE_TIMER, 1, 2, 3, 3, 1),
	REFUSES(ZERO_BASE, PERF_PRECISION_100NS_TIMER, 1, 2, 3, 3, 1),
	REFUSES(ZERO_BASE, PERF_RAW_FRACTION, 1, 2, 3, 0, 1),
	REFUSES(ZERO_BASE, PERF_LARGE_RAW_FRACTION, 0, 0, 0, 0, 1),
	REFUSES(NO_START, PERF_ELAPSED_TIME, 0, 0, 1, 2, 1),
	REFUSES(FUTURE_START, PERF_ELAPSED_TIME, 0, 3, 1, 2, 1),
	REFUSES(FUTURE_START, PERF_ELAPSED_TIME, 0, MAX64, 1, 2, 1),
	GIVES(0, PERF_ELAPSED_TIME, 0, 2, 1, 2, 1),
	WRAPS_TO(1, PERF_COUNTER_COUNTER, MAX64 >> 32, 0, 1, 2, 1),
};

/* Each of these could have a later reason as well, in the order of the list. */
static const struct pair_row first_reasons[] = {
	REFUSES(UNKNOWN_TYPE, 1, 9, 8, 9, 9, 0, .has = PERF_HAS_D0),
	REFUSES(MISSING, PERF_AVERAGE_BULK, 9, 8, 9, 9, 0, .has = PERF_HAS_D0),
	REFUSES(SINGLE_SAMPLE, PERF_AVERAGE_BULK, 9, 8, 9, 9, 0, .has = PERF_HAS_N1),
	REFUSES(NO_BASE, PERF_AVERAGE_TIMER, 9, 8, 9, 9, 0,
		.has = PERF_HAS_N0 | PERF_HAS_N1),
	REFUSES(NO_TIME, PERF_COUNTER_COUNTER, 9, 8, 9, 9, 0,
		.has = PERF_HAS_N0 | PERF_HAS_N1),
	REFUSES(FREQUENCY, PERF_COUNTER_MULTI_TIMER, 9, 8, 9, 9, 0, .n_bytes = 1,
		.variant = PERF_VARIANT_CE),
	REFUSES(NO_MULTI, PERF_COUNTER_MULTI_TIMER, 9, 8, 9, 9, 0, .n_bytes = 1),
	REFUSES(BYTES, PERF_COUNTER_TIMER, 9, 8, 9, 9, 0, .n_bytes = 1),
	REFUSES(BYTES, PERF_AVERAGE_BULK, 9, 8, 9, 9, 0, .d_bytes = 1),
	REFUSES(TIME, PERF_COUNTER_MULTI_TIMER, 9, 8, 9, 9, 0, .has = HAS_ALL),
	REFUSES(NEGATIVE, PERF_COUNTER_MULTI_TIMER, 9, 8, 8, 9, 0, .has = HAS_ALL),
	REFUSES(NEGATIVE, PERF_AVERAGE_BULK, 9, 8, 9, 9, 0),
	REFUSES(TIME, PERF_ELAPSED_TIME, 0, 0, 0, MAX64, 1),
};

UNIT_TEST(first_reason)
{
	check_pairs(first_reasons, COUNT(first_reasons));
}

UNIT_TEST(statuses)
{
	check_pairs(refusals, COUNT(refusals));
	for (int s = 0; s <= PERF_STATUS_FUTURE_START; s++) {
		enum perf_counter_status status = (enum perf_counter_status)s;
		bool tested = s == PERF_STATUS_NO_NUMBER || s == PERF_STATUS_PARTNER;

		for (size_t i = 0; i < COUNT(refusals); i++)
			tested |= refusals[i].status == status;
		if (!tested)
			fail_msg("%s is not tested", perf_counter_status_name(status));
		assert_int_equal(perf_counter_has_value(status), s < 2);
		assert_true(strlen(perf_counter_status_words(status)) > 10);
	}
}

/* --- wraps --- */

static const struct pair_row wraps[] = {
	WRAPS_TO(11, PERF_COUNTER_COUNTER, 4294967290u, 5, 0, HZ, HZ),
	WRAPS_TO(1, PERF_COUNTER_DELTA, 4294967295u, 0, 0, 0, 0),
	WRAPS_TO(2.5, PERF_COUNTER_QUEUELEN_TYPE, 4294967290u, 4, 0, 4, 0),
	/* Half the range is the limit. */
	WRAPS_TO(2147483647.0, PERF_COUNTER_DELTA, 0x80000001u, 0, 0, 0, 0),
	REFUSES(NEGATIVE, PERF_COUNTER_DELTA, 0x80000000u, 0, 0, 0, 0),
	/* A real rise may be more than half. */
	GIVES(4294967295.0, PERF_COUNTER_DELTA, 0, 4294967295u, 0, 0, 0),
	/* Bases, too: both at once, and one alone. */
	WRAPS_TO(75, PERF_SAMPLE_FRACTION, 4294967295u, 2, 4294967295u, 3, 0),
	WRAPS_TO(2048, PERF_AVERAGE_BULK, 0, 4096, 4294967295u, 1, 0),
	REFUSES(NEGATIVE_BASE, PERF_AVERAGE_BULK, 0, 4096, 4294967295u, 1, 0,
		.d_bytes = 8),
	/* The data decide: 8 bytes do not wrap at 2^32, 4 do, whatever the type says. */
	WRAPS_TO(2, PERF_AVERAGE_TIMER, 4294967295u, 1, 0, 1, 1),
	REFUSES(NEGATIVE, PERF_AVERAGE_TIMER, 4294967295u, 1, 0, 1, 1, .n_bytes = 8),
	GIVES(55022618, PERF_AVERAGE_TIMER, 8837307769u, 8892330387u, 0, 1, 1),
	REFUSES(NEGATIVE, PERF_COUNTER_LARGE_DELTA, 4294967295u, 1, 0, 0, 0),
	WRAPS_TO(2, PERF_COUNTER_LARGE_DELTA, 4294967295u, 1, 0, 0, 0, .n_bytes = 4),
	REFUSES(NEGATIVE, PERF_COUNTER_DELTA, 4294967296u, 1, 0, 0, 0),
};

UNIT_TEST(wraps)
{
	check_pairs(wraps, COUNT(wraps));
}

/* --- the ends of 64 bits --- */

static const struct pair_row ends[] = {
	GIVES(0x1p127, PERF_COUNTER_BULK_COUNT, 0, MAX64, 0, 1, INT64_MAX),
	GIVES(0x1p-63, PERF_COUNTER_BULK_COUNT, 0, 1, 0, INT64_MAX, 1),
	GIVES(0x1p-127, PERF_AVERAGE_TIMER, 0, 1, 0, MAX64, INT64_MAX),
	GIVES(0x1.9p70, PERF_COUNTER_TIMER, 0, MAX64, 0, 1, 0),
	GIVES(-0x1.9p70, PERF_100NSEC_TIMER_INV, 0, MAX64, 0, 1, 0),
	GIVES(100, PERF_COUNTER_TIMER_INV, 0, 0, 0, INT64_MAX, 0),
	GIVES(100, PERF_COUNTER_MULTI_TIMER_INV, 0, 0, 0, INT64_MAX, INT64_MAX,
	      BY(MAX64, CE)),
	GIVES(0x1.9p133, PERF_COUNTER_MULTI_TIMER, 0, MAX64, 0, 1, INT64_MAX, BY(1, CE)),
	GIVES(-0x1.9p70, PERF_COUNTER_MULTI_TIMER_INV, 0, MAX64, 0, 1, INT64_MAX,
	      BY(1, KIT)),
	GIVES(0x1.9p70, PERF_COUNTER_MULTI_TIMER_INV, 0, 0, 0, INT64_MAX, 1,
	      BY(MAX64, KIT)),
};

UNIT_TEST(ends)
{
	static const uint64_t extremes[] = { 0,		 1,	    UINT32_MAX,
					     1ull << 32, INT64_MAX, 1ull << 63,
					     MAX64 };
	struct perf_counter_pair pair = { OF(MAX64) };

	check_pairs(ends, COUNT(ends));
	/* Whatever comes: a status, and a finite value. */
	for (size_t i = 0; i < perf_counter_type_count * 16807; i++) {
		uint64_t *const fields[] = { &pair.n0, &pair.n1, &pair.d0, &pair.d1,
					     &pair.frequency };
		struct perf_counter_result result;
		size_t die = i;

		for (size_t f = 0; f < COUNT(fields); f++, die /= COUNT(extremes))
			*fields[f] = extremes[die % COUNT(extremes)];
		pair.type = perf_counter_types[die].type;
		pair.variant = (enum perf_counter_variant)(i % PERF_VARIANTS);
		result = perf_counter_value(&pair);
		if (!isfinite(result.value) ||
		    (!perf_counter_has_value(result.status) && result.value != 0))
			fail_msg("%s: %s: %g", perf_counter_types[die].name,
				 perf_counter_status_name(result.status), result.value);
	}
}

/* --- multi-timers --- */

/*
 * Ticks at 10 Hz for 2 s, or 20 units of 100 ns, in which 4 components worked 30 units.
 */
static const struct {
	int line;
	uint32_t type;
	double values[PERF_VARIANTS]; /* SHARE, CE, KIT, SDK, PCQ */
} multi_timers[] = {
	{ ROW, PERF_COUNTER_MULTI_TIMER, { 37.5, 375, 150, 375, 37.5 } },
	{ ROW, PERF_100NSEC_MULTI_TIMER, { 37.5, 37.5, 37.5, 37.5, 37.5 } },
	{ ROW, PERF_COUNTER_MULTI_TIMER_INV, { 62.5, -275, 250, -1100, 250 } },
	{ ROW, PERF_100NSEC_MULTI_TIMER_INV, { 62.5, 62.5, 250, 250, 250 } },
};

/* What the variant does not use may be missing. */
#define BARE(what, way) \
	0, 30, 0, 20, 10, WITHOUT(what), .multi = 4, .variant = PERF_VARIANT_##way

static const struct pair_row variants[] = {
	GIVES(150, PERF_COUNTER_MULTI_TIMER, BARE(MULTI, KIT)),
	REFUSES(NO_MULTI, PERF_100NSEC_MULTI_TIMER, BARE(MULTI, KIT)),
	REFUSES(NO_MULTI, PERF_COUNTER_MULTI_TIMER_INV, BARE(MULTI, KIT)),
	REFUSES(NO_MULTI, PERF_COUNTER_MULTI_TIMER, BARE(MULTI, SHARE)),
	GIVES(37.5, PERF_COUNTER_MULTI_TIMER, BARE(FREQUENCY, SHARE)),
	REFUSES(NO_FREQUENCY, PERF_COUNTER_MULTI_TIMER, BARE(FREQUENCY, CE)),
	REFUSES(NO_FREQUENCY, PERF_COUNTER_MULTI_TIMER_INV, BARE(FREQUENCY, SDK)),
	GIVES(62.5, PERF_100NSEC_MULTI_TIMER_INV, BARE(FREQUENCY, CE)),
};

UNIT_TEST(variants)
{
	enum perf_counter_variant found;

	check_pairs(variants, COUNT(variants));
	for (int v = 0; v < PERF_VARIANTS; v++) {
		for (size_t i = 0; i < COUNT(multi_timers); i++)
			check_pair(&(struct pair_row){
				multi_timers[i].line,
				PAIR(multi_timers[i].type, 0, 30, 0, 20, 10, OF(4),
				     .variant = (enum perf_counter_variant)v),
				PERF_STATUS_OK, multi_timers[i].values[v] });
		const char *name =
			perf_counter_variant_name((enum perf_counter_variant)v);

		assert_true(perf_counter_variant_of(name, &found));
		assert_int_equal(found, v);
	}
	assert_false(perf_counter_variant_of("", &found));
	assert_false(perf_counter_variant_of("shar", &found));
}

UNIT_TEST(shown)
{
	const struct perf_counter_type *inverse = perf_counter_type(0x21510500);
	const struct perf_counter_type *multi = perf_counter_type(0x23510500);
	const struct perf_counter_type *direct = perf_counter_type(0x20510500);

	assert_true(perf_counter_shown(inverse, -1.5) == 0);
	assert_true(perf_counter_shown(multi, -1.5) == 0);
	assert_true(perf_counter_shown(inverse, 1.5) == 1.5);
	assert_true(perf_counter_shown(direct, 259) == 259);
}
