/*
 * values.c - counters, instances and values of a block: rules V13 to V25 and V29.
 *
 * The values of an instance come all or none (V29): they are walked once to be judged,
 * and once more to be emitted.
 */
#include <stdlib.h>

#include "base/array.h"
#include "formats/perflib/perflib.h"

#define LIST_HEADER_BYTES 8
#define VALUE_HEADER_BYTES 8

/* Of PERF_COUNTER_TYPE: the size of the value. */
#define TYPE_SIZE(type) ((type) >> 8 & 3)
#define SIZE_DWORD 0
#define SIZE_LARGE 1

static bool is_zero(const uint8_t *at, size_t size)
{
	while (size > 0 && at[size - 1] == 0)
		size--;
	return size == 0;
}

/* V21 */
static void check_padding(struct findings *findings, const uint8_t *at, size_t size,
			  uint64_t offset)
{
	if (!is_zero(at, size))
		finding_add(findings, FINDING_PERFLIB_V21, offset, 1);
}

/* --- PERF_MULTI_COUNTERS: V13 to V15 --- */

static void check_ids(struct perflib *perflib, struct cursor ids)
{
	struct perflib_walk *walk = &perflib->walk;
	struct perflib_set *set = walk->slot->set;
	struct findings *findings = perflib->findings;
	size_t limit = walk->counters;

	if (limit > PERFLIB_SET_COUNTERS_MAX) {
		limit = PERFLIB_SET_COUNTERS_MAX;
		finding_report(findings, FINDING_PERFLIB_V15, ids.offset - 4,
			       "V15: %u counters, expected at most %d", walk->counters,
			       PERFLIB_SET_COUNTERS_MAX);
	}
	if (!ARRAY_GROW(walk->known, walk->known_room, limit)) {
		perflib->sets.registry.out_of_memory = true;
		return;
	}
	walk->known_count = limit;
	for (size_t i = 0; i < limit; i++) {
		uint64_t offset = ids.offset;
		uint32_t id = cursor_u32(&ids);
		struct perflib_counter *counter =
			perflib_counter(&perflib->sets, set, id, offset);

		walk->known[i] = counter;
		if (!counter)
			continue;
		if (counter->seen == walk->stamp)
			finding_report(findings, FINDING_PERFLIB_V15, offset,
				       "V15: counter id %u is in the list twice", id);
		else if (set->registered && !counter->registered)
			finding_report(findings, FINDING_PERFLIB_V15, offset,
				       "V15: counter id %u is not registered", id);
		counter->seen = walk->stamp;
	}
	perflib_emit_set(&perflib->sets, set); /* for those that it had not */
}

/* V26: the same counters as in the last snapshot. */
static void check_list(struct perflib *perflib, struct cursor ids)
{
	struct perflib_slot *slot = perflib->walk.slot;
	uint64_t hash = map_salt(), offset = ids.offset;

	while (cursor_left(&ids))
		hash = map_mix(hash, cursor_u32(&ids), 0);
	hash |= 1;
	if (slot->list_hash && slot->list_hash != hash)
		finding_report(perflib->findings, FINDING_PERFLIB_V26, offset - 8,
			       "V26: the list of counters differs from the snapshot "
			       "before");
	slot->list_hash = hash;
}

/* False: the rest of the block cannot be read. */
static bool decode_counters(struct perflib *perflib, struct cursor *payload)
{
	struct perflib_walk *walk = &perflib->walk;
	struct cursor list = *payload, ids;
	uint64_t offset = list.offset;
	size_t left = cursor_left(&list), after;
	uint32_t size = cursor_u32(&list), count = cursor_u32(&list);

	if (list.overrun || size < LIST_HEADER_BYTES || size > left ||
	    count > (size - LIST_HEADER_BYTES) / 4) {
		finding_gap(perflib->findings, FINDING_PERFLIB_V13, offset, offset + left,
			    "V13: a list of %u counters in %u bytes, where %zu are left",
			    count, size, left);
		return false;
	}
	if (size % 8 != 0)
		finding_report(
			perflib->findings, FINDING_PERFLIB_V13, offset,
			"V13: a list of counters of %u bytes, expected a multiple of "
			"8",
			size);
	list = cursor_sub(payload, size);
	cursor_skip(&list, LIST_HEADER_BYTES);
	walk->ids = list.pos;
	walk->known_count = 0;
	walk->counters = count;
	walk->block_row.counters = count;
	ids = cursor_sub(&list, (size_t)count * 4);
	after = cursor_left(&list);
	if (after != 0 && after != 4)
		finding_report(
			perflib->findings, FINDING_PERFLIB_V14, list.offset,
			"V14: %zu bytes after a list of %u counters, expected 0 or "
			"4",
			after, count);
	else
		check_padding(perflib->findings, list.pos, after, list.offset);
	if (walk->slot) {
		check_ids(perflib, ids);
		check_list(perflib, ids);
	}
	return true;
}

