/* values_formula.c - partners of counters, and the value of one: see values.h. */
#include "report/values.h"

#define PRECISION_OBJECT_TIMER UINT32_C(0x20670500)
/* A FILETIME of 1970 to 2400. */
#define FILETIME_FROM UINT64_C(116444736000000000)
#define FILETIME_TO UINT64_C(252150000000000000)
#define FILETIME_FREQUENCY 10000000

/* --- partners --- */

/* Returns the counter if it is registered, else NULL. */
static struct value_counter *registered(const struct values *values,
					const struct value_set *set, int64_t id)
{
	struct value_counter *counter =
		id == INT_NONE ? NULL : values_counter(values, set, id);

	return counter && counter->row.type != INT_NONE ? counter : NULL;
}

static struct perf_counter_def def_of(const struct value_counter *counter)
{
	int64_t base = counter->is_multi ? counter->row.multi_counter
					 : counter->row.base_counter;

	return (struct perf_counter_def){
		.id = (uint32_t)counter->row.counter,
		.type = (uint32_t)counter->row.type,
		.base_id = base == INT_NONE ? PERF_COUNTER_NO_ID : (uint32_t)base,
	};
}

/* Only two can be it, however many the set has. */
static void find_base(const struct values *values, struct value_counter *counter)
{
	struct perf_counter_def defs[3] = { def_of(counter) };
	struct value_counter *of[3] = { counter };
	const int64_t ids[] = { defs[0].base_id, counter->row.counter + 1 };
	size_t count = 1, base = 0;

	for (size_t i = 0; i < 2; i++) {
		struct value_counter *found = registered(values, counter->set, ids[i]);

		if (!found)
			continue;
		of[count] = found;
		defs[count++] = def_of(found);
	}
	counter->base_source = perf_counter_base(defs, count, 0, &base);
	counter->base = counter->base_source == PERF_BASE_NONE ? NULL : of[base];
}

static void settle(const struct values *values, struct value_counter *counter)
{
	const struct perf_counter_type *type = counter->type;

	if (!type)
		return;
	counter->is_multi = type->formula == PERF_FORMULA_MULTI ||
			    type->formula == PERF_FORMULA_MULTI_INVERSE;
	find_base(values, counter);
	if (type->over != PERF_OVER_BASE)
		counter->clock = type->over;
	else if (type->type == PRECISION_OBJECT_TIMER && !counter->base)
		counter->clock = PERF_OVER_OBJECT;
	if (counter->clock != PERF_OVER_OBJECT)
		return;
	counter->time = values_counter(values, counter->set, counter->row.time_counter);
	counter->freq = values_counter(values, counter->set, counter->row.freq_counter);
}

void values_settle(struct values *values, struct value_set *set)
{
	struct value_counter *first = set->not_settled;

	set->not_settled = NULL;
	for (struct value_counter *c = first; c; c = c->next)
		settle(values, c);
	for (struct value_counter *c = first; c; c = c->next) {
		struct value_counter *partners[] = { c->base, c->time, c->freq };

		c->is_needed |= c->is_wanted;
		for (size_t i = 0; c->is_wanted && i < 3; i++)
			if (partners[i])
				partners[i]->is_needed = partners[i]->is_partner = true;
	}
}

/*
 * The partner in this snapshot: of this incarnation, or of the same instance in another
 * block, as when each counter was asked for alone.
 */
static const struct value_state *partner_of(const struct value_state *state,
					    const struct value_counter *counter)
{
	const struct value_incarnation *incarnation = state->incarnation;
	const struct value_state *partner;

	if (!counter)
		return NULL;
	partner = map_get(&incarnation->states, (uint64_t)counter->row.counter);
	if (!partner || partner->snapshot != state->snapshot)
		partner = map_get(&incarnation->identity->partners,
				  (uint64_t)counter->row.counter);
	/* The partner of one that has ended may belong to another instance by now. */
	if (!partner || partner->snapshot != state->snapshot ||
	    partner->counter != counter ||
	    partner->incarnation->identity != incarnation->identity)
		return NULL;
	return partner;
}

/* --- what goes into the formula --- */

/* A number of the newer sample. */
static void set_number(struct perf_counter_pair *pair, unsigned has, uint64_t *to,
		       uint64_t number)
{
	pair->has |= has;
	*to = number;
}

static void set_known(struct perf_counter_pair *pair, unsigned has, uint64_t *to,
		      int64_t number)
{
	if (number != INT_NONE)
		set_number(pair, has, to, (uint64_t)number);
}

static void set_partner(struct perf_counter_pair *pair, unsigned has, uint64_t *to,
			const struct value_state *partner)
{
	if (partner && partner->raw.has)
		set_number(pair, has, to, partner->raw.value);
}

static bool is_filetime(const struct value_state *state)
{
	return state->raw.has && state->raw.value >= FILETIME_FROM &&
	       state->raw.value < FILETIME_TO;
}

static enum value_time set_object_time(const struct values *values,
				       const struct value_state *state,
				       struct perf_counter_pair *pair)
{
	const struct value_counter *counter = state->counter;

