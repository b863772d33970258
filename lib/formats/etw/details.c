/*
 * details.c - what a switch says besides its two threads and its counters.
 *
 * Switches come by the million, combinations of states, reasons and priorities by the
 * hundred: each is stored once (see etw.h).  A text may hold any numbers: the hash begins
 * with a seed, and shifts between the multiplications, so that no file can be made whose
 * combinations all collide.
 */
#include "formats/etw/etw.h"

/* Remembered combinations; beyond them remembering begins anew. */
#define DETAILS_MAX 65536u

struct detail {
	struct etw_switch_detail_row row;
	struct detail *next; /* with the same hash */
};

static uint64_t mix_text(uint64_t hash, struct str text)
{
	return map_hash_text(map_mix(hash, text.len, 0), text);
}

static uint64_t hash_of(const struct etw_switch_detail_row *row)
{
	uint64_t hash = mix_text(map_salt(), row->prev_state);

	hash = mix_text(hash, row->wait_reason);
	hash = mix_text(hash, row->wait_mode);
	hash = map_mix(hash, (uint64_t)row->prev_priority, (uint64_t)row->next_priority);
	return map_mix(hash, (uint64_t)row->previous_c_state, (uint64_t)row->ideal_cpu);
}

static bool same(const struct etw_switch_detail_row *a,
		 const struct etw_switch_detail_row *b)
{
	return str_equal(a->prev_state, b->prev_state) &&
	       str_equal(a->wait_reason, b->wait_reason) &&
	       str_equal(a->wait_mode, b->wait_mode) &&
	       a->prev_priority == b->prev_priority &&
	       a->next_priority == b->next_priority &&
	       a->previous_c_state == b->previous_c_state && a->ideal_cpu == b->ideal_cpu;
}

static void forget(struct etw_details *details)
{
	map_release(&details->known);
	arena_release(&details->arena);
	details->count = 0;
}

static struct str copy_of(struct etw_details *details, struct str text)
{
	return text.ptr ? arena_str(&details->arena, text) : text;
}

int64_t etw_detail(struct etw_details *details, struct etw_switch_detail_row *row,
		   bool *is_new)
{
	uint64_t hash = hash_of(row);
	struct detail *first = map_get(&details->known, hash), *detail;

	*is_new = false;
	for (detail = first; detail; detail = detail->next)
		if (same(&detail->row, row))
			return detail->row.detail_id;
	if (details->count >= DETAILS_MAX) {
		forget(details);
		first = NULL;
	}
	detail = arena_alloc(&details->arena, sizeof(*detail));
	if (!detail)
		return INT_NONE;
	detail->row = *row;
	detail->row.prev_state = copy_of(details, row->prev_state);
	detail->row.wait_reason = copy_of(details, row->wait_reason);
	detail->row.wait_mode = copy_of(details, row->wait_mode);
	detail->row.detail_id = row->detail_id = details->last_id + 1;
	detail->next = first;
	if (!map_put(&details->known, hash, detail))
		return INT_NONE;
	details->count++;
	details->last_id++;
	*is_new = true;
	return row->detail_id;
}

void etw_details_release(struct etw_details *details)
{
	forget(details);
}
