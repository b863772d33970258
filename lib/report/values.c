/* values.c - see values.h: the rows, and what is kept of them. */
#include "report/values.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/pattern.h"
#include "base/text.h"

static bool failed(struct values *values, const char *why)
{
	values->failed = why;
	return false;
}

static bool no_memory(struct values *values)
{
	return failed(values, "out of memory");
}

/* --- countersets and counters --- */

static struct str keep(struct values *values, struct str text)
{
	return text.ptr ? arena_str(&values->arena, text) : STR_NONE;
}

static bool is_match(const char *wanted, struct str a, struct str b, struct str c)
{
	struct str pattern = str_of(wanted);

	return !wanted || (a.ptr && pattern_match(pattern, a)) ||
	       (b.ptr && pattern_match(pattern, b)) ||
	       (c.ptr && pattern_match(pattern, c));
}

/* A pattern that begins as a path does is one; others match no machine. */
static bool is_set_match(const char *pattern, const struct value_set *set)
{
	if (pattern && pattern[0] == '\\' && pattern[1] == '\\')
		return pattern_match(str_of(pattern), set->path);
	return is_match(pattern, set->row.name, set->row.english_name, set->name);
}

static struct str without_slashes(struct str machine)
{
	while (machine.len && machine.ptr[0] == '\\') {
		machine.ptr++;
		machine.len--;
	}
	return machine;
}

static bool on_set(struct values *values, const struct perflib_counterset_row *row)
{
	struct value_set *set;

	if (values->set_count == VALUE_SETS_MAX)
		return failed(values, "too many countersets");
	set = arena_alloc(&values->arena, sizeof(*set));
	if (!set)
		return no_memory(values);
	set->row = *row;
	set->number = (uint32_t)values->set_count++;
	set->row.name = keep(values, row->name);
	set->row.english_name = keep(values, row->english_name);
	set->row.guid = keep(values, row->guid);
	set->row.machine = keep(values, without_slashes(row->machine));
	set->row.help = set->row.provider = set->row.provider_guid = STR_NONE;
	if (!values_name_set(values, set))
		return no_memory(values);
	set->is_wanted = is_set_match(values->options.counterset, set);
	set->counters_tail = &set->counters;
	set->incarnation_tail = &set->first_incarnation;
	*values->sets_tail = set;
	values->sets_tail = &set->next;
	return map_put(&values->set_by_number, (uint64_t)row->counterset, set) ||
	       no_memory(values);
}

static uint64_t counter_key(const struct value_set *set, int64_t id)
{
	return (uint64_t)set->number << 32 | (uint32_t)id;
}

struct value_counter *values_counter(const struct values *values,
				     const struct value_set *set, int64_t id)
{
	if (id < 0 || id > UINT32_MAX)
		return NULL;
	return map_get(&values->counter_by_id, counter_key(set, id));
}

static bool on_counter(struct values *values, const struct perflib_counter_row *row)
{
	struct value_set *set =
		map_get(&values->set_by_number, (uint64_t)row->counterset);
	struct value_counter *counter;

	if (!set || row->counter < 0 || row->counter > UINT32_MAX)
		return true; /* nothing can be said of it */
	if (values->counter_count == VALUE_COUNTERS_MAX)
		return failed(values, "too many counters");
	counter = arena_alloc(&values->arena, sizeof(*counter));
	if (!counter)
		return no_memory(values);
	values->counter_count++;
	counter->row = *row;
	counter->set = set;
	counter->row.name = keep(values, row->name);
	counter->row.english_name = keep(values, row->english_name);
	counter->row.help = STR_NONE;
	counter->shown = values_name_counter(values, &counter->row);
	counter->is_wanted = is_match(values->options.counter, counter->row.name,
				      counter->row.english_name, counter->shown);
	if (row->type >= 0 && row->type <= UINT32_MAX)
		counter->type = perf_counter_type((uint32_t)row->type);
	*set->counters_tail = counter;
	set->counters_tail = &counter->next;
	if (!set->not_settled)
		set->not_settled = counter;
	return map_put(&values->counter_by_id, counter_key(set, row->counter), counter) ||
	       no_memory(values);
}

/* --- instances --- */

static uint64_t hash_of(const struct value_set *set,
			const struct perflib_instance_row *row)
{
	const int64_t numbers[] = { row->query, row->number, row->ordinal };
	uint64_t hash = map_salt() ^ set->number;

	for (size_t i = 0; i < 3; i++)
		hash = map_mix(hash, (uint64_t)numbers[i], i);
	return map_hash_text(hash, row->name);
}

