/*
 * group_reads.h - reads of groups at other moments than switches, where perf samples
 * them.
 *
 * A group is read as it is armed and as it is disarmed, and once a second while no switch
 * is sampled on its CPU.  A read becomes a READ record of the leader.  It names the
 * thread that keeps the CPU where a witness has seen it since the last switch: the
 * tracker, which samples a clock ten times a second.  Those samples do not reach the
 * trace.
 */
#ifndef PERFTAB_GROUP_READS_H
#define PERFTAB_GROUP_READS_H

#include "base/bytes.h"
#include "capture/linux/counters/counters.h"
#include "capture/linux/recorder/ring.h"

/* All zero makes none. */
struct group_reads {
	const struct counters *counters;
	struct cpu_seen *seen; /* by place of the CPU */
	uint64_t *running;     /* by instance and group, of tasks: at its last read */
	uint64_t *ended;       /* likewise: times and counts of children that ended */
	size_t ended_words;    /* of each */
	size_t reads_of_child; /* that the kernel writes when one ends */
	uint64_t forks, exit_reads, task_ns; /* and when the last of them was */
	uint64_t *values;		     /* of one read(2) */
	size_t values_bytes;
	pid_t pid;	      /* whose tasks they are */
	bool is_over;	      /* the last reads, with one of tasks that did nothing */
	struct bytes pending; /* records that are made, not yet put */
};

/* pid: whose tasks are counted, if any.  false: no memory. */
bool group_reads_open(struct group_reads *reads, const struct counters *counters,
		      pid_t pid);
void group_reads_close(struct group_reads *reads);

/* Arms the groups, CPU by CPU, and puts a record of each before: all zero. */
void group_reads_arm(struct group_reads *reads, struct bytes *to);
/* Disarms the groups, and reads each. */
void group_reads_disarm(struct group_reads *reads);
/* Reads the CPUs, or tasks, that had no switch for a second; or all that there is. */
void group_reads_make(struct group_reads *reads, bool all);

/* The last switch or read of a CPU, by its place. */
uint64_t group_reads_last_ns(const struct group_reads *reads, size_t place);

/* A record of a ring, in its order; false: it is the witness's. */
bool group_reads_on_record(struct group_reads *reads, size_t cpu, const struct ring *ring,
			   uint64_t at, const struct perf_event_header *header);
/* The sample at that place is of a switch; others are of interrupts. */
bool group_reads_is_switch(const struct group_reads *reads, size_t cpu,
			   const struct ring *ring, uint64_t at);
/*
 * After the rings were read: what was made before, as far as it can be proven.  Reads of
 * a task have the counts of its children too: those that have ended are subtracted, and
 * while one has not, the reads are dropped.
 */
void group_reads_put(struct group_reads *reads, struct bytes *to);
/* A task whose last reads were dropped, and how long it is without one; 0: none. */
pid_t group_reads_missing(const struct group_reads *reads, uint64_t *length_ns);

#endif
