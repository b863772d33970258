/* tid_space.c - pages of threads by number, made when one of their numbers is stored. */
#include "attribution/tid_space.h"

/* NULL: out of memory. */
static struct thread **make_place(struct tid_space *space, struct arena *arena,
				  uint64_t tid)
{
	const size_t count = TID_SPACE_NUMBERS / TID_SPACE_PAGE;
	struct thread ***page;

	if (!space->pages)
		space->pages = arena_alloc(arena, count * sizeof(*space->pages));
	if (!space->pages)
		return NULL;
	page = &space->pages[tid / TID_SPACE_PAGE];
	if (!*page)
		*page = arena_alloc(arena, TID_SPACE_PAGE * sizeof(struct thread *));
	return *page ? &(*page)[tid % TID_SPACE_PAGE] : NULL;
}

bool tid_space_put(struct tid_space *space, struct arena *arena, int64_t tid,
		   struct thread *thread)
{
	struct thread **place;

	if ((uint64_t)tid >= TID_SPACE_NUMBERS)
		return map_put(&space->others, (uint64_t)tid, thread);
	place = make_place(space, arena, (uint64_t)tid);
	if (place)
		*place = thread;
	return place != NULL;
}

/* Places, then slots of the map. */
struct thread *tid_space_next(const struct tid_space *space, uint64_t *at, int64_t *tid)
{
	for (; *at < TID_SPACE_NUMBERS; ++*at) {
		struct thread *const *place = tid_space_place(space, (int64_t)*at);

		if (!place) {
			*at |= TID_SPACE_PAGE - 1; /* to the end of the page */
			continue;
		}
		if (*place) {
			*tid = (int64_t)(*at)++;
			return *place;
		}
	}
	for (; *at - TID_SPACE_NUMBERS < space->others.capacity; ++*at) {
		const struct map_slot *slot =
			&space->others.slots[*at - TID_SPACE_NUMBERS];

		if (slot->value) {
			++*at;
			*tid = (int64_t)slot->key;
			return slot->value;
		}
	}
	return NULL;
}

void tid_space_release(struct tid_space *space)
{
	map_release(&space->others);
	space->pages = NULL;
}
