/*
 * etl_owners.c - events of the first walk that say whose a thread is, and which process
 * has an id.
 */
#include <stdlib.h>

#include "base/array.h"
#include "formats/etw/etl.h"
#include "formats/etw/etl_kinds.h"

static struct etl_naming naming_of(const struct etl_index *index,
				   const struct etl_event *event)
{
	return (struct etl_naming){
		.ticks = event->ticks,
		.order = (uint32_t)(index->owners.count + index->owners.process_count),
		.segment =
			(uint16_t)(index->segment_count ? index->segment_count - 1 : 0),
		.opcode = event->opcode,
	};
}

/* False, with a finding: no more are kept. */
static bool is_within_limit(struct etl_index *index, const struct etl_event *event)
{
	if (index->owners.count + index->owners.process_count < ETL_OWNERS_MAX)
		return true;
	finding_add(index->findings, FINDING_FACT_LIMIT, event->offset, 1);
	return false;
}

static bool note_thread(struct etl_index *index, const struct etl_event *event)
{
	struct etl_owners *owners = &index->owners;
	struct etl_owner owner = { .named = naming_of(index, event) };
	struct cursor c = event->payload;

	owner.pid = cursor_u32(&c);
	owner.tid = cursor_u32(&c);
	if (event->version == 0 && event->opcode != (ETL_THREAD_NAME & 0xff)) {
		uint32_t tid = owner.pid;

		owner.pid = owner.tid;
		owner.tid = tid;
	}
	if (c.overrun || owner.tid == 0 || !is_within_limit(index, event))
		return true;
	if (!ARRAY_GROW(owners->all, owners->room, owners->count))
		return false;
	owners->all[owners->count++] = owner;
	return true;
}

static bool note_process(struct etl_index *index, const struct etl_event *event)
{
	struct etl_owners *owners = &index->owners;
	struct etw_process_row row;
	struct cursor c = etl_decode_process(index->texts, event, &row);
	struct etl_process process = {
		.named = naming_of(index, event),
		.pid = (uint32_t)row.pid,
		.parent_pid = row.parent_pid,
		.key = row.unique_key,
	};

	if (c.overrun || cursor_left(&c) || row.pid <= 0 ||
	    !is_within_limit(index, event))
		return true;
	if (row.image.len) {
		process.image = arena_str(index->arena, row.image);
		if (!process.image.ptr)
			return false;
	}
	if (!ARRAY_GROW(owners->processes, owners->process_room, owners->process_count))
		return false;
	owners->processes[owners->process_count++] = process;
	return true;
}

bool etl_note_owner(struct etl_index *index, const struct etl_event *event)
{
	bool noted = true;

	if (!event->is_kernel || event->odd_bits || !event->has_ticks)
		return true;
	switch (event->group << 8 | event->opcode) {
	case ETL_THREAD_START:
	case ETL_THREAD_END:
	case ETL_THREAD_DC_START:
	case ETL_THREAD_DC_END:
	case ETL_THREAD_NAME:
		return note_thread(index, event);
	case ETL_PROCESS_START:
	case ETL_PROCESS_END:
	case ETL_PROCESS_DC_START:
	case ETL_PROCESS_DC_END:
		noted = note_process(index, event);
		etl_texts_clear(index->texts);
		return noted;
	default: /* not ETL_PROCESS_DEFUNCT: that follows the end of its process */
		return true;
	}
}

void etl_owners_release(struct etl_owners *owners)
{
	free(owners->all);
	free(owners->processes);
	*owners = (struct etl_owners){ .all = NULL };
}
