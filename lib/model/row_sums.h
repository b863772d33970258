/*
 * row_sums.h - what rows of thread_summary, process_summary and cgroup_summary have
 * alike: sums of intervals, for an initializer of one from another.
 */
#ifndef PERFTAB_ROW_SUMS_H
#define PERFTAB_ROW_SUMS_H

#include "model/record.h"

#define ROW_SUMS(row)                                                       \
	.switches = (row)->switches, .on_cpu_ns = (row)->on_cpu_ns,         \
	.with_idle_switches = (row)->with_idle_switches,                    \
	.timeless_switches = (row)->timeless_switches,                      \
	.unproven_switches = (row)->unproven_switches,                      \
	.unproven_ns = (row)->unproven_ns, .running_ns = (row)->running_ns, \
	.reads = (row)->reads, .interrupts_ns = (row)->interrupts_ns

#endif
