/*
 * row_sums.h - the sums of intervals that rows of thread_summary, process_summary and
 * cgroup_summary share.
 */
#ifndef PERFTAB_ROW_SUMS_H
#define PERFTAB_ROW_SUMS_H

#include "base/wrap.h"
#include "model/record.h"

/* For an initializer of one such row from another. */
#define ROW_SUMS(row)                                                       \
	.switches = (row)->switches, .on_cpu_ns = (row)->on_cpu_ns,         \
	.with_idle_switches = (row)->with_idle_switches,                    \
	.timeless_switches = (row)->timeless_switches,                      \
	.unproven_switches = (row)->unproven_switches,                      \
	.unproven_ns = (row)->unproven_ns, .running_ns = (row)->running_ns, \
	.reads = (row)->reads, .interrupts_ns = (row)->interrupts_ns

/* Adds a time; INT_NONE adds nothing. */
static inline void row_add_time(int64_t *sum, int64_t more)
{
	*sum = wrap_add(*sum, more == INT_NONE ? 0 : more);
}

/* Adds a time to a sum that is INT_NONE until a time is known. */
static inline void row_add_known(int64_t *sum, int64_t more)
{
	if (more != INT_NONE)
		*sum = wrap_add(*sum == INT_NONE ? 0 : *sum, more);
}

static inline void row_add_all(int64_t *sums, const int64_t *more, size_t slots)
{
	for (size_t i = 0; i < slots; i++)
		sums[i] = wrap_add(sums[i], more[i]);
}

/* Returns whether a read of the counters, not a switch, ended the interval. */
static inline bool row_is_read(const struct context_switch_row *row)
{
	return row->switch_id == INT_NONE;
}

#endif
