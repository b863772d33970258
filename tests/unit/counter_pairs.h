/* counter_pairs.h - pairs of samples of Windows' counters, as rows of test tables. */
#ifndef PERFTAB_COUNTER_PAIRS_H
#define PERFTAB_COUNTER_PAIRS_H

#include "counters/perf_counter.h"
#include "unit.h"

/* The names of the types, as winperf.h has them. */
enum {
#define TYPE(name, value, bytes, formula, over, base, unit) name = (int)value,
#include "counters/perf_counter_types.def"
#undef TYPE
};

#define HAS_PAIR \
	(PERF_HAS_N0 | PERF_HAS_N1 | PERF_HAS_D0 | PERF_HAS_D1 | PERF_HAS_FREQUENCY)
#define HAS_ALL (HAS_PAIR | PERF_HAS_MULTI)

/* has 0 stands for HAS_PAIR. */
struct pair_row {
	int line;
	struct perf_counter_pair pair;
	enum perf_counter_status status;
	double value;
};

/* A type, its two samples' numbers and clocks, the clock's frequency, and other fields;
 * then the value that comes of them, or the reason why there is none.
 */
#define PAIR(name, from, to, d_from, d_to, hertz, ...)                        \
	{                                                                     \
		.type = (uint32_t)(name), .n0 = from, .n1 = to, .d0 = d_from, \
		.d1 = d_to, .frequency = hertz, __VA_ARGS__                   \
	}
#define GIVES(number, ...)                                       \
	{                                                        \
		ROW, PAIR(__VA_ARGS__, ), PERF_STATUS_OK, number \
	}
#define WRAPS_TO(number, ...)                                         \
	{                                                             \
		ROW, PAIR(__VA_ARGS__, ), PERF_STATUS_WRAPPED, number \
	}
#define REFUSES(reason, ...)                                      \
	{                                                         \
		ROW, PAIR(__VA_ARGS__, ), PERF_STATUS_##reason, 0 \
	}
/* Other fields. */
#define OF(components) .has = HAS_ALL, .multi = components
#define BY(components, way) OF(components), .variant = PERF_VARIANT_##way
#define WITHOUT(what) .has = HAS_ALL & ~(unsigned)(PERF_HAS_##what)

/* To the last bit: the values of the tables are doubles that were rounded once. */
static inline void check_pair(const struct pair_row *row)
{
	struct perf_counter_pair pair = row->pair;
	struct perf_counter_result result;

	if (pair.has == 0)
		pair.has = HAS_PAIR;
	result = perf_counter_value(&pair);
	ROW_TEXT(row, perf_counter_status_name(result.status),
		 perf_counter_status_name(row->status));
	if (result.value != row->value)
		print_error("%.17g instead of %.17g\n", result.value, row->value);
	ROW_TRUE(row, result.value == row->value);
}

static inline void check_pairs(const struct pair_row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++)
		check_pair(&rows[i]);
}

#endif
