/*
 * check.h - checks whether the books balance.
 *
 * For every CPU and counter, last - first = charged + interrupts + with_idle + idle +
 * unattributed in 64-bit integers.  The two sides come from different places: first and
 * last from the values as they were recorded, the sums from the intervals one by one.
 */
#ifndef PERFTAB_REPORT_CHECK_H
#define PERFTAB_REPORT_CHECK_H

#include "report/totals.h"
#include "report/view.h"

/* The books of each counter on each CPU. */
struct check {
	struct view view;
	size_t unbalanced;
};

/* False: out of memory.  What was made is freed by check_release() in either case. */
bool check_make(struct check *check, const struct totals *totals);
void check_release(struct check *check);

#endif
