/*
 * estimates.h - interrupts of which only the times are known, as ETW records them: one
 * event with its beginning and its end.
 *
 * What one counted is estimated: the share of its time in the interval between the two
 * switches around it, if that interval is proven.  Estimates are part of no other sum.
 */
#ifndef PERFTAB_ATTRIBUTION_ESTIMATES_H
#define PERFTAB_ATTRIBUTION_ESTIMATES_H

#include <stddef.h>

#include "attribution/ledger.h"

/* Maximum of ended interrupts of a CPU that a later one may enclose. */
#define ESTIMATE_SPANS 16

/* The interrupts of a kind and vector since the last switch of a CPU. */
struct estimate_sum {
	const struct interrupt_row *interrupt;
	int64_t count, time_ns;
};

struct estimate_cpu {
	/* The ended interrupts, the latest last; none is within another. */
	struct estimate_span {
		int64_t begin_ns, end_ns;
	} spans[ESTIMATE_SPANS];
	size_t span_count;
	struct estimate_sum *sums;
	size_t sum_count, sum_room;
};

struct estimates {
	struct estimate_cpu *cpus;
	size_t cpu_count;
	bool out_of_memory;
};

void estimates_release(struct estimates *estimates);
/* Adds an interrupt that has ended; the row is valid as long as the trace. */
void estimates_add(struct estimates *estimates, const struct interrupted_event *event,
		   const struct interrupt_row *interrupt);
/* Adds the estimates of an interval that a switch ended to the ledger. */
void estimates_settle(struct estimates *estimates, struct ledger *ledger,
		      const struct context_switch_row *row, const int64_t *deltas,
		      size_t slots);

#endif
