/*
 * instances.c - who is who across snapshots: by id, name and ordinal, in one
 * block.
 *
 * An instance that was missing in a snapshot whose block could be read as a whole begins
 * a new life: its counters began anew as well.  Rule V20: id and name may be repeated in
 * a block, and are then told apart by their order.
 */
#include "formats/perflib/perflib.h"

static uint64_t hash_of(const struct perflib *perflib, uint64_t slot, uint32_t id,
			uint32_t ordinal, const uint8_t *name, size_t name_bytes)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ perflib->seed ^ slot << 32 ^ id ^
			(uint64_t)ordinal << 20;

	for (size_t i = 0; i < name_bytes; i++)
		hash = (hash ^ name[i]) * UINT64_C(0x100000001b3);
	return hash ^ hash >> 32;
}

static struct perflib_instance *find(struct perflib *perflib, uint64_t hash, uint32_t id,
				     uint32_t ordinal, const uint8_t *name,
				     size_t name_bytes)
{
	struct perflib_instance *at = map_get(&perflib->instance_map, hash);

	for (; at; at = at->same_hash)
		if (at->slot == perflib->walk.slot->number && at->id == id &&
		    at->ordinal == ordinal && !at->name == !name &&
		    at->name_bytes == name_bytes &&
		    (name_bytes == 0 || memcmp(at->name, name, name_bytes) == 0))
			return at;
	return NULL;
}

static const uint8_t *copy_name(struct perflib *perflib, const uint8_t *name,
				size_t name_bytes)
{
	uint8_t *copy = arena_alloc(&perflib->arena, name_bytes + 1);

	if (copy && name_bytes)
		memcpy(copy, name, name_bytes);
	perflib->text_bytes += name_bytes;
	return copy;
}

/* An older life of the same instance stays in front of it no longer. */
static bool remember(struct perflib *perflib, uint64_t hash,
		     struct perflib_instance *instance, struct perflib_instance *older)
{
	struct perflib_instance *first = map_get(&perflib->instance_map, hash);

	if (older) {
		struct perflib_instance **at = &first;

		while (*at != older)
			at = &(*at)->same_hash;
		*at = older->same_hash;
	}
	instance->same_hash = first;
	return map_put(&perflib->instance_map, hash, instance);
}

static struct perflib_instance *begin_life(struct reader *reader, uint64_t hash,
					   uint32_t id, uint32_t ordinal,
					   const uint8_t *name, size_t name_bytes,
					   uint64_t offset,
					   struct perflib_instance *older)
{
	struct perflib *perflib = reader->state;
	const struct perflib_walk *walk = &perflib->walk;
	struct perflib_instance *instance;

	if (perflib->instance_count == PERFLIB_INSTANCES_MAX ||
	    name_bytes > PERFLIB_TEXT_BYTES_MAX - perflib->text_bytes) {
		finding_add(perflib->findings, FINDING_PERFLIB_LIMIT, offset, 1);
		return NULL;
	}
	instance = arena_alloc(&perflib->arena, sizeof(*instance));
	if (!instance) {
		perflib->out_of_memory = true;
		return NULL;
	}
	instance->slot = walk->slot->number;
	instance->id = id;
	instance->ordinal = ordinal;
	instance->name_bytes = name_bytes;
	instance->row = (struct perflib_instance_row){
		.instance = (int64_t)++perflib->instance_count,
		.counterset = walk->slot->set->row.counterset,
		.query = perflib->is_bundle ? (int64_t)walk->query->number : INT_NONE,
		.block = walk->block_row.block,
		.number = name ? (int64_t)id : INT_NONE,
		.ordinal = ordinal,
		.parent_title = INT_NONE,
		.parent_number = INT_NONE,
		.first_snapshot = walk->snapshot_row.snapshot,
	};
	if (older) { /* the same texts */
		instance->name = older->name;
		instance->row.name = older->row.name;
	} else if (name) {
		instance->name = copy_name(perflib, name, name_bytes);
		instance->row.name = perflib_utf8(perflib, name, name_bytes, offset);
		perflib->out_of_memory |= !instance->name;
	}
	if (!remember(perflib, hash, instance, older))
		perflib->out_of_memory = true;
	return instance;
}

/* The one with that ordinal, in this life. */
static struct perflib_instance *meet(struct reader *reader, uint32_t id, uint32_t ordinal,
				     const uint8_t *name, size_t name_bytes,
				     uint64_t offset)
{
	struct perflib *perflib = reader->state;
	uint64_t hash = hash_of(perflib, perflib->walk.slot->number, id, ordinal, name,
				name_bytes);
	struct perflib_instance *instance =
		find(perflib, hash, id, ordinal, name, name_bytes);

	/* Counters that were registered anew are others. */
	if (!instance || instance->last_snapshot < perflib->walk.slot->last_whole ||
	    instance->row.counterset != perflib->walk.slot->set->row.counterset)
		instance = begin_life(reader, hash, id, ordinal, name, name_bytes, offset,
				      instance);
	return instance;
}

struct perflib_instance *perflib_instance(struct reader *reader, uint32_t id,
					  const uint8_t *name, size_t name_bytes,
					  uint64_t offset)
{
	struct perflib *perflib = reader->state;
	struct perflib_walk *walk = &perflib->walk;
	struct perflib_instance *instance = meet(reader, id, 0, name, name_bytes, offset);

	if (instance && instance->block == walk->stamp) {
		finding_report(perflib->findings, FINDING_PERFLIB_V20, offset,
			       "V20: the id %u and the name of an earlier instance", id);
		instance =
			meet(reader, id, ++instance->repeats, name, name_bytes, offset);
	}
	if (!instance)
		return NULL;
	instance->block = walk->stamp;
	if (instance->ordinal == 0)
		instance->repeats = 0;
	instance->last_snapshot = walk->snapshot_row.snapshot;
	return instance;
}
