/* cgroups.c - remembers the control group of each thread, from switch to switch. */
#include "attribution/cgroups.h"

struct cgroup_thread {
	int64_t cgroup_id;
};

struct cgroup_change {
	struct thread_cgroup_row row;
	struct cgroup_change *next;
};

void cgroups_begin(struct cgroups *cgroups)
{
	*cgroups = (struct cgroups){ .any = false };
	cgroups->changes_tail = &cgroups->changes;
}

void cgroups_end(struct cgroups *cgroups)
{
	map_release(&cgroups->by_thread);
	arena_release(&cgroups->arena);
	cgroups_begin(cgroups);
}

bool cgroups_set(struct cgroups *cgroups, int64_t thread_id, int64_t cgroup_id)
{
	struct cgroup_thread *thread = map_get(&cgroups->by_thread, (uint64_t)thread_id);

	if (thread) {
		bool is_change = thread->cgroup_id != cgroup_id;

		thread->cgroup_id = cgroup_id;
		return is_change;
	}
	thread = arena_alloc(&cgroups->arena, sizeof(*thread));
	if (!thread || !map_put(&cgroups->by_thread, (uint64_t)thread_id, thread)) {
		cgroups->out_of_memory = true;
		return false;
	}
	thread->cgroup_id = cgroup_id;
	cgroups->any = true;
	return true;
}

int64_t cgroups_get(const struct cgroups *cgroups, int64_t thread_id)
{
	const struct cgroup_thread *thread =
		map_get(&cgroups->by_thread, (uint64_t)thread_id);

	return thread ? thread->cgroup_id : 0;
}

void cgroups_plan(struct cgroups *cgroups, const struct thread_cgroup_row *row)
{
	struct cgroup_change *change = arena_alloc(&cgroups->arena, sizeof(*change));

	if (!change) {
		cgroups->out_of_memory = true;
		return;
	}
	change->row = *row;
	*cgroups->changes_tail = change;
	cgroups->changes_tail = &change->next;
	cgroups->any = true;
}

void cgroups_advance(struct cgroups *cgroups, int64_t switch_id)
{
	const struct cgroup_change *change = cgroups->changes;

	for (; change && change->row.from_switch_id <= switch_id; change = change->next)
		(void)cgroups_set(cgroups, change->row.thread_id, change->row.cgroup_id);
	cgroups->changes = (struct cgroup_change *)(uintptr_t)change;
	if (!change)
		cgroups->changes_tail = &cgroups->changes;
}
