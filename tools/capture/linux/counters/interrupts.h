/*
 * interrupts.h - tracepoints at the edges of interrupts: hard irqs, softirqs, and vectors
 * such as the timer tick and IPIs where the machine has tracepoints for them.
 */
#ifndef PERFTAB_INTERRUPTS_H
#define PERFTAB_INTERRUPTS_H

#include "capture/linux/events/event.h"

enum interrupts {
	INTERRUPTS_NONE,
	INTERRUPTS_EXACT, /* all counters are read where one begins and ends */
	INTERRUPTS_COUNT, /* how many there were in each interval */
};

#define INTERRUPT_EDGES_MAX 24 /* tracepoints of exits and entries together */

/* Adds them to the list.  Without tracefs there are none, which is an error. */
MUST_CHECK enum status interrupts_add(struct event_list *list,
				      const struct event_sources *sources,
				      enum interrupts interrupts, struct error *error);

#endif
