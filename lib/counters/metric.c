/* metric.c - looks up the counters of a metric and divides them. */
#include "counters/metric.h"

#include "base/text.h"

const struct metric metrics[] = {
#define METRIC(name, numerator, denominator, scale, unit, words) \
	{ name, numerator, denominator, scale, unit, words },
#include "counters/metrics.def"
#undef METRIC
};
const size_t metric_count = sizeof(metrics) / sizeof(metrics[0]);

/* "cycles:u" is cycles with the modifiers ":u"; cpu-cycles is another word for it. */
static bool is_event(struct str name, const char *event, struct str *modifiers)
{
	static const struct {
		const char *said, *meant;
	} synonyms[] = { { "cpu-cycles", "cycles" },
			 { "branch-instructions", "branches" } };
	const char *colon = name.len ? memchr(name.ptr, ':', name.len) : NULL;
	struct str base = { name.ptr, colon ? (size_t)(colon - name.ptr) : name.len };

	modifiers->ptr = base.ptr + base.len;
	modifiers->len = name.len - base.len;
	for (size_t i = 0; i < sizeof(synonyms) / sizeof(synonyms[0]); i++)
		if (str_equal(base, str_of(synonyms[i].said)))
			base = str_of(synonyms[i].meant);
	return str_equal(base, str_of(event));
}

static size_t find_denominator(const struct metric *metric, const struct str *names,
			       const int64_t *groups, size_t count, size_t numerator,
			       struct str modifiers)
{
	/* Clocks have no user and kernel share, so they match any modifiers. */
	bool any = strcmp(metric->denominator, "task-clock") == 0;

	for (size_t i = 0; i < count; i++) {
		struct str own;

		if (groups[i] == groups[numerator] &&
		    is_event(names[i], metric->denominator, &own) &&
		    (any || str_equal(own, modifiers)))
			return i;
	}
	return count;
}

size_t metrics_possible(const struct str *names, const int64_t *groups, size_t count,
			struct metric_use *uses, size_t room)
{
	size_t used = 0;

	for (size_t m = 0; m < metric_count; m++) {
		int again = 0;

		for (size_t i = 0; i < count && used < room; i++) {
			struct str modifiers;
			size_t other;

			if (!is_event(names[i], metrics[m].numerator, &modifiers))
				continue;
			other = find_denominator(&metrics[m], names, groups, count, i,
						 modifiers);
			if (other == count)
				continue;
			uses[used] = (struct metric_use){ &metrics[m], "", i, other };
			if (again++)
				text_print(uses[used].name, sizeof(uses[used].name),
					   "%s#%d", metrics[m].name, again);
			else
				text_print(uses[used].name, sizeof(uses[used].name), "%s",
					   metrics[m].name);
			used++;
		}
	}
	return used;
}

bool metric_value(const struct metric_use *use, int64_t numerator, int64_t denominator,
		  double *value)
{
	if (denominator <= 0)
		return false;
	*value = (double)numerator / (double)denominator * use->metric->scale;
	return true;
}
