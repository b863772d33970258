/*
 * blg_values.c - parts of a sample that hold the values of a counter: of one instance, or
 * of all that there were; docs/formats/perf-logs.md has the layouts.
 *
 * All such parts of a sample are one snapshot.  Its time is local time.  Where a log has
 * no V1 blocks, that is the clock of the trace, and counters whose second value is a time
 * of the 100 ns clock show how far it is from UTC.  Else it is converted to the clock of
 * the blocks (find_clock() of blg.c).
 */
#include "formats/etw/etw.h"
#include "formats/winperf/blg.h"

#define RAW_COUNTER_BYTES 40u
#define INSTANCE_BYTES 24u
/* perflib_block.type of the parts of a sample other than V1 blocks. */
#define BLOCK_TYPE_PDH 256

/* PDH_CSTATUS_VALID_DATA, PDH_CSTATUS_NEW_DATA */
#define STATUS_VALID_MAX 1u

/* PERF_TIMER_100NS of a counter type: the second value is UTC, in 100 ns since 1601. */
#define TYPE_TIMER_100NS 0x00100000
#define TYPE_TIMER_MASK 0x00300000
/* Zones are whole quarters of an hour; the two clocks are read a moment apart. */
#define ZONE_STEP_100NS (INT64_C(15) * 60 * 10000000)
#define ZONE_MAX_100NS (INT64_C(15) * 3600 * 10000000)
#define CLOCKS_APART_100NS (INT64_C(60) * 10000000)

/* --- times --- */

/* The time of the sample, on the clock of the trace. */
static int64_t sample_ns(struct blg *blg)
{
	struct winperf *w = &blg->winperf;
	int64_t ts_ns = etw_unix_ns(blg->ticks);

	if (!blg->entries || ts_ns == INT_NONE)
		return INT_NONE;
	if (blg->has_objects &&
	    (!blg->has_shift || __builtin_add_overflow(ts_ns, blg->shift_ns, &ts_ns)))
		return INT_NONE;
	if (w->first_ns == INT_NONE || ts_ns < w->first_ns)
		w->first_ns = ts_ns;
	if (w->last_ns == INT_NONE || ts_ns > w->last_ns)
		w->last_ns = ts_ns;
	return ts_ns;
}

/* From a value that was read at a local time, of a counter that says the time as well. */
static void find_zone(struct blg *blg, const struct blg_entry *entry, uint64_t local,
		      int64_t second)
{
	struct winperf *w = &blg->winperf;
	int64_t type = entry->counter->known.row.type, apart, steps;

	if (w->wall_offset_ns != INT_NONE || blg->has_objects || local > INT64_MAX ||
	    type == INT_NONE || (type & TYPE_TIMER_MASK) != TYPE_TIMER_100NS ||
	    __builtin_sub_overflow(second, (int64_t)local, &apart) ||
	    apart > ZONE_MAX_100NS || apart < -ZONE_MAX_100NS)
		return;
	steps = (apart + (apart < 0 ? -1 : 1) * ZONE_STEP_100NS / 2) / ZONE_STEP_100NS;
	apart -= steps * ZONE_STEP_100NS;
	if (apart <= CLOCKS_APART_100NS && apart >= -CLOCKS_APART_100NS)
		w->wall_offset_ns = steps * ZONE_STEP_100NS * 100;
}

/* --- rows --- */

