/*
 * slices.h - who was on which CPU from when to when, out of switch rows.
 *
 * The slices of a thread are its proven intervals, so they add up to its time in the
 * bill.  In between the CPU was idle, or what it did is not known.  Names of threads come
 * at the end of a trace, so what was found waits in a file without a name, and memory
 * does not grow with the trace.
 *
 * Each group that was read on a CPU has a lane of it, and so have SWITCH records.  At the
 * end a CPU has the lane that the bill has its time from: of the group that saw most
 * switches, and of SWITCH records only if no group was read on any CPU.
 */
#ifndef PERFTAB_PERFETTO_SLICES_H
#define PERFTAB_PERFETTO_SLICES_H

#include "base/arena.h"
#include "base/error.h"
#include "base/map.h"
#include "model/sink.h"

#define SLICES_BUFFERED 4096

/* From `ts_ns` on thread_id is on the CPU; who left had prev_state then. */
struct slice_start {
	int64_t ts_ns;
	int64_t thread_id; /* 0: idle, or not known */
	int32_t cpu;
	int32_t prev_state;
	uint32_t lane; /* of slices.c */
};

struct slices {
	int fd; /* the file without a name; -1: none */
	struct slice_start *buffer;
	size_t used, at;		  /* in the buffer; read up to `at` */
	uint64_t written;		  /* starts in the file */
	struct map lanes;		  /* struct slice_lane by a hash */
	struct slice_lane *first, **last; /* all, in the order they were seen */
	bool *is_left_out;		  /* by number of the lane; NULL before the end */
	uint32_t lane_count;
	struct map groups; /* struct slice_group by group_id */
	struct slice_group *first_group;
	size_t group_count;
	struct arena arena;
	struct error *error; /* borrowed */
};

/* What ended an interval of a thread. */
struct slice_end {
	int64_t group_id; /* INT_NONE: of SWITCH records */
	int64_t cpu, ts_ns;
	int64_t on_cpu_ns; /* proven to be the thread's, INT_NONE: nothing is */
	int64_t thread_id, prev_state;
	bool stays; /* counters were read, the thread keeps the CPU */
};

MUST_CHECK enum status slices_open(struct slices *slices, struct error *error);
/*
 * In the order of each CPU and group; a second row of the same switch is ignored, and so
 * is what comes before the last one.
 */
MUST_CHECK enum status slices_add(struct slices *slices, const struct slice_end *end);
/* After the last one: the CPUs become idle, and slices_next() begins with the first. */
MUST_CHECK enum status slices_finish(struct slices *slices);
/* ST_END: that was the last. */
MUST_CHECK enum status slices_next(struct slices *slices, struct slice_start *start);
/* After slices_finish(): warns of intervals that were ignored since time went back. */
void slices_warn(const struct slices *slices, const struct sink_options *options,
		 struct str path);
void slices_close(struct slices *slices);

#endif