	if (state->object_time != INT_NONE) {
		set_known(pair, PERF_HAS_D1, &pair->d1, state->object_time);
		set_known(pair, PERF_HAS_FREQUENCY, &pair->frequency, state->object_freq);
		return VALUE_TIME_OBJECT;
	}
	if (counter->row.time_counter != INT_NONE) {
		set_partner(pair, PERF_HAS_D1, &pair->d1,
			    partner_of(state, counter->time));
		set_partner(pair, PERF_HAS_FREQUENCY, &pair->frequency,
			    partner_of(state, counter->freq));
		return VALUE_TIME_COUNTER;
	}
	if (counter->type->formula != PERF_FORMULA_ELAPSED || !is_filetime(state))
		return VALUE_TIME_NONE;
	set_known(pair, PERF_HAS_D1, &pair->d1, values->snapshot.perf_time_100ns);
	set_number(pair, PERF_HAS_FREQUENCY, &pair->frequency, FILETIME_FREQUENCY);
	return VALUE_TIME_HEADER;
}

/* d1 and the frequency. */
static enum value_time set_over(const struct values *values,
				const struct value_state *state,
				struct perf_counter_pair *pair)
{
	const struct value_counter *counter = state->counter;
	const struct value_state *base;

	if (state->raw.second != INT_NONE) {
		set_known(pair, PERF_HAS_D1, &pair->d1, state->raw.second);
		set_known(pair, PERF_HAS_FREQUENCY, &pair->frequency,
			  counter->row.time_base != INT_NONE
				  ? counter->row.time_base
				  : values->snapshot.perf_freq);
		return counter->clock == PERF_OVER_NONE ? VALUE_TIME_NONE
							: VALUE_TIME_SECOND;
	}
	if (counter->clock == PERF_OVER_OBJECT)
		return set_object_time(values, state, pair);
	set_known(pair, PERF_HAS_FREQUENCY, &pair->frequency, values->snapshot.perf_freq);
	switch (counter->clock) {
	case PERF_OVER_TICKS:
		set_known(pair, PERF_HAS_D1, &pair->d1, values->snapshot.perf_time);
		return VALUE_TIME_STAMP;
	case PERF_OVER_NS100:
		set_known(pair, PERF_HAS_D1, &pair->d1, values->snapshot.perf_time_100ns);
		return VALUE_TIME_STAMP;
	default:
		base = counter->is_multi ? NULL : partner_of(state, counter->base);
		set_partner(pair, PERF_HAS_D1, &pair->d1, base);
		pair->d_bytes = base && base->raw.has ? base->raw.bytes : 0;
		return VALUE_TIME_NONE;
	}
}

static void set_multi(const struct value_state *state, struct perf_counter_pair *pair)
{
	if (state->raw.multi != INT_NONE)
		set_known(pair, PERF_HAS_MULTI, &pair->multi, state->raw.multi);
	else if (state->counter->is_multi)
		set_partner(pair, PERF_HAS_MULTI, &pair->multi,
			    partner_of(state, state->counter->base));
}

static const char *base_source_of(const struct value_state *state)
{
	const struct value_counter *counter = state->counter;
	bool is_second = counter->is_multi
				 ? state->raw.multi != INT_NONE
				 : state->raw.second != INT_NONE &&
					   counter->type->over == PERF_OVER_BASE;

	if (is_second)
		return "second";
	return counter->base ? perf_base_source_name(counter->base_source) : NULL;
}

/* --- the value --- */

static void move_on(struct value_state *state, const struct perf_counter_pair *pair,
		    int64_t ts_ns)
{
	state->before.snapshot = state->snapshot;
	state->before.ts_ns = ts_ns;
	state->before.has = pair->has;
	state->before.n = pair->n1;
	state->before.d = pair->d1;
}

void values_work_out(struct values *values, struct value_state *state,
		     struct value_line *line)
{
	static const char *const times[] = { NULL,     "stamp",	 "counter",
					     "object", "second", "header" };
	const struct value_counter *counter = state->counter;
	struct perf_counter_pair pair = { .variant = values->options.variant };
	bool had = state->before.snapshot != INT_NONE;

	*line = (struct value_line){
		.state = state,
		.result = { PERF_STATUS_UNKNOWN_TYPE, 0 },
		.from_snapshot = state->before.snapshot,
		.from_ns = had ? state->before.ts_ns : INT_NONE,
		.to_snapshot = state->snapshot,
		.to_ns = values->snapshot.ts_ns,
	};
	if (state->raw.is_cooked) {
		line->result =
			(struct perf_counter_result){ PERF_STATUS_OK, state->raw.cooked };
		line->from_snapshot = line->from_ns = INT_NONE; /* it does not say */
		return;
	}
	if (state->raw.has)
		set_number(&pair, PERF_HAS_N1, &pair.n1, state->raw.value);
	if (counter->type) {
		pair.type = counter->type->type;
		pair.n_bytes = state->raw.has ? state->raw.bytes : 0;
		line->time_source = times[set_over(values, state, &pair)];
		line->base_source = base_source_of(state);
		set_multi(state, &pair);
		if (had && state->before.has & PERF_HAS_N1)
			set_number(&pair, PERF_HAS_N0, &pair.n0, state->before.n);
		if (had && state->before.has & PERF_HAS_D1)
			set_number(&pair, PERF_HAS_D0, &pair.d0, state->before.d);
		line->result = perf_counter_value(&pair);
	}
	move_on(state, &pair, values->snapshot.ts_ns);
}
