/*
 * cgroups.h - the control group that each thread was in when it was last switched out.
 *
 * A trace names it with each switch, a database only where it changes: both give the same
 * answer for every switch and read.
 */
#ifndef PERFTAB_CGROUPS_H
#define PERFTAB_CGROUPS_H

#include "base/arena.h"
#include "base/map.h"
#include "model/record.h"

struct cgroups {
	struct arena arena;
	struct map by_thread; /* thread id -> struct cgroup_thread */
	/* Stored changes whose switch has not come yet. */
	struct cgroup_change *changes, **changes_tail;
	bool any; /* a control group is known */
	bool out_of_memory;
};

void cgroups_begin(struct cgroups *cgroups);
void cgroups_end(struct cgroups *cgroups);

/* Sets the control group of a thread at a switch; true: it changed. */
bool cgroups_set(struct cgroups *cgroups, int64_t thread_id, int64_t cgroup_id);
/* Returns the control group of the thread; 0: unknown. */
int64_t cgroups_get(const struct cgroups *cgroups, int64_t thread_id);

/* Adds a stored change, in the order of the switches. */
void cgroups_plan(struct cgroups *cgroups, const struct thread_cgroup_row *row);
/* Makes the changes up to this switch. */
void cgroups_advance(struct cgroups *cgroups, int64_t switch_id);

#endif
