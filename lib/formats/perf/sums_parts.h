/*
 * sums_parts.h - what sums_ahead.c makes and sums_next.c gives; for them alone.
 */
#ifndef PERFTAB_PERF_SUMS_PARTS_H
#define PERFTAB_PERF_SUMS_PARTS_H

#include <stdatomic.h>

#include "formats/perf/sample_shape.h"
#include "formats/perf/sums.h"

#define PERF_SUMS_PATTERNS 128
/* How often the limits may change. */
#define PERF_SUMS_LIMITS 8
/* Stretches that are not used yet; all of them are some 1 MiB. */
#define PERF_SUMS_STRETCHES 64

/* No offset of a record. */
#define PERF_NOWHERE UINT64_MAX

/* The switch before a stretch. */
struct perf_place {
	int64_t ts_ns, enabled_ns, running_ns, leader_lost;
	int32_t next_tid;
	uint64_t values[RUN_SUMS_COUNTERS_MAX];
};

/* Records that follow one another, and what they come to. */
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
	size_t least, least_a_thread; /* switches that are worth it */

	/* From the walk: each is complete before it is counted, and stays. */
	struct perf_pattern patterns[PERF_SUMS_PATTERNS];
	struct run_limits limits[PERF_SUMS_LIMITS]; /* the last one counts */
	atomic_size_t pattern_count, limit_count;
	_Atomic uint64_t known; /* a record begins there */
	atomic_size_t refusals; /* since the last one that was accepted */

	/* To the walk: a ring of all that were made and not used. */
	struct perf_stretch stretches[PERF_SUMS_STRETCHES];
	atomic_size_t made, used;

	/* Of the thread that reads ahead, alone. */
	uint64_t at;	/* the next record, or PERF_NOWHERE */
	size_t at_size; /* its size, where the rest of it is in the next block; or 0 */
	struct run run;
	const struct perf_pattern *begun; /* place 0 of the run is the switch before */
	size_t tried, worth;		  /* switches since the last look at them */
	size_t rest, rests; /* blocks without sums, and how many the next time */
	uint8_t places[RUN_SUMS_PLACES];

	/* Of the walk, alone. */
	size_t scanned;		    /* the first that the look-ahead has not passed */
	size_t patterns_tried;	    /* in memory */
	struct perf_stretch *given; /* it is not known yet whether it was accepted */
	struct run_summed summed;
};

static inline struct perf_stretch *perf_stretch_at(struct perf_sums *sums, size_t number)
{
	return &sums->stretches[number % PERF_SUMS_STRETCHES];
}

/* sums_ahead.c: the input_work_fn.  Sums up what it can of a block. */
void perf_sum_block(void *context, const struct input_piece *piece);
/* The same of a piece that begins with a record. */
void perf_sum_records(struct perf_sums *sums, const struct input_piece *piece);
/* The first records at `at`, most of them, in the columns of a run; how many. */
size_t perf_load_alike(const struct perf_pattern *pattern, const uint8_t *at, size_t most,
		       size_t have, struct run *run);

#endif
