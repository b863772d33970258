/*
 * blg_catalogue.c - what a performance log says of its counters beforehand: names by
 * their numbers, the catalogue of what was asked for, the counters of whole objects.
 */
#include "formats/winperf/blg.h"

#define ENTRY_STRINGS_AT 52u
#define CATALOGUE_HEADER_BYTES 8u
#define OBJECTS_HEADER_BYTES 32u
/* More have no time bases. */
#define OBJECT_LISTS_MAX 4096u

/* --- names --- */

static bool number_of(struct str text, uint32_t *number)
{
	*number = 0;
	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] < '0' || text.ptr[i] > '9' || i == 9)
			return false;
		*number = *number * 10 + (uint32_t)(text.ptr[i] - '0');
	}
	return text.len > 0;
}

static struct str without_slashes(struct str machine)
{
	while (machine.len && *machine.ptr == '\\') {
		machine.ptr++;
		machine.len--;
	}
	return machine;
}

/* A text up to its NUL, that lives until the next one. */
static struct str next_text(struct winperf *w, struct cursor *c)
{
	const uint8_t *at;
	size_t bytes;

	return winperf_utf16(c, &at, &bytes) ? winperf_utf8(w, at, bytes) : STR_NONE;
}

/* The machine, then numbers and what they are called, in turn. */
void blg_decode_names(struct blg *blg)
{
	struct winperf *w = &blg->winperf;
	struct cursor c = cursor_over(blg->bytes, blg->size, 0, false);
	struct str machine = arena_str(&w->scratch, without_slashes(next_text(w, &c)));
	uint32_t number;

	while (cursor_left(&c) >= 2 && !c.overrun) {
		uint64_t offset = c.offset;
		struct str name;
		bool is_number = number_of(next_text(w, &c), &number);

		name = next_text(w, &c);
		if (!is_number || !name.ptr) {
			finding_report(
				w->registry.findings, FINDING_BLG_CATALOGUE,
				winperf_place(w, offset),
				"a list of names that does not alternate numbers and "
				"names");
			return;
		}
		winperf_set_title(w, machine, number, name, offset);
	}
}

/* --- the catalogue --- */

static struct str entry_text(struct winperf *w, struct cursor entry, uint32_t at)
{
	const uint8_t *from;
	size_t bytes;

	if (at == UINT32_MAX)
		return STR_NONE;
	cursor_skip(&entry, ENTRY_STRINGS_AT);
	cursor_skip(&entry, at);
	if (!winperf_utf16(&entry, &from, &bytes)) {
		finding_report(w->registry.findings, FINDING_BLG_CATALOGUE,
			       winperf_place(w, entry.offset),
			       "an entry of the catalogue with a text outside it");
		return STR_NONE;
	}
	return winperf_utf8(w, from, bytes);
}

static void describe_counter(struct winperf_counter *counter, uint32_t type,
			     uint64_t time_base, int32_t scale)
{
	counter->known.row.type = type;
	counter->known.row.time_base = time_base ? (int64_t)time_base : INT_NONE;
	counter->known.row.default_scale = scale;
}

/* What an entry says of a counter. */
static void decode_entry(struct blg *blg, struct cursor whole, struct blg_entry *entry)
{
	struct winperf *w = &blg->winperf;
	struct cursor c = whole;
	uint64_t offset = c.offset, time_base;
	uint32_t type, machine_at, object_at, instance_at, parent_at, counter_at;
	struct str machine, object, name;
	int32_t scale;
	bool is_new;

	cursor_skip(&c, 12); /* size, flags, and something else */
	type = cursor_u32(&c);
	time_base = cursor_u64(&c);
	scale = (int32_t)cursor_u32(&c);
	machine_at = cursor_u32(&c);
	object_at = cursor_u32(&c);
	instance_at = cursor_u32(&c);
	parent_at = cursor_u32(&c);
	entry->index = cursor_u32(&c);
	counter_at = cursor_u32(&c);
	name = winperf_copy_text(w, entry_text(w, whole, counter_at), offset);
	if (!name.ptr || str_equal(name, STR("*"))) { /* its object comes whole */
		blg->has_objects = true;
		return;
	}
	machine =
		arena_str(&w->scratch, without_slashes(entry_text(w, whole, machine_at)));
	object = arena_str(&w->scratch, entry_text(w, whole, object_at));
	entry->instance_name =
		winperf_copy_text(w, entry_text(w, whole, instance_at), offset);
	entry->parent = winperf_copy_text(w, entry_text(w, whole, parent_at), offset);
	entry->set = winperf_named_set(w, machine, object, offset);
	if (entry->set)
		entry->counter =
			winperf_named_counter(w, entry->set, name, offset, &is_new);
	if (entry->counter && is_new)
		describe_counter(entry->counter, type, time_base, scale);
}

