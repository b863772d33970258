/* metric.c - looks up the counters of a metric and divides them. */
#include "counters/metric.h"

#include "base/text.h"

const struct metric metrics[] = {
#define METRIC(name, numerator, denominator, scale, unit, words) \
	{ name, ROLE_##numerator, ROLE_##denominator, scale, unit, words },
#include "counters/metrics.def"
#undef METRIC
};
const size_t metric_count = sizeof(metrics) / sizeof(metrics[0]);

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

static size_t find_denominator(const struct metric_trace *trace,
			       const struct metric *metric, size_t numerator,
			       const struct role_found *found)
{
	for (size_t i = 0; i < trace->count; i++) {
		struct role_found other;

		if (trace->counters[i].group != trace->counters[numerator].group)
			continue;
		other = find(trace, i);
		if (other.role == metric->denominator && is_pair(found, &other))
			return i;
	}
	return trace->count;
}

/* On machines with several kinds of cores the PMU says which. */
static void name_use(struct metric_use *use, const struct role_found *found, int again)
{
	if (found->pmu.len && !str_equal(found->pmu, STR("cpu")))
		text_print(use->name, sizeof(use->name), "%s(%.*s)", use->metric->name,
			   (int)(found->pmu.len < 30 ? found->pmu.len : 30),
			   found->pmu.ptr);
	else if (again > 1)
		text_print(use->name, sizeof(use->name), "%s#%d", use->metric->name,
			   again);
	else
		text_print(use->name, sizeof(use->name), "%s", use->metric->name);
}

size_t metrics_possible(const struct metric_trace *trace, struct metric_use *uses,
			size_t room)
{
	size_t used = 0;

	for (size_t m = 0; m < metric_count; m++) {
		int again = 0;

		for (size_t i = 0; i < trace->count && used < room; i++) {
			struct role_found found = find(trace, i);
			size_t other;

			if (found.role != metrics[m].numerator)
				continue;
			other = find_denominator(trace, &metrics[m], i, &found);
			if (other == trace->count)
				continue;
			uses[used] = (struct metric_use){ &metrics[m], "", i, other };
			name_use(&uses[used++], &found, ++again);
		}
	}
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

		if (!role_is_hardware(a) || !role_is_hardware(b) || (!has[a] && !has[b]))
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
