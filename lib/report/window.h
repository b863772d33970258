/*
 * window.h - the findings of a window: intervals and losses have times, others do not.
 */
#ifndef PERFTAB_REPORT_WINDOW_H
#define PERFTAB_REPORT_WINDOW_H

#include "report/totals.h"

/*
 * Of totals that are those of a window: counts what has a time anew, drops findings that
 * are not in it, and puts the others, which are of the whole trace, last.
 */
void window_findings(struct totals *totals);

#endif
