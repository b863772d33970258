/*
 * identifiers.c - what a query asks for, and which block answers it: rule V7.
 */
#include "formats/perflib/perflib.h"

/* Every Index from 0 on has its identifier. */
static void finish(struct perflib *perflib)
{
	struct perflib_query *query = perflib->query;

	for (size_t i = 0; i < query->identifiers; i++)
		if (i >= query->slot_count || !query->slots[i] ||
		    !query->slots[i]->has_identifier) {
			finding_report(perflib->findings, FINDING_PERFLIB_V7,
				       (uint64_t)perflib->identifier_row.record_offset +
					       32,
				       "V7: %zu identifiers, but none has the index %zu",
				       query->identifiers, i);
			return;
		}
}

static void take_slot(struct perflib *perflib, struct perflib_set *set, uint32_t counter,
		      uint32_t index, uint64_t offset)
{
	struct perflib_slot *slot;

	perflib->query->identifiers++;
	slot = perflib_slot(perflib, perflib->query, index, offset);
	if (!slot || slot->has_identifier)
		return; /* a repeated index: another one is missing, which is told */
	slot->has_identifier = true;
	slot->set = set;
	slot->counter = counter;
	perflib->query->is_needed = false;
}

static struct str name_of(struct perflib *perflib, struct cursor fields)
{
	size_t length, bytes = cursor_left(&fields);

	if (bytes < 2)
		return STR_NONE;
	(void)perflib_nul(fields.pos, bytes, &length);
	return length ? perflib_utf8(perflib, fields.pos, length, fields.offset)
		      : STR_NONE;
}

static bool step(struct reader *reader, struct record *out)
{
	struct perflib *perflib = reader->state;
	struct cursor *rest = &perflib->rest;
	struct perflib_identifier_row *row = &perflib->identifier_row;
	uint64_t offset = rest->offset;
	struct cursor fields = *rest;
	const uint8_t *guid;
	struct perflib_set *set;
	uint32_t status, size, counter, number, index;

	if (cursor_left(rest) == 0) {
		perflib->step = NULL;
		if (!perflib->is_add)
			finish(perflib);
		return false;
	}
	guid = cursor_bytes(&fields, PLB_GUID_BYTES);
	status = cursor_u32(&fields);
	size = cursor_u32(&fields);
	counter = cursor_u32(&fields);
	number = cursor_u32(&fields);
	index = cursor_u32(&fields);
	cursor_skip(&fields, 4);
	if (fields.overrun || size < PERFLIB_IDENTIFIER_BYTES ||
	    size > cursor_left(rest)) {
		finding_gap(perflib->findings, FINDING_PERFLIB_V7, offset,
			    offset + cursor_left(rest),
			    "V7: an identifier of %u bytes where %zu are left, expected "
			    "at least %d",
			    size, cursor_left(rest), PERFLIB_IDENTIFIER_BYTES);
		perflib->step = NULL;
		return false;
	}
	fields = cursor_sub(rest, size);
	cursor_skip(&fields, PERFLIB_IDENTIFIER_BYTES);
	set = perflib_set(perflib, guid, offset);
	*row = (struct perflib_identifier_row){
		.query = perflib->query->number,
		.call = perflib->is_add ? STR("add") : STR("info"),
		.record_offset = (int64_t)offset,
		.counterset = set ? set->row.counterset : INT_NONE,
		.status = status,
		.counter = counter == PERFLIB_NONE ? INT_NONE : (int64_t)counter,
		.number = number == PERFLIB_NONE ? INT_NONE : (int64_t)number,
		.instance_name = name_of(perflib, fields),
		.block = index,
	};
	if (!perflib->is_add)
		take_slot(perflib, set, counter, index, offset + 32);
	*out = (struct record){ .kind = RECORD_perflib_identifier,
				.offset = offset,
				.data = row };
	return true;
}

void perflib_take_identifiers(struct reader *reader, struct cursor payload, bool is_add)
{
	struct perflib *perflib = reader->state;
	uint64_t offset = payload.offset;
	uint32_t number = cursor_u32(&payload), code = cursor_u32(&payload);
	uint32_t crc;

	if (payload.overrun) {
		finding_add(perflib->findings, FINDING_SHORT_RECORD, offset, 1);
		return;
	}
	perflib->query = perflib_query(perflib, number, offset);
	if (code != 0 || !perflib->query)
		return;
	perflib->is_add = is_add;
	perflib->rest = payload;
	perflib->step = step;
	if (is_add)
		return;
	/* The same again, as before each snapshot: nothing has changed. */
	crc = perflib->payload_crc;
	if (perflib->query->has_info && perflib->query->info_crc == crc) {
		perflib->step = NULL;
		return;
	}
	perflib->query->has_info = true;
	perflib->query->info_crc = crc;
	perflib->query->identifiers = 0;
	perflib->query->has_last = false;
	for (size_t i = 0; i < perflib->query->slot_count; i++)
		perflib->query->slots[i] = NULL;
}
