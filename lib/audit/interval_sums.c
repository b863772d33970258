/*
 * interval_sums.c - as intervals.c, of many intervals at once, none of which breaks a
 * rule.
 */
#include "audit/verdicts.h"

static struct verdict_group *group_of(const struct verdicts *v, int64_t group_id)
{
	uint64_t at = (uint64_t)group_id - (uint64_t)v->first_group_id;

	return at < v->group_count ? &v->groups[at] : NULL;
}

/* Returns the limit of the slowest CPU, which holds for all. */
static int64_t least_khz(const struct verdicts *v)
{
	int64_t least = 0;

	for (size_t i = 0; i < v->khz_count; i++)
		if (v->max_khz[i] && (!least || v->max_khz[i] < least))
			least = v->max_khz[i];
	return least;
}

struct run_limits verdicts_limits(const struct verdicts *v, int64_t group_id,
				  size_t slots)
{
	const struct verdict_group *group = group_of(v, group_id);
	struct run_limits limits = { .version = 0 };

	if (!v->has_rules || !group || !group->is_ready || group->slots != slots ||
	    group->per_task || group->rule_count > RUN_SUMS_COUNTERS_MAX)
		return limits;
	limits.version = v->khz_version + 1;
	limits.max_khz = least_khz(v);
	limits.count = group->rule_count;
	for (size_t i = 0; i < limits.count; i++)
		limits.rules[i] = (struct run_limit){ group->rules[i].slot,
						      group->rules[i].cycles_slot,
						      group->rules[i].is_cycles };
	return limits;
}

static bool is_within(const struct run_limits *limits, const int64_t *deltas,
		      int64_t time_ns)
{
	for (size_t i = 0; i < limits->count; i++) {
		const struct run_limit *rule = &limits->rules[i];
		int64_t count = deltas[rule->slot];

		if (rule->cycles_slot != SIZE_MAX &&
		    verdict_is_above(count, deltas[rule->cycles_slot]))
			return false;
		if (rule->is_cycles && limits->max_khz &&
		    (double)count > verdict_cycles_max(time_ns, limits->max_khz))
			return false;
	}
	return time_ns > 0; /* else intervals.c adds no counts */
}

void verdicts_limit_run(const struct run_limits *limits, struct run *run)
{
	size_t slots = run->common.count;

	for (size_t at = 1; at <= run->count; at++)
		if (run->is_next[at] &&
		    !is_within(limits, run->deltas + at * slots, run->on_cpu_ns[at]))
			run->is_next[at] = false;
}

void verdicts_add_sums(struct verdicts *v, int64_t group_id, int64_t cpu, int64_t all_ns,
		       int64_t on_cpu_ns, const int64_t *counts)
{
	struct verdict_group *group = group_of(v, group_id);

	for (size_t i = 0; i < group->rule_count; i++) {
		struct verdict_rule *rule = &group->rules[i];

		rule->was_used = true;
		if (rule->is_cycles && (uint64_t)cpu < v->khz_count && v->max_khz[cpu] &&
		    all_ns > 0)
			v->counters[rule->counter].is_tested = true;
		verdict_add_sum(v, rule, cpu, on_cpu_ns, counts[rule->slot]);
	}
}
