/*
 * answer.c - an answer of PerfQueryCounterData, block by block: rules V6 and V8
 * to V12.
 *
 * The next block is found by the size of this one, whatever its type and whatever is
 * wrong with it, so an error or an unknown type costs only itself.
 */
#include "formats/perflib/perflib.h"

static bool is_known_type(uint32_t type)
{
	return type <= PERFLIB_COUNTERS || type == PERFLIB_INSTANCES ||
	       type == PERFLIB_COUNTERSET;
}

/* --- V12 --- */

static void check_type(struct perflib *perflib, uint32_t type, uint64_t offset)
{
	const struct perflib_slot *slot = perflib->walk.slot;
	bool is_list = type == PERFLIB_COUNTERS || type == PERFLIB_COUNTERSET;
	bool is_multi = type == PERFLIB_INSTANCES || type == PERFLIB_COUNTERSET;
	int64_t instances;

	if (!slot || !slot->has_identifier || !slot->set)
		return;
	instances = slot->set->known.row.instance_type;
	if (is_list != (slot->counter == PERFLIB_NONE))
		finding_report(perflib->findings, FINDING_PERFLIB_V12, offset + 4,
			       "V12: a block of type %u, but the query asks for %s", type,
			       is_list ? "one counter" : "all counters");
	/* What an aggregate other than a set of instances gives is not documented. */
	else if (instances != INT_NONE && (instances == 0 || instances & 2) &&
		 is_multi != (instances != 0))
		finding_report(perflib->findings, FINDING_PERFLIB_V12, offset + 4,
			       "V12: a block of type %u, but the counterset has %s", type,
			       is_multi ? "no instances" : "instances");
}

/* --- the header of a block --- */

static void copy_body(struct perflib_walk *walk, struct cursor payload)
{
	size_t size = cursor_left(&payload);

	if (size > PERFLIB_BODY_BYTES_MAX)
		size = PERFLIB_BODY_BYTES_MAX;
	if (size)
		walk->block_row.body = (struct str){ (const char *)payload.pos, size };
}

/* V9 to V11.  Whether the payload is what its type says. */
static bool is_data(struct perflib *perflib, struct cursor payload, uint64_t offset)
{
	struct perflib_walk *walk = &perflib->walk;
	uint32_t type = (uint32_t)walk->block_row.type;
	uint32_t status = (uint32_t)walk->block_row.status;
	size_t size = cursor_left(&payload);

	if (!is_known_type(type)) {
		copy_body(walk, payload);
		finding_report(perflib->findings, FINDING_PERFLIB_V10, offset + 4,
			       "V10: a block of unknown type %u, %zu bytes", type, size);
		return false;
	}
	if (type == PERFLIB_ERROR && (size != 0 || status == 0)) {
		copy_body(walk, payload);
		finding_report(
			perflib->findings, FINDING_PERFLIB_V11, offset,
			"V11: an error block with status %u and %zu bytes after it",
			status, size);
	} else if (status != 0 && size != 0) {
		copy_body(walk, payload);
		finding_report(perflib->findings, FINDING_PERFLIB_V9, offset,
			       "V9: %zu bytes in a block with status %u, skipped", size,
			       status);
	}
	return type != PERFLIB_ERROR && status == 0;
}

static void find_slot(struct perflib *perflib, uint64_t offset)
{
	struct perflib_sets *sets = &perflib->sets;
	struct perflib_walk *walk = &perflib->walk;

	walk->slot = perflib_slot(sets, walk->query, walk->block, offset);
	/* A block that no identifier is known for has a counterset of its own. */
	if (walk->slot && !walk->slot->set && !walk->slot->has_identifier)
		walk->slot->set = perflib_set(sets, NULL, offset);
	if (walk->slot && !walk->slot->set)
		walk->slot = NULL;
	if (!walk->slot)
		return;
	while (walk->slot->set->successor)
		walk->slot->set = walk->slot->set->successor;
	perflib_emit_set(sets, walk->slot->set);
}

/* Its row, after those of the countersets and counters that it references. */
static void begin_block(struct perflib *perflib, struct cursor block)
{
	struct perflib_walk *walk = &perflib->walk;
	uint64_t offset = block.offset;
	size_t size = cursor_left(&block);
	uint32_t status = cursor_u32(&block), type = cursor_u32(&block);

	cursor_skip(&block, 8);
	find_slot(perflib, offset);
	walk->stamp++;
	if (walk->slot)
		walk->slot->visits.now = walk->stamp;
	walk->whole = false;
	walk->block_row = (struct perflib_block_row){
		.snapshot = walk->snapshot_row.snapshot,
		.block = walk->block,
		.counterset =
			walk->slot ? walk->slot->set->known.row.counterset : INT_NONE,
		.record_offset = (int64_t)offset,
		.type = type,
		.status = status,
		.bytes = (int64_t)size,
		.counters = INT_NONE,
		.instances = INT_NONE,
		.object_time = INT_NONE,
		.object_freq = INT_NONE,
	};
	if (is_data(perflib, block, offset)) {
		check_type(perflib, type, offset);
		walk->in_block = perflib_begin_payload(perflib, block, type);
	}
	emit_push_row(&perflib->emit, RECORD_perflib_block, offset, &walk->block_row);
}

/* --- from block to block --- */

