/* compare.c - medians, the test of Mann and Whitney, a bootstrap, and verdicts. */
#include "report/compare.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Maximum of the share of verdicts that are false. */
#define FALSE_RATE 0.05
#define BOOTSTRAP_DRAWS 2000
/* Up to here all orders are counted; the normal distribution is as good beyond. */
#define EXACT_RUNS_MAX 40

const char *const compare_words[COMPARE_VERDICTS] = { "same",	      "dearer", "cheaper",
						      "too few runs", "new",	"gone" };

static int ascending(const void *x, const void *y)
{
	double a = *(const double *)x, b = *(const double *)y;

	return a < b ? -1 : a > b;
}

/* Few numbers, the usual case, are sorted by insertion: qsort() is five times slower. */
static void sort(double *values, size_t count)
{
	if (count > 32) {
		qsort(values, count, sizeof(*values), ascending);
		return;
	}
	for (size_t i = 1; i < count; i++) {
		double value = values[i];
		size_t at = i;

		for (; at > 0 && values[at - 1] > value; at--)
			values[at] = values[at - 1];
		values[at] = value;
	}
}

double compare_median(double *values, size_t count)
{
	if (count == 0)
		return 0;
	sort(values, count);
	return count % 2 ? values[count / 2]
			 : (values[count / 2 - 1] + values[count / 2]) / 2;
}

/* --- the test --- */

/* Returns in how many pairs the first number is larger; equal ones count half. */
static double larger_pairs(const double *a, size_t runs_a, const double *b, size_t runs_b,
			   bool *ties)
{
	double pairs = 0;

	for (size_t i = 0; i < runs_a; i++)
		for (size_t k = 0; k < runs_b; k++) {
			pairs += a[i] > b[k] ? 1 : a[i] == b[k] ? 0.5 : 0;
			*ties |= a[i] == b[k];
		}
	return pairs;
}

/*
 * How likely at most `pairs` are: orders of i and k runs with u pairs are those that end
 * with one of the first, which is larger than all k, and those that end with the second.
 */
static double exact_p(size_t runs_a, size_t runs_b, size_t pairs)
{
	size_t most = runs_a * runs_b;
	double *ways = memory_alloc_zeroed((runs_b + 1) * (most + 1), sizeof(*ways));
	double below = 0, all = 0;

	if (!ways)
		return 1;
	for (size_t k = 0; k <= runs_b; k++)
		ways[k * (most + 1)] = 1;
	for (size_t i = 1; i <= runs_a; i++)
		for (size_t k = 1; k <= runs_b; k++)
			for (size_t u = most + 1; u-- > 0;) {
				double *to = &ways[k * (most + 1) + u];

				*to = (u >= k ? ways[k * (most + 1) + u - k] : 0) +
				      ways[(k - 1) * (most + 1) + u];
			}
	for (size_t u = 0; u <= most; u++) {
		all += ways[runs_b * (most + 1) + u];
		below += u <= pairs ? ways[runs_b * (most + 1) + u] : 0;
	}
	free(ways);
	return below / all;
}

/* The sum of t^3 - t over the groups of equal numbers. */
static double tie_sum(const double *a, size_t runs_a, const double *b, size_t runs_b)
{
	double *all = memory_alloc((runs_a + runs_b) * sizeof(*all));
	double sum = 0;

	if (!all)
		return 0;
	memcpy(all, a, runs_a * sizeof(*a));
	memcpy(all + runs_a, b, runs_b * sizeof(*b));
	qsort(all, runs_a + runs_b, sizeof(*all), ascending);
	for (size_t from = 0, to; from < runs_a + runs_b; from = to) {
		double t;

		for (to = from; to < runs_a + runs_b && all[to] == all[from];)
			to++;
		t = (double)(to - from);
		sum += t * t * t - t;
	}
	free(all);
	return sum;
}

static double normal_p(const double *a, size_t runs_a, const double *b, size_t runs_b,
		       double pairs)
{
	double n = (double)runs_a, m = (double)runs_b, all = n + m;
	double spread =
		sqrt(n * m / 12 *
		     (all + 1 - tie_sum(a, runs_a, b, runs_b) / (all * (all - 1))));
	double off = fabs(pairs - n * m / 2) - 0.5; /* numbers are whole */

	return spread > 0 && off > 0 ? erfc(off / spread / sqrt(2)) : 1;
}

