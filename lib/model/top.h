/*
 * top.h - keeps the processes that cost most, and the sum of all others.
 *
 * Tens of thousands of processes become a bill of 25 lines.  Which lines those are
 * depends on the counter that sorts them, so the first by each counter and by time on a
 * CPU are kept; of equal costs, the lower pid is first.
 */
#ifndef PERFTAB_TOP_H
#define PERFTAB_TOP_H

#include "model/record.h"

/* Values of each counter: charged, interrupts, with idle, unproven. */
#define TOP_VALUES_OF_COUNTER 4

struct top_process {
	int64_t pid;
	bool is_kept;
	struct process_summary_row summary;
	int64_t values[]; /* as in struct process_total_event */
};

/* Returns the bytes of a process with `slots` counters. */
static inline size_t top_process_bytes(size_t slots)
{
	return sizeof(struct top_process) +
	       TOP_VALUES_OF_COUNTER * slots * sizeof(int64_t);
}

struct top {
	size_t wanted; /* processes by each counter */
	size_t slots;
	/* The processes that were kept, each of `process_bytes`. */
	char *processes;
	size_t process_bytes, count, room;
	struct top_process *rest; /* the sum of the others */
	int64_t rest_count;
	struct top_bound *bounds; /* by key: the last of the first `wanted` */
	bool has_bounds;
};

/* Begins with processes of one group; false: too many are wanted, or out of memory. */
bool top_begin(struct top *top, size_t wanted, int64_t group_id, size_t slots);
void top_end(struct top *top);

static inline struct top_process *top_at(const struct top *top, size_t at)
{
	return (struct top_process *)(void *)(top->processes + at * top->process_bytes);
}

/* Adds the process that the caller wrote at top_at(count).  False: threads are needed. */
bool top_add(struct top *top);
/* After the last one: keeps only the first ones.  False: out of memory. */
bool top_choose(struct top *top);
/* Returns the sums of a kept process; those of all others if `at` is the count. */
struct process_total_event top_total(const struct top *top, size_t at);

#endif
