/*
 * made_counters.h - counters as the recorder has them once they are open, but without a
 * kernel: the records about them can be tested anywhere.
 */
#ifndef PERFTAB_MADE_COUNTERS_H
#define PERFTAB_MADE_COUNTERS_H

#include "capture/linux/counters/counters.h"

#define MADE_CPUS 2
#define MADE_FIRST_ID 100 /* ids count up, event by event, CPU by CPU */

struct made_counters {
	struct counters counters;
	struct event_list list;
	int cpus[MADE_CPUS];
};

/*
 * One group of context-switches, then `count` software events of these names, then the
 * tracker, on two CPUs.  Release with made_counters_free().
 */
void made_counters_init(struct made_counters *made, const char *const *names,
			size_t count);
void made_counters_free(struct made_counters *made);
static inline uint64_t made_id(size_t event, size_t cpu)
{
	return MADE_FIRST_ID + event * MADE_CPUS + cpu;
}

#endif
