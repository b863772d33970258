/*
 * run_sums.h - the sums by thread of many switches that follow one another in a stream.
 *
 * Where only a bill is wanted, a second thread decodes runs before they are needed, and
 * adds up those of their switches that each follow from the one before it
 * (attribution/chain_sums.c).  The reader then emits the sums of many runs as one record.
 * Attribution accepts it if the first switch follows the last one of the stream, and if
 * it knows every thread under the tid and name of the sums; else it refuses the record,
 * and the reader emits the same switches in runs.
 */
#ifndef PERFTAB_RUN_SUMS_H
#define PERFTAB_RUN_SUMS_H

#include "model/run.h"

/* Maximum of switches and threads of one record, which is accepted or refused whole. */
#define RUN_SUMS_SWITCHES_MAX BUFFER_SIZE(1024, 64)
#define RUN_SUMS_THREADS_MAX 128
/* Groups with more counters come in runs. */
#define RUN_SUMS_COUNTERS_MAX 8

/*
 * Limits that the audit checks for each charged switch (audit/intervals.c): a switch near
 * a limit is not summed.
 */
struct run_limits {
	uint64_t version; /* 0: nothing is checked */
	size_t count;
	struct run_limit {
		size_t slot;
		size_t cycles_slot; /* of the cycles to compare with; SIZE_MAX: none */
		bool is_cycles;
	} rules[RUN_SUMS_COUNTERS_MAX];
	int64_t max_khz; /* of the slowest CPU; 0: not known */
};

/* Sums of the switches out of one thread; its counts are in run_sums.counts. */
struct thread_sums {
	int32_t tid;
	uint32_t switches;
	char comm[16];	 /* the same in all of them, where names are recorded */
	int64_t from_ns; /* time of the switch to it, or earlier */
	int64_t on_cpu_ns, ran_ns;
};

struct run_sums {
	size_t count; /* switches */
	size_t slots;
	const struct run_limits *limits; /* that each keeps; NULL: none */
	bool has_comms;			 /* switches have names of 16 bytes */
	size_t thread_count;		 /* in the order of their first switch out */
	size_t last_thread; /* index of the one that the last switch switched out */
	struct thread_sums *threads;
	int64_t *counts; /* `slots` for each thread */
	/* Hash table by tid: index in `threads` + 1; 0: free.  For chain_sums.c alone. */
	uint8_t *places; /* RUN_SUMS_PLACES */
};

#define RUN_SUMS_PLACES (4 * RUN_SUMS_THREADS_MAX)

/*
 * Adds the switches of a run from place 1 on, as long as each follows from the one
 * before it (place 1 from place 0), is within the limits, and the sums have room.
 * Returns how many it added.  Uses nothing but its arguments: any thread may call it.
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
	/* Set by the consumer. */
	bool is_refused;
	struct run_limits limits; /* of later sums; version 0: unchanged */
	struct thread *threads[RUN_SUMS_THREADS_MAX];
};

#endif
