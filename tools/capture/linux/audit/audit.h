/*
 * audit.h - counters on trial: runs known work through the groups of a recording, on each
 * of its CPUs, before it begins.
 *
 * A thread a CPU, pinned to it, runs the trial (trial.h).  A CPU that is not free within
 * AUDIT_BUDGET_NS stays untested.
 */
#ifndef PERFTAB_AUDIT_H
#define PERFTAB_AUDIT_H

#include <stdio.h>

#include "base/bytes.h"
#include "capture/linux/audit/trial.h"

#define AUDIT_BUDGET_NS 28000000 /* of all trials */
#define AUDIT_USERS_NS 8000000	 /* to look for other users of the PMU */

struct audit {
	struct audit_trial **trials; /* by place of the CPU; NULL: not tried in time */
	size_t count;
	char users[600]; /* that may hold counters; "" if none is known */
	size_t user_count;
	double seconds; /* that it lasted */
};

/* false: out of memory.  audit_release() frees it whatever happens. */
bool audit_run(struct audit *audit, const struct counters *counters);
void audit_release(struct audit *audit);

/* The lines for the trace: facts.h. */
void audit_write(struct bytes *lines, const struct audit *audit,
		 const struct counters *counters);
/* A sentence for each contradicted counter, and for counters that others hold. */
void audit_warn(const struct audit *audit, const struct counters *counters,
		void (*warn)(void *context, const char *text), void *context);
/* All verdicts as a table; returns how many counters are contradicted. */
size_t audit_print(FILE *to, const struct audit *audit, const struct counters *counters);

#endif
