/* perf_counter.c - the formulas of PerfLib counter types on two raw samples. */
#include "counters/perf_counter.h"

#include <assert.h>
#include <string.h>

#include "counters/exact_ratio.h"

struct variant {
	const char *name;
	bool ticks, direct, inverse; /* perf_counter_variants.def */
};

static const struct variant variants[] = {
#define VARIANT(enumerator, name, ticks, direct, inverse, words) \
	{ name, ticks, direct, inverse },
#include "counters/perf_counter_variants.def"
#undef VARIANT
};

const char *perf_counter_variant_name(enum perf_counter_variant variant)
{
	return variants[variant].name;
}

bool perf_counter_variant_of(const char *name, enum perf_counter_variant *variant)
{
	for (int i = 0; i < PERF_VARIANTS; i++)
		if (strcmp(name, variants[i].name) == 0) {
			*variant = (enum perf_counter_variant)i;
			return true;
		}
	return false;
}

static struct perf_counter_result none(enum perf_counter_status status)
{
	return (struct perf_counter_result){ status, 0 };
}

/* --- required inputs --- */

static bool has(const struct perf_counter_pair *pair, unsigned what)
{
	return (pair->has & what) == what;
}

static bool is_multi(const struct perf_counter_type *type)
{
	return type->formula == PERF_FORMULA_MULTI ||
	       type->formula == PERF_FORMULA_MULTI_INVERSE;
}

/* B is used unless the variant defines the direct timer of ticks as a sum. */
static bool needs_multi(const struct perf_counter_type *type,
			const struct variant *variant)
{
	return is_multi(type) && (type->formula == PERF_FORMULA_MULTI_INVERSE ||
				  type->over == PERF_OVER_NS100 || variant->direct);
}

static bool needs_frequency(const struct perf_counter_type *type,
			    const struct variant *variant)
{
	return perf_counter_needs_frequency(type) ||
	       (is_multi(type) && type->over == PERF_OVER_TICKS && variant->ticks);
}

static enum perf_counter_status missing(const struct perf_counter_type *type,
					const struct variant *variant,
					const struct perf_counter_pair *pair)
{
	bool two = perf_counter_needs_two(type);

	if (!has(pair, PERF_HAS_N1))
		return PERF_STATUS_MISSING;
	if (two && !has(pair, PERF_HAS_N0))
		return PERF_STATUS_SINGLE_SAMPLE;
	if (type->over != PERF_OVER_NONE &&
	    !has(pair, two ? PERF_HAS_D0 | PERF_HAS_D1 : PERF_HAS_D1))
		return type->over == PERF_OVER_BASE ? PERF_STATUS_NO_BASE
						    : PERF_STATUS_NO_TIME;
	if (needs_frequency(type, variant)) {
		if (!has(pair, PERF_HAS_FREQUENCY))
			return PERF_STATUS_NO_FREQUENCY;
		if (pair->frequency == 0 || pair->frequency > INT64_MAX)
			return PERF_STATUS_FREQUENCY;
	}
	if (needs_multi(type, variant) && !has(pair, PERF_HAS_MULTI))
		return PERF_STATUS_NO_MULTI;
	return PERF_STATUS_OK;
}

/* --- differences --- */

/* 4 or 8; 0 if the values do not fit into the stated bytes. */
static unsigned bytes_of(unsigned said, unsigned typical, uint64_t a, uint64_t b)
{
	bool large = (a | b) > UINT32_MAX;

	if (said == 0)
		return large ? 8 : typical;
	return said == 8 || (said == 4 && !large) ? said : 0;
}

/*
 * A 4-byte counter that went down has wrapped if that is a rise by less than half of its
 * range.  Otherwise, and always if it is wider, it began anew, and the rise is unknown.
 */
static bool risen(uint64_t from, uint64_t to, unsigned bytes, uint64_t *by, bool *wrapped)
{
	uint32_t low = (uint32_t)((uint32_t)to - (uint32_t)from);

	*by = to - from;
	if (to >= from)
		return true;
	if (bytes != 4 || low > INT32_MAX)
		return false;
	*by = low;
	*wrapped = true;
	return true;
}

/* The inputs of the formula: differences, or the newer sample where one is enough. */
struct terms {
	uint64_t n, d;
	bool wrapped;
};

static enum perf_counter_status times(const struct perf_counter_pair *pair, bool two,
				      struct terms *terms)
{
	if (pair->d1 > INT64_MAX ||
	    (two && (pair->d0 > INT64_MAX || pair->d1 <= pair->d0)))
		return PERF_STATUS_TIME;
	terms->d = two ? pair->d1 - pair->d0 : pair->d1;
	return PERF_STATUS_OK;
}

static enum perf_counter_status read_terms(const struct perf_counter_type *type,
					   const struct perf_counter_pair *pair,
					   struct terms *terms)
{
	bool two = perf_counter_needs_two(type), is_base = type->over == PERF_OVER_BASE;
	uint64_t n0 = two ? pair->n0 : 0, d0 = two ? pair->d0 : 0;
	unsigned n_bytes = bytes_of(pair->n_bytes, type->bytes, n0, pair->n1),
		 d_bytes = 8;
	enum perf_counter_status status = PERF_STATUS_OK;

