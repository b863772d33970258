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

#include "base/array.h"
#include "base/memory.h"
#include "base/text.h"
#include "formats/etw/etw.h"

enum record_type {
	RECORD_TYPE_CATALOGUE = 0x20,
	RECORD_TYPE_SAMPLE = 0x22,
	RECORD_TYPE_OBJECTS = 0x23,
	RECORD_TYPE_NAMES = 0x24,
};

#define LOG_ID_BYTES 16u
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
	if (!ARRAY_GROW(blg->bytes, blg->room, blg->size + left)) {
		blg->winperf.registry.out_of_memory = true;
		return false;
	}
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

/* The size of the part at the cursor, and its type; 0: there is none. */
static uint32_t peek_part(struct cursor c, unsigned int *type)
{
	size_t left = cursor_left(&c);
	uint8_t b = cursor_u8(&c), l = cursor_u8(&c), outer = cursor_u8(&c);
	uint8_t inner = cursor_u8(&c);
	uint32_t size = cursor_u32(&c);

	*type = inner ? inner : outer;
	return !c.overrun && b == 'B' && l == 'L' && size >= BLG_PART_HEADER_BYTES &&
			       size <= left
		       ? size
		       : 0;
}

/*
 * In a log with V1 blocks their clock is the trace's.  The sample's own time is local
 * time; a block in it has both.
 */
static void find_clock(struct blg *blg)
{
	struct cursor c = blg->sample;
	int64_t local_ns = etw_unix_ns(blg->ticks), ts_ns = INT_NONE;
	uint32_t size = 1;

	while (blg->has_objects && ts_ns == INT_NONE && size && cursor_left(&c)) {
		unsigned int type;

		size = peek_part(c, &type);
		if (type == BLG_PART_BLOCK && size) {
			cursor_skip(&c, BLG_PART_HEADER_BYTES);
			ts_ns = winperf_block_ns(c);
			size -= BLG_PART_HEADER_BYTES;
		}
		cursor_skip(&c, type == BLG_PART_OUTER && size ? BLG_PART_HEADER_BYTES
							       : size);
	}
	if (ts_ns == INT_NONE || local_ns == INT_NONE ||
	    __builtin_sub_overflow(ts_ns, local_ns, &blg->shift_ns))
		return;
	blg->has_shift = true;
}

static void on_event(void *state, const struct etl_event *event)
{
	struct blg *blg = state;

	if (event->opcode != RECORD_TYPE_SAMPLE || !add_part(blg, event))
		return;
	blg->sample = cursor_over(blg->bytes, blg->size, 0, false);
	find_clock(blg);
	blg->part = 0;
	blg->snapshot = 0;
	blg->multi.left = 0;
}

static void end(void *state)
{
	drop_record(state, "the log ends");
}

static void on_block(struct blg *blg, struct cursor part)
{
	struct winperf *w = &blg->winperf;

	cursor_skip(&part, BLG_PART_HEADER_BYTES);
	w->list = blg->part < blg->list_count ? blg->lists[blg->part]
					      : (struct winperf_list){ .count = 0 };
	winperf_begin_block(w, part, (int64_t)blg->part++);
}

/* On to the next part; false: there is none. */
static bool next_part(struct blg *blg)
{
	unsigned int type = BLG_PART_OUTER;
	struct cursor part;
	uint32_t size;

	while (type == BLG_PART_OUTER) {
		if (cursor_left(&blg->sample) == 0)
			return false;
		size = peek_part(blg->sample, &type);
		if (size == 0) {
			winperf_gap(&blg->winperf, FINDING_BLG_RECORD, blg->sample.offset,
				    cursor_left(&blg->sample),
				    "a part of a sample that is none, or is larger than "
				    "the %zu bytes left",
				    cursor_left(&blg->sample));
			blg->sample = cursor_over(NULL, 0, 0, false);
			return false;
		}
		if (type == BLG_PART_OUTER) /* what is in it comes next */
			cursor_skip(&blg->sample, BLG_PART_HEADER_BYTES);
	}
	part = cursor_sub(&blg->sample, size);
	if (type == BLG_PART_BLOCK)
		on_block(blg, part);
	else
		blg_on_values(blg, part, type);
	return true;
}

static enum status next(void *state, struct record *out, struct error *error)
{
	struct blg *blg = state;
	enum status status;

	do
		status = winperf_next(&blg->winperf, out, error);
	while (status == ST_END && (blg_next_instance(blg) || next_part(blg)));
	return status;
}

static void describe(const void *state, struct trace_row *trace)
{
	const struct blg *blg = state;

	trace->format = STR("blg");
	trace->clock = blg->has_objects || !blg->entries ? STR("QPC") : STR("local time");
	winperf_describe(&blg->winperf, trace);
}

const struct etl_consumer blg_consumer = {
	.kept = "perflib_snapshot, perflib_counter, perflib_raw",
	.is_mine = is_mine,
	.learn = learn,
	.end_learning = end_learning,
	.on_event = on_event,
	.next = next,
	.end = end,
	.describe = describe,
	.close = blg_close,
};
