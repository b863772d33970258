/* test_perf_counter_type.c - the table of counter types, and who is whose base. */
#include <string.h>

#include "counter_pairs.h"

/* --- the table against the type words --- */

/* winperf.h: what the bits of a type say. */
static unsigned kind(uint32_t type)
{
	return type >> 10 & 3; /* 0 number, 1 counter, 2 text, 3 zero */
}

static unsigned subtype(uint32_t type)
{
	return type >> 16 & 7; /* of counters: 3 base, 7 precision */
}

static void check_words(const struct perf_counter_type *type)
{
	static const unsigned bytes[] = { 4, 8, 0, 0 };
	static const char *const units[] = { "", "/sec", "%", "secs", "" };
	static const enum perf_counter_over overs[] = { PERF_OVER_TICKS, PERF_OVER_NS100,
							PERF_OVER_OBJECT };
	uint32_t word = type->type;
	bool is_counter = kind(word) == 1, is_base = is_counter && subtype(word) == 3;
	bool is_inverse = type->formula == PERF_FORMULA_INVERSE ||
			  type->formula == PERF_FORMULA_MULTI_INVERSE;
	bool is_multi = type->formula == PERF_FORMULA_MULTI ||
			type->formula == PERF_FORMULA_MULTI_INVERSE;

	assert_int_equal(type->bytes, bytes[word >> 8 & 3]);
	assert_int_equal(type->formula == PERF_FORMULA_PARTNER, is_base);
	assert_int_equal(is_inverse, word >> 24 & 1);
	assert_int_equal(is_multi, !is_base && (word >> 25 & 1));
	if (word >> 28 < COUNT(units))
		assert_string_equal(type->unit, units[word >> 28]);
	if (type->over != PERF_OVER_NONE && type->over != PERF_OVER_BASE)
		assert_int_equal(type->over, overs[word >> 20 & 3]);
	/*
	 * Types with the bit for differences need two samples; averages lack it.
	 */
	if (word >> 22 & 1)
		assert_true(perf_counter_needs_two(type));
	if ((word >> 20 & 3) == 0 && is_counter && subtype(word) == 1)
		assert_int_equal(type->over, PERF_OVER_TICKS);
	if (type->base)
		assert_int_equal(perf_counter_type(type->base)->formula,
				 PERF_FORMULA_PARTNER);
	assert_int_equal(type->base != 0, type->over == PERF_OVER_BASE || is_multi);
}

UNIT_TEST(table)
{
	assert_int_equal(perf_counter_type_count, 39);
	for (size_t i = 0; i < perf_counter_type_count; i++) {
		const struct perf_counter_type *type = &perf_counter_types[i];

		assert_ptr_equal(perf_counter_type(type->type), type);
		assert_true(i == 0 || type->type > type[-1].type);
		assert_int_equal(strncmp(type->name, "PERF_", 5), 0);
		assert_true(type->formula == PERF_FORMULA_NO_NUMBER ||
			    type->formula == PERF_FORMULA_PARTNER ||
			    (type->bytes == 4 || type->bytes == 8));
		check_words(type);
	}
}

/*
 * PERF_COUNTER_BASE is 3, and precision timers are 7: a test of two of the three bits
 * treats them as bases, as Microsoft's "Retrieving Counter Data" and windows_exporter do.
 */
UNIT_TEST(precision_is_no_base)
{
	assert_int_equal(perf_counter_type(0x20470500)->formula, PERF_FORMULA_SHARE);
	assert_int_equal(perf_counter_type(0x20670500)->formula, PERF_FORMULA_SHARE);
	assert_int_equal(0x20470500 & 0x30000, 0x30000);
	/* And a separator, TYPE_ZERO, is not a counter. */
	assert_int_equal(perf_counter_type(0x40000200)->formula, PERF_FORMULA_NO_NUMBER);
}

UNIT_TEST(unknown)
{
	static const uint32_t unknown[] = { 1, 0x00012000, 0x10410401, 0x40030503,
					    0xffffffff };

	for (size_t i = 0; i < COUNT(unknown); i++)
		assert_null(perf_counter_type(unknown[i]));
}

