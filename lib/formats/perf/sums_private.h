/*
 * sums_private.h - the data that sums_ahead.c passes to sums_next.c; for them alone.
 */
#ifndef PERFTAB_PERF_SUMS_PRIVATE_H
#define PERFTAB_PERF_SUMS_PRIVATE_H

#include <stdatomic.h>

#include "formats/perf/sample_shape.h"
#include "formats/perf/sums.h"

#define PERF_SUMS_PATTERNS 128
/* Maximum of changes of the limits. */
#define PERF_SUMS_LIMITS 8
/* Maximum of stretches that wait, some 1 MiB in all. */
#define PERF_SUMS_STRETCHES 64

/* perf_sums.at: the start of a record is unknown. */
#define PERF_NOWHERE UINT64_MAX

/* The switch before a stretch. */
struct perf_place {
	int64_t ts_ns, enabled_ns, running_ns, leader_lost;
	int32_t next_tid;
	uint64_t values[RUN_SUMS_COUNTERS_MAX];
};

/* Consecutive records and their sums. */
struct perf_stretch {
	uint64_t from, to;
	const struct perf_pattern *pattern;
	struct perf_place before;
	struct run_sums sums;
	struct thread_sums threads[RUN_SUMS_THREADS_MAX];
	int64_t counts[RUN_SUMS_THREADS_MAX * RUN_SUMS_COUNTERS_MAX];
};

struct perf_sums {
	run_sum_fn *sum;
	size_t least, least_a_thread; /* switches of a stretch; by thread */

	/* Written by the walk: an entry is complete before the count includes it. */
	struct perf_pattern patterns[PERF_SUMS_PATTERNS];
	struct run_limits limits[PERF_SUMS_LIMITS]; /* the last one is in force */
	atomic_size_t pattern_count, limit_count;
	_Atomic uint64_t known; /* offset of the start of a record */
	atomic_size_t refusals; /* since the last one that was accepted */

	/* Read by the walk: a ring of the stretches that were made and not used. */
	struct perf_stretch stretches[PERF_SUMS_STRETCHES];
	atomic_size_t made, used;

	/* Only for the thread that reads ahead. */
	uint64_t at;	/* offset of the next record, or PERF_NOWHERE */
	size_t at_size; /* its size, if the next block has its end; else 0 */
	struct run run;
	const struct perf_pattern *begun; /* of `run`, whose place 0 is set */
	size_t tried, worth;	     /* switches, and summed ones, since the last check */
	size_t skip_left, skip_next; /* blocks to skip now; after the next failure */
	uint8_t places[RUN_SUMS_PLACES];

	/* Only for the walk. */
	size_t scanned;		    /* first stretch that the look-ahead has not passed */
	size_t patterns_tried;	    /* in memory */
	struct perf_stretch *given; /* emitted last, accepted or not */
	struct run_summed summed;
};

static inline struct perf_stretch *perf_stretch_at(struct perf_sums *sums, size_t number)
{
	return &sums->stretches[number % PERF_SUMS_STRETCHES];
}

/* sums_ahead.c: an input_work_fn that sums up the switches of a block. */
void perf_sum_block(void *context, const struct input_piece *piece);
/* As perf_sum_block() for a piece that begins with a record. */
void perf_sum_records(struct perf_sums *sums, const struct input_piece *piece);
/* Loads at most `most` records at `at` into the columns of a run; returns how many. */
size_t perf_load_alike(const struct perf_pattern *pattern, const uint8_t *at, size_t most,
		       size_t have, struct run *run);

#endif
