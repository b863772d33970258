/*
 * stack_groups.c - counter groups whose time on the CPU is that of the bill.
 *
 * Groups on the same CPUs see the same switches: of those it is the one that saw most.
 */
#include "base/wrap.h"
#include "output/folded/stacks.h"

struct stack_group *stacks_intern_group(struct stacks *stacks, int64_t group_id)
{
	struct stack_group *group = map_get(&stacks->group_by_id, (uint64_t)group_id);

	if (group)
		return group;
	group = stacks_allocate(stacks, sizeof(*group));
	if (!group || !map_put(&stacks->group_by_id, (uint64_t)group_id, group)) {
		stacks->failed = true;
		return NULL;
	}
	*group = (struct stack_group){ .group_id = group_id, .next = stacks->groups };
	stacks->groups = group;
	return group;
}

void stacks_on_cpu_summary(struct stacks *stacks, const struct cpu_summary_row *row)
{
	struct stack_group *group = stacks_intern_group(stacks, row->group_id);
	struct stack_cpu *cpu;

	if (!group || row->switches == 0)
		return;
	cpu = stacks_allocate(stacks, sizeof(*cpu));
	if (!cpu)
		return;
	*cpu = (struct stack_cpu){ row->cpu, group, stacks->cpus };
	stacks->cpus = cpu;
	group->switches = wrap_add(group->switches, row->switches);
}

/* Whether it saw more; of equals the first. */
static bool is_better(const struct stack_group *a, const struct stack_group *b)
{
	return !b || a->switches > b->switches ||
	       (a->switches == b->switches && a->group_id < b->group_id);
}

void stacks_choose_references(struct stacks *stacks)
{
	struct map best_by_cpu = { NULL, 0, 0 };
	struct stack_group *best = NULL;

	for (struct stack_group *group = stacks->groups; group; group = group->next) {
		group->is_reference = group->switches > 0;
		best = is_better(group, best) ? group : best;
	}
	if (best)
		best->is_reference = true;
	for (struct stack_cpu *c = stacks->cpus; c; c = c->next)
		if (is_better(c->group, map_get(&best_by_cpu, (uint64_t)c->cpu)))
			stacks->failed |=
				!map_put(&best_by_cpu, (uint64_t)c->cpu, c->group);
	for (struct stack_cpu *c = stacks->cpus; c; c = c->next)
		if (map_get(&best_by_cpu, (uint64_t)c->cpu) != c->group)
			c->group->is_reference = false;
	map_release(&best_by_cpu);
}
