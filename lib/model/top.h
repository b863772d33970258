/*
 * top.h - keeps the processes that cost most, and the sum of all others.
 *
 * Tens of thousands of processes become a bill of 25 lines.  Which lines those are
 * depends on the counter that sorts them, so the first of each counter are kept, and
 * those of time on a CPU; the first by their cost, then by their pid.
 */
#ifndef PERFTAB_TOP_H
#define PERFTAB_TOP_H

#include "model/record.h"

/* Charged, interrupts, with idle, unproven: of each counter. */
#define TOP_VALUES_OF_COUNTER 4

struct top_process {
	int64_t pid;
	bool is_kept;
	struct process_summary_row summary;
	int64_t values[]; /* as in struct process_total_event */
};

/* The bytes of one with so many counters. */
static inline size_t top_process_bytes(size_t slots)
{
	return sizeof(struct top_process) +
	       TOP_VALUES_OF_COUNTER * slots * sizeof(int64_t);
}

struct top {
	size_t wanted; /* of each counter */
	size_t slots;
	/* The processes that were kept, each of `process_bytes`. */
	char *processes;
	size_t process_bytes, count, room;
	struct top_process *rest; /* the sum of the others */
	int64_t rest_count;
	struct top_bound *bounds; /* by key: the last one that counts as first */
	bool has_bounds;
};

/* For processes of one group; false: too many are wanted, or out of memory. */
bool top_begin(struct top *top, size_t wanted, int64_t group_id, size_t slots);
void top_end(struct top *top);

static inline struct top_process *top_at(const struct top *top, size_t at)
{
	return (struct top_process *)(void *)(top->processes + at * top->process_bytes);
}

/* Adds the process that the caller wrote at top_at(count).  False: it cannot be kept. */
bool top_add(struct top *top);
/* All were added: keeps the first ones alone.  False: out of memory. */
bool top_choose(struct top *top);
/* The sum of a process that was kept; `at` is the count: of all others. */
struct process_total_event top_total(const struct top *top, size_t at);

#endif
