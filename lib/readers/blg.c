/*
 * blg.c - performance logs (.blg); see blg.h, and docs/formats/perf-logs.md for layouts
 * and for what of them is confirmed.
 *
 * A record of PDH is one event, or several that are put together.  A sample holds one
 * part for each entry of the catalogue, in its order: a V1 block of a whole object
 * (winperf_block.c), or the values of a counter.
 */
#include "readers/blg.h"

#include <stdlib.h>

#include "core/text.h"
#include "readers/winperf.h"

enum record_type {
	RECORD_TYPE_CATALOGUE = 0x20,
	RECORD_TYPE_SAMPLE = 0x22,
	RECORD_TYPE_OBJECTS = 0x23,
	RECORD_TYPE_NAMES = 0x24,
};

enum part_type {
	PART_COUNTER = 1,
	PART_OUTER = 3,
	PART_BLOCK = 5,
};

#define PART_HEADER_BYTES 8u
#define RAW_COUNTER_BYTES 40u
#define ENTRY_STRINGS_AT 52u
#define CATALOGUE_HEADER_BYTES 8u
#define OBJECTS_HEADER_BYTES 32u
#define LOG_ID_BYTES 16u
/* perflib_block.type of the parts of a sample that are no V1 blocks. */
#define BLOCK_TYPE_PDH 256
/* More have no names. */
#define OBJECT_LISTS_MAX 4096u

/* PDH_CSTATUS_VALID_DATA, PDH_CSTATUS_NEW_DATA */
#define STATUS_VALID_MAX 1u

/* An entry of the catalogue that is of one counter. */
struct entry {
	struct winperf_set *set; /* NULL: of a whole object */
	struct winperf_counter *counter;
	struct winperf_instance *instance;
	struct str instance_name, parent;
	uint32_t index;
};

struct blg {
	struct winperf winperf;
	/* the record that is being put together */
	uint8_t *bytes;
	size_t size, room;
	uint32_t type, parts, next_part;
	uint64_t ticks, from;
	/* what the log says beforehand */
	struct entry *entries;
	size_t entry_count;
	struct winperf_list *lists;
	size_t list_count;
	/* the sample at hand */
	struct cursor sample;
	size_t part;
	bool has_raw, has_block;
	bool snapshot_given;
	char system_time[WINPERF_DATE_BYTES];
	struct perflib_snapshot_row snapshot_row;
	struct perflib_block_row block_row;
	struct perflib_raw_row raw_row;
};

bool blg_is_event(const struct etl_event *event)
{
	static const uint8_t guid[16] = {
		0xb3, 0x3b, 0x3f, 0x93, 0x3e, 0x94, 0x0d, 0x49,
		0x9c, 0xed, 0x3c, 0xbb, 0x14, 0xc1, 0x44, 0x79
	};

	return event->header == ETL_FULL && event->guid &&
	       memcmp(event->guid, guid, sizeof(guid)) == 0;
}

bool blg_failed(const struct etl *etl)
{
	return etl->blg && etl->blg->winperf.out_of_memory;
}

void blg_close(struct etl *etl)
{
	if (!etl->blg)
		return;
	winperf_release(&etl->blg->winperf);
	free(etl->blg->bytes);
	free(etl->blg);
	etl->blg = NULL;
}

/* --- parts into records --- */

static bool make_room(struct blg *blg, size_t wanted)
{
	size_t room = blg->room ? blg->room : 64 * 1024;
	uint8_t *bytes;

	while (room < wanted)
		room *= 2;
	if (room == blg->room)
		return true;
	bytes = realloc(blg->bytes, room);
	if (!bytes) {
		blg->winperf.out_of_memory = true;
		return false;
	}
	blg->bytes = bytes;
	blg->room = room;
	return true;
}

/* What was begun is left out. */
static void drop(struct blg *blg, const char *why)
{
	if (blg->next_part == 0)
		return;
	finding_say(blg->winperf.findings, FINDING_BLG_PART, blg->from,
		    "a record of %u parts, of which %u are there: %s", blg->parts,
		    blg->next_part - 1, why);
	blg->next_part = 0;
}

static bool is_next(const struct blg *blg, const struct etl_event *event, uint32_t part,
		    uint32_t parts)
{
	return blg->next_part == part && blg->parts == parts &&
	       blg->type == event->opcode && blg->ticks == event->ticks;
}

