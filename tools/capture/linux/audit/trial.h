/*
 * trial.h - the groups of a recording, opened once more on one CPU and read around known
 * work.
 *
 * The copies count what the recording's own counters will count, in the same groups and
 * of the same scope, but write no samples.  A trial owns all it needs: a thread may still
 * run it after the audit has given it up.
 */
#ifndef PERFTAB_AUDIT_TRIAL_H
#define PERFTAB_AUDIT_TRIAL_H

#include "capture/linux/audit/judge.h"
#include "capture/linux/counters/counters.h"

#define AUDIT_TRIES 3
#define AUDIT_LOOP_NS 150000 /* of one try */
#define AUDIT_PLACES_MAX 32  /* counters of a PMU that are looked for */

struct audit_event {
	struct perf_event_attr attr;
	enum audit_kind kind;
	size_t index; /* in counters.events */
	struct audit_result result;
};

struct audit_group {
	size_t first, count; /* of its events */
	size_t hardware;     /* of them, on the PMU */
	int refused;	     /* errno of the event that did not open; 0 */
	bool ran;	     /* on the PMU, all of the time */
};

struct audit_trial {
	int cpu;
	struct audit_scope scope;
	struct audit_event *events;
	size_t event_count;
	struct audit_group *groups;
	size_t group_count;
	uint64_t *values;		   /* of one read */
	struct perf_event_attr place_attr; /* of counters that are put side by side */
	bool has_pmu;
	size_t places, placed; /* counters of the PMU; of them, those that could count */
	bool is_done;
};

/*
 * For the CPU at place `at` of the request; NULL: out of memory.  `sysfs` is
 * "/sys/devices/system/cpu".
 */
struct audit_trial *audit_trial_new(const struct counters *counters, size_t at,
				    const char *sysfs);
void audit_trial_free(struct audit_trial *trial);
/* On the calling thread, which is on that CPU and stays there. */
void audit_trial_run(struct audit_trial *trial);

#endif