double compare_mann_whitney(const double *a, size_t runs_a, const double *b,
			    size_t runs_b)
{
	bool ties = false;
	double pairs = larger_pairs(a, runs_a, b, runs_b, &ties);
	double other = (double)(runs_a * runs_b) - pairs;
	double p;

	if (ties || runs_a > EXACT_RUNS_MAX || runs_b > EXACT_RUNS_MAX)
		return normal_p(a, runs_a, b, runs_b, pairs);
	p = 2 * exact_p(runs_a, runs_b, (size_t)(pairs < other ? pairs : other));
	return p < 1 ? p : 1;
}

/* --- the interval --- */

/* splitmix64 */
static uint64_t draw(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static double drawn_median(uint64_t *state, const double *values, size_t count,
			   double *scratch)
{
	for (size_t i = 0; i < count; i++)
		scratch[i] = values[draw(state) % count];
	return compare_median(scratch, count);
}

/* `scratch` has room for the runs of a side and for the draws. */
static void bootstrap(struct compare_line *line, size_t runs_a, size_t runs_b,
		      double *scratch)
{
	double *changes = scratch + COMPARE_RUNS_MAX;
	uint64_t state = 1;
	size_t count = 0;

	for (int i = 0; i < BOOTSTRAP_DRAWS; i++) {
		double a = drawn_median(&state, line->a, runs_a, scratch);
		double b = drawn_median(&state, line->b, runs_b, scratch);

		if (a > 0)
			changes[count++] = b / a - 1;
	}
	if (count < BOOTSTRAP_DRAWS)
		return;
	qsort(changes, count, sizeof(*changes), ascending);
	line->low = changes[BOOTSTRAP_DRAWS / 40];
	line->high = changes[BOOTSTRAP_DRAWS - 1 - BOOTSTRAP_DRAWS / 40];
}

/* --- verdicts --- */

static bool is_absent(const double *values, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (values[i] != 0)
			return false;
	return true;
}

static void work_out(struct compare_line *line, size_t runs_a, size_t runs_b,
		     double *scratch)
{
	bool few = runs_a < COMPARE_RUNS_MIN || runs_b < COMPARE_RUNS_MIN;

	memcpy(scratch, line->a, runs_a * sizeof(*scratch));
	line->median_a = compare_median(scratch, runs_a);
	memcpy(scratch, line->b, runs_b * sizeof(*scratch));
	line->median_b = compare_median(scratch, runs_b);
	line->change = line->median_a > 0 ? line->median_b / line->median_a - 1 : NAN;
	line->low = line->high = line->p = NAN;
	line->verdict = COMPARE_SAME;
	if (is_absent(line->a, runs_a))
		line->verdict = COMPARE_NEW;
	else if (is_absent(line->b, runs_b))
		line->verdict = COMPARE_GONE;
	else if (few)
		line->verdict = COMPARE_TOO_FEW_RUNS;
	if (line->verdict != COMPARE_SAME)
		return;
	line->p = compare_mann_whitney(line->a, runs_a, line->b, runs_b);
	bootstrap(line, runs_a, runs_b, scratch);
}

/* The largest p that is a verdict: the last of rank r with p <= r / count * rate. */
static double largest_p(const struct compare_line *lines, size_t count, double *sorted)
{
	size_t tested = 0;
	double limit = -1;

	for (size_t i = 0; i < count; i++)
		if (!__builtin_isnan(lines[i].p))
			sorted[tested++] = lines[i].p;
	qsort(sorted, tested, sizeof(*sorted), ascending);
	for (size_t r = 0; r < tested; r++)
		if (sorted[r] <= (double)(r + 1) / (double)tested * FALSE_RATE)
			limit = sorted[r];
	return limit;
}

/* Chance does not explain it, and the interval has one side only. */
static enum compare_verdict verdict_of(const struct compare_line *line, double limit)
{
	if (__builtin_isnan(line->p) || line->p > limit)
		return line->verdict;
	if (line->low > 0)
		return COMPARE_DEARER;
	return line->high < 0 ? COMPARE_CHEAPER : COMPARE_SAME;
}

bool compare(struct compare_line *lines, size_t count, size_t runs_a, size_t runs_b)
{
	size_t room = COMPARE_RUNS_MAX + BOOTSTRAP_DRAWS;
	double *scratch =
		memory_alloc((room > count ? room : count + 1) * sizeof(*scratch));
	double limit;

	if (!scratch)
		return false;
	for (size_t i = 0; i < count; i++)
		work_out(&lines[i], runs_a, runs_b, scratch);
	limit = largest_p(lines, count, scratch);
	for (size_t i = 0; i < count; i++)
		lines[i].verdict = verdict_of(&lines[i], limit);
	free(scratch);
	return true;
}
