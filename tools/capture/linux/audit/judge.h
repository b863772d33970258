/*
 * judge.h - compares what a counter counted with what is known of the work it counted.
 *
 * Each piece of work gives bounds.  A count below the lower bound contradicts the
 * counter: what runs beside the work can only add.  A count above the upper bound does so
 * if no try was below it.
 */
#ifndef PERFTAB_AUDIT_JUDGE_H
#define PERFTAB_AUDIT_JUDGE_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a counter is known to count. */
enum audit_kind {
	AUDIT_UNKNOWN,
	AUDIT_INSTRUCTIONS,
	AUDIT_BRANCHES,
	AUDIT_CYCLES,
	AUDIT_CLOCK,	/* task-clock, cpu-clock */
	AUDIT_TSC,	/* msr/tsc/ */
	AUDIT_SWITCHES, /* context-switches, sched:sched_switch */
	AUDIT_FAULTS,	/* page-faults, minor-faults */
};

/* By its attributes, or by its name: "cpu_core/instructions/u". */
enum audit_kind audit_kind_of(const struct perf_event_attr *attr, const char *name);

struct audit_range {
	uint64_t least, most;
};

/* One piece of work; times are those between the two reads, at least and at most. */
struct audit_work {
	uint64_t turns; /* of the loop; 0: switches and page faults instead */
	struct audit_range wall_ns, cpu_ns, tsc;
	uint64_t switches, faults; /* of the thread that did it, at least */
	uint64_t all_switches;	   /* at most: with those around the clocks */
};

/* How a counter was opened. */
struct audit_scope {
	bool is_task;	  /* it follows the thread; else it counts all of the CPU */
	uint64_t max_khz; /* the highest frequency of the CPU, 0: not known */
};

struct audit_bounds {
	bool applies;
	struct audit_range sane;  /* outside: contradicted */
	struct audit_range exact; /* inside: proven */
};

struct audit_bounds audit_bounds_of(enum audit_kind kind,
				    const struct perf_event_attr *attr,
				    const struct audit_work *work,
				    const struct audit_scope *scope);

enum audit_verdict {
	AUDIT_UNTESTED, /* nothing is known of what it counts, or it did not run */
	AUDIT_PLAUSIBLE,
	AUDIT_PROVEN,
	AUDIT_CONTRADICTED
};
extern const char *const audit_verdict_words[];

/* All zero: not tried yet. */
struct audit_result {
	size_t tries, too_low, too_high, exact;
	bool first_too_low, any_count;
	/* Of the try that decides: */
	uint64_t found;
	struct audit_range expected;
	uint64_t over; /* of those above, how far the nearest is */
};

void audit_judge(struct audit_result *result, const struct audit_bounds *bounds,
		 uint64_t found);
enum audit_verdict audit_verdict_of(const struct audit_result *result);
/* Why it is contradicted: "it counted nothing". */
const char *audit_reason_of(const struct audit_result *result);

#endif