/* Processes of one program, say: their names alone do not tell them apart. */
static bool find_namesakes(struct values *values, struct value_identity *identity)
{
	uint64_t hash = map_hash_text(map_salt() ^ identity->set->number, identity->name);
	struct value_identity *first = map_get(&values->identity_by_name, hash);

	if (!first)
		return map_put(&values->identity_by_name, hash, identity);
	if (first->set == identity->set && str_equal(first->name, identity->name))
		first->is_namesake = identity->is_namesake = true;
	return true;
}

static struct value_identity *identity_of(struct values *values,
					  const struct value_set *set,
					  const struct perflib_instance_row *row)
{
	uint64_t hash = hash_of(set, row);
	struct value_identity *first = map_get(&values->identity_by_hash, hash);
	struct value_identity *at = first;

	for (; at; at = at->same_hash)
		if (at->set == set && at->query == row->query &&
		    at->number == row->number && at->ordinal == row->ordinal &&
		    !at->name.ptr == !row->name.ptr && str_equal(at->name, row->name))
			return at;
	at = arena_alloc(&values->arena, sizeof(*at));
	if (!at)
		return NULL;
	*at = (struct value_identity){
		.query = row->query,
		.number = row->number,
		.ordinal = row->ordinal,
		.name = keep(values, row->name),
		.set = set,
		.index = (uint32_t)values->identity_count++,
		.same_hash = first,
		.next = values->identities,
	};
	values->identities = at;
	return map_put(&values->identity_by_hash, hash, at) && find_namesakes(values, at)
		       ? at
		       : NULL;
}

static void end_incarnation(struct values *values, struct value_incarnation *incarnation)
{
	struct value_state *state, *next;

	if (values->options.keep)
		return;
	for (state = incarnation->first; state; state = next) {
		next = state->next;
		state->next = values->free_states;
		values->free_states = state;
		values->state_count--;
	}
	map_release(&incarnation->states);
	incarnation->first = NULL;
	incarnation->tail = &incarnation->first;
}

static bool on_instance(struct values *values, const struct perflib_instance_row *row)
{
	struct value_set *set =
		map_get(&values->set_by_number, (uint64_t)row->counterset);
	struct value_incarnation *incarnation, *older;
	uint64_t place;

	if (!set || !set->is_wanted)
		return true;
	if (values->options.instance &&
	    (!row->name.ptr ||
	     !pattern_match(str_of(values->options.instance), row->name)))
		return true;
	if (values->incarnation_count == VALUE_INCARNATIONS_MAX)
		return failed(values, "too many instances");
	incarnation = arena_alloc(&values->arena, sizeof(*incarnation));
	if (!incarnation)
		return no_memory(values);
	values->incarnation_count++;
	incarnation->row = *row;
	incarnation->set = set;
	incarnation->tail = &incarnation->first;
	incarnation->identity = identity_of(values, set, row);
	if (!incarnation->identity)
		return no_memory(values);
	incarnation->row.name = incarnation->identity->name;
	incarnation->row.parent_name = STR_NONE;
	place = (uint64_t)incarnation->identity->index << 32 | (uint32_t)row->block;
	older = map_get(&values->incarnation_by_place, place);
	if (older && !older->is_ending) {
		older->is_ending = true;
		older->next_ending = values->ending;
		values->ending = older;
	}
	*set->incarnation_tail = incarnation;
	set->incarnation_tail = &incarnation->next;
	return (map_put(&values->incarnation_by_place, place, incarnation) &&
		map_put(&values->incarnation_by_number, (uint64_t)row->instance,
			incarnation)) ||
	       no_memory(values);
}

/* --- snapshots --- */

static void add_total(struct value_totals *totals, double value)
{
	if (totals->values == 0 || value < totals->min)
		totals->min = value;
	if (totals->values == 0 || value > totals->max)
		totals->max = value;
	totals->sum += value;
	totals->last = value;
	totals->values++;
}

static bool is_in_window(const struct values *values, int64_t ts_ns)
{
	const struct value_options *options = &values->options;

	if (ts_ns == INT_NONE)
		return options->from_ns == INT64_MIN && options->to_ns == INT64_MAX;
	return ts_ns >= options->from_ns && ts_ns < options->to_ns;
}

/*
 * Another incarnation of these instances has begun in their block: they will not come
 * back.  Those with values in this snapshot all the same, as of a damaged one, go on.
 */
static void end_incarnations(struct values *values)
{
	while (values->ending) {
		struct value_incarnation *incarnation = values->ending;
		const struct value_state *state = incarnation->first;

		values->ending = incarnation->next_ending;
		incarnation->is_ending = false;
		while (state && state->snapshot != values->snapshot.snapshot)
			state = state->next;
		if (!state)
			end_incarnation(values, incarnation);
	}
}