/* --- PERF_MULTI_INSTANCES: V16 and V17 --- */

static bool decode_instances(struct perflib *perflib, struct cursor *payload)
{
	struct perflib_walk *walk = &perflib->walk;
	struct cursor list = *payload;
	uint64_t offset = list.offset;
	size_t left = cursor_left(&list);
	uint32_t size = cursor_u32(&list), count = cursor_u32(&list);
	uint64_t least = PERFLIB_INSTANCE_HEADER_BYTES + (uint64_t)walk->counters * 16;

	walk->block_row.instances = count;
	if (list.overrun || size < LIST_HEADER_BYTES || size > left) {
		finding_gap(perflib->findings, FINDING_PERFLIB_V16, offset, offset + left,
			    "V16: a list of instances of %u bytes, where %zu are left",
			    size, left);
		return false;
	}
	if (count > (size - LIST_HEADER_BYTES) / least) {
		finding_gap(perflib->findings, FINDING_PERFLIB_V17, offset + 4,
			    offset + left,
			    "V17: %u instances claimed, but there is room for %llu",
			    count,
			    (unsigned long long)((size - LIST_HEADER_BYTES) / least));
		return false;
	}
	walk->units = cursor_sub(payload, size);
	cursor_skip(&walk->units, LIST_HEADER_BYTES);
	walk->instances = count;
	if (cursor_left(payload))
		finding_gap(perflib->findings, FINDING_PERFLIB_V25, payload->offset,
			    payload->offset + cursor_left(payload),
			    "V25: %zu bytes after the instances of a block",
			    cursor_left(payload));
	return true;
}

/*
 * The counter that was asked for alone has its row before its values, registered or not.
 */
static void emit_single_counter(struct perflib *perflib, uint64_t offset)
{
	const struct perflib_slot *slot = perflib->walk.slot;

	if (!slot || slot->counter == PERFLIB_NONE)
		return;
	(void)perflib_counter(&perflib->sets, slot->set, slot->counter, offset);
	perflib_emit_set(&perflib->sets, slot->set);
}

bool perflib_begin_payload(struct perflib *perflib, struct cursor payload, uint32_t type)
{
	struct perflib_walk *walk = &perflib->walk;

	walk->has_instances = type == PERFLIB_INSTANCES || type == PERFLIB_COUNTERSET;
	walk->ids = NULL;
	walk->counters = 1;
	if (type == PERFLIB_COUNTERS || type == PERFLIB_COUNTERSET) {
		if (!decode_counters(perflib, &payload))
			return false;
	} else {
		emit_single_counter(perflib, payload.offset);
	}
	if (walk->has_instances) {
		if (!decode_instances(perflib, &payload))
			return false;
	} else {
		walk->units = payload;
		walk->instances = 1;
	}
	walk->whole = cursor_left(&payload) == 0 || !walk->has_instances;
	return true;
}

/* --- PERF_COUNTER_DATA: V22 to V24 --- */

/* The counter whose values stand at a position, if it is known; its id, if that is. */
static const struct perflib_counter *counter_at(struct perflib *perflib,
						uint32_t position, int64_t *id)
{
	const struct perflib_walk *walk = &perflib->walk;
	const struct perflib_slot *slot = walk->slot;

	*id = INT_NONE;
	if (walk->ids) {
		struct cursor c =
			cursor_over(walk->ids + (size_t)position * 4, 4, 0, false);

		*id = cursor_u32(&c);
		return slot && position < walk->known_count ? walk->known[position]
							    : NULL;
	}
	if (!slot || slot->counter == PERFLIB_NONE)
		return NULL;
	*id = slot->counter;
	return perflib_find_counter(&perflib->sets, slot->set, slot->counter);
}