UNIT_TEST(names)
{
	assert_null(perf_counter_over_name(PERF_OVER_NONE));
	assert_string_equal(perf_counter_over_name(PERF_OVER_TICKS), "ticks");
	assert_string_equal(perf_counter_over_name(PERF_OVER_NS100), "100ns");
	assert_string_equal(perf_counter_over_name(PERF_OVER_OBJECT), "object");
	assert_string_equal(perf_counter_over_name(PERF_OVER_BASE), "base");
	assert_string_equal(perf_base_source_name(PERF_BASE_NONE), "none");
	assert_string_equal(perf_base_source_name(PERF_BASE_REGISTERED), "registered");
	assert_string_equal(perf_base_source_name(PERF_BASE_NEXT_ID), "next-id");
}

/* --- bases --- */

#define NO PERF_COUNTER_NO_ID

/*
 * After Processor Information, where the base of 28 may be 27 or 29: only the
 * registration can tell.  Not in the order of ids.
 */
static const struct perf_counter_def defs[] = {
	{ 29, PERF_AVERAGE_BASE, NO },	  /* 0 */
	{ 26, PERF_AVERAGE_BULK, NO },	  /* 1: the next one */
	{ 27, PERF_AVERAGE_BASE, NO },	  /* 2 */
	{ 28, PERF_AVERAGE_BULK, 27 },	  /* 3: the one before, as registered */
	{ 40, PERF_AVERAGE_BULK, 999 },	  /* 4: registered is one that is not there */
	{ 41, PERF_AVERAGE_BASE, NO },	  /* 5 */
	{ 50, PERF_RAW_FRACTION, NO },	  /* 6: the next one is not a RAW_BASE */
	{ 51, PERF_AVERAGE_BASE, NO },	  /* 7 */
	{ 52, PERF_COUNTER_COUNTER, 51 }, /* 8: needs none */
	{ 60, PERF_PRECISION_100NS_TIMER, 60 },	  /* 9: itself */
	{ 61, PERF_LARGE_RAW_BASE, NO },	  /* 10: PERF_PRECISION_TIMESTAMP */
	{ NO - 1, PERF_RAW_FRACTION, NO },	  /* 11: no id comes next */
	{ NO, PERF_RAW_BASE, NO },		  /* 12 */
	{ 70, PERF_COUNTER_MULTI_TIMER, 52 },	  /* 13: MultiId names any counter */
	{ 71, PERF_100NSEC_MULTI_TIMER_INV, NO }, /* 14: as in V1 */
	{ 72, PERF_COUNTER_MULTI_BASE, NO },	  /* 15 */
	{ 80, 0x00012000, 81 },			  /* 16: unknown */
	{ 81, PERF_RAW_BASE, NO },		  /* 17 */
	{ 90, PERF_RAW_FRACTION, NO },		  /* 18: the last one */
	{ 27, PERF_RAW_BASE, NO },		  /* 19: an id twice: the first counts */
};

UNIT_TEST(bases)
{
	static const struct {
		int line;
		size_t of;
		enum perf_base_source source;
		size_t base;
	} rows[] = {
		{ ROW, 0, PERF_BASE_NONE, 0 },	      { ROW, 1, PERF_BASE_NEXT_ID, 2 },
		{ ROW, 3, PERF_BASE_REGISTERED, 2 },  { ROW, 4, PERF_BASE_NEXT_ID, 5 },
		{ ROW, 6, PERF_BASE_NONE, 0 },	      { ROW, 8, PERF_BASE_NONE, 0 },
		{ ROW, 9, PERF_BASE_NEXT_ID, 10 },    { ROW, 11, PERF_BASE_NONE, 0 },
		{ ROW, 13, PERF_BASE_REGISTERED, 8 }, { ROW, 14, PERF_BASE_NEXT_ID, 15 },
		{ ROW, 16, PERF_BASE_NONE, 0 },	      { ROW, 18, PERF_BASE_NONE, 0 },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		size_t base = 0;

		ROW_INT(&rows[i], perf_counter_base(defs, COUNT(defs), rows[i].of, &base),
			rows[i].source);
		ROW_INT(&rows[i], base, rows[i].base);
	}
}