	if (is_base)
		d_bytes = bytes_of(pair->d_bytes, perf_counter_type(type->base)->bytes,
				   d0, pair->d1);
	if (n_bytes == 0 || d_bytes == 0)
		return PERF_STATUS_BYTES;
	/* Time first: samples in the wrong order show every counter going down. */
	if (type->over != PERF_OVER_NONE && !is_base)
		status = times(pair, two, terms);
	if (status != PERF_STATUS_OK)
		return status;
	if (!risen(n0, pair->n1, n_bytes, &terms->n, &terms->wrapped))
		return PERF_STATUS_NEGATIVE;
	if (!is_base)
		return PERF_STATUS_OK;
	if (!risen(d0, pair->d1, d_bytes, &terms->d, &terms->wrapped))
		return PERF_STATUS_NEGATIVE_BASE;
	return terms->d == 0 ? PERF_STATUS_ZERO_BASE : PERF_STATUS_OK;
}

/* --- formulas --- */

static double ratio(uint64_t n, uint64_t times, struct wide over)
{
	return exact_ratio(wide_times(wide_of(n), times), over);
}

/* 100 (all - used) / over, which may be below 0. */
static double percent_left(struct wide all, struct wide used, struct wide over)
{
	if (wide_compare(all, used) >= 0)
		return exact_ratio(wide_times(wide_minus(all, used), 100), over);
	return -exact_ratio(wide_times(wide_minus(used, all), 100), over);
}

static double multi(const struct perf_counter_type *type, const struct variant *variant,
		    const struct perf_counter_pair *pair, const struct terms *terms)
{
	bool seconds = type->over == PERF_OVER_TICKS && variant->ticks;
	struct wide used = wide_times(wide_of(terms->n), seconds ? pair->frequency : 1);
	struct wide one = wide_of(terms->d), all = wide_times(one, pair->multi);

	if (type->formula == PERF_FORMULA_MULTI_INVERSE)
		return percent_left(all, used, variant->inverse ? all : one);
	return exact_ratio(wide_times(used, 100), needs_multi(type, variant) ? all : one);
}

static struct perf_counter_result elapsed(const struct perf_counter_pair *pair,
					  const struct terms *terms)
{
	if (terms->n == 0)
		return none(PERF_STATUS_NO_START);
	if (terms->n > terms->d)
		return none(PERF_STATUS_FUTURE_START);
	return (struct perf_counter_result){
		PERF_STATUS_OK, ratio(terms->d - terms->n, 1, wide_of(pair->frequency))
	};
}

static double formula(const struct perf_counter_type *type, const struct variant *variant,
		      const struct perf_counter_pair *pair, const struct terms *terms)
{
	struct wide over = wide_of(terms->d);

	switch (type->formula) {
	case PERF_FORMULA_RATE:
		return ratio(terms->n, pair->frequency, over);
	case PERF_FORMULA_QUOTIENT:
		return ratio(terms->n, 1, over);
	case PERF_FORMULA_SHARE:
	case PERF_FORMULA_FRACTION:
		return ratio(terms->n, 100, over);
	case PERF_FORMULA_INVERSE:
		return percent_left(over, wide_of(terms->n), over);
	case PERF_FORMULA_AVERAGE_TIME:
		return ratio(terms->n, 1, wide_times(over, pair->frequency));
	case PERF_FORMULA_MULTI:
	case PERF_FORMULA_MULTI_INVERSE:
		return multi(type, variant, pair, terms);
	default: /* RAW, DELTA */
		return (double)terms->n;
	}
}

struct perf_counter_result perf_counter_value(const struct perf_counter_pair *pair)
{
	const struct perf_counter_type *type = perf_counter_type(pair->type);
	const struct variant *variant;
	struct terms terms = { 0 };
	enum perf_counter_status status;

	assert((unsigned)pair->variant < PERF_VARIANTS);
	variant = &variants[pair->variant];
	if (!type)
		return none(PERF_STATUS_UNKNOWN_TYPE);
	if (type->formula == PERF_FORMULA_NO_NUMBER)
		return none(PERF_STATUS_NO_NUMBER);
	if (type->formula == PERF_FORMULA_PARTNER)
		return none(PERF_STATUS_PARTNER);
	status = missing(type, variant, pair);
	if (status == PERF_STATUS_OK)
		status = read_terms(type, pair, &terms);
	if (status != PERF_STATUS_OK)
		return none(status);
	if (needs_multi(type, variant) && pair->multi == 0)
		return none(PERF_STATUS_ZERO_BASE);
	if (type->formula == PERF_FORMULA_ELAPSED)
		return elapsed(pair, &terms);
	return (struct perf_counter_result){ terms.wrapped ? PERF_STATUS_WRAPPED
							   : PERF_STATUS_OK,
					     formula(type, variant, pair, &terms) };
}
