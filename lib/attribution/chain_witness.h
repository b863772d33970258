/*
 * chain_witness.h - what the SWITCH records of a CPU prove of an interval.
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
	int64_t on_cpu; /* the thread they end with; -1: dying, INT_NONE: unknown */
	int64_t from;	/* the thread that left at the beginning; -1, INT_NONE as above */
	int64_t ran;	/* a thread that has run; INT_NONE: none but idle */
	bool others;	/* more than one has */
	bool idle_ran;	/* it too */
	bool has_records; /* else nothing is proven */
	bool any_came;	  /* by an "in" record */
	bool is_broken;	  /* a record is missing, or names no other thread */
};

enum witness_verdict {
	WITNESS_SILENT,
	WITNESS_ALONE,	   /* no other than the thread at the end has run */
	WITNESS_WITH_IDLE, /* it and idle */
	WITNESS_OTHERS,	   /* another thread has */
};

/* An interval begins: `from` has left, for `next` if that is known. */
void witness_begin(struct witness *witness, int64_t from, int64_t next);
/* An interval begins, and the thread stays; INT_NONE: an unknown one. */
void witness_begin_with(struct witness *witness, int64_t tid);
void witness_add(struct witness *witness, const struct switch_in_event *event);
/*
 * It ends with this thread on the CPU; -1: one that is dying.  zero_is_idle: no other
 * task has the number 0.
 */
enum witness_verdict witness_end(const struct witness *witness, int64_t tid,
				 bool zero_is_idle);

#endif
