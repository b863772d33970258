/* test_compare.c - lib/report/compare.h: known probabilities, false verdicts, power. */
#include <math.h>

#include "report/compare.h"
#include "unit.h"

/* Published or counted out: of n and m runs without overlap, 2 / (n + m over n). */
static const struct {
	int line;
	double a[8];
	size_t runs_a;
	double b[8];
	size_t runs_b;
	double p;
} tests_of[] = {
	{ ROW, { 1 }, 1, { 2 }, 1, 1 },
	{ ROW, { 1, 2, 3 }, 3, { 4, 5, 6 }, 3, 0.1 },
	{ ROW, { 4, 5, 6 }, 3, { 1, 2, 3 }, 3, 0.1 },
	{ ROW, { 1, 2, 3, 4, 5 }, 5, { 6, 7, 8, 9, 10 }, 5, 2.0 / 252 },
	{ ROW, { 1, 2, 3, 4, 6 }, 5, { 5, 7, 8, 9, 10 }, 5, 4.0 / 252 },
	{ ROW, { 1, 3, 5 }, 3, { 2, 4, 6 }, 3, 0.7 },
	{ ROW, { 1, 2, 3, 4 }, 4, { 5, 6, 7 }, 3, 2.0 / 35 },
	{ ROW, { 5, 5, 5 }, 3, { 5, 5, 5 }, 3, 1 },
};

UNIT_TEST(mann_whitney)
{
	for (size_t i = 0; i < COUNT(tests_of); i++) {
		double p = compare_mann_whitney(tests_of[i].a, tests_of[i].runs_a,
						tests_of[i].b, tests_of[i].runs_b);

		bool is_p;

		is_p = fabs(p - tests_of[i].p) < 1e-9;

		ROW_TRUE(&tests_of[i], is_p);
	}
}

UNIT_TEST(medians)
{
	double odd[] = { 9, 0, 4 }, even[] = { 8, 0, 4, 0 };
	double many[40];

	for (size_t i = 0; i < COUNT(many); i++)
		many[i] = (double)(i * 7 % COUNT(many));
	assert_true(compare_median(odd, 3) == 4);
	assert_true(compare_median(even, 4) == 2);
	assert_true(compare_median(many, COUNT(many)) == 19.5);
	assert_true(compare_median(odd, 0) == 0);
}

/* --- simulated runs --- */

#define RUNS 10
#define NAMES 4

static uint64_t seed = 42;

static double uniform(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return ((double)(seed >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void)
{
	return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform());
}

/* Names that cost 1000 by a variation, the first of which changes on the other side. */
static size_t verdicts(double variation, double change)
{
	struct compare_line lines[NAMES];
	double a[NAMES][RUNS], b[NAMES][RUNS];
	size_t found = 0;

	for (size_t n = 0; n < NAMES; n++) {
		for (size_t i = 0; i < RUNS; i++) {
			a[n][i] = 1000 * (1 + variation * normal());
			b[n][i] = 1000 * (1 + variation * normal()) *
				  (n == 0 ? 1 + change : 1);
		}
		lines[n] = (struct compare_line){ .a = a[n], .b = b[n] };
	}
	assert_true(compare(lines, NAMES, RUNS, RUNS));
	for (size_t n = 0; n < NAMES; n++)
		found += change != 0 ? n == 0 && lines[n].verdict == COMPARE_DEARER
				     : lines[n].verdict != COMPARE_SAME;
	return found;
}

/* Of 200 pairs of the same, at most 5 % have a verdict at all. */
UNIT_TEST(same)
{
	int wrong = 0;

	for (int i = 0; i < 200; i++)
		wrong += verdicts(0.05, 0) > 0;
	assert_true(wrong <= 10);
}

/* +5 % at a variation of 1 % is found in at least 95 %. */
UNIT_TEST(power)
{
	int found = 0;

	for (int i = 0; i < 200; i++)
		found += verdicts(0.01, 0.05) > 0;
	assert_true(found >= 190);
}

/* --- verdicts without a test --- */

static const struct {
	int line;
	double a[5], b[5];
	size_t runs_a, runs_b;
	enum compare_verdict verdict;
	double change;
} plain[] = {
	{ ROW, { 100 }, { 110 }, 1, 1, COMPARE_TOO_FEW_RUNS, 0.1 },
	{ ROW,
	  { 100, 102, 98, 99 },
	  { 50, 51, 52, 53 },
	  4,
	  4,
	  COMPARE_TOO_FEW_RUNS,
	  51.5 / 99.5 - 1 },
	{ ROW, { 0, 0, 0, 0, 0 }, { 1, 2, 3, 4, 5 }, 5, 5, COMPARE_NEW, NAN },
	{ ROW, { 1, 2, 3, 4, 5 }, { 0, 0, 0, 0, 0 }, 5, 5, COMPARE_GONE, -1 },
	{ ROW,
	  { 10, 11, 12, 13, 14 },
	  { 20, 21, 22, 23, 24 },
	  5,
	  5,
	  COMPARE_DEARER,
	  22.0 / 12 - 1 },
	{ ROW,
	  { 20, 21, 22, 23, 24 },
	  { 10, 11, 12, 13, 14 },
	  5,
	  5,
	  COMPARE_CHEAPER,
	  12.0 / 22 - 1 },
	{ ROW, { 7, 7, 7, 7, 7 }, { 7, 7, 7, 7, 7 }, 5, 5, COMPARE_SAME, 0 },
};

UNIT_TEST(verdicts)
{
	for (size_t i = 0; i < COUNT(plain); i++) {
		double a[5], b[5];
		struct compare_line line = { .a = a, .b = b };
		bool is_change;

		memcpy(a, plain[i].a, sizeof(a));
		memcpy(b, plain[i].b, sizeof(b));
		assert_true(compare(&line, 1, plain[i].runs_a, plain[i].runs_b));
		ROW_INT(&plain[i], line.verdict, plain[i].verdict);
		is_change = isnan(plain[i].change)
				    ? isnan(line.change)
				    : fabs(line.change - plain[i].change) < 1e-9;
		ROW_TRUE(&plain[i], is_change);
	}
}

/* Medians of many runs, in any order. */
UNIT_TEST(many_runs)
{
	enum { MANY = 100 };
	double a[MANY], b[MANY];
	struct compare_line line = { .a = a, .b = b };

	for (int i = 0; i < MANY; i++) {
		a[i] = 1 + i * 7 % MANY;
		b[i] = 2 * a[i];
	}
	assert_true(compare(&line, 1, MANY, MANY));
	assert_true(fabs(line.median_a - 50.5) < 1e-9);
	assert_true(fabs(line.median_b - 101) < 1e-9);
	assert_true(fabs(line.change - 1) < 1e-9);
	assert_true(line.low < 1 && line.high > 1);
	assert_int_equal(line.verdict, COMPARE_DEARER);
}