/* V6: what is left when the blocks, or the bytes, are at their end. */
static void check_end(struct perflib *perflib)
{
	struct perflib_walk *walk = &perflib->walk;
	size_t left = cursor_left(&walk->answer);

	if (walk->too_many_blocks || (walk->block == walk->blocks && left == 0))
		return;
	if (walk->block < walk->blocks)
		finding_report(perflib->findings, FINDING_PERFLIB_V6, walk->from + 4,
			       "V6: %u blocks claimed, but only %u are there",
			       walk->blocks, walk->block);
	/* Fewer than 8 bytes, because dwTotalSize is not a multiple: V3 reported that. */
	else if (left >= 8 || (walk->answer.offset + left - walk->from) % 8 == 0)
		finding_gap(perflib->findings, FINDING_PERFLIB_V6, walk->answer.offset,
			    walk->answer.offset + left,
			    "V6: %zu bytes after the last of %u blocks", left,
			    walk->blocks);
}

/* False: there is none, or it cannot be found. */
static bool next_block(struct perflib *perflib)
{
	struct perflib_walk *walk = &perflib->walk;
	struct cursor head = walk->answer;
	uint64_t offset = head.offset;
	size_t left = cursor_left(&head);
	uint32_t size;

	if (walk->block >= walk->blocks || left < PERFLIB_BLOCK_HEADER_BYTES) {
		check_end(perflib);
		return false;
	}
	cursor_skip(&head, 8);
	size = cursor_u32(&head);
	if ((offset - walk->from) % 8 != 0)
		finding_report(perflib->findings, FINDING_PERFLIB_V3, offset,
			       "V3: a block begins at %llu, expected a multiple of 8",
			       (unsigned long long)(offset - walk->from));
	if (size < PERFLIB_BLOCK_HEADER_BYTES || size > left) {
		finding_gap(perflib->findings, FINDING_PERFLIB_V8, offset, offset + left,
			    "V8: a block of %u bytes where %zu are left, expected at "
			    "least %d",
			    size, left, PERFLIB_BLOCK_HEADER_BYTES);
		return false;
	}
	begin_block(perflib, cursor_sub(&walk->answer, size));
	walk->block++;
	return true;
}

/* What can be read of the block is over. */
static void end_block(struct perflib_walk *walk)
{
	walk->in_block = false;
	if (walk->whole && walk->slot)
		walk->slot->visits.last_whole = walk->stamp;
}

/* Rows wait in the queue, or values of the instance at hand. */
static bool has_rows(const struct perflib *perflib)
{
	return emit_is_waiting(&perflib->emit) ||
	       perflib->walk.value_at < perflib->walk.value_count;
}

bool perflib_walk_answer(struct perflib *perflib)
{
	struct perflib_walk *walk = &perflib->walk;

	while (walk->in_block || next_block(perflib)) {
		while (walk->in_block && !has_rows(perflib))
			if (!perflib_next_unit(perflib))
				end_block(walk);
		if (has_rows(perflib))
			return true;
	}
	walk->answer = cursor_over(NULL, 0, 0, false);
	walk->block = walk->blocks = 0;
	return false;
}

/* V6: as many blocks as there is room for. */
static void check_blocks(struct perflib *perflib)
{
	struct perflib_walk *walk = &perflib->walk;
	size_t room = cursor_left(&walk->answer) / PERFLIB_BLOCK_HEADER_BYTES;

	if (walk->blocks <= room)
		return;
	walk->too_many_blocks = true;
	finding_report(perflib->findings, FINDING_PERFLIB_V6, walk->from + 4,
		       "V6: %u blocks claimed, but there is room for %zu", walk->blocks,
		       room);
}

/* Countersets of the blocks precede the snapshot, as far as the query names them. */
static void emit_sets(struct perflib *perflib, struct perflib_query *query)
{
	if (query->is_needed)
		return;
	query->is_needed = true;
	for (size_t i = 0; i < query->slot_count; i++)
		if (query->slots[i] && query->slots[i]->set)
			perflib_emit_set(&perflib->sets, query->slots[i]->set);
}

void perflib_begin_answer(struct perflib *perflib, struct cursor answer,
			  struct perflib_query *query, int64_t code,
			  uint64_t expected_bytes)
{
	struct perflib_walk *walk = &perflib->walk;

	walk->from = answer.offset;
	walk->answer = cursor_over(NULL, 0, answer.offset, false);
	walk->query = query;
	walk->block = walk->blocks = 0;
	walk->too_many_blocks = walk->in_block = false;
	walk->snapshot_row = (struct perflib_snapshot_row){
		.snapshot = ++perflib->snapshots,
		.ts_ns = INT_NONE,
		.query = perflib->is_bundle ? (int64_t)query->number : INT_NONE,
		.code = code,
		.record_offset = (int64_t)answer.offset,
		.bytes = (int64_t)cursor_left(&answer),
		.blocks = INT_NONE,
		.perf_time = INT_NONE,
		.perf_freq = INT_NONE,
		.perf_time_100ns = INT_NONE,
	};
	/* What a call that failed left in the buffer means nothing. */
	if ((code == 0 || code == INT_NONE) &&
	    perflib_decode_header(perflib, answer, expected_bytes)) {
		check_blocks(perflib);
		emit_sets(perflib, query);
	}
	emit_push_row(&perflib->emit, RECORD_perflib_snapshot, walk->from,
		      &walk->snapshot_row);
}
