/* counterset.c - decodes the names and structures of countersets; see counterset.h. */
#include "capture/perflib/counterset.h"

#include "base/cursor.h"
#include "capture/perflib/names.h"

/* --- texts --- */

static struct str query_text(struct countersets *all, const struct counterset *set,
			     uint32_t request)
{
	struct query_retry *retry = all->retry;
	struct str text;

	if (query_retry_registration(retry, set->guid, request, 0) != CODE_DONE)
		return STR_NONE;
	text = names_utf8(&all->arena, retry->buffer.bytes, retry->size);
	all->out_of_memory |= !text.ptr;
	return text;
}

/* String offsets are relative to the start of the answer. */
static void decode_strings(struct countersets *all, struct counterset *set,
			   uint32_t request)
{
	const struct query_retry *retry = all->retry;
	struct cursor c = cursor_over(retry->buffer.bytes, retry->size, 0, false);
	uint32_t count;

	cursor_skip(&c, 4);
	count = cursor_u32(&c);
	if (count > 2 * set->counter_count) /* ids may occur twice */
		count = (uint32_t)(2 * set->counter_count);
	for (uint32_t i = 0; i < count && !c.overrun; i++) {
		struct counterset_counter *counter =
			counterset_counter(set, cursor_u32(&c));
		uint32_t offset = cursor_u32(&c);
		struct str text;

		if (!counter || c.overrun || offset >= retry->size)
			continue;
		text = names_utf8(&all->arena, retry->buffer.bytes + offset,
				  retry->size - offset);
		all->out_of_memory |= !text.ptr;
		if (request == PLB_COUNTER_NAMES)
			counter->name = text;
		else if (request == PLB_COUNTER_HELPS)
			counter->help = text;
		else
			counter->english = text;
	}
}

/* --- structures --- */

struct counterset_counter *counterset_counter(const struct counterset *set, uint32_t id)
{
	for (size_t i = 0; i < set->counter_count; i++)
		if (set->counters[i].id == id)
			return &set->counters[i];
	return NULL;
}

static void decode_structure(struct countersets *all, struct counterset *set)
{
	struct cursor c =
		cursor_over(all->retry->buffer.bytes, all->retry->size, 0, false);
	uint32_t count;

	cursor_skip(&c, PLB_GUID_BYTES + 8);
	count = cursor_u32(&c);
	set->instance_type = cursor_u32(&c);
	if (c.overrun || count > cursor_left(&c) / SOURCE_COUNTER_BYTES)
		count = (uint32_t)(cursor_left(&c) / SOURCE_COUNTER_BYTES);
	if (count > COUNTERSET_COUNTERS_MAX)
		count = COUNTERSET_COUNTERS_MAX;
	set->counters = arena_alloc(&all->arena, (count + 1) * sizeof(*set->counters));
	all->out_of_memory |= !set->counters;
	for (uint32_t i = 0; set->counters && i < count; i++) {
		struct cursor fields = cursor_sub(&c, SOURCE_COUNTER_BYTES);
		struct counterset_counter *counter = &set->counters[set->counter_count++];

		counter->id = cursor_u32(&fields);
		counter->type = cursor_u32(&fields);
		counter->attributes = cursor_u64(&fields);
		cursor_skip(&fields, 4);
		counter->scale = (int32_t)cursor_u32(&fields);
		for (int which = 0; which < 4; which++)
			counter->partners[which] = cursor_u32(&fields);
	}
}

void counterset_load(struct countersets *all, struct counterset *set)
{
	static const uint32_t strings[] = { PLB_COUNTER_NAMES, PLB_COUNTER_HELPS,
					    PLB_COUNTER_ENGLISH_NAMES };

	if (set->counters)
		return;
	set->code =
		query_retry_registration(all->retry, set->guid, PLB_COUNTERSET_STRUCT, 0);
	if (set->code != CODE_DONE)
		return;
	decode_structure(all, set);
	set->help = query_text(all, set, PLB_COUNTERSET_HELP);
	set->provider = query_text(all, set, PLB_PROVIDER_NAME);
	for (size_t i = 0; i < 3; i++)
		if (query_retry_registration(all->retry, set->guid, strings[i], 0) ==
		    CODE_DONE)
			decode_strings(all, set, strings[i]);
}

/* --- the list --- */

static void decode_guids(struct countersets *all)
{
	size_t count = all->retry->size / PLB_GUID_BYTES;

	if (count > COUNTERSETS_MAX)
		count = COUNTERSETS_MAX;
	all->sets = arena_alloc(&all->arena, (count + 1) * sizeof(*all->sets));
	all->out_of_memory |= !all->sets;
	if (!all->sets)
		return;
	for (size_t i = 0; i < count; i++)
		memcpy(all->sets[i].guid, all->retry->buffer.bytes + i * PLB_GUID_BYTES,
		       PLB_GUID_BYTES);
	all->count = count;
}

enum status countersets_open(struct countersets *all, struct query_retry *retry,
			     struct error *error)
{
	*all = (struct countersets){ .retry = retry };
	all->code = query_retry_enumerate(retry);
	if (all->code == CODE_DONE)
		decode_guids(all);
	for (size_t i = 0; i < all->count; i++) {
		struct counterset *set = &all->sets[i];

		set->name = query_text(all, set, PLB_COUNTERSET_NAME);
		set->english = query_text(all, set, PLB_COUNTERSET_ENGLISH_NAME);
	}
	return all->out_of_memory ? error_nomem(error) : ST_OK;
}

void countersets_release(struct countersets *all)
{
	arena_release(&all->arena);
}

struct counterset *countersets_by_guid(struct countersets *all, const uint8_t *guid)
{
	struct counterset *set;

	for (size_t i = 0; i < all->count; i++)
		if (memcmp(all->sets[i].guid, guid, PLB_GUID_BYTES) == 0)
			return &all->sets[i];
	for (set = all->others; set; set = set->next)
		if (memcmp(set->guid, guid, PLB_GUID_BYTES) == 0)
			return set;
	set = arena_alloc(&all->arena, sizeof(*set));
	if (set) {
		memcpy(set->guid, guid, PLB_GUID_BYTES);
		set->next = all->others;
		all->others = set;
	}
	return set;
}

const char *counterset_name(const struct counterset *set, char to[TEXT_GUID_BYTES])
{
	text_guid(to, set->guid);
	return set->name.ptr ? set->name.ptr : set->english.ptr ? set->english.ptr : to;
}

void countersets_suggest(const struct countersets *all, struct str name,
			 char to[SUGGEST_TEXT])
{
	struct suggest nearest;

	suggest_begin(&nearest, name);
	for (size_t i = 0; i < all->count; i++) {
		if (all->sets[i].name.ptr)
			suggest_offer(&nearest, all->sets[i].name.ptr);
		if (all->sets[i].english.ptr)
			suggest_offer(&nearest, all->sets[i].english.ptr);
	}
	suggest_text(&nearest, to, SUGGEST_TEXT);
}
