/* registry.c - the countersets, counters and queries of a trace; see perflib.h. */
#include <stdlib.h>

#include "base/memory.h"
#include "formats/perflib/perflib.h"

static void over_the_limit(struct perflib *perflib, uint64_t offset)
{
	finding_add(perflib->findings, FINDING_PERFLIB_LIMIT, offset, 1);
}

/* --- countersets --- */

static uint64_t guid_hash(const struct perflib *perflib, const uint8_t *guid)
{
	uint64_t halves[2];

	memcpy(halves, guid, sizeof(halves));
	return (halves[0] ^ perflib->seed) * UINT64_C(0x9E3779B97F4A7C15) ^ halves[1];
}

static struct perflib_set *new_set(struct perflib *perflib, uint64_t offset)
{
	struct perflib_set *set;

	if (perflib->set_count == PERFLIB_SETS_MAX) {
		over_the_limit(perflib, offset);
		return NULL;
	}
	set = arena_alloc(&perflib->arena, sizeof(*set));
	if (!set) {
		perflib->out_of_memory = true;
		return NULL;
	}
	row_clear(&tables[RECORD_perflib_counterset], &set->row);
	set->row.counterset = (int64_t)++perflib->set_count;
	set->counters_tail = &set->counters;
	*perflib->sets_tail = set;
	perflib->sets_tail = &set->next;
	return set;
}

/* From now on it is found by its GUID, and no older one. */
static void remember(struct perflib *perflib, struct perflib_set *set, uint64_t hash)
{
	set->same_hash = map_get(&perflib->set_map, hash);
	if (!map_put(&perflib->set_map, hash, set))
		perflib->out_of_memory = true;
}

struct perflib_set *perflib_set(struct perflib *perflib, const uint8_t *guid,
				uint64_t offset)
{
	struct perflib_set *set;
	uint64_t hash;

	if (!guid)
		return new_set(perflib, offset);
	hash = guid_hash(perflib, guid);
	for (set = map_get(&perflib->set_map, hash); set; set = set->same_hash)
		if (memcmp(set->guid, guid, PLB_GUID_BYTES) == 0)
			return set;
	set = new_set(perflib, offset);
	if (!set)
		return NULL;
	memcpy(set->guid, guid, PLB_GUID_BYTES);
	set->has_guid = true;
	set->row.guid = perflib_guid_text(perflib, guid);
	remember(perflib, set, hash);
	return set;
}

/* --- counters --- */

static uint64_t counter_key(const struct perflib_set *set, uint32_t id)
{
	return (uint64_t)set->row.counterset << 32 | id;
}

struct perflib_counter *perflib_find_counter(struct perflib *perflib,
					     const struct perflib_set *set, uint32_t id)
{
	return map_get(&perflib->counter_map, counter_key(set, id));
}

struct perflib_counter *perflib_counter(struct perflib *perflib, struct perflib_set *set,
					uint32_t id, uint64_t offset)
{
	struct perflib_counter *counter = perflib_find_counter(perflib, set, id);

	if (counter)
		return counter;
	if (perflib->counter_count == PERFLIB_COUNTERS_MAX) {
		over_the_limit(perflib, offset);
		return NULL;
	}
	counter = arena_alloc(&perflib->arena, sizeof(*counter));
	if (!counter || !map_put(&perflib->counter_map, counter_key(set, id), counter)) {
		perflib->out_of_memory = true;
		return NULL;
	}
	perflib->counter_count++;
	counter->id = id;
	row_clear(&tables[RECORD_perflib_counter], &counter->row);
	counter->row.counterset = set->row.counterset;
	counter->row.counter = id;
	*set->counters_tail = counter;
	set->counters_tail = &counter->next;
	if (!set->not_given)
		set->not_given = counter;
	return counter;
}

/* --- what was registered too late --- */

