/* places.c - counts samples by address, and keeps what was there. */
#include "report/places.h"

#include "base/wrap.h"
#include "report/places_private.h"

#define MODE_KERNEL 1
#define MODE_USER 2

void places_begin(struct places *places, int64_t from_ns, int64_t to_ns)
{
	*places = (struct places){ .from_ns = from_ns, .to_ns = to_ns };
	places->last = &places->first;
}

void places_release(struct places *places)
{
	map_release(&places->counts);
	map_release(&places->frames);
	map_release(&places->names);
	arena_release(&places->arena);
	places_begin(places, places->from_ns, places->to_ns);
}

/* --- samples --- */

static bool is_same(const struct place_count *a, const struct place_count *b)
{
	return a->thread_id == b->thread_id && a->address == b->address &&
	       a->counter_id == b->counter_id && a->space == b->space;
}

/* As schema/views.sql decides in sample_named. */
static enum place_space space_of(const struct sample_row *row)
{
	if (row->ip == INT_NONE || row->mode > MODE_USER)
		return SPACE_NONE;
	return row->mode == MODE_KERNEL || row->ip < 0 ? SPACE_KERNEL : SPACE_USER;
}

bool places_add_sample(struct places *places, const struct sample_row *row)
{
	struct place_count wanted = {
		.thread_id = row->thread_id,
		.counter_id = row->counter_id,
		.first_ns = row->ts_ns,
		.space = space_of(row),
	};
	struct place_count *found;
	uint64_t key;

	if (row->counter_id == INT_NONE ||
	    (row->ts_ns != INT_NONE &&
	     (row->ts_ns < places->from_ns || row->ts_ns >= places->to_ns)))
		return true;
	wanted.address = wanted.space == SPACE_NONE ? 0 : row->ip;
	key = map_key(wanted.thread_id, wanted.address, wanted.counter_id, wanted.space);
	MAP_FIND(&places->counts, key, found, is_same(found, &wanted));
	if (!found) {
		if (places->count == PLACES_MAX)
			return false;
		found = arena_alloc(&places->arena, sizeof(*found));
		if (!found || !map_put(&places->counts, key, found))
			return false;
		*found = wanted;
		*places->last = found;
		places->last = &found->next;
		places->count++;
	}
	found->samples++;
	if (row->period != INT_NONE)
		found->events = wrap_add(found->events, row->period);
	return true;
}

/* --- what was there --- */

/* Modules and functions recur in many rows. */
static struct str intern(struct places *places, struct str text)
{
	uint64_t key = map_hash_text(map_salt(), text);
	struct str *known;

	if (!text.ptr)
		return STR_NONE;
	MAP_FIND(&places->names, key, known, str_equal(*known, text));
	if (known)
		return *known;
	known = arena_alloc(&places->arena, sizeof(*known));
	if (!known || !map_put(&places->names, key, known))
		return STR_NONE;
	return *known = arena_str(&places->arena, text);
}

static uint64_t frame_key(int64_t process_id, int64_t address)
{
	return map_key(process_id, address, 0, 0);
}

bool places_on_row(struct places *places, const struct record *record)
{
	const struct frame_symbol_row *row = record->data;
	struct place_frame *frame;
	uint64_t key;

	if (record->kind != RECORD_frame_symbol)
		return true;
	key = frame_key(row->process_id, row->address);
	frame = arena_alloc(&places->arena, sizeof(*frame));
	if (!frame)
		return false;
	*frame = (struct place_frame){
		.process_id = row->process_id,
		.address = row->address,
		.from_ns = row->from_ns,
		.to_ns = row->to_ns == INT_NONE ? INT64_MAX : row->to_ns,
		.module = intern(places, row->module),
		.symbol = intern(places, row->symbol),
		.next = map_get(&places->frames, key),
	};
	return map_put(&places->frames, key, frame);
}

const struct place_frame *places_find(const struct places *places, int64_t process_id,
				      const struct place_count *count)
{
	const struct place_frame *frame;

	if (count->space == SPACE_NONE)
		return NULL;
	if (count->space == SPACE_KERNEL)
		process_id = INT_NONE;
	else if (process_id == INT_NONE)
		return NULL;
	frame = map_get(&places->frames, frame_key(process_id, count->address));
	while (frame &&
	       (frame->process_id != process_id || frame->address != count->address ||
		/* INT_NONE is less than any time. */
		frame->from_ns > count->first_ns || frame->to_ns <= count->first_ns))
		frame = frame->next;
	return frame;
}
