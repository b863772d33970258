/* metric.c - looks up the counters of a metric and divides them. */
#include "counters/metric.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/memory.h"
#include "base/text.h"

const struct metric metrics[] = {
#define METRIC(name, numerator, denominator, scale, adds, idle, unit, words) \
	{ name, ROLE_##numerator, ROLE_##denominator, scale, adds, idle, unit, words },
#include "counters/metrics.def"
#undef METRIC
};
const size_t metric_count = ARRAY_COUNT(metrics);

static struct role_found find(const struct metric_trace *trace, size_t counter)
{
	return role_find(&trace->counters[counter].counter, trace->arch,
			 trace->cpu_model);
}

/* Do the two count the same instructions?  A clock has no user and kernel share. */
static bool is_pair(const struct role_found *a, const struct role_found *b)
{
	if (!role_is_hardware(a->role) || !role_is_hardware(b->role))
		return true;
	return str_equal(a->modifiers, b->modifiers) && str_equal(a->pmu, b->pmu) &&
	       a->pmu_type == b->pmu_type;
}

/* Within the group, whose counters follow one another. */
static size_t find_denominator(const struct metric_trace *trace,
			       const struct role_found *found,
			       const struct metric *metric, size_t numerator)
{
	int64_t group = trace->counters[numerator].group;
	size_t i = numerator;

	if (metric->of_idle)
		return numerator;
	while (i > 0 && trace->counters[i - 1].group == group)
		i--;
	for (; i < trace->count && trace->counters[i].group == group; i++)
		if (found[i].role == metric->denominator &&
		    is_pair(&found[numerator], &found[i]))
			return i;
	return trace->count;
}

static bool has_kind(const struct role_found *found)
{
	return found->pmu_type || (found->pmu.len && !str_equal(found->pmu, STR("cpu")));
}

static bool is_kind(const struct role_found *a, const struct role_found *b)
{
	return str_equal(a->pmu, b->pmu) && a->pmu_type == b->pmu_type;
}

/* Of each kind of core once, and all of the same mode? */
static bool are_kinds(const struct role_found *found, const struct metric_use *uses,
		      size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct role_found *a = &found[uses[i].numerator];

		if (!has_kind(a) ||
		    !str_equal(a->modifiers, found[uses[0].numerator].modifiers))
			return false;
		for (size_t k = 0; k < i; k++)
			if (is_kind(a, &found[uses[k].numerator]) ||
			    uses[k].denominator == uses[i].denominator)
				return false;
	}
	return count > 1;
}

/* On machines with several kinds of cores the PMU says which. */
static void name_use(struct metric_use *use, const struct role_found *found, int again)
{
	if (has_kind(found) && found->pmu.len)
		text_print(use->kind, sizeof(use->kind), "%.*s",
			   (int)(found->pmu.len < 30 ? found->pmu.len : 30),
			   found->pmu.ptr);
	if (use->kind[0])
		text_print(use->name, sizeof(use->name), "%s(%s)", use->metric->name,
			   use->kind);
	else if (again > 1)
		text_print(use->name, sizeof(use->name), "%s#%d", use->metric->name,
			   again);
	else
		text_print(use->name, sizeof(use->name), "%s", use->metric->name);
}

/* Those of one metric. */
static size_t add_uses(const struct metric_trace *trace, const struct role_found *found,
		       const struct metric *metric, struct metric_use *uses, size_t room)
{
	size_t used = 0, kinds;

	for (size_t i = 0; i < trace->count && used < room; i++) {
		size_t other;

		if (found[i].role != metric->numerator)
			continue;
		other = find_denominator(trace, found, metric, i);
		if (other == trace->count)
			continue;
		uses[used] = (struct metric_use){ metric, "", i, other, false, "" };
		name_use(&uses[used], &found[i], (int)used + 1);
		used++;
	}
	kinds = used;
	if (!metric->adds || 2 * kinds > room || !are_kinds(found, uses, kinds))
		return used;
	for (size_t i = 0; i < kinds; i++) {
		uses[used] = uses[i];
		uses[used].is_part = true;
		text_print(uses[used].name, sizeof(uses[used].name), "%s", metric->name);
		used++;
	}
	return used;
}

size_t metrics_possible(const struct metric_trace *trace, struct metric_use *uses,
			size_t room)
{
	struct role_found *found = memory_alloc((trace->count + 1) * sizeof(*found));
	size_t used = 0;

	if (!found)
		return 0;
	for (size_t i = 0; i < trace->count; i++)
		found[i] = find(trace, i);
	for (size_t m = 0; m < metric_count; m++)
		used += add_uses(trace, found, &metrics[m], uses + used, room - used);
	free(found);
	return used;
}

void metrics_missing(const struct metric_trace *trace, char *to, size_t size)
{
	bool has[ROLES] = { false }, has_pmu = false;
	size_t at = 0;

	for (size_t i = 0; i < trace->count; i++) {
		has[find(trace, i).role] = true;
		has_pmu |= role_needs_pmu(&trace->counters[i].counter);
	}
	for (size_t m = 0; m < metric_count && at + 200 < size; m++) {
		enum role a = metrics[m].numerator, b = metrics[m].denominator;

		if (metrics[m].of_idle || !role_is_hardware(a) || !role_is_hardware(b) ||
		    (!has[a] && !has[b]))
			continue;
		at += text_print(to + at, size - at, "%s%s needs %s%s%s",
				 at ? "; " : "No ratios: ", metrics[m].name,
				 has[a] ? role_name(b) : role_name(a),
				 has[a] && has[b] ? " of the same mode and core" : "",
				 " in the same group");
	}
	if (at)
		text_print(to + at, size - at, ".");
	else
		text_print(
			to, size, "%s",
			has_pmu ? "No ratios: none of these counters is known to be a part "
				  "of one.  IPC, for example, needs instructions and cycles "
				  "in one group."
				: "No ratios of hardware counters: IPC needs cycles and "
				  "instructions, the branch-miss rate branches and "
				  "branch-misses, in one group, and this trace has no hardware "
				  "counters.  A machine without a PMU, as most virtual "
				  "machines, cannot count them.");
}

bool metric_value(const struct metric_use *use, int64_t numerator, int64_t denominator,
		  double *value)
{
	if (denominator <= 0)
		return false;
	*value = (double)numerator / (double)denominator * use->metric->scale;
	return true;
}