/* One more event; true: the record is whole. */
static bool add_part(struct blg *blg, const struct etl_event *event)
{
	struct cursor c = event->payload;
	bool is_exact = c.offset - event->offset < event->size;
	uint32_t part, parts;
	size_t left;

	cursor_skip(&c, LOG_ID_BYTES);
	part = cursor_u32(&c);
	parts = cursor_u32(&c);
	if (c.overrun || part == 0 || part > parts) {
		finding_say(blg->winperf.findings, FINDING_BLG_RECORD, event->offset,
			    "part %u of %u of a record, in %u bytes", part, parts,
			    event->size);
		return false;
	}
	if (!is_next(blg, event, part, parts)) {
		drop(blg, "another one begins");
		if (part != 1) {
			finding_say(blg->winperf.findings, FINDING_BLG_PART,
				    event->offset,
				    "part %u of %u of a record without those before it",
				    part, parts);
			return false;
		}
		blg->type = event->opcode;
		blg->ticks = event->ticks;
		blg->from = event->offset;
		blg->parts = parts;
		blg->size = 0;
	}
	blg->next_part = part + 1;
	left = cursor_left(&c);
	if (left > WINPERF_BLOCK_BYTES_MAX - blg->size) {
		drop(blg, "it is larger than what is read");
		return false;
	}
	if (!make_room(blg, blg->size + left))
		return false;
	winperf_stretch(&blg->winperf, blg->size, is_exact ? c.offset : event->offset,
			is_exact);
	if (left)
		memcpy(blg->bytes + blg->size, c.pos, left);
	blg->size += left;
	if (part == parts)
		blg->next_part = 0;
	return part == parts;
}

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
static void take_names(struct blg *blg)
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
			finding_say(w->findings, FINDING_BLG_CATALOGUE,
				    winperf_place(w, offset),
				    "a list of names that is not numbers and names in "
				    "turn");
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
		finding_say(w->findings, FINDING_BLG_CATALOGUE,
			    winperf_place(w, entry.offset),
			    "an entry of the catalogue with a text that is not in it");
		return STR_NONE;
	}
	return winperf_utf8(w, from, bytes);
}

static void describe_counter(struct winperf_counter *counter, uint32_t type,
			     uint64_t time_base, int32_t scale)
{
	counter->row.type = type;
	counter->row.time_base = time_base ? (int64_t)time_base : INT_NONE;
	counter->row.default_scale = scale;
}

/* What an entry says of a counter. */
static void take_entry(struct blg *blg, struct cursor whole, struct entry *entry)
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
	name = winperf_keep(w, entry_text(w, whole, counter_at), offset);
	if (!name.ptr || str_equal(name, STR("*"))) /* its object comes whole */
		return;
	machine =
		arena_str(&w->scratch, without_slashes(entry_text(w, whole, machine_at)));
	object = arena_str(&w->scratch, entry_text(w, whole, object_at));
	entry->instance_name = winperf_keep(w, entry_text(w, whole, instance_at), offset);
	entry->parent = winperf_keep(w, entry_text(w, whole, parent_at), offset);
	entry->set = winperf_named_set(w, machine, object, offset);
	if (entry->set)
		entry->counter =
			winperf_named_counter(w, entry->set, name, offset, &is_new);
	if (entry->counter && is_new)
		describe_counter(entry->counter, type, time_base, scale);
}

