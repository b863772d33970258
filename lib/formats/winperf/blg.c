/*
 * blg.c - performance logs (.blg); see blg.h, and docs/formats/perf-logs.md for layouts
 * and for what of them is confirmed.
 *
 * A record of PDH is one event, or several that are put together.  A sample holds one
 * part for each entry of the catalogue, in its order: a V1 block of a whole object
 * (block.c), or the values of a counter.
 */
#include "formats/winperf/blg.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/text.h"

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

#define RAW_COUNTER_BYTES 40u
#define LOG_ID_BYTES 16u
/* perflib_block.type of the parts of a sample other than V1 blocks. */
#define BLOCK_TYPE_PDH 256

/* PDH_CSTATUS_VALID_DATA, PDH_CSTATUS_NEW_DATA */
#define STATUS_VALID_MAX 1u

static bool is_mine(const struct etl_event *event)
{
	static const uint8_t guid[16] = {
		0xb3, 0x3b, 0x3f, 0x93, 0x3e, 0x94, 0x0d, 0x49,
		0x9c, 0xed, 0x3c, 0xbb, 0x14, 0xc1, 0x44, 0x79
	};

	return event->header == ETL_FULL && event->guid &&
	       memcmp(event->guid, guid, sizeof(guid)) == 0;
}

static void blg_close(void *state)
{
	struct blg *blg = state;

	emit_release(&blg->emit);
	winperf_release(&blg->winperf);
	free(blg->bytes);
	free(blg);
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
	bytes = memory_resize(blg->bytes, room);
	if (!bytes) {
		blg->winperf.registry.out_of_memory = true;
		return false;
	}
	blg->bytes = bytes;
	blg->room = room;
	return true;
}

