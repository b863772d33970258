/*
 * compare.h - did it change?  Repeated runs of two sides, name by name.
 *
 * The test is that of Mann and Whitney, which asks nothing of how the numbers are spread;
 * of many names at once, Benjamini and Hochberg's rule keeps false verdicts at 5 %.  The
 * interval is a bootstrap of the ratio of medians.  The same numbers give the same
 * result: the bootstrap draws from a fixed seed.
 */
#ifndef PERFTAB_REPORT_COMPARE_H
#define PERFTAB_REPORT_COMPARE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

/* Fewer a side cannot be distinguished from chance. */
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
	double *a, *b; /* of each run; 0: it is not in it */
	/* Worked out: */
	double median_a, median_b;
	double change;	  /* b / a - 1; not a number if a is 0 */
	double low, high; /* 95 % of the change; not a number if it is not known */
	double p;	  /* that chance alone does as much; not a number likewise */
	enum compare_verdict verdict;
};

/* Sorts the numbers; 0 of none. */
double compare_median(double *values, size_t count);

/* All lines of one comparison, of so many runs a side.  False: out of memory. */
bool compare(struct compare_line *lines, size_t count, size_t runs_a, size_t runs_b);

/*
 * Two-sided; of all orders, which are equally likely, and so exact if there are no ties.
 */
double compare_mann_whitney(const double *a, size_t runs_a, const double *b,
			    size_t runs_b);

#endif