/* How many entries there are, one behind the other; and where they end. */
static size_t count_entries(struct winperf *w, struct cursor c)
{
	size_t count = 0;

	while (cursor_left(&c) >= ENTRY_STRINGS_AT) {
		struct cursor head = c;
		uint32_t size = cursor_u32(&head);

		if (size < ENTRY_STRINGS_AT || size > cursor_left(&c) ||
		    count == WINPERF_COUNTERS_MAX) {
			finding_say(w->findings, FINDING_BLG_CATALOGUE,
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
static void take_catalogue(struct blg *blg)
{
	struct winperf *w = &blg->winperf;
	struct cursor c = cursor_over(blg->bytes, blg->size, 0, false);

	if (blg->entries)
		return;
	cursor_skip(&c, CATALOGUE_HEADER_BYTES);
	blg->entry_count = count_entries(w, c);
	blg->entries =
		arena_alloc(&w->arena, (blg->entry_count + 1) * sizeof(*blg->entries));
	if (!blg->entries) {
		w->out_of_memory = true;
		return;
	}
	for (size_t i = 0; i < blg->entry_count; i++) {
		struct cursor head = c;

		take_entry(blg, cursor_sub(&c, cursor_u32(&head)), &blg->entries[i]);
	}
}

/* --- counters of whole objects --- */

/* Titles, types and time bases, in the order of the catalogue. */
static void take_list(struct blg *blg, struct cursor part)
{
	struct winperf_list *list = &blg->lists[blg->list_count++];

	cursor_skip(&part, PART_HEADER_BYTES + 4); /* instances, -1: it has none */
	list->count = cursor_u32(&part);
	if (list->count > cursor_left(&part) / 16) {
		list->count = 0;
		return;
	}
	list->titles = cursor_sub(&part, (size_t)list->count * 4);
	list->types = cursor_sub(&part, (size_t)list->count * 4);
	list->time_bases = cursor_sub(&part, (size_t)list->count * 8);
}

static void take_objects(struct blg *blg)
{
	struct winperf *w = &blg->winperf;
	uint8_t *copy;
	struct cursor c;

	if (blg->lists)
		return;
	copy = arena_alloc(&w->arena, blg->size + 1);
	blg->lists = arena_alloc(&w->arena, OBJECT_LISTS_MAX * sizeof(*blg->lists));
	if (!copy || !blg->lists) {
		w->out_of_memory = true;
		return;
	}
	if (blg->size)
		memcpy(copy, blg->bytes, blg->size);
	c = cursor_over(copy, blg->size, 0, false);
	cursor_skip(&c, OBJECTS_HEADER_BYTES);
	while (cursor_left(&c) >= PART_HEADER_BYTES &&
	       blg->list_count < OBJECT_LISTS_MAX) {
		struct cursor head = c;
		uint32_t size;

		cursor_skip(&head, 4);
		size = cursor_u32(&head);
		if (size < PART_HEADER_BYTES || size > cursor_left(&c)) {
			finding_say(w->findings, FINDING_BLG_CATALOGUE,
				    winperf_place(w, c.offset),
				    "a list of an object's counters of %u bytes where "
				    "%zu are left",
				    size, cursor_left(&c));
			return;
		}
		take_list(blg, cursor_sub(&c, size));
	}
}

/* --- first walk --- */

static bool make_blg(struct reader *reader)
{
	struct etl *etl = reader->state;

	if (!etl->blg) {
		etl->blg = calloc(1, sizeof(*etl->blg));
		if (!etl->blg)
			return false;
		winperf_init(&etl->blg->winperf, &reader->findings);
	}
	return true;
}

void blg_learn(struct reader *reader, const struct etl_event *event)
{
	struct etl *etl = reader->state;
	struct blg *blg;

	if (!make_blg(reader) || event->opcode == RECORD_TYPE_SAMPLE)
		return;
	blg = etl->blg;
	if (!add_part(blg, event))
		return;
	if (blg->type == RECORD_TYPE_NAMES)
		take_names(blg);
	else if (blg->type == RECORD_TYPE_CATALOGUE)
		take_catalogue(blg);
	else if (blg->type == RECORD_TYPE_OBJECTS)
		take_objects(blg);
	else
		finding_say(&reader->findings, FINDING_BLG_UNKNOWN, blg->from,
			    "a record of type 0x%x, %zu bytes: skipped", blg->type,
			    blg->size);
	arena_release(&blg->winperf.scratch);
}

void blg_begin(struct reader *reader)
{
	struct etl *etl = reader->state;

	if (!etl->blg)
		return;
	drop(etl->blg, "the log ends");
	if (!etl->blg->entries)
		finding_say(&reader->findings, FINDING_BLG_CATALOGUE, ERROR_NO_OFFSET,
			    "there is no catalogue in the log");
}

/* --- samples --- */

void blg_take(struct reader *reader, const struct etl_event *event)
{
	struct etl *etl = reader->state;
	struct blg *blg = etl->blg;

	if (event->opcode != RECORD_TYPE_SAMPLE || !blg || !add_part(blg, event))
		return;
	blg->sample = cursor_over(blg->bytes, blg->size, 0, false);
	blg->part = 0;
	blg->snapshot_given = false;
}

void blg_end(struct reader *reader)
{
	struct etl *etl = reader->state;

	if (etl->blg)
		drop(etl->blg, "the log ends");
}

/* Of all parts that are no V1 blocks; its time is local time, so it is no perf_time. */
static void give_snapshot(struct blg *blg, struct record *out)
{
	blg->snapshot_given = true;
	blg->snapshot_row = (struct perflib_snapshot_row){
		.snapshot = ++blg->winperf.snapshots,
		.ts_ns = INT_NONE,
		.query = INT_NONE,
		.code = INT_NONE,
		.record_offset = (int64_t)blg->from,
		.bytes = (int64_t)blg->size,
		.blocks = INT_NONE,
		.perf_time = INT_NONE,
		.perf_freq = INT_NONE,
		.perf_time_100ns = INT_NONE,
	};
	if (winperf_date_of(blg->system_time, blg->ticks))
		blg->snapshot_row.system_time = str_of(blg->system_time);
	*out = (struct record){ .kind = RECORD_perflib_snapshot,
				.offset = blg->from,
				.data = &blg->snapshot_row };
}

static void begin_block(struct blg *blg, struct cursor part, unsigned int type,
			const struct entry *entry)
{
	size_t size = cursor_left(&part);

	blg->has_block = true;
	blg->block_row = (struct perflib_block_row){
		.snapshot = blg->snapshot_row.snapshot,
		.block = (int64_t)blg->part,
		.counterset = entry && entry->set ? entry->set->row.counterset : INT_NONE,
		.record_offset = (int64_t)winperf_place(&blg->winperf, part.offset),
		.type = BLOCK_TYPE_PDH + type,
		.bytes = (int64_t)size,
		.counters = INT_NONE,
		.instances = INT_NONE,
		.object_time = INT_NONE,
		.object_freq = INT_NONE,
	};
	if (type != PART_COUNTER || !entry || !entry->counter)
		blg->block_row.body = (struct str){ (const char *)part.pos,
						    size < WINPERF_BODY_BYTES_MAX
							    ? size
							    : WINPERF_BODY_BYTES_MAX };
}

static struct winperf_instance *instance_of(struct blg *blg, struct entry *entry,
					    uint64_t offset)
{
	struct winperf_who who = {
		.place = blg->part + 1,
		.number = INT_NONE,
		.block = (int64_t)blg->part,
		.query = INT_NONE,
		.parent_title = INT_NONE,
		.parent_number = INT_NONE,
		.name = entry->instance_name,
		.parent = entry->parent,
	};

	/* A name that is repeated has a number, which is 0 for the first. */
	if (entry->index)
		who.number = entry->index;
	if (!entry->instance) {
		entry->set->stamp++;
		entry->instance =
			winperf_instance(&blg->winperf, entry->set, &who, offset);
	}
	return entry->instance;
}

/* PDH_RAW_COUNTER: CStatus, FILETIME, FirstValue, SecondValue, MultiCount. */
static void take_counter(struct blg *blg, struct cursor part, struct entry *entry)
{
	struct winperf_instance *instance;
	uint64_t offset = part.offset;
	uint32_t status;

	if (cursor_left(&part) < PART_HEADER_BYTES + RAW_COUNTER_BYTES) {
		finding_say(blg->winperf.findings, FINDING_BLG_RECORD,
			    winperf_place(&blg->winperf, offset),
			    "the value of a counter in %zu bytes, expected %u",
			    cursor_left(&part), PART_HEADER_BYTES + RAW_COUNTER_BYTES);
		return;
	}
	cursor_skip(&part, PART_HEADER_BYTES);
	status = cursor_u32(&part);
	cursor_skip(&part, 8 + 4); /* its time, and alignment */
	instance = instance_of(blg, entry, offset);
	if (!instance)
		return;
	blg->has_raw = true;
	blg->raw_row = (struct perflib_raw_row){
		.snapshot = blg->snapshot_row.snapshot,
		.instance = instance->row.instance,
		.counter = entry->counter->row.counter,
		.position = 0,
		.bytes = 8,
		.value = (int64_t)cursor_u64(&part),
		.second = (int64_t)cursor_u64(&part),
		.multi = cursor_u32(&part),
		.status = status,
	};
	if (status > STATUS_VALID_MAX)
		blg->raw_row.value = blg->raw_row.second = blg->raw_row.multi = INT_NONE;
}

/* A part that is no V1 block, and no other one around others. */
static void take_other(struct blg *blg, struct cursor part, unsigned int type)
{
	struct entry *entry =
		blg->part < blg->entry_count ? &blg->entries[blg->part] : NULL;

	begin_block(blg, part, type, entry);
	if (type == PART_COUNTER && entry && entry->counter)
		take_counter(blg, part, entry);
	else
		finding_say(blg->winperf.findings, FINDING_BLG_UNKNOWN,
			    winperf_place(&blg->winperf, part.offset),
			    "part %zu of a sample, of type %u, %zu bytes: kept as bytes",
			    blg->part, type, cursor_left(&part));
}

/* The size of the part at the cursor, and its type; 0: there is none. */
static uint32_t part_size(struct blg *blg, struct cursor c, unsigned int *type)
{
	uint64_t offset = c.offset;
	size_t left = cursor_left(&c);
	uint8_t b = cursor_u8(&c), l = cursor_u8(&c), outer = cursor_u8(&c);
	uint8_t inner = cursor_u8(&c);
	uint32_t size = cursor_u32(&c);

	*type = inner ? inner : outer;
	if (!c.overrun && b == 'B' && l == 'L' && size >= PART_HEADER_BYTES &&
	    size <= left)
		return size;
	finding_gap(blg->winperf.findings, FINDING_BLG_RECORD,
		    winperf_place(&blg->winperf, offset),
		    winperf_place(&blg->winperf, offset + left - 1) + 1,
		    "a part of a sample of %u bytes where %zu are left", size, left);
	return 0;
}

/* On to the next part; false: there is none. */
static bool next_part(struct blg *blg, struct record *out)
{
	struct winperf *w = &blg->winperf;

	while (cursor_left(&blg->sample)) {
		unsigned int type;
		uint32_t size = part_size(blg, blg->sample, &type);
		struct cursor part;

		if (size == 0) {
			blg->sample = cursor_over(NULL, 0, 0, false);
			return false;
		}
		if (type == PART_OUTER) { /* what is in it comes next */
			cursor_skip(&blg->sample, PART_HEADER_BYTES);
			continue;
		}
		if (type != PART_BLOCK && !blg->snapshot_given) {
			give_snapshot(blg, out);
			return true;
		}
		part = cursor_sub(&blg->sample, size);
		if (type == PART_BLOCK) {
			cursor_skip(&part, PART_HEADER_BYTES);
			w->list = blg->part < blg->list_count
					  ? blg->lists[blg->part]
					  : (struct winperf_list){ .count = 0 };
			winperf_begin(w, part, (int64_t)blg->part++);
			return winperf_next(w, out);
		}
		take_other(blg, part, type);
		blg->part++;
		return false;
	}
	return false;
}

bool blg_next(struct reader *reader, struct record *out)
{
	struct etl *etl = reader->state;
	struct blg *blg = etl->blg;

	if (!blg)
		return false;
	do {
		if (winperf_next(&blg->winperf, out))
			return true;
		if (blg->has_block) {
			blg->has_block = false;
			*out = (struct record){
				.kind = RECORD_perflib_block,
				.offset = (uint64_t)blg->block_row.record_offset,
				.data = &blg->block_row
			};
			return true;
		}
		if (blg->has_raw) {
			blg->has_raw = false;
			*out = (struct record){
				.kind = RECORD_perflib_raw,
				.offset = (uint64_t)blg->block_row.record_offset,
				.data = &blg->raw_row
			};
			return true;
		}
		if (next_part(blg, out))
			return true;
	} while (cursor_left(&blg->sample) || blg->has_block || blg->has_raw);
	return false;
}

void blg_describe(const struct etl *etl, struct trace_row *trace)
{
	if (!etl->blg)
		return;
	trace->format = STR("blg");
	trace->clock = STR("QPC");
	winperf_describe(&etl->blg->winperf, trace);
}