static void emit_snapshot(struct blg *blg)
{
	struct perflib_snapshot_row row = {
		.snapshot = ++blg->winperf.snapshots,
		.ts_ns = sample_ns(blg),
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
		      const struct blg_entry *entry, int64_t instances, bool keeps_bytes)
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
		.instances = instances,
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

static void emit_value(struct blg *blg, struct perflib_raw_row *row,
		       const struct registry_instance *instance,
		       const struct blg_entry *entry, uint64_t offset)
{
	row->snapshot = blg->snapshot;
	row->instance = instance->row.instance;
	row->counter = entry->counter->known.row.counter;
	row->bytes = 8;
	if (row->status > STATUS_VALID_MAX)
		row->value = row->second = row->multi = INT_NONE;
	emit_push_row(&blg->emit, RECORD_perflib_raw,
		      winperf_place(&blg->winperf, offset), row);
}

static void report_short(struct blg *blg, const struct cursor *part, unsigned int least)
{
	finding_report(blg->winperf.registry.findings, FINDING_BLG_RECORD,
		       winperf_place(&blg->winperf, part->offset),
		       "the value of a counter in %zu bytes, expected %u",
		       cursor_left(part), least);
}

/* --- one instance --- */

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
static void on_counter(struct blg *blg, struct cursor part, struct blg_entry *entry)
{
	const struct registry_instance *instance;
	uint64_t offset = part.offset, local;
	struct perflib_raw_row row = { .position = 0 };

	emit_part(blg, part, BLG_PART_COUNTER, entry, INT_NONE, false);
	if (cursor_left(&part) < BLG_PART_HEADER_BYTES + RAW_COUNTER_BYTES) {
		report_short(blg, &part, BLG_PART_HEADER_BYTES + RAW_COUNTER_BYTES);
		return;
	}
	cursor_skip(&part, BLG_PART_HEADER_BYTES);
	row.status = cursor_u32(&part);
	local = cursor_u64(&part);
	cursor_skip(&part, 4); /* alignment */
	row.value = (int64_t)cursor_u64(&part);
	row.second = (int64_t)cursor_u64(&part);
	row.multi = cursor_u32(&part);
	instance = instance_of(blg, entry, offset);
	if (!instance)
		return;
	find_zone(blg, entry, local, row.second);
	emit_value(blg, &row, instance, entry, offset);
}

/* --- several instances --- */

/* Length, instances, status, padding, FILETIME; the entries; their names. */
static void on_instances(struct blg *blg, struct cursor part, struct blg_entry *entry)
{
	struct blg_multi *multi = &blg->multi;
	struct cursor c = part;
	uint64_t local;

	cursor_skip(&c, BLG_PART_HEADER_BYTES);
	*multi = (struct blg_multi){ .entry = entry, .texts = c, .whole = true };
	cursor_skip(&c, 4); /* bytes: those of the part */
	multi->left = cursor_u32(&c);
	multi->status = cursor_u32(&c);
	cursor_skip(&c, 4);
	local = cursor_u64(&c);
	if (c.overrun || multi->left > cursor_left(&c) / INSTANCE_BYTES) {
		emit_part(blg, part, BLG_PART_INSTANCES, entry, INT_NONE, true);
		finding_report(blg->winperf.registry.findings, FINDING_BLG_RECORD,
			       winperf_place(&blg->winperf, part.offset),
			       "the values of %u instances in %zu bytes", multi->left,
			       cursor_left(&part));
		multi->left = 0;
		return;
	}
	emit_part(blg, part, BLG_PART_INSTANCES, entry, multi->left, false);
	multi->entries = c;
	multi->part = (int64_t)blg->part;
	entry->visits.now++;
	if (multi->left) {
		cursor_skip(&c, 16); /* to the second value of the first entry */
		find_zone(blg, entry, local, (int64_t)cursor_u64(&c));
	}
}

/* The name at an offset of the part; ptr NULL: it is not in it. */
static struct str name_at(struct blg *blg, uint32_t at)
{
	struct cursor c = blg->multi.texts;
	const uint8_t *name;
	size_t bytes;

	cursor_skip(&c, at);
	if (c.overrun || !winperf_utf16(&c, &name, &bytes))
		return STR_NONE;
	return winperf_utf8(&blg->winperf, name, bytes);
}

bool blg_next_instance(struct blg *blg)
{
	struct blg_multi *multi = &blg->multi;
	struct blg_entry *entry = multi->entry;
	uint64_t offset = multi->entries.offset;
	const struct registry_instance *instance;
	struct perflib_raw_row row = { .status = multi->status };
	struct registry_who who;

	if (multi->left == 0)
		return false;
	who = (struct registry_who){
		.visits = &entry->visits,
		.counterset = entry->set->known.row.counterset,
		.place = (uint64_t)entry->set->known.row.counterset << 32 ^
			 (uint64_t)(multi->part + 1),
		.number = INT_NONE,
		.block = multi->part,
		.query = INT_NONE,
		.parent_title = INT_NONE,
		.parent_number = INT_NONE,
		.snapshot = blg->snapshot,
		.name = name_at(blg, cursor_u32(&multi->entries)),
	};
	row.multi = cursor_u32(&multi->entries);
	row.value = (int64_t)cursor_u64(&multi->entries);
	row.second = (int64_t)cursor_u64(&multi->entries);
	if (!who.name.ptr) {
		multi->whole = false;
		finding_report(blg->winperf.registry.findings, FINDING_BLG_RECORD,
			       winperf_place(&blg->winperf, offset),
			       "an instance with a name that is not in its part");
	}
	instance = who.name.ptr ? registry_instance(&blg->winperf.registry, &who,
						    winperf_place(&blg->winperf, offset))
				: NULL;
	if (instance)
		emit_value(blg, &row, instance, entry, offset);
	if (--multi->left == 0 && multi->whole)
		entry->visits.last_whole = entry->visits.now;
	return true;
}

/* --- any part with values --- */

void blg_on_values(struct blg *blg, struct cursor part, unsigned int type)
{
	struct blg_entry *entry =
		blg->part < blg->entry_count ? &blg->entries[blg->part] : NULL;

	if (!blg->snapshot)
		emit_snapshot(blg);
	if (entry && !entry->counter)
		entry = NULL;
	if (type == BLG_PART_COUNTER && entry) {
		on_counter(blg, part, entry);
	} else if (type == BLG_PART_INSTANCES && entry) {
		on_instances(blg, part, entry);
	} else {
		emit_part(blg, part, type,
			  blg->part < blg->entry_count ? &blg->entries[blg->part] : NULL,
			  INT_NONE, true);
		finding_report(
			blg->winperf.registry.findings, FINDING_BLG_UNKNOWN,
			winperf_place(&blg->winperf, part.offset),
			"part %zu of a sample, of type %u, %zu bytes: kept as bytes",
			blg->part, type, cursor_left(&part));
	}
	blg->part++;
}
