/*
 * totals_window.h - limits findings to a window, where they have times.
 */
#ifndef PERFTAB_REPORT_TOTALS_WINDOW_H
#define PERFTAB_REPORT_TOTALS_WINDOW_H

#include "report/totals.h"

/*
 * Recounts the findings of totals of a window: those of intervals and losses, which have
 * times, get the counts of the window or are dropped.  Findings without times, which are
 * of the whole trace, come last.
 */
void totals_limit_findings(struct totals *totals);

#endif
