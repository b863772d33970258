/*
 * values.c - instances and values of a V1 object.
 *
 * An instance is its definition, with the name in it, and a block of values after it;
 * where each counter has its value in there is the same for all.  What an instance is
 * called need not be unique: those of one name are distinguished by their order.
 */
#include "base/text.h"
#include "formats/etw/etw.h"
#include "formats/winperf/winperf.h"

#define INSTANCE_BYTES 24u
#define VALUES_BYTES_MIN 4u
#define NO_NUMBER -1

#define CODE_PAGE_WINDOWS_1252 1252
#define CODE_PAGE_UTF8 65001

/* Where a parent is looked for. */
#define PARENTS_MAX 256

void winperf_begin_object(struct winperf *w)
{
	struct winperf_walk *walk = &w->walk;
	struct winperf_object *object = &walk->objects[walk->object];

	object->set->visits.now++;
	walk->in_object = walk->whole = true;
	walk->instances = object->instances;
}

/* --- names --- */

/* A name that is not in UTF-16, with its NUL. */
static struct str decode_ansi_name(struct winperf *w, const uint8_t *at, size_t bytes,
				   uint32_t code_page, uint64_t offset)
{
	struct str name = { (const char *)at, 0 };

	while (name.len < bytes && at[name.len])
		name.len++;
	if (code_page == CODE_PAGE_WINDOWS_1252)
		name = etw_ansi_text(&w->scratch, name);
	else if (code_page != CODE_PAGE_UTF8 && !text_is_valid(name))
		finding_report(w->registry.findings, FINDING_PERF_BLOCK_CODE_PAGE,
			       winperf_place(w, offset),
			       "names in the unknown code page %u: their bytes are "
			       "kept as \\xNN",
			       code_page);
	name = text_valid_utf8(&w->scratch, name);
	w->registry.out_of_memory |= !name.ptr;
	return name;
}

/* The name in the definition of an instance; ptr NULL: none that can be read. */
static struct str decode_name(struct winperf *w, struct cursor whole, uint32_t at,
			      uint32_t bytes)
{
	const struct winperf_object *object = &w->walk.objects[w->walk.object];
	uint64_t offset = whole.offset;
	size_t all = cursor_left(&whole);
	const uint8_t *name;

	cursor_skip(&whole, at);
	name = cursor_bytes(&whole, bytes);
	if (!name || at < INSTANCE_BYTES || bytes > WINPERF_NAME_BYTES_MAX) {
		finding_report(
			w->registry.findings, FINDING_PERF_BLOCK_NAME,
			winperf_place(w, offset),
			"the name of an instance, %u bytes at %u, is not in its %zu "
			"bytes, or longer than %u",
			bytes, at, all, WINPERF_NAME_BYTES_MAX);
		return STR_NONE;
	}
	if (object->code_page)
		return decode_ansi_name(w, name, bytes, object->code_page, offset);
	if (bytes % 2 || bytes < 2 || name[bytes - 2] || name[bytes - 1])
		finding_report(w->registry.findings, FINDING_PERF_BLOCK_NAME,
			       winperf_place(w, offset),
			       "the name of an instance, %u bytes, is not terminated",
			       bytes);
	return winperf_utf8(w, name, bytes & ~1u);
}

/* --- parents --- */

/* Of the objects in this block; those of others cannot be looked for. */
static void check_parent(struct winperf *w, const struct registry_who *who,
			 uint64_t offset)
{
	const struct winperf_walk *walk = &w->walk;

	for (size_t i = 0; i < walk->object_count && i < PARENTS_MAX; i++) {
		const struct winperf_object *object = &walk->objects[i];

		if (object->title != who->parent_title || !object->has_instances)
			continue;
		if (who->parent_number >= object->instances)
			finding_report(w->registry.findings, FINDING_PERF_BLOCK_PARENT,
				       winperf_place(w, offset),
				       "an instance of instance %lld of object %u, which "
				       "has %u",
				       (long long)who->parent_number, object->title,
				       object->instances);
		return;
	}
}

/* --- instances --- */

