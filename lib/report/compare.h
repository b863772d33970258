/*
 * compare.h - compares repeated runs of two sides, name by name: did it change?
 *
 * The test is that of Mann and Whitney, which does not depend on the distribution; of
 * many names at once, Benjamini and Hochberg's rule keeps false verdicts at 5 %.  The
 * interval is a bootstrap of the ratio of medians.  The same numbers give the same
 * result: the bootstrap draws from a fixed seed.
 */
#ifndef PERFTAB_REPORT_COMPARE_H
#define PERFTAB_REPORT_COMPARE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

/* Minimum of runs a side: fewer cannot be distinguished from chance. */
#define COMPARE_RUNS_MIN 5
#define COMPARE_RUNS_MAX 1000

enum compare_verdict {
	COMPARE_SAME,
	COMPARE_DEARER,
	COMPARE_CHEAPER,
	COMPARE_TOO_FEW_RUNS,
	COMPARE_NEW,  /* in no run of the first side */
	COMPARE_GONE, /* in no run of the second */
	COMPARE_VERDICTS
};
extern const char *const compare_words[COMPARE_VERDICTS];

struct compare_line {
	struct str name;
	double *a, *b; /* values by run; 0: not in that run */
	/* Set by compare(): */
	double median_a, median_b;
	double change;	  /* b / a - 1; not a number if a is 0 */
	double low, high; /* 95 % interval of the change; not a number: unknown */
	double p;	  /* p-value; not a number: unknown */
	enum compare_verdict verdict;
};

/* Returns the median, and sorts the values; 0 of none. */
double compare_median(double *values, size_t count);

/* Compares all lines, with so many runs a side.  False: out of memory. */
bool compare(struct compare_line *lines, size_t count, size_t runs_a, size_t runs_b);

/*
 * Returns the two-sided p-value: exact for few runs without ties, else by the normal
 * approximation.
 */
double compare_mann_whitney(const double *a, size_t runs_a, const double *b,
			    size_t runs_b);

#endif
