/*
 * identifiers.c - what a query asks for, and which block answers it: rule V7.
 */
#include "formats/perflib/perflib.h"

/* Every Index from 0 on has its identifier. */
static void check_indexes(struct perflib *perflib, uint64_t last)
{
	struct perflib_query *query = perflib->query;

	for (size_t i = 0; i < query->identifiers; i++)
		if (i >= query->slot_count || !query->slots[i] ||
		    !query->slots[i]->has_identifier) {
			finding_report(perflib->findings, FINDING_PERFLIB_V7, last + 32,
				       "V7: %zu identifiers, but none has the index %zu",
				       query->identifiers, i);
			return;
		}
}

static void set_slot(struct perflib *perflib, struct perflib_set *set, uint32_t counter,
		     uint32_t index, uint64_t offset)
{
	struct perflib_slot *slot;

	perflib->query->identifiers++;
	slot = perflib_slot(&perflib->sets, perflib->query, index, offset);
	if (!slot || slot->has_identifier)
		return; /* a repeated index: another one is missing, which is a finding */
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
	return length ? registry_utf8(&perflib->sets.registry, fields.pos, length,
				      fields.offset)
		      : STR_NONE;
}

static void emit_identifier(struct perflib *perflib, struct cursor fields)
{
	uint64_t offset = fields.offset;
	const uint8_t *guid = cursor_bytes(&fields, PLB_GUID_BYTES);
	uint32_t status = cursor_u32(&fields), counter, number, index;
	struct perflib_set *set = perflib_set(&perflib->sets, guid, offset);
	struct perflib_identifier_row row;

	cursor_skip(&fields, 4);
	counter = cursor_u32(&fields);
	number = cursor_u32(&fields);
	index = cursor_u32(&fields);
	cursor_skip(&fields, 4);
	row = (struct perflib_identifier_row){
		.query = perflib->query->number,
		.call = perflib->is_add ? STR("add") : STR("info"),
		.record_offset = (int64_t)offset,
		.counterset = set ? set->known.row.counterset : INT_NONE,
		.status = status,
		.counter = counter == PERFLIB_NONE ? INT_NONE : (int64_t)counter,
		.number = number == PERFLIB_NONE ? INT_NONE : (int64_t)number,
		.instance_name = name_of(perflib, fields),
		.block = index,
	};
	if (!perflib->is_add)
		set_slot(perflib, set, counter, index, offset + 32);
	emit_push_row(&perflib->emit, RECORD_perflib_identifier, offset, &row);
}

bool perflib_next_identifier(struct perflib *perflib)
{
	struct cursor *rest = &perflib->identifiers, head = *rest;
	uint64_t offset = head.offset;
	size_t left = cursor_left(&head);
	uint32_t size;

	if (left == 0)
		return false;
	cursor_skip(&head, PLB_GUID_BYTES + 4);
	size = cursor_u32(&head);
	if (left < PERFLIB_IDENTIFIER_BYTES || size < PERFLIB_IDENTIFIER_BYTES ||
	    size > left) {
		finding_gap(perflib->findings, FINDING_PERFLIB_V7, offset, offset + left,
			    "V7: an identifier of %u bytes where %zu are left, expected "
			    "at least %d",
			    size, left, PERFLIB_IDENTIFIER_BYTES);
		*rest = cursor_over(NULL, 0, 0, false);
		return true;
	}
	emit_identifier(perflib, cursor_sub(rest, size));
	if (cursor_left(rest) == 0 && !perflib->is_add)
		check_indexes(perflib, offset);
	return true;
}

void perflib_begin_identifiers(struct perflib *perflib, struct cursor payload,
			       bool is_add)
{
	uint64_t offset = payload.offset;
	uint32_t number = cursor_u32(&payload), code = cursor_u32(&payload);
	uint32_t crc;

	if (payload.overrun) {
		finding_add(perflib->findings, FINDING_SHORT_RECORD, offset, 1);
		return;
	}
	perflib->query = perflib_query(&perflib->sets, number, offset);
	if (code != 0 || !perflib->query)
		return;
	perflib->is_add = is_add;
	perflib->identifiers = payload;
	if (is_add)
		return;
	/* The same again, as before each snapshot: nothing has changed. */
	crc = perflib->payload_crc;
	if (perflib->query->has_info && perflib->query->info_crc == crc) {
		perflib->identifiers = cursor_over(NULL, 0, 0, false);
		return;
	}
	perflib->query->has_info = true;
	perflib->query->info_crc = crc;
	perflib->query->identifiers = 0;
	perflib->query->has_last = false;
	for (size_t i = 0; i < perflib->query->slot_count; i++)
		perflib->query->slots[i] = NULL;
}