static void finish_snapshot(struct values *values)
{
	bool counts = is_in_window(values, values->snapshot.ts_ns);

	for (size_t i = 0; i < values->touched_count; i++) {
		struct value_state *state = values->touched[i];
		struct value_line line;

		values_work_out(values, state, &line);
		if (!counts || !state->counter->is_wanted)
			continue;
		values->statuses[line.result.status]++;
		if (perf_counter_has_value(line.result.status))
			add_total(&state->totals, line.result.value);
		if (values->line)
			values->line(values->context, &line);
	}
	values->touched_count = 0;
	end_incarnations(values);
}

/*
 * Of each interval only the first snapshot of each query: then values are over whole
 * intervals.  A .blg has a query for each object.  All snapshots before the window are
 * kept, for the value that the window begins with.  False: out of memory.
 */
static bool find_between(struct values *values, const struct perflib_snapshot_row *row,
			 bool *is_between)
{
	int64_t from_ns = values->options.from_ns, interval;

	*is_between = false;
	if (!values->options.interval_ns || row->ts_ns == INT_NONE ||
	    (from_ns != INT64_MIN && row->ts_ns < from_ns))
		return true;
	if (values->base_ns == INT_NONE)
		values->base_ns = from_ns == INT64_MIN ? row->ts_ns : from_ns;
	if (row->ts_ns < values->base_ns)
		return true;
	interval = (int64_t)(((uint64_t)row->ts_ns - (uint64_t)values->base_ns) /
			     (uint64_t)values->options.interval_ns);
	*is_between = interval < values->interval;
	if (interval > values->interval)
		map_release(&values->queries);
	if (!*is_between) {
		values->interval = interval;
		*is_between = map_get(&values->queries, (uint64_t)row->query) != NULL;
	}
	return *is_between || map_put(&values->queries, (uint64_t)row->query, values);
}

static bool on_snapshot(struct values *values, const struct perflib_snapshot_row *row)
{
	bool is_between;

	finish_snapshot(values);
	if (!find_between(values, row, &is_between))
		return no_memory(values);
	if (is_between) {
		values->has_snapshot = false;
		return true;
	}
	values->snapshot = *row;
	values->snapshot.system_time = STR_NONE;
	values->has_snapshot = true;
	if (!is_in_window(values, row->ts_ns))
		return true;
	values->snapshots++;
	if (row->ts_ns == INT_NONE)
		return true;
	if (values->first_ns == INT_NONE || row->ts_ns < values->first_ns)
		values->first_ns = row->ts_ns;
	if (values->last_ns == INT_NONE || row->ts_ns > values->last_ns)
		values->last_ns = row->ts_ns;
	return true;
}

/* V1: the object's own time. */
static bool on_block(struct values *values, const struct perflib_block_row *row)
{
	size_t known = values->block_room;

	if (row->object_time == INT_NONE || row->block < 0 ||
	    row->block >= VALUE_BLOCKS_MAX)
		return true;
	if (!ARRAY_GROW(values->blocks, values->block_room, (size_t)row->block))
		return no_memory(values);
	for (; known < values->block_room; known++)
		values->blocks[known].snapshot = INT_NONE;
	values->blocks[row->block] = (struct value_block){
		row->snapshot,
		row->object_time,
		row->object_freq,
	};
	return true;
}

/* --- raw values --- */

static struct value_state *new_state(struct values *values,
				     struct value_incarnation *incarnation,
				     struct value_counter *counter)
{
	struct value_state *state = values->free_states;

	if (state)
		values->free_states = state->next;
	else
		state = arena_alloc(&values->arena, sizeof(*state));
	if (!state)
		return NULL;
	*state = (struct value_state){
		.incarnation = incarnation,
		.counter = counter,
		.snapshot = INT_NONE,
		.before = { .snapshot = INT_NONE },
	};
	values->state_count++;
	*incarnation->tail = state;
	incarnation->tail = &state->next;
	return map_put(&incarnation->states, (uint64_t)counter->row.counter, state)
		       ? state
		       : NULL;
}

/* To the same instance in other blocks; of several that have it the first met counts. */
static bool offer(const struct values *values, struct value_state *state)
{
	const struct value_incarnation *incarnation = state->incarnation;
	struct map *partners = &incarnation->identity->partners;
	uint64_t id = (uint64_t)state->counter->row.counter;
	const struct value_state *other = map_get(partners, id);

	if (other && other->counter == state->counter &&
	    other->incarnation->identity == incarnation->identity &&
	    other->snapshot == values->snapshot.snapshot &&
	    other->incarnation->row.instance < incarnation->row.instance)
		return true;
	return map_put(partners, id, state);
}

static bool touch(struct values *values, struct value_state *state)
{
	if (!ARRAY_GROW(values->touched, values->touched_room, values->touched_count))
		return false;
	values->touched[values->touched_count++] = state;
	return !state->counter->is_partner || offer(values, state);
}

