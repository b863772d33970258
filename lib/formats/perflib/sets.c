/* sets.c - the countersets, counters and queries of a trace; see perflib.h. */
#include <stdlib.h>

#include "base/array.h"
#include "formats/perflib/perflib.h"

/* --- countersets --- */

/* Those without a GUID are numbered. */
static struct registry_id set_id(const struct perflib_sets *sets, const uint8_t *guid)
{
	struct registry_id id = { .kind = RECORD_perflib_counterset };

	if (guid)
		memcpy(id.numbers, guid, PLB_GUID_BYTES);
	else
		id.numbers[2] = sets->registry.set_count + 1;
	return id;
}

static struct perflib_set *new_set(struct perflib_sets *sets,
				   const struct registry_id *id, uint64_t offset)
{
	struct perflib_set *set = registry_add(&sets->registry, id, sizeof(*set), offset);

	if (!set)
		return NULL;
	set->counters_tail = &set->counters;
	*sets->tail = set;
	sets->tail = &set->next;
	return set;
}

struct perflib_set *perflib_set(struct perflib_sets *sets, const uint8_t *guid,
				uint64_t offset)
{
	struct registry_id id = set_id(sets, guid);
	struct perflib_set *set = registry_find(&sets->registry, &id);

	if (set)
		return set;
	set = new_set(sets, &id, offset);
	if (set && guid)
		set->known.row.guid = perflib_guid_text(&sets->registry, guid);
	return set;
}

/* --- counters --- */

static struct registry_id counter_id(const struct perflib_set *set, uint32_t id)
{
	return (struct registry_id){ .kind = RECORD_perflib_counter,
				     .numbers = { (uint64_t)set->known.row.counterset,
						  id } };
}

struct perflib_counter *perflib_find_counter(const struct perflib_sets *sets,
					     const struct perflib_set *set, uint32_t id)
{
	struct registry_id key = counter_id(set, id);

	return registry_find(&sets->registry, &key);
}

struct perflib_counter *perflib_counter(struct perflib_sets *sets,
					struct perflib_set *set, uint32_t id,
					uint64_t offset)
{
	struct registry_id key = counter_id(set, id);
	struct perflib_counter *counter = registry_find(&sets->registry, &key);

	if (counter)
		return counter;
	counter = registry_add(&sets->registry, &key, sizeof(*counter), offset);
	if (!counter)
		return NULL;
	counter->id = id;
	counter->known.row.counter = id;
	*set->counters_tail = counter;
	set->counters_tail = &counter->next;
	if (!set->not_emitted)
		set->not_emitted = counter;
	return counter;
}

/* --- what was registered too late --- */

struct perflib_set *perflib_successor(struct perflib_sets *sets, struct perflib_set *set,
				      uint64_t offset)
{
	struct perflib_set *copy = new_set(sets, &set->known.node.id, offset);
	int64_t number;

	if (!copy)
		return NULL;
	number = copy->known.row.counterset;
	copy->known.row = set->known.row;
	copy->known.row.counterset = number;
	copy->registered = set->registered;
	copy->answered = set->answered;
	for (const struct perflib_counter *of = set->counters; of; of = of->next) {
		struct perflib_counter *counter =
			perflib_counter(sets, copy, of->id, offset);

		if (!counter)
			break;
		counter->known.row = of->known.row;
		counter->known.row.counterset = number;
		counter->type = of->type;
		counter->registered = of->registered;
	}
	set->successor = copy;
	return copy;
}

/* --- rows --- */

void perflib_emit_set(struct perflib_sets *sets, struct perflib_set *set)
{
	if (!set->emitted)
		registry_emit(&sets->registry, &set->known.node);
	set->emitted = true;
	for (; set->not_emitted; set->not_emitted = set->not_emitted->next)
		registry_emit(&sets->registry, &set->not_emitted->known.node);
}

/* --- queries --- */

static void over_the_limit(struct perflib_sets *sets, uint64_t offset)
{
	finding_add(sets->registry.findings, FINDING_PERFLIB_LIMIT, offset, 1);
}

struct perflib_query *perflib_query(struct perflib_sets *sets, uint32_t number,
				    uint64_t offset)
{
	struct perflib_query *query;

	for (size_t i = 0; i < sets->query_count; i++)
		if (sets->queries[i]->number == number)
			return sets->queries[i];
	if (sets->query_count == PERFLIB_QUERIES_MAX) {
		over_the_limit(sets, offset);
		return NULL;
	}
	query = arena_alloc(&sets->registry.arena, sizeof(*query));
	if (!query) {
		sets->registry.out_of_memory = true;
		return NULL;
	}
	query->number = number;
	sets->queries[sets->query_count++] = query;
	return query;
}

struct perflib_slot *perflib_slot(struct perflib_sets *sets, struct perflib_query *query,
				  uint32_t index, uint64_t offset)
{
	struct perflib_slot *slot;

	if (index < query->slot_count && query->slots[index])
		return query->slots[index];
	if (index >= PERFLIB_SLOTS_MAX || sets->slot_count == PERFLIB_SLOTS_MAX) {
		over_the_limit(sets, offset);
		return NULL;
	}
	slot = arena_alloc(&sets->registry.arena, sizeof(*slot));
	if (!slot || !ARRAY_GROW_ZEROED(query->slots, query->slot_count, index)) {
		sets->registry.out_of_memory = true;
		return NULL;
	}
	slot->number = ++sets->slot_count;
	slot->counter = PERFLIB_NONE;
	query->slots[index] = slot;
	return slot;
}

void perflib_sets_release(struct perflib_sets *sets)
{
	for (size_t i = 0; i < sets->query_count; i++)
		free(sets->queries[i]->slots);
	free(sets->bare.slots);
	registry_release(&sets->registry);
}