/* How many entries there are, one after the other. */
static size_t count_entries(struct winperf *w, struct cursor c)
{
	size_t count = 0;

	while (cursor_left(&c) >= ENTRY_STRINGS_AT) {
		struct cursor head = c;
		uint32_t size = cursor_u32(&head);

		if (size < ENTRY_STRINGS_AT || size > cursor_left(&c) ||
		    count == REGISTRY_COUNTERS_MAX) {
			finding_report(
				w->registry.findings, FINDING_BLG_CATALOGUE,
				winperf_place(w, c.offset),
				"an entry of the catalogue of %u bytes where %zu are "
				"left, expected at least %u",
				size, cursor_left(&c), ENTRY_STRINGS_AT);
			break;
		}
		cursor_skip(&c, size);
		count++;
	}
	return count;
}

/* The first one; a log that was appended to has more. */
void blg_decode_catalogue(struct blg *blg)
{
	struct winperf *w = &blg->winperf;
	struct cursor c = cursor_over(blg->bytes, blg->size, 0, false);

	if (blg->entries)
		return;
	cursor_skip(&c, CATALOGUE_HEADER_BYTES);
	blg->entry_count = count_entries(w, c);
	blg->entries = arena_alloc(&w->registry.arena,
				   (blg->entry_count + 1) * sizeof(*blg->entries));
	if (!blg->entries) {
		w->registry.out_of_memory = true;
		return;
	}
	for (size_t i = 0; i < blg->entry_count; i++) {
		struct cursor head = c;

		decode_entry(blg, cursor_sub(&c, cursor_u32(&head)), &blg->entries[i]);
	}
}

/* --- counters of whole objects --- */

/* Titles, types and time bases, in the order of the catalogue. */
static void decode_list(struct blg *blg, struct cursor part)
{
	struct winperf_list *list = &blg->lists[blg->list_count++];

	cursor_skip(&part, BLG_PART_HEADER_BYTES + 4); /* instances, -1: it has none */
	list->count = cursor_u32(&part);
	if (list->count > cursor_left(&part) / 16) {
		list->count = 0;
		return;
	}
	list->titles = cursor_sub(&part, (size_t)list->count * 4);
	list->types = cursor_sub(&part, (size_t)list->count * 4);
	list->time_bases = cursor_sub(&part, (size_t)list->count * 8);
}

void blg_decode_objects(struct blg *blg)
{
	struct winperf *w = &blg->winperf;
	uint8_t *copy;
	struct cursor c;

	if (blg->lists)
		return;
	copy = arena_alloc(&w->registry.arena, blg->size + 1);
	blg->lists =
		arena_alloc(&w->registry.arena, OBJECT_LISTS_MAX * sizeof(*blg->lists));
	if (!copy || !blg->lists) {
		w->registry.out_of_memory = true;
		return;
	}
	if (blg->size)
		memcpy(copy, blg->bytes, blg->size);
	c = cursor_over(copy, blg->size, 0, false);
	cursor_skip(&c, OBJECTS_HEADER_BYTES);
	while (cursor_left(&c) >= BLG_PART_HEADER_BYTES &&
	       blg->list_count < OBJECT_LISTS_MAX) {
		struct cursor head = c;
		uint32_t size;

		cursor_skip(&head, 4);
		size = cursor_u32(&head);
		if (size < BLG_PART_HEADER_BYTES || size > cursor_left(&c)) {
			finding_report(w->registry.findings, FINDING_BLG_CATALOGUE,
				       winperf_place(w, c.offset),
				       "a list of an object's counters of %u bytes where "
				       "%zu are left",
				       size, cursor_left(&c));
			return;
		}
		decode_list(blg, cursor_sub(&c, size));
	}
}