static void set_raw(const struct values *values, struct value_state *state,
		    const struct perflib_raw_row *row)
{
	int64_t block = state->incarnation->row.block;
	const struct value_block *own = block >= 0 && (uint64_t)block < values->block_room
						? &values->blocks[block]
						: NULL;

	if (own && own->snapshot != row->snapshot)
		own = NULL;
	/* 8 bytes without a value are 2^63, which is not a number of a row. */
	state->raw.has = row->value != INT_NONE || row->bytes == 8;
	state->raw.value = (uint64_t)row->value;
	state->raw.bytes = row->bytes == 4 || row->bytes == 8 ? (unsigned)row->bytes : 0;
	state->raw.is_cooked = false;
	state->raw.second = row->second;
	state->raw.multi = row->multi;
	state->object_time = own ? own->object_time : INT_NONE;
	state->object_freq = own ? own->object_freq : INT_NONE;
}

/*
 * The counter of an instance in the current snapshot, into *state; NULL: it is not
 * wanted.
 */
static bool find_state(struct values *values, int64_t snapshot, int64_t instance,
		       int64_t id, struct value_state **state)
{
	struct value_incarnation *incarnation =
		map_get(&values->incarnation_by_number, (uint64_t)instance);
	struct value_counter *counter;

	*state = NULL;
	if (!incarnation || !values->has_snapshot ||
	    snapshot != values->snapshot.snapshot)
		return true;
	if (incarnation->set->not_settled)
		values_settle(values, incarnation->set);
	counter = values_counter(values, incarnation->set, id);
	if (!counter || !counter->is_needed)
		return true;
	*state = map_get(&incarnation->states, (uint64_t)id);
	if (!*state && values->state_count == VALUE_STATES_MAX)
		return failed(values, "too many counters of instances: "
				      "choose with --counterset, --instance, --counter");
	if (!*state)
		*state = new_state(values, incarnation, counter);
	if (!*state)
		return no_memory(values);
	if ((*state)->snapshot != snapshot) {
		(*state)->snapshot = snapshot;
		if (!touch(values, *state))
			return no_memory(values);
	}
	return true;
}

static bool on_raw(struct values *values, const struct perflib_raw_row *row)
{
	struct value_state *state;

	if (!find_state(values, row->snapshot, row->instance, row->counter, &state))
		return false;
	if (state)
		set_raw(values, state, row); /* of a repeated id the last one counts */
	return true;
}

static bool on_cooked(struct values *values, const struct perflib_cooked_row *row)
{
	struct value_state *state;

	if (!__builtin_isfinite(row->value)) /* not of a reader of files */
		return true;
	if (!find_state(values, row->snapshot, row->instance, row->counter, &state))
		return false;
	if (state) {
		state->raw.is_cooked = true;
		state->raw.cooked = row->value;
	}
	return true;
}

/* --- begin, rows, end --- */

bool values_on_row(struct values *values, const struct record *record)
{
	switch ((int)record->kind) {
	case RECORD_perflib_counterset:
		values->any = true;
		return on_set(values, record->data);
	case RECORD_perflib_counter:
		return on_counter(values, record->data);
	case RECORD_perflib_snapshot:
		values->any = true;
		return on_snapshot(values, record->data);
	case RECORD_perflib_block:
		return on_block(values, record->data);
	case RECORD_perflib_instance:
		return on_instance(values, record->data);
	case RECORD_perflib_raw:
		return on_raw(values, record->data);
	case RECORD_perflib_cooked:
		return on_cooked(values, record->data);
	case RECORD_trace:
		finish_snapshot(values);
		return true;
	default:
		return true;
	}
}

void values_begin(struct values *values)
{
	*values = (struct values){
		.options = values->options,
		.line = values->line,
		.context = values->context,
		.first_ns = INT_NONE,
		.last_ns = INT_NONE,
		.interval = -1,
		.base_ns = INT_NONE,
	};
	values->sets_tail = &values->sets;
}

void values_end(struct values *values)
{
	for (struct value_set *set = values->sets; set; set = set->next)
		for (struct value_incarnation *incarnation = set->first_incarnation;
		     incarnation; incarnation = incarnation->next)
			map_release(&incarnation->states);
	for (struct value_identity *i = values->identities; i; i = i->next)
		map_release(&i->partners);
	map_release(&values->set_by_number);
	map_release(&values->counter_by_id);
	map_release(&values->incarnation_by_number);
	map_release(&values->identity_by_hash);
	map_release(&values->identity_by_name);
	map_release(&values->incarnation_by_place);
	map_release(&values->queries);
	free(values->blocks);
	free(values->touched);
	arena_release(&values->arena);
	values_begin(values);
}
