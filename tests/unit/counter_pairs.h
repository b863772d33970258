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

#define PAIR(name, from, to, d_from, d_to, hertz, ...) \
	.pair = { .type = (uint32_t)(name),            \
		  .n0 = from,                          \
		  .n1 = to,                            \
		  .d0 = d_from,                        \
		  .d1 = d_to,                          \
		  .frequency = hertz,                  \
		  __VA_ARGS__ }
/* The value, or the reason why there is none. */
#define GIVES(number) .status = PERF_STATUS_OK, .value = (number)
#define WRAPS_TO(number) .status = PERF_STATUS_WRAPPED, .value = (number)
#define REFUSES(reason) .status = PERF_STATUS_##reason, .value = 0

/* To the last bit: the values of the tables are doubles that were rounded once. */
static inline void check_pairs(const struct pair_row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct perf_counter_pair pair = rows[i].pair;
		struct perf_counter_result result;

		if (pair.has == 0)
			pair.has = HAS_PAIR;
		result = perf_counter_value(&pair);
		ROW_TEXT(&rows[i], perf_counter_status_name(result.status),
			 perf_counter_status_name(rows[i].status));
		if (result.value != rows[i].value)
			print_error("%.17g instead of %.17g\n", result.value,
				    rows[i].value);
		ROW_TRUE(&rows[i], result.value == rows[i].value);
	}
}

#endif
