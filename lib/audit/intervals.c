/*
 * intervals.c - what a charged interval says of its counters: more instructions a cycle,
 * or more cycles a second, than there can be; or next to none for long.
 */
#include "audit/verdicts.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/wrap.h"

/* No processor retires more. */
#define INSTRUCTIONS_A_CYCLE 8
/* Between the reads of two counters of a group, which is not one instant. */
#define SLACK_INSTRUCTIONS 1000
/* Between the read of a counter and that of the clock: an interrupt may lie there. */
#define SLACK_NS 20000
#define SLACK_SHARE 1.02
/* A processor at 1 MHz that is busy this long has counted so many. */
#define STILL_NS 10000000
#define STILL_NS_EACH 1000

/* --- rules --- */

/* Neither user nor kernel mode is left out. */
static bool counts_all(struct str modifiers)
{
	for (size_t i = 0; i < modifiers.len; i++)
		if (memchr("ukhGH", modifiers.ptr[i], 5))
			return false;
	return true;
}

static bool is_pair(const struct role_found *a, const struct role_found *b)
{
	return str_equal(a->modifiers, b->modifiers) && str_equal(a->pmu, b->pmu) &&
	       a->pmu_type == b->pmu_type;
}

static void find_cycles(const struct verdicts *v, struct verdict_rule *rule)
{
	const struct verdict_counter *of = &v->counters[rule->counter];

	rule->cycles_slot = SIZE_MAX;
	for (size_t i = 0; i < v->counter_count && rule->cycles_slot == SIZE_MAX; i++) {
		const struct verdict_counter *other = &v->counters[i];

		if (!other->is_known || other->group_id != of->group_id ||
		    other->found.role != ROLE_CYCLES ||
		    !is_pair(&of->found, &other->found))
			continue;
		rule->cycles_slot = (size_t)other->slot;
		rule->cycles_counter = i;
	}
}

/* Once, when the group's counters are all known. */
static void make_rules(struct verdicts *v, struct verdict_group *group)
{
	group->is_ready = true;
	group->rules = arena_alloc(&v->arena, (group->slots + 1) * sizeof(*group->rules));
	v->out_of_memory |= !group->rules;
	for (size_t i = 0; i < v->counter_count && group->rules; i++) {
		const struct verdict_counter *counter = &v->counters[i];
		struct verdict_rule *rule = &group->rules[group->rule_count];
		enum role role = counter->found.role;

		if (!counter->is_known || counter->group_id != group->group_id ||
		    (role != ROLE_INSTRUCTIONS && role != ROLE_CYCLES) ||
		    group->rule_count == group->slots)
			continue;
		*rule = (struct verdict_rule){
			.slot = (size_t)counter->slot,
			.counter = i,
			.cycles_slot = SIZE_MAX,
			.is_cycles = role == ROLE_CYCLES,
			.is_summed =
				!group->per_task && counts_all(counter->found.modifiers),
		};
		if (role == ROLE_INSTRUCTIONS)
			find_cycles(v, rule);
		group->rule_count++;
	}
}

/* --- an interval --- */

void verdict_contradict(struct verdict_counter *counter, const char *format, ...)
{
	va_list args;

	counter->is_tested = true;
	if (counter->is_contradicted)
		return;
	counter->is_contradicted = true;
	va_start(args, format);
	vsnprintf(counter->reason, sizeof(counter->reason), format, args);
	va_end(args);
}

static void break_rule(struct verdict_counter *counter, const char *rule)
{
	counter->bad_intervals += !counter->rule || counter->rule == rule;
	if (!counter->rule)
		counter->rule = rule;
}

static void judge_pair(struct verdicts *v, const struct verdict_rule *rule)
{
	break_rule(&v->counters[rule->counter], "more than 8 instructions a cycle");
	break_rule(&v->counters[rule->cycles_counter],
		   "more than 8 instructions a cycle");
}

/* More than there can be, but for the slack. */
bool verdict_is_above(int64_t instructions, int64_t cycles)
{
	return cycles <= INT64_MAX / (2 * INSTRUCTIONS_A_CYCLE) &&
	       instructions > cycles * INSTRUCTIONS_A_CYCLE + SLACK_INSTRUCTIONS;
}

