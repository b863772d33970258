/*
 * switch_filter.h - drops SWITCH records that a switch sample already covers.
 *
 * A sample of sched:sched_switch names who goes and who comes.  The kernel's SWITCH
 * records of the same switch, one for each of the two, then add nothing but a third of
 * the bytes.  They are kept where the sample is missing: Linux 6.18 does not take one
 * each time a CPU leaves idle, and then they alone tell who came, and when.
 */
#ifndef PERFTAB_SWITCH_FILTER_H
#define PERFTAB_SWITCH_FILTER_H

#include "capture/linux/counters/counters.h"
#include "capture/linux/recorder/ring.h"

/* All zero keeps everything. */
struct filter {
	bool works;
	uint32_t next_at;      /* of next_pid in the tracepoint's data */
	uint32_t member_bytes; /* of a group's member in a sample */
	int64_t *expected; /* by CPU's place: who comes next, as a sample says; or -1 */
};

/*
 * Works where whole CPUs are counted under the tracepoint, whose layout is read from
 * tracefs, and numbers of tasks are the machine's.  false: no memory.
 */
bool switch_filter_open(struct filter *filter, const struct counters *counters);
void switch_filter_close(struct filter *filter);

/* The record `at` after the tail says something new; records come in their order. */
bool switch_filter_keeps(struct filter *filter, size_t cpu, const struct ring *ring,
			 uint64_t at, const struct perf_event_header *header);

#endif
