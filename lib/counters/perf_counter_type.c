/* perf_counter_type.c - the tables of counter types, and the search for a base. */
#include "counters/perf_counter.h"

#include "base/array.h"

const struct perf_counter_type perf_counter_types[] = {
#define TYPE(name, value, bytes, formula, over, base, unit) \
	{ #name, value, bytes, PERF_FORMULA_##formula, PERF_OVER_##over, base, unit },
#include "counters/perf_counter_types.def"
#undef TYPE
};
const size_t perf_counter_type_count = ARRAY_COUNT(perf_counter_types);

const struct perf_counter_type *perf_counter_type(uint32_t type)
{
	size_t from = 0, to = perf_counter_type_count;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (perf_counter_types[middle].type == type)
			return &perf_counter_types[middle];
		if (perf_counter_types[middle].type < type)
			from = middle + 1;
		else
			to = middle;
	}
	return NULL;
}

bool perf_counter_needs_two(const struct perf_counter_type *type)
{
	switch (type->formula) {
	case PERF_FORMULA_NO_NUMBER:
	case PERF_FORMULA_PARTNER:
	case PERF_FORMULA_RAW:
	case PERF_FORMULA_FRACTION:
	case PERF_FORMULA_ELAPSED:
		return false;
	default:
		return true;
	}
}

bool perf_counter_needs_frequency(const struct perf_counter_type *type)
{
	return type->formula == PERF_FORMULA_RATE ||
	       type->formula == PERF_FORMULA_AVERAGE_TIME ||
	       type->formula == PERF_FORMULA_ELAPSED;
}

const char *perf_counter_over_name(enum perf_counter_over over)
{
	static const char *const names[] = { NULL, "ticks", "100ns", "object", "base" };

	return names[over];
}

static const struct {
	const char *name, *words;
} statuses[] = {
#define STATUS(enumerator, name, words) { name, words },
#include "counters/perf_counter_statuses.def"
#undef STATUS
};

const char *perf_counter_status_name(enum perf_counter_status status)
{
	return statuses[status].name;
}

const char *perf_counter_status_words(enum perf_counter_status status)
{
	return statuses[status].words;
}

bool perf_counter_has_value(enum perf_counter_status status)
{
	return status == PERF_STATUS_OK || status == PERF_STATUS_WRAPPED;
}

double perf_counter_shown(const struct perf_counter_type *type, double value)
{
	bool inverse = type->formula == PERF_FORMULA_INVERSE ||
		       type->formula == PERF_FORMULA_MULTI_INVERSE;

	return inverse && value < 0 ? 0 : value;
}

const char *perf_base_source_name(enum perf_base_source source)
{
	static const char *const names[] = { "none", "registered", "next-id" };

	return names[source];
}

static size_t find_id(const struct perf_counter_def *defs, size_t count, uint32_t id)
{
	size_t i = 0;

	while (i < count && defs[i].id != id)
		i++;
	return i;
}

enum perf_base_source perf_counter_base(const struct perf_counter_def *defs, size_t count,
					size_t of, size_t *base)
{
	const struct perf_counter_def *def = &defs[of];
	const struct perf_counter_type *type = perf_counter_type(def->type);
	size_t found;

	if (!type || type->base == 0)
		return PERF_BASE_NONE;
	if (def->base_id != PERF_COUNTER_NO_ID && def->base_id != def->id) {
		found = find_id(defs, count, def->base_id);
		if (found < count) {
			*base = found;
			return PERF_BASE_REGISTERED;
		}
	}
	/* The next one need not be the base: its type is checked. */
	if (def->id >= PERF_COUNTER_NO_ID - 1)
		return PERF_BASE_NONE;
	found = find_id(defs, count, def->id + 1);
	if (found == count || defs[found].type != type->base)
		return PERF_BASE_NONE;
	*base = found;
	return PERF_BASE_NEXT_ID;
}