static void check_size(struct perflib *perflib, uint32_t bytes, uint32_t position,
		       uint64_t offset)
{
	const struct perflib_counter *counter;
	uint32_t size;
	int64_t id;

	if (bytes != 4 && bytes != 8) {
		finding_report(perflib->findings, FINDING_PERFLIB_V23, offset,
			       "V23: a value of %u bytes, expected 4 or 8", bytes);
		return;
	}
	counter = counter_at(perflib, position, &id);
	if (!counter || !counter->registered)
		return;
	size = TYPE_SIZE(counter->type);
	if ((size == SIZE_DWORD && bytes != 4) || (size == SIZE_LARGE && bytes != 8))
		finding_report(perflib->findings, FINDING_PERFLIB_V24, offset,
			       "V24: a value of %u bytes for counter %u of type 0x%08x",
			       bytes, counter->id, counter->type);
}

/*
 * Past one value.  False: the next one cannot be found.  *kept: it is one that can be
 * handed out.
 */
static bool check_value(struct perflib *perflib, struct cursor *c, uint32_t position,
			bool *kept)
{
	struct cursor value = *c;
	uint64_t offset = value.offset;
	size_t left = cursor_left(&value);
	uint32_t bytes = cursor_u32(&value), size = cursor_u32(&value);

	*kept = false;
	if (value.overrun || size < VALUE_HEADER_BYTES || size > left) {
		finding_gap(perflib->findings, FINDING_PERFLIB_V22, offset, offset + left,
			    "V22: a value with %u bytes around it, where %zu are left",
			    size, left);
		return false;
	}
	value = cursor_sub(c, size);
	if (bytes > size - VALUE_HEADER_BYTES) {
		finding_gap(perflib->findings, FINDING_PERFLIB_V22, offset, offset + size,
			    "V22: a value of %u bytes in %u", bytes, size);
		return true;
	}
	if (size % 8 != 0)
		finding_report(
			perflib->findings, FINDING_PERFLIB_V22, offset,
			"V22: a value with %u bytes around it, expected a multiple "
			"of 8",
			size);
	check_size(perflib, bytes, position, offset);
	cursor_skip(&value, VALUE_HEADER_BYTES + (size_t)bytes);
	check_padding(perflib->findings, value.pos, cursor_left(&value), value.offset);
	*kept = true;
	return true;
}

/* Past all values of a unit. */
static bool check_values(struct perflib *perflib, struct cursor *c, bool *kept)
{
	uint64_t offset = c->offset;
	uint32_t readable = 0, at = 0;
	bool found = true;

	for (; found && at < perflib->walk.counters; at++) {
		bool one;

		found = check_value(perflib, c, at, &one);
		readable += one;
	}
	*kept = found && readable == at;
	if (!*kept && readable)
		finding_report(perflib->findings, FINDING_PERFLIB_V29, offset,
			       "V29: %u values skipped with the one that is invalid",
			       readable);
	return found;
}

/* --- PERF_INSTANCE_HEADER: V18 to V20 --- */

void perflib_check_name(struct findings *findings, const uint8_t *name, size_t bytes,
			size_t length, bool has_end, uint64_t offset)
{
	const char *wrong = NULL;

	if (!has_end)
		wrong = "is not terminated";
	else if (length == 0)
		wrong = "is empty";
	else if (length / 2 > PERFLIB_NAME_UNITS_MAX)
		wrong = "is longer than 1023 characters";
	else if (!perflib_utf16_is_valid(name, length))
		wrong = "is not UTF-16";
	if (wrong)
		finding_report(findings, FINDING_PERFLIB_V19, offset,
			       "V19: the name of an instance %s", wrong);
	if (has_end)
		check_padding(findings, name + length + 2, bytes - length - 2,
			      offset + length + 2);
}

struct unit {
	uint32_t id;
	struct str name; /* UTF-16; ptr NULL: of counters without instances */
	uint64_t offset;
};

