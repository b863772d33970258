/*
 * What a generated ETW trace contains, as data.  The simulated machine, the ledger and
 * the writers of both media take their orders from one struct etw_plan.
 */
#ifndef ETW_PLAN_H
#define ETW_PLAN_H

#include "common/bytes.h"

enum {
	CPU_MAX = 64,
	COUNTER_MAX = 7, /* three bits of an event's version */
};

/* The two media of a trace. */
enum medium { MEDIUM_ETL, MEDIUM_TXT, MEDIUM_COUNT };

/* Numbers of TRACE_LOGFILE_HEADER. */
enum clock_kind {
	CLOCK_QPC = 1,
	CLOCK_SYSTEM = 2,
	CLOCK_CYCLES = 3,
};

/* Things that go wrong. */
enum fault {
	FAULT_RESET = 1 << 0,	    /* a counter goes down, to 0 or not so far */
	FAULT_LOST_BUFFER = 1 << 1, /* numbered buffers that are not in the file */
	FAULT_EVENTS_LOST = 1 << 2, /* events missing between buffers, a flag says so */
	FAULT_DROPPED = 1 << 3,	    /* events missing, LastDroppedTimes says so */
	FAULT_CORRUPTION = 1 << 4,  /* PmcCounterCorruption */
	FAULT_CHAIN = 1 << 5,	    /* switches missing, and nothing says so */
	FAULT_ODD_COUNT = 1 << 6,   /* switches with another number of counters */
	FAULT_UNCOUNTED = 1 << 7,   /* switches without counters in between */
	FAULT_LATE = 1 << 8,	    /* no counters in the first third */
	FAULT_TRUNCATED = 1 << 9,   /* the last buffer is cut off */
};

/* What becomes of processes and threads, and the facts about them. */
enum task_plan {
	TASKS_COME_AND_GO = 1 << 0,
	TASKS_REUSE = 1 << 1,	    /* numbers are given out again */
	TASKS_LINGER = 1 << 2,	    /* threads run on after their End events */
	TASKS_RUNDOWN_END = 1 << 3, /* no DCStart events */
	TASKS_UNKNOWN = 1 << 4,	    /* no event names some threads */
	TASKS_ODD_NAMES = 1 << 5,
	TASKS_THREAD_NAMES = 1 << 6,
	TASKS_VERSIONS = 1 << 7, /* every version of the events */
	TASKS_SIDS = 1 << 8,	 /* users of every size */
	TASKS_DEMO = 1 << 9,	 /* two programs, whose counters rise as in an article */
};

/* What else is in the file, and how it is kept. */
enum dress {
	DRESS_PEBS = 1 << 0,
	DRESS_NO_CONFIG = 1 << 1,
	DRESS_TWO_CONFIGS = 1 << 2,
	DRESS_SAME_CONFIGS = 1 << 3,
	DRESS_BATCHED = 1 << 4,
	DRESS_ONLY_BATCHED = 1 << 5, /* no other context switches */
	DRESS_IMAGES = 1 << 6,
	DRESS_SAMPLES = 1 << 7,
	DRESS_READY = 1 << 8,
	DRESS_SINGLE_STREAM = 1 << 9,
	DRESS_APPEND = 1 << 10,
	DRESS_MERGED = 1 << 11,
	DRESS_CPU_CONFIG = 1 << 12,
	DRESS_HUGE = 1 << 13,	 /* buffers of 256 KiB with long runs of equal events */
	DRESS_NOISE = 1 << 14,	 /* noise lines in the text, whatever the form */
	DRESS_STRANGE = 1 << 15, /* unknown events, whatever the form */
	DRESS_BIG_VALUES = 1 << 16,
	DRESS_COUNTED = 1 << 17, /* events of the kernel that are only counted, by name */
	DRESS_NOTED_LATE = 1 << 18, /* intervals of samples, at the end alone */
};

struct etw_plan {
	const char *name;
	const char *help;
	unsigned cpu_count;
	unsigned counter_count;
	unsigned cswitch_version;
	enum clock_kind clock;
	uint64_t clock_hz;
	unsigned faults;
	unsigned tasks;
	unsigned dress;
};

extern const struct etw_plan etw_plans[];
extern const size_t etw_plan_count;

/* Names of counters as the trace has them, in UTF-8. */
const char *etw_counter_name(const struct etw_plan *plan, unsigned counter);

/* True if the text can say what the plan is about. */
bool etw_plan_has_text(const struct etw_plan *plan);

#endif
