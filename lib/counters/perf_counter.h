/*
 * perf_counter.h - computes the displayed value of a Windows performance counter from two
 * raw samples.
 *
 * The arithmetic is exact: nothing overflows, the result is rounded once, to the nearest
 * double, and is never infinite or a NaN.  If there is no value, a status says why.
 * Values are never capped: a share may be above 100 %, and an inverse timer slightly
 * below 0.  docs/counters.md has the formulas and their sources.
 */
#ifndef PERFTAB_PERF_COUNTER_H
#define PERFTAB_PERF_COUNTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- types --- */

/*
 * N is the counter's value, D its divisor (`over`), F the frequency, B the
 * number of components; DN and DD are differences, newer - older.  All are unsigned, so
 * values are not negative but for the inverse timers, and have no upper bound.  Their
 * unit is the type's: the counter's own for RAW, DELTA and averages (QUOTIENT over a
 * base), requests for queues (QUOTIENT over time), and else as listed here.  Sources:
 * docs/counters.md, "Where the formulas come from".
 */
enum perf_counter_formula {
	PERF_FORMULA_NO_NUMBER,	    /* a text, a separator, a histogram */
	PERF_FORMULA_PARTNER,	    /* a base: used with its counter only */
	PERF_FORMULA_RAW,	    /* N */
	PERF_FORMULA_DELTA,	    /* DN */
	PERF_FORMULA_RATE,	    /* DN / (DD / F), per second */
	PERF_FORMULA_QUOTIENT,	    /* DN / DD */
	PERF_FORMULA_SHARE,	    /* 100 DN / DD, percent */
	PERF_FORMULA_INVERSE,	    /* 100 (1 - DN / DD), percent, at most 100 */
	PERF_FORMULA_FRACTION,	    /* 100 N / D, percent */
	PERF_FORMULA_AVERAGE_TIME,  /* (DN / F) / DD, seconds */
	PERF_FORMULA_ELAPSED,	    /* (D - N) / F, seconds */
	PERF_FORMULA_MULTI,	    /* perf_counter_variants.def, percent */
	PERF_FORMULA_MULTI_INVERSE, /* the same; at most 100, in some variants 100 B */
};

/*
 * The kind of d0 and d1.  Bases are unsigned; times are signed 64-bit and not negative.
 */
enum perf_counter_over {
	PERF_OVER_NONE,
	PERF_OVER_TICKS,  /* PerfTimeStamp, in units of 1 / PerfFreq */
	PERF_OVER_NS100,  /* PerfTime100NSec */
	PERF_OVER_OBJECT, /* PerfTimeId, PerfFreqId; in V1 the object's own time */
	PERF_OVER_BASE,	  /* the partner counter of the same instance and sample */
};

struct perf_counter_type {
	const char *name; /* "PERF_COUNTER_BULK_COUNT" */
	uint32_t type;
	unsigned bytes; /* 4 or 8 by the type word; 0: neither */
	enum perf_counter_formula formula;
	enum perf_counter_over over;
	uint32_t base;	  /* type of the partner; 0: it needs none */
	const char *unit; /* "/sec", "%", "secs", "" */
};

/* In the order of their values. */
extern const struct perf_counter_type perf_counter_types[];
extern const size_t perf_counter_type_count;

/* NULL: not of winperf.h.  The bits of such a type are not interpreted. */
const struct perf_counter_type *perf_counter_type(uint32_t type);
bool perf_counter_needs_two(const struct perf_counter_type *type);
/* Whether F is part of the formula, whatever the variant. */
bool perf_counter_needs_frequency(const struct perf_counter_type *type);
/* "ticks", "100ns", "object", "base"; NULL for PERF_OVER_NONE. */
const char *perf_counter_over_name(enum perf_counter_over over);

/* --- values --- */

enum perf_counter_status {
#define STATUS(enumerator, name, words) PERF_STATUS_##enumerator,
#include "counters/perf_counter_statuses.def"
#undef STATUS
	PERF_STATUSES
};
const char *perf_counter_status_name(enum perf_counter_status status);
const char *perf_counter_status_words(enum perf_counter_status status);

enum perf_counter_variant {
#define VARIANT(enumerator, name, ticks, direct, inverse, words) \
	PERF_VARIANT_##enumerator,
#include "counters/perf_counter_variants.def"
#undef VARIANT
	PERF_VARIANTS
};
const char *perf_counter_variant_name(enum perf_counter_variant variant);
/* False when there is none of this name. */
bool perf_counter_variant_of(const char *name, enum perf_counter_variant *variant);

/* The members of a perf_counter_pair that are known. */
enum perf_counter_has {
	PERF_HAS_N0 = 1,
	PERF_HAS_N1 = 2,
	PERF_HAS_D0 = 4,
	PERF_HAS_D1 = 8,
	PERF_HAS_FREQUENCY = 16,
	PERF_HAS_MULTI = 32,
};

/*
 * Two samples of a counter of an instance, 0 the older.  `has` lists the valid members.
 */
struct perf_counter_pair {
	uint32_t type;
	unsigned has;
	uint64_t n0, n1;
	uint64_t d0, d1;    /* enum perf_counter_over */
	uint64_t frequency; /* of TICKS or OBJECT, in Hz; signed, and above 0 */
	uint64_t multi;	    /* components of a multi-timer, of the newer sample */
	/*
	 * Bytes of the data: 4 or 8; 0 if unknown.  Real providers have 8 where the type
	 * word says 4 (PERF_AVERAGE_TIMER), and the data decide whether a decrease may be
	 * a wrap.  Unknown: as the type says, but 8 if a value needs them.
	 */
	unsigned n_bytes, d_bytes;
	enum perf_counter_variant variant;
};

struct perf_counter_result {
	enum perf_counter_status status;
	double value; /* in the type's unit; 0 when there is none */
};

struct perf_counter_result perf_counter_value(const struct perf_counter_pair *pair);
bool perf_counter_has_value(enum perf_counter_status status);
/* For display only: an inverse timer below 0 becomes 0.  Other values stay. */
double perf_counter_shown(const struct perf_counter_type *type, double value);

/* --- bases --- */

#define PERF_COUNTER_NO_ID 0xffffffffu

/* A counter of a counterset as it is registered. */
struct perf_counter_def {
	uint32_t id, type;
	uint32_t base_id; /* BaseCounterId, MultiId for multi-timers; or
			     PERF_COUNTER_NO_ID */
};

enum perf_base_source {
	PERF_BASE_NONE,	      /* needs none, or there is none */
	PERF_BASE_REGISTERED, /* named by base_id */
	PERF_BASE_NEXT_ID,    /* has the next id, and the right type */
};
/* "none", "registered", "next-id" */
const char *perf_base_source_name(enum perf_base_source source);

/*
 * Which of defs[0..count) is the base of defs[of]; sets *base unless PERF_BASE_NONE is
 * returned.  The order of `defs` does not matter; of the same id the first is taken.
 */
enum perf_base_source perf_counter_base(const struct perf_counter_def *defs, size_t count,
					size_t of, size_t *base);

#endif
