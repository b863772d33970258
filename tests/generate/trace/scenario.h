/*
 * What a generated trace contains, as data.  The simulated machine, the ledger and the
 * perf.data writer all take their orders from one struct scenario.
 */
#ifndef SCENARIO_H
#define SCENARIO_H

#include "common/bytes.h"

enum {
	CPU_MAX = 16,
	COUNTER_MAX = 8,
	COMM_BYTES = 16, /* TASK_COMM_LEN: 15 bytes and a NUL */
	CGROUP_COUNT = 5,
};

/* Things that go wrong on a CPU from time to time. */
enum fault {
	FAULT_IDLE_MISS,    /* the switch from idle to a thread has no sample */
	FAULT_CHAIN,	    /* a switch between threads neither sampled nor counted */
	FAULT_LOST,	    /* samples not written, then a LOST record */
	FAULT_LOST_SAMPLES, /* the same with LOST_SAMPLES */
	FAULT_JUMP,	    /* samples not written, and no record says so */
	FAULT_THROTTLE,	    /* THROTTLE and UNTHROTTLE between two samples */
	FAULT_DECREASE,	    /* a cumulative value goes down */
	FAULT_MUX,	    /* the group is off the PMU for a while */
	FAULT_COUNT
};

enum trait {
	TRAIT_IDLE_MISS = 1 << FAULT_IDLE_MISS,
	TRAIT_CHAIN = 1 << FAULT_CHAIN,
	TRAIT_LOST = 1 << FAULT_LOST,
	TRAIT_LOST_SAMPLES = 1 << FAULT_LOST_SAMPLES,
	TRAIT_JUMP = 1 << FAULT_JUMP,
	TRAIT_THROTTLE = 1 << FAULT_THROTTLE,
	TRAIT_DECREASE = 1 << FAULT_DECREASE,
	TRAIT_MUX = 1 << FAULT_MUX,
	TRAIT_FORK = 1 << 8,	      /* tasks fork and exit */
	TRAIT_THREADS = 1 << 9,	      /* processes have threads with comms of their own */
	TRAIT_EXEC = 1 << 10,	      /* COMM with the exec bit and another comm */
	TRAIT_EXIT_TID = 1 << 11,     /* last sample of an exited thread: tid -1 */
	TRAIT_REUSE = 1 << 12,	      /* numbers of exited tasks are given out again */
	TRAIT_SWITCH = 1 << 13,	      /* SWITCH_CPU_WIDE records */
	TRAIT_NAMESPACE = 1 << 14,    /* recorder inside a PID namespace */
	TRAIT_COLLIDE = 1 << 15,      /* its numbers are also those of others outside */
	TRAIT_ODD_NAMES = 1 << 16,    /* comma, quote, space, UTF-8 in comms */
	TRAIT_TRACKER = 1 << 17,      /* a dummy event carries COMM and FORK */
	TRAIT_TOOL_RECORDS = 1 << 18, /* ID_INDEX, THREAD_MAP, MMAP2, FINISHED_INIT */
	TRAIT_STALE_COMM = 1 << 19,   /* leftovers after the NUL of RAW comms */
	TRAIT_NO_TRAILERS = 1 << 20,  /* sample_id_all is off */
	TRAIT_BIG_VALUES = 1 << 21,   /* cumulative values beyond 2^53 */
	TRAIT_GROUP_DESC = 1 << 22,   /* feature GROUP_DESC */
	TRAIT_PLAIN_TRACING = 1 << 23, /* TRACING_DATA 0.5: no saved cmdlines */
	TRAIT_EXIT_ZERO = 1 << 24,     /* as EXIT_TID, by old kernels: tid 0, its pid */
	TRAIT_CGROUPS = 1 << 25,       /* tasks are in control groups, and change them */
	TRAIT_LATE_FORK = 1 << 26,     /* a ring with a FORK is written a round later */
};

enum sched_layout {
	LAYOUT_USUAL,	   /* 64 bytes, prev_state is a long */
	LAYOUT_STATE4,	   /* prev_state is an int */
	LAYOUT_EXTRA,	   /* fields of other kernels before prev_pid */
	LAYOUT_NEXT_FIRST, /* next_* before prev_* */
	LAYOUT_COUNT
};

struct counter_spec {
	const char *name;
	uint32_t type;
	uint64_t config;
};

struct scenario {
	const char *name;
	const char *help;
	unsigned cpu_count;
	unsigned counter_count; /* leader included */
	bool software_leader;	/* context-switches, no RAW; else sched:sched_switch */
	enum sched_layout layout;
	uint32_t attr_bytes; /* size of an attr, 64 to 128 */
	uint64_t read_format;
	uint64_t sample_type;
	uint32_t traits;
	const struct counter_spec *members; /* counters after the leader */
};

/* A control group; the last one has no record, so no path. */
struct cgroup {
	uint64_t id;
	const char *path;
};

extern const struct cgroup cgroups[CGROUP_COUNT];
extern const struct scenario scenarios[];
extern const size_t scenario_count;

static inline bool scenario_has(const struct scenario *scenario, uint32_t traits)
{
	return (scenario->traits & traits) != 0;
}

/* True if both times are in the reads: only then is multiplexing visible. */
bool scenario_has_times(const struct scenario *scenario);

/* The ids 0/0 are those of idle and of all tasks outside: one thread on each CPU. */
bool scenario_hides_idle(const struct scenario *scenario);

/* Counter in group order; 0 is the leader. */
struct counter_spec scenario_counter(const struct scenario *scenario, unsigned index);

/* Identity of sched_switch in the recorded format, differs from layout to layout. */
uint16_t scenario_tracepoint_id(const struct scenario *scenario);

#endif