static bool decode_name(struct perflib *perflib, struct unit *unit)
{
	struct cursor *units = &perflib->walk.units;
	struct cursor head = *units;
	uint64_t offset = head.offset;
	size_t left = cursor_left(&head), bytes, length;
	uint32_t size = cursor_u32(&head);
	bool has_end;

	unit->offset = offset;
	unit->id = cursor_u32(&head);
	if (head.overrun || size < PERFLIB_INSTANCE_BYTES_MIN || size > left) {
		finding_gap(perflib->findings, FINDING_PERFLIB_V18, offset, offset + left,
			    "V18: an instance of %u bytes where %zu are left, expected "
			    "at least %d",
			    size, left, PERFLIB_INSTANCE_BYTES_MIN);
		return false;
	}
	if (size % 8 != 0)
		finding_report(perflib->findings, FINDING_PERFLIB_V18, offset,
			       "V18: an instance of %u bytes, expected a multiple of 8",
			       size);
	head = cursor_sub(units, size);
	cursor_skip(&head, PERFLIB_INSTANCE_HEADER_BYTES);
	bytes = cursor_left(&head);
	has_end = perflib_nul(head.pos, bytes, &length);
	perflib_check_name(perflib->findings, head.pos, bytes, length, has_end,
			   head.offset);
	unit->name = (struct str){ (const char *)head.pos, length };
	return true;
}

/* --- from unit to unit --- */

/* V25 */
static void check_rest(struct perflib *perflib)
{
	struct perflib_walk *walk = &perflib->walk;
	size_t left = cursor_left(&walk->units);

	if (!left)
		return;
	walk->whole = false;
	finding_gap(perflib->findings, FINDING_PERFLIB_V25, walk->units.offset,
		    walk->units.offset + left, "V25: %zu bytes after the last %s", left,
		    walk->has_instances ? "instance" : "value");
}

/* Its row, if an incarnation begins; its values, which have been judged, are next. */
static void begin_values(struct perflib *perflib, const struct unit *unit,
			 struct cursor values)
{
	struct perflib_walk *walk = &perflib->walk;
	struct registry_who who = {
		.visits = &walk->slot->visits,
		.place = walk->slot->number,
		.counterset = walk->slot->set->known.row.counterset,
		.number = unit->name.ptr ? (int64_t)unit->id : INT_NONE,
		.block = walk->block_row.block,
		.query = perflib->is_bundle ? (int64_t)walk->query->number : INT_NONE,
		.parent_title = INT_NONE,
		.parent_number = INT_NONE,
		.snapshot = walk->snapshot_row.snapshot,
		.name = unit->name,
		.is_utf16 = true,
	};
	const struct registry_instance *instance =
		registry_instance(&perflib->sets.registry, &who, unit->offset);

	if (!instance)
		return;
	if (instance->row.ordinal)
		finding_report(perflib->findings, FINDING_PERFLIB_V20, unit->offset,
			       "V20: the id %u and the name of an earlier instance",
			       unit->id);
	walk->values = values;
	walk->value_at = 0;
	walk->value_count = perflib->want_raw ? walk->counters : 0;
	walk->raw_row = (struct perflib_raw_row){
		.snapshot = walk->snapshot_row.snapshot,
		.instance = instance->row.instance,
		.second = INT_NONE,
		.multi = INT_NONE,
		.status = INT_NONE,
	};
}

bool perflib_next_unit(struct perflib *perflib)
{
	struct perflib_walk *walk = &perflib->walk;
	struct unit unit = { .offset = walk->units.offset };
	struct cursor values;
	bool kept;

	if (walk->instances == 0) {
		check_rest(perflib);
		return false;
	}
	walk->instances--;
	if (walk->has_instances && !decode_name(perflib, &unit)) {
		walk->whole = false;
		return false;
	}
	values = walk->units;
	if (!check_values(perflib, &walk->units, &kept)) {
		walk->whole = false;
		return false;
	}
	walk->whole &= kept;
	if (kept && walk->slot)
		begin_values(perflib, &unit, values);
	return true;
}

bool perflib_next_value(struct perflib *perflib, struct record *out)
{
	struct perflib_walk *walk = &perflib->walk;
	struct cursor head = walk->values, value;
	uint32_t bytes, size;

	if (walk->value_at == walk->value_count)
		return false;
	bytes = cursor_u32(&head);
	size = cursor_u32(&head);
	value = cursor_sub(&walk->values, size);
	cursor_skip(&value, VALUE_HEADER_BYTES);
	(void)counter_at(perflib, walk->value_at, &walk->raw_row.counter);
	walk->raw_row.position = walk->value_at++;
	registry_set_value(&walk->raw_row, value.pos, bytes);
	*out = (struct record){ .kind = RECORD_perflib_raw,
				.offset = head.offset,
				.data = &walk->raw_row };
	return true;
}