double verdict_cycles_max(int64_t time_ns, int64_t khz)
{
	return ((double)time_ns * SLACK_SHARE + SLACK_NS) * (double)khz * 1e-6;
}

static inline int64_t time_of(const struct verdict_group *group,
			      const struct context_switch_row *row)
{
	int64_t time = row->on_cpu_ns;

	/* The time of a task's group is that of the switch; it may have run longer. */
	if (group->per_task && row->running_ns != INT_NONE && row->running_ns > time)
		time = row->running_ns;
	return time;
}

static void judge_cycles(struct verdicts *v, const struct verdict_rule *rule, int64_t cpu,
			 int64_t time_ns, int64_t cycles)
{
	struct verdict_counter *counter = &v->counters[rule->counter];
	int64_t khz = (uint64_t)cpu < v->khz_count ? v->max_khz[cpu] : 0;

	if (!khz || time_ns <= 0)
		return;
	counter->is_tested = true;
	if ((double)cycles > verdict_cycles_max(time_ns, khz))
		break_rule(counter, "more cycles than the highest frequency of the CPU "
				    "gives");
}

/* Room for the sums of this CPU; false: no such CPU, or out of memory. */
static bool grow_sums(struct verdicts *v, struct verdict_rule *rule, int64_t cpu)
{
	size_t room = rule->sum_count ? rule->sum_count : 16;
	struct verdict_sum *sums;

	if (cpu < 0 || cpu >= CPU_MAX)
		return false;
	while (room <= (size_t)cpu)
		room *= 2;
	sums = arena_alloc(&v->arena, room * sizeof(*sums));
	if (!sums) {
		v->out_of_memory = true;
		return false;
	}
	if (rule->sum_count)
		memcpy(sums, rule->sums, rule->sum_count * sizeof(*sums));
	rule->sums = sums;
	rule->sum_count = room;
	return true;
}

static void add_sum(struct verdicts *v, struct verdict_rule *rule, int64_t cpu,
		    const struct verdict_sum *sum)
{
	if (!rule->is_summed ||
	    ((uint64_t)cpu >= rule->sum_count && !grow_sums(v, rule, cpu)))
		return;
	rule->sums[cpu].on_cpu_ns = wrap_add(rule->sums[cpu].on_cpu_ns, sum->on_cpu_ns);
	rule->sums[cpu].count = wrap_add(rule->sums[cpu].count, sum->count);
}

void verdict_add_sum(struct verdicts *v, struct verdict_rule *rule, int64_t cpu,
		     int64_t on_cpu_ns, int64_t count)
{
	if (on_cpu_ns > 0)
		add_sum(v, rule, cpu, &(struct verdict_sum){ on_cpu_ns, count });
}

/* NULL: its intervals are not judged. */
static struct verdict_group *ready_group(struct verdicts *v, int64_t group_id,
					 size_t slots)
{
	uint64_t at = (uint64_t)group_id - (uint64_t)v->first_group_id;
	struct verdict_group *group = at < v->group_count ? &v->groups[at] : NULL;

	if (!group || group->slots != slots)
		return NULL;
	if (!group->is_ready)
		make_rules(v, group);
	return group;
}

static inline void judge_interval(struct verdicts *v, const struct verdict_rule *rule,
				  int64_t cpu, int64_t time_ns, const int64_t *deltas)
{
	int64_t count = deltas[rule->slot];

	if (rule->cycles_slot != SIZE_MAX &&
	    verdict_is_above(count, deltas[rule->cycles_slot]))
		judge_pair(v, rule);
	if (v->khz_count && rule->is_cycles)
		judge_cycles(v, rule, cpu, time_ns, count);
}