/* What was begun is left out. */
static void drop_record(struct blg *blg, const char *why)
{
	if (blg->next_part == 0)
		return;
	finding_report(blg->winperf.registry.findings, FINDING_BLG_PART, blg->from,
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
		finding_report(blg->winperf.registry.findings, FINDING_BLG_RECORD,
			       event->offset, "part %u of %u of a record, in %u bytes",
			       part, parts, event->size);
		return false;
	}
	if (!is_next(blg, event, part, parts)) {
		drop_record(blg, "another one begins");
		if (part != 1) {
			finding_report(
				blg->winperf.registry.findings, FINDING_BLG_PART,
				event->offset,
				"part %u of %u of a record without those before it", part,
				parts);
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
		drop_record(blg, "it is over the size limit");
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

/* --- first walk --- */

/* The log, made with its first event; NULL: out of memory. */
static struct blg *log_of(void **state, struct findings *findings)
{
	struct blg *blg = *state;

	if (blg)
		return blg;
	blg = *state = memory_alloc_zeroed(1, sizeof(*blg));
	if (blg)
		winperf_init(&blg->winperf, findings, &blg->emit);
	return blg;
}

static bool learn(void **state, struct findings *findings, const struct etl_event *event)
{
	struct blg *blg = log_of(state, findings);

	if (!blg)
		return false;
	if (event->opcode == RECORD_TYPE_SAMPLE || !add_part(blg, event))
		return !blg->winperf.registry.out_of_memory;
	if (blg->type == RECORD_TYPE_NAMES)
		blg_decode_names(blg);
	else if (blg->type == RECORD_TYPE_CATALOGUE)
		blg_decode_catalogue(blg);
	else if (blg->type == RECORD_TYPE_OBJECTS)
		blg_decode_objects(blg);
	else
		finding_report(findings, FINDING_BLG_UNKNOWN, blg->from,
			       "a record of type 0x%x, %zu bytes: skipped", blg->type,
			       blg->size);
	arena_release(&blg->winperf.scratch);
	return !blg->winperf.registry.out_of_memory;
}

static void end_learning(void *state)
{
	struct blg *blg = state;

	drop_record(blg, "the log ends");
	if (!blg->entries)
		finding_report(blg->winperf.registry.findings, FINDING_BLG_CATALOGUE,
			       ERROR_NO_OFFSET, "the log has no catalogue");
}

/* --- samples --- */

static void on_event(void *state, const struct etl_event *event)
{
	struct blg *blg = state;

	if (event->opcode != RECORD_TYPE_SAMPLE || !add_part(blg, event))
		return;
	blg->sample = cursor_over(blg->bytes, blg->size, 0, false);
	blg->part = 0;
	blg->snapshot = 0;
}

static void end(void *state)
{
	drop_record(state, "the log ends");
}

/* Of all parts other than V1 blocks; its time is local time, so it is not a perf_time. */
static void emit_snapshot(struct blg *blg)
{
	struct perflib_snapshot_row row = {
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
	char text[PERFLIB_DATE_BYTES];

	blg->snapshot = row.snapshot;
	if (perflib_date_of(text, blg->ticks))
		row.system_time = emit_text(&blg->emit, str_of(text));
	emit_push_row(&blg->emit, RECORD_perflib_snapshot, blg->from, &row);
}

static void emit_part(struct blg *blg, struct cursor part, unsigned int type,
		      const struct blg_entry *entry, bool keeps_bytes)
{
	size_t size = cursor_left(&part);
	struct perflib_block_row row = {
		.snapshot = blg->snapshot,
		.block = (int64_t)blg->part,
		.counterset =
			entry && entry->set ? entry->set->known.row.counterset : INT_NONE,
		.record_offset = (int64_t)winperf_place(&blg->winperf, part.offset),
		.type = BLOCK_TYPE_PDH + type,
		.bytes = (int64_t)size,
		.counters = INT_NONE,
		.instances = INT_NONE,
		.object_time = INT_NONE,
		.object_freq = INT_NONE,
	};

	if (keeps_bytes)
		row.body = (struct str){ (const char *)part.pos,
					 size < WINPERF_BODY_BYTES_MAX
						 ? size
						 : WINPERF_BODY_BYTES_MAX };
	emit_push_row(&blg->emit, RECORD_perflib_block, (uint64_t)row.record_offset,
		      &row);
}

static struct registry_instance *instance_of(struct blg *blg, struct blg_entry *entry,
					     uint64_t offset)
{
	struct registry_who who = {
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
		entry->set->visits.now++;
		entry->instance =
			winperf_instance(&blg->winperf, entry->set, &who, offset);
	}
	return entry->instance;
}

/* PDH_RAW_COUNTER: CStatus, FILETIME, FirstValue, SecondValue, MultiCount. */
static void emit_counter(struct blg *blg, struct cursor part, struct blg_entry *entry)
{
	const struct registry_instance *instance;
	uint64_t offset = part.offset;
	struct perflib_raw_row row = { .snapshot = blg->snapshot, .bytes = 8 };

	if (cursor_left(&part) < BLG_PART_HEADER_BYTES + RAW_COUNTER_BYTES) {
		finding_report(blg->winperf.registry.findings, FINDING_BLG_RECORD,
			       winperf_place(&blg->winperf, offset),
			       "the value of a counter in %zu bytes, expected %u",
			       cursor_left(&part),
			       BLG_PART_HEADER_BYTES + RAW_COUNTER_BYTES);
		return;
	}
	cursor_skip(&part, BLG_PART_HEADER_BYTES);
	row.status = cursor_u32(&part);
	cursor_skip(&part, 8 + 4); /* its time, and alignment */
	instance = instance_of(blg, entry, offset);
	if (!instance)
		return;
	row.instance = instance->row.instance;
	row.counter = entry->counter->known.row.counter;
	row.value = (int64_t)cursor_u64(&part);
	row.second = (int64_t)cursor_u64(&part);
	row.multi = cursor_u32(&part);
	if (row.status > STATUS_VALID_MAX)
		row.value = row.second = row.multi = INT_NONE;
	emit_push_row(&blg->emit, RECORD_perflib_raw,
		      winperf_place(&blg->winperf, offset), &row);
}

/* A part that is neither a V1 block nor one around others. */
static void on_other(struct blg *blg, struct cursor part, unsigned int type)
{
	struct blg_entry *entry =
		blg->part < blg->entry_count ? &blg->entries[blg->part] : NULL;
	bool is_counter = type == PART_COUNTER && entry && entry->counter;

	if (!blg->snapshot)
		emit_snapshot(blg);
	emit_part(blg, part, type, entry, !is_counter);
	if (is_counter)
		emit_counter(blg, part, entry);
	else
		finding_report(
			blg->winperf.registry.findings, FINDING_BLG_UNKNOWN,
			winperf_place(&blg->winperf, part.offset),
			"part %zu of a sample, of type %u, %zu bytes: kept as bytes",
			blg->part, type, cursor_left(&part));
	blg->part++;
}

static void on_block(struct blg *blg, struct cursor part)
{
	struct winperf *w = &blg->winperf;

	cursor_skip(&part, BLG_PART_HEADER_BYTES);
	w->list = blg->part < blg->list_count ? blg->lists[blg->part]
					      : (struct winperf_list){ .count = 0 };
	winperf_begin_block(w, part, (int64_t)blg->part++);
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
	if (!c.overrun && b == 'B' && l == 'L' && size >= BLG_PART_HEADER_BYTES &&
	    size <= left)
		return size;
	winperf_gap(&blg->winperf, FINDING_BLG_RECORD, offset, left,
		    "a part of a sample of %u bytes where %zu are left", size, left);
	return 0;
}

/* On to the next part; false: there is none. */
static bool next_part(struct blg *blg)
{
	unsigned int type = PART_OUTER;
	struct cursor part;
	uint32_t size;

	while (type == PART_OUTER) {
		if (cursor_left(&blg->sample) == 0)
			return false;
		size = part_size(blg, blg->sample, &type);
		if (size == 0) {
			blg->sample = cursor_over(NULL, 0, 0, false);
			return false;
		}
		if (type == PART_OUTER) /* what is in it comes next */
			cursor_skip(&blg->sample, BLG_PART_HEADER_BYTES);
	}
	part = cursor_sub(&blg->sample, size);
	if (type == PART_BLOCK)
		on_block(blg, part);
	else
		on_other(blg, part, type);
	return true;
}

static enum status next(void *state, struct record *out, struct error *error)
{
	struct blg *blg = state;
	enum status status;

	do
		status = winperf_next(&blg->winperf, out, error);
	while (status == ST_END && next_part(blg));
	return status;
}

static void describe(const void *state, struct trace_row *trace)
{
	const struct blg *blg = state;

	trace->format = STR("blg");
	trace->clock = STR("QPC");
	winperf_describe(&blg->winperf, trace);
}

const struct etl_consumer blg_consumer = {
	.is_mine = is_mine,
	.learn = learn,
	.end_learning = end_learning,
	.on_event = on_event,
	.next = next,
	.end = end,
	.describe = describe,
	.close = blg_close,
};
