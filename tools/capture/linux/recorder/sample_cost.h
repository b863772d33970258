/*
 * sample_cost.h - what a sample of a switch costs its CPU, measured before a recording.
 */
#ifndef PERFTAB_SAMPLE_COST_H
#define PERFTAB_SAMPLE_COST_H

#include "capture/linux/counters/counters.h"

/*
 * Samples switches of this thread with a copy of the first group, and with a second event
 * whose samples come right after: the median of the times between the two.  0: it cannot
 * be measured here.
 */
uint64_t sample_cost_ns(const struct counters *counters);

#endif