void verdicts_judge(struct verdicts *v, const struct context_switch_row *row,
		    const int64_t *deltas, size_t slots, bool is_idle)
{
	struct verdict_group *group = ready_group(v, row->group_id, slots);
	int64_t time_ns = group ? time_of(group, row) : 0;

	for (size_t i = 0; group && i < group->rule_count; i++) {
		struct verdict_rule *rule = &group->rules[i];

		rule->was_used = true;
		judge_interval(v, rule, row->cpu, time_ns, deltas);
		if (!is_idle)
			verdict_add_sum(v, rule, row->cpu, time_ns, deltas[rule->slot]);
	}
}

/* Adds intervals of a rule and CPU, except those of idle. */
static void add_intervals(struct verdicts *v, struct verdict_rule *rule,
			  const struct run *run, size_t from, size_t to)
{
	const size_t slots = run->common.count;
	const int64_t *deltas = run->deltas + from * slots;
	struct verdict_sum sum = { 0, 0 };

	for (size_t at = from; at < to; at++, deltas += slots) {
		int64_t time_ns = run->on_cpu_ns[at];

		if (run->prev_tid[at] == 0 || time_ns <= 0)
			continue;
		sum.on_cpu_ns = wrap_add(sum.on_cpu_ns, time_ns);
		sum.count = wrap_add(sum.count, deltas[rule->slot]);
	}
	rule->was_used = true;
	add_sum(v, rule, run->common.cpu, &sum);
}

/* Each by itself: the CPU, or the time, is that of a row. */
static void judge_rows(struct verdicts *v, const struct run *run, int64_t group_id,
		       size_t from, size_t to)
{
	for (size_t at = from; at < to; at++) {
		const struct context_switch_row row = run_to_row(run, at, group_id);

		verdicts_judge(v, &row, run->deltas + at * run->common.count,
			       run->common.count, run->prev_tid[at] == 0);
	}
}

void verdicts_judge_run(struct verdicts *v, const struct run *run, int64_t group_id,
			size_t from, size_t to)
{
	struct verdict_group *group = ready_group(v, group_id, run->common.count);

	if (!group)
		return;
	if (group->per_task || run->stream_count) {
		judge_rows(v, run, group_id, from, to);
		return;
	}
	/* In the order of the intervals: the first rule that one breaks is reported. */
	for (size_t at = from; at < to; at++)
		for (size_t i = 0; i < group->rule_count; i++)
			judge_interval(v, &group->rules[i], run->common.cpu,
				       run->on_cpu_ns[at],
				       run->deltas + at * group->slots);
	for (size_t i = 0; i < group->rule_count; i++)
		add_intervals(v, &group->rules[i], run, from, to);
}

/* --- sums of all intervals --- */

static void judge_sum(struct verdicts *v, const struct verdict_rule *rule, size_t cpu)
{
	const struct verdict_sum *sum = &rule->sums[cpu];
	struct verdict_counter *counter = &v->counters[rule->counter];
	char count[40];

	if (sum->on_cpu_ns < STILL_NS)
		return;
	counter->is_tested = true;
	if (sum->count >= sum->on_cpu_ns / STILL_NS_EACH)
		return;
	text_grouped(count, sizeof(count), sum->count);
	verdict_contradict(counter,
			   "time: it counted %s while threads had CPU %zu for %lld ms",
			   count, cpu, (long long)(sum->on_cpu_ns / 1000000));
}

static void judge_rule(struct verdicts *v, const struct verdict_rule *rule)
{
	if (rule->was_used && rule->cycles_slot != SIZE_MAX)
		v->counters[rule->counter].is_tested =
			v->counters[rule->cycles_counter].is_tested = true;
	for (size_t c = 0; c < rule->sum_count; c++)
		judge_sum(v, rule, c);
}

void verdicts_sum_up(struct verdicts *v)
{
	for (size_t g = 0; g < v->group_count; g++)
		for (size_t i = 0; i < v->groups[g].rule_count; i++)
			judge_rule(v, &v->groups[g].rules[i]);
	for (size_t i = 0; i < v->counter_count; i++)
		if (v->counters[i].bad_intervals)
			verdict_contradict(&v->counters[i], "%s, in %lld intervals",
					   v->counters[i].rule,
					   (long long)v->counters[i].bad_intervals);
}
