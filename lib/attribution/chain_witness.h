/*
 * chain_witness.h - which threads ran in an interval, by the SWITCH records of a CPU.
 *
 * Each switch makes two: "out" in the thread that leaves, "in" in the one that comes;
 * each names the other.  They carry no counters, and some kernels drop those that are
 * taken in idle; what is left still shows who came.  Tids are the recorder's.
 */
#ifndef PERFTAB_CHAIN_WITNESS_H
#define PERFTAB_CHAIN_WITNESS_H

#include "model/record.h"

/* The records since the last sample or read of a CPU. */
struct witness {
	int64_t on_cpu;	  /* tid at the end; -1: an exiting thread, INT_NONE: unknown */
	int64_t from;	  /* tid that left at the beginning; -1, INT_NONE as above */
	int64_t ran;	  /* tid of a thread that ran; INT_NONE: none but idle */
	bool others;	  /* more than one thread ran */
	bool idle_ran;	  /* idle ran */
	bool has_records; /* false: nothing is proven */
	bool any_came;	  /* there was an "in" record */
	bool is_broken;	  /* a record is missing, or names no other thread */
};

enum witness_verdict {
	WITNESS_SILENT,
	WITNESS_ALONE,	   /* only the thread at the end ran */
	WITNESS_WITH_IDLE, /* that thread and idle ran */
	WITNESS_OTHERS,	   /* another thread ran */
};

/* Begins an interval after a switch from `from` to `next` (INT_NONE: unknown). */
void witness_begin(struct witness *witness, int64_t from, int64_t next);
/* Begins an interval in which the thread stays on the CPU; INT_NONE: an unknown one. */
void witness_begin_with(struct witness *witness, int64_t tid);
void witness_add(struct witness *witness, const struct switch_in_event *event);
/*
 * Ends the interval with this thread on the CPU; -1: an exiting one.  zero_is_idle: no
 * other task has the number 0.
 */
enum witness_verdict witness_end(const struct witness *witness, int64_t tid,
				 bool zero_is_idle);

#endif