struct perflib_set *perflib_successor(struct perflib *perflib, struct perflib_set *set,
				      uint64_t offset)
{
	struct perflib_set *copy = new_set(perflib, offset);
	int64_t number;

	if (!copy)
		return NULL;
	number = copy->row.counterset;
	copy->row = set->row;
	copy->row.counterset = number;
	copy->registered = set->registered;
	copy->answered = set->answered;
	for (const struct perflib_counter *of = set->counters; of; of = of->next) {
		struct perflib_counter *counter =
			perflib_counter(perflib, copy, of->id, offset);

		if (!counter)
			break;
		counter->row = of->row;
		counter->row.counterset = number;
		counter->type = of->type;
		counter->registered = of->registered;
	}
	memcpy(copy->guid, set->guid, PLB_GUID_BYTES);
	copy->has_guid = true;
	remember(perflib, copy, guid_hash(perflib, copy->guid));
	set->successor = copy;
	return copy;
}

/* --- rows --- */

void perflib_need(struct perflib *perflib, struct perflib_set *set)
{
	if (set->is_pending || (set->given && !set->not_given))
		return;
	set->is_pending = true;
	set->next_pending = NULL;
	*perflib->pending_tail = set;
	perflib->pending_tail = &set->next_pending;
}

bool perflib_next_known(struct perflib *perflib, struct record *out)
{
	struct perflib_set *set;

	while ((set = perflib->pending) != NULL) {
		if (!set->given) {
			set->given = true;
			*out = (struct record){ .kind = RECORD_perflib_counterset,
						.data = &set->row };
			return true;
		}
		if (set->not_given) {
			*out = (struct record){ .kind = RECORD_perflib_counter,
						.data = &set->not_given->row };
			set->not_given = set->not_given->next;
			return true;
		}
		set->is_pending = false;
		perflib->pending = set->next_pending;
	}
	perflib->pending_tail = &perflib->pending;
	return false;
}

/* --- queries --- */

struct perflib_query *perflib_query(struct perflib *perflib, uint32_t number,
				    uint64_t offset)
{
	struct perflib_query *query;

	for (size_t i = 0; i < perflib->query_count; i++)
		if (perflib->queries[i]->number == number)
			return perflib->queries[i];
	if (perflib->query_count == PERFLIB_QUERIES_MAX) {
		over_the_limit(perflib, offset);
		return NULL;
	}
	query = arena_alloc(&perflib->arena, sizeof(*query));
	if (!query) {
		perflib->out_of_memory = true;
		return NULL;
	}
	query->number = number;
	perflib->queries[perflib->query_count++] = query;
	return query;
}

static bool make_room(struct perflib_query *query, uint32_t index)
{
	size_t room = query->slot_count ? query->slot_count : 16;
	struct perflib_slot **slots;

	while (room <= index)
		room *= 2;
	if (room == query->slot_count)
		return true;
	slots = memory_resize(query->slots, room * sizeof(struct perflib_slot *));
	if (!slots)
		return false;
	for (size_t i = query->slot_count; i < room; i++)
		slots[i] = NULL;
	query->slots = slots;
	query->slot_count = room;
	return true;
}

struct perflib_slot *perflib_slot(struct perflib *perflib, struct perflib_query *query,
				  uint32_t index, uint64_t offset)
{
	struct perflib_slot *slot;

	if (index < query->slot_count && query->slots[index])
		return query->slots[index];
	if (index >= PERFLIB_SLOTS_MAX || perflib->slot_count == PERFLIB_SLOTS_MAX) {
		over_the_limit(perflib, offset);
		return NULL;
	}
	slot = arena_alloc(&perflib->arena, sizeof(*slot));
	if (!slot || !make_room(query, index)) {
		perflib->out_of_memory = true;
		return NULL;
	}
	slot->number = ++perflib->slot_count;
	slot->counter = PERFLIB_NONE;
	query->slots[index] = slot;
	return slot;
}

void perflib_known_release(struct perflib *perflib)
{
	for (size_t i = 0; i < perflib->query_count; i++)
		free(perflib->queries[i]->slots);
	free(perflib->bare.slots);
	map_release(&perflib->set_map);
	map_release(&perflib->counter_map);
	map_release(&perflib->instance_map);
}
