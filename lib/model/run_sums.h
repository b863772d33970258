/*
 * run_sums.h - the sums by thread of many switches that follow one another in a stream.
 *
 * Where only a bill is wanted, a second thread decodes runs before they are needed, and
 * adds up those of their switches that each follow from the one before it
 * (attribution/chain_sums.c).  The reader then gives what many runs come to as one
 * record.  Attribution accepts it if the stream is where the first switch begins, and
 * every thread is known as what the sums take it for; else it refuses, and the reader
 * gives the same switches in runs.
 */
#ifndef PERFTAB_RUN_SUMS_H
#define PERFTAB_RUN_SUMS_H

#include "model/run.h"

/* Most switches and threads of one: the reader gives it as a whole or not at all. */
#define RUN_SUMS_SWITCHES_MAX BUFFER_SIZE(1024, 64)
#define RUN_SUMS_THREADS_MAX 128
/* Groups with more counters come in runs. */
#define RUN_SUMS_COUNTERS_MAX 8

/*
 * What attribution looks at in each switch that is charged (audit/intervals.c): a switch
 * that is near a limit is not summed.
 */
struct run_limits {
	uint64_t version; /* 0: nothing is looked at */
	size_t count;
	struct run_limit {
		size_t slot;
		size_t cycles_slot; /* of instructions; SIZE_MAX: none */
		bool is_cycles;
	} rules[RUN_SUMS_COUNTERS_MAX];
	int64_t max_khz; /* of the slowest CPU; 0: not known */
};

/* What the switches out of one thread come to; its counts are in run_sums.counts. */
struct thread_sums {
	int32_t tid;
	uint32_t switches;
	char comm[16];	 /* of all of them, where names are recorded */
	int64_t from_ns; /* it came with this switch, or before */
	int64_t on_cpu_ns, ran_ns;
};

struct run_sums {
	size_t count; /* switches */
	size_t slots;
	const struct run_limits *limits; /* within which each is; NULL: none */
	bool has_comms;	     /* each with one name for a thread, of 16 bytes */
	size_t thread_count; /* in the order in which they went */
	size_t last_thread;  /* switched out by the last switch */
	struct thread_sums *threads;
	int64_t *counts; /* `slots` of each thread */
	/* Places of `threads` by tid, + 1; 0: free.  For chain_sums.c alone. */
	uint8_t *places; /* RUN_SUMS_PLACES */
};

#define RUN_SUMS_PLACES (4 * RUN_SUMS_THREADS_MAX)

/*
 * Adds the switches of a run from place 1 on, as long as each follows from the one
 * before it, as place 1 from the switch before the run at place 0, is within the limits,
 * and the sums have room.  Returns how many.  Looks at nothing but these two: any thread
 * may call it.
 */
typedef size_t run_sum_fn(struct run_sums *sums, struct run *run);

/* RECORD_RUN_SUMS. */
struct run_summed {
	const struct run_sums *sums;
	/*
	 * Place 0 is the switch before the first one, places 1 and 2 are the last two;
	 * `common` is that of all.
	 */
	struct run *ends;
	/* From its consumer. */
	bool is_refused;
	struct run_limits limits; /* of sums from here on; version 0: as before */
	struct thread *threads[RUN_SUMS_THREADS_MAX];
};

#endif