/* Its definition; false: there is none. */
static bool decode_instance(struct winperf *w, struct registry_who *who)
{
	struct cursor *rest = &w->walk.objects[w->walk.object].rest;
	struct cursor head = *rest;
	uint64_t offset = head.offset;
	size_t left = cursor_left(&head);
	uint32_t bytes = cursor_u32(&head), title = cursor_u32(&head);
	uint32_t parent = cursor_u32(&head), at, length;
	int32_t number = (int32_t)cursor_u32(&head);

	at = cursor_u32(&head);
	length = cursor_u32(&head);
	if (head.overrun || bytes < INSTANCE_BYTES || bytes > left) {
		winperf_gap(w, FINDING_PERF_BLOCK_INSTANCE, offset, left,
			    "an instance of %u bytes where %zu are left, expected at "
			    "least %u",
			    bytes, left, INSTANCE_BYTES);
		return false;
	}
	who->number = number == NO_NUMBER ? INT_NONE : number;
	if (title) {
		who->parent_title = title;
		who->parent_number = parent;
		check_parent(w, who, offset);
	}
	who->name = decode_name(w, cursor_sub(rest, bytes), at, length);
	return true;
}

/* The block of its values; false: there is none. */
static bool decode_values(struct winperf *w, struct cursor *values)
{
	struct cursor *rest = &w->walk.objects[w->walk.object].rest;
	struct cursor head = *rest;
	uint64_t offset = head.offset;
	size_t left = cursor_left(&head);
	uint32_t bytes = cursor_u32(&head);

	if (head.overrun || bytes < VALUES_BYTES_MIN || bytes > left) {
		winperf_gap(w, FINDING_PERF_BLOCK_INSTANCE, offset, left,
			    "values of %u bytes where %zu are left, expected at least %u",
			    bytes, left, VALUES_BYTES_MIN);
		return false;
	}
	*values = cursor_sub(rest, bytes);
	return true;
}

/* Up to 7 bytes may follow the last instance, to begin the next object on 8. */
static void end_object(struct winperf *w)
{
	struct winperf_walk *walk = &w->walk;
	struct winperf_object *object = &walk->objects[walk->object];
	size_t left = cursor_left(&object->rest);

	if (walk->whole)
		object->set->visits.last_whole = object->set->visits.now;
	if (!walk->whole || left < 8)
		return;
	winperf_gap(w, FINDING_PERF_BLOCK_REST, object->rest.offset, left,
		    "%zu bytes after the last instance of an object", left);
}

bool winperf_next_instance(struct winperf *w)
{
	struct winperf_walk *walk = &w->walk;
	struct winperf_object *object = &walk->objects[walk->object];
	const struct registry_instance *instance;
	uint64_t offset = object->rest.offset;
	struct registry_who who = {
		.number = INT_NONE,
		.query = walk->query,
		.block = object->place,
		.parent_title = INT_NONE,
		.parent_number = INT_NONE,
	};

	if (walk->instances == 0) {
		end_object(w);
		return false;
	}
	walk->instances--;
	if ((object->has_instances && !decode_instance(w, &who)) ||
	    !decode_values(w, &walk->values)) {
		walk->whole = false;
		return false;
	}
	instance = winperf_instance(w, object->set, &who, offset);
	if (!instance)
		return true;
	if (instance->row.ordinal && who.number != INT_NONE)
		finding_report(w->registry.findings, FINDING_PERF_BLOCK_ID,
			       winperf_place(w, offset),
			       "the unique id %lld and the name of an earlier instance",
			       (long long)who.number);
	walk->value_at = 0;
	walk->value_count = (uint32_t)object->set->known.row.counters;
	walk->raw_row = (struct perflib_raw_row){
		.snapshot = walk->snapshot,
		.instance = instance->row.instance,
		.second = INT_NONE,
		.multi = INT_NONE,
		.status = INT_NONE,
	};
	return true;
}

/* --- values --- */

bool winperf_next_value(struct winperf *w, struct record *out)
{
	struct winperf_walk *walk = &w->walk;

	while (walk->value_at < walk->value_count) {
		const struct winperf_counter *counter =
			walk->objects[walk->object].set->counters[walk->value_at++];
		struct cursor value = walk->values;
		uint64_t at = value.offset;

		cursor_skip(&value, counter->at);
		value = cursor_sub(&value, counter->size);
		if (value.overrun) {
			finding_report(w->registry.findings, FINDING_PERF_BLOCK_VALUE,
				       winperf_place(w, at),
				       "a value of %u bytes at %u in %zu bytes of values",
				       counter->size, counter->at,
				       cursor_left(&walk->values));
			continue;
		}
		walk->raw_row.counter = walk->raw_row.position =
			counter->known.row.counter;
		registry_set_value(&walk->raw_row, value.pos, counter->size);
		if (counter->size == 0)
			walk->raw_row.raw = STR_NONE;
		*out = (struct record){ .kind = RECORD_perflib_raw,
					.offset = winperf_place(w, at + counter->at),
					.data = &walk->raw_row };
		return true;
	}
	return false;
}
