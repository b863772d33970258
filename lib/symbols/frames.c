/* frames.c - keeps each pair of address and thread once. */
#include "symbols/frames.h"

#include <stdlib.h>

#include "base/memory.h"
#include "model/chain_text.h"
#include "model/record.h"

#define FIRST_CAPACITY 1024

static size_t place_of(const struct frames *frames, uint64_t address, uint64_t owner)
{
	size_t at = map_hash(map_mix(map_salt(), address, owner), frames->capacity);

	while (frames->places[at].owner && (frames->places[at].address != address ||
					    frames->places[at].owner != owner))
		at = (at + 1) & (frames->capacity - 1);
	return at;
}

static bool grow(struct frames *frames)
{
	struct frames bigger = *frames;

	bigger.capacity = frames->capacity ? 2 * frames->capacity : FIRST_CAPACITY;
	bigger.places = memory_alloc_zeroed(bigger.capacity, sizeof(struct frame));
	if (!bigger.places) {
		frames->out_of_memory = true;
		return false;
	}
	for (size_t i = 0; i < frames->capacity; i++) {
		const struct frame *frame = &frames->places[i];

		if (frame->owner)
			bigger.places[place_of(&bigger, frame->address, frame->owner)] =
				*frame;
	}
	free(frames->places);
	frames->places = bigger.places;
	frames->capacity = bigger.capacity;
	return true;
}

void frames_add(struct frames *frames, uint64_t address, uint64_t owner)
{
	size_t at;

	/* A column that is NOT NULL has no such value; no address is 2^63. */
	if (address == (uint64_t)INT_NONE)
		return;
	if (2 * frames->count >= frames->capacity && frames->count < FRAMES_MAX &&
	    !grow(frames))
		return;
	at = place_of(frames, address, owner);
	if (frames->places[at].owner)
		return;
	if (frames->count == FRAMES_MAX) {
		frames->dropped++;
		return;
	}
	frames->places[at] = (struct frame){ address, owner };
	frames->count++;
}

/* --- chains --- */

static void forget_older(struct frame_chains *chains)
{
	map_release(&chains->older);
	arena_release(&chains->older_arena);
	chains->older = (struct map){ NULL, 0, 0 };
	chains->older_arena = (struct arena){ NULL };
}

void frames_add_chain(struct frames *frames, int64_t chain_id, struct str text)
{
	struct frame_chains *chains = &frames->chains;
	struct str *copy;

	if (chains->bytes + text.len > FRAME_CHAINS_BYTES) {
		forget_older(chains);
		chains->older = chains->known;
		chains->older_arena = chains->arena;
		chains->known = (struct map){ NULL, 0, 0 };
		chains->arena = (struct arena){ NULL };
		chains->bytes = 0;
	}
	copy = arena_alloc(&chains->arena, sizeof(*copy));
	if (copy)
		*copy = arena_str(&chains->arena, text);
	if (!copy || !copy->ptr || !map_put(&chains->known, (uint64_t)chain_id, copy))
		frames->out_of_memory = true;
	chains->bytes += text.len + sizeof(*copy) + 2 * sizeof(struct map_slot);
}

void frames_use_chain(struct frames *frames, int64_t chain_id, int64_t thread_id)
{
	struct frame_chains *chains = &frames->chains;
	uint64_t owner = thread_id == INT_NONE ? 0 : frame_owner(thread_id);
	size_t place = map_hash((uint64_t)chain_id + (owner << 32), FRAME_RECENT);
	const struct str *text;
	struct str rest;
	struct chain_frame frame = { .address = 0 };

	if (chain_id == INT_NONE || (chains->recent[place].chain_id == chain_id &&
				     chains->recent[place].owner == owner))
		return;
	chains->recent[place].chain_id = chain_id;
	chains->recent[place].owner = owner;
	text = map_get(&chains->known, (uint64_t)chain_id);
	if (!text)
		text = map_get(&chains->older, (uint64_t)chain_id);
	rest = text ? *text : STR_NONE;
	while (chain_next_frame(&rest, &frame))
		if (frame.place == CHAIN_OTHER || frame.is_cookie)
			continue;
		else if (chain_is_kernel(&frame))
			frames_add(frames, frame.address, FRAME_OF_KERNEL);
		else if (owner)
			frames_add(frames, frame.address, owner);
}

void frames_release(struct frames *frames)
{
	forget_older(&frames->chains);
	map_release(&frames->chains.known);
	arena_release(&frames->chains.arena);
	free(frames->places);
	*frames = (struct frames){ .places = NULL };
}
