/*
 * tid_space.h - the newest thread of each number.
 *
 * Numbers of Linux are small and mostly close to one another: each has a place in a page,
 * so that it is found without hashing, and asked for ahead.  Others are in a map.
 */
#ifndef PERFTAB_TID_SPACE_H
#define PERFTAB_TID_SPACE_H

#include "base/arena.h"
#include "base/map.h"

struct thread;

/* Numbers below this have pages: Linux has no others. */
#define TID_SPACE_NUMBERS (1u << 22)
#define TID_SPACE_PAGE 1024u /* numbers of a page */

struct tid_space {
	struct thread ***pages; /* NULL, or each NULL: none yet */
	struct map others;
};

/* Returns the place of a number, which may be empty; NULL: it has none. */
static inline struct thread **tid_space_place(const struct tid_space *space, int64_t tid)
{
	struct thread **page = (uint64_t)tid < TID_SPACE_NUMBERS && space->pages
				       ? space->pages[tid / TID_SPACE_PAGE]
				       : NULL;

	return page ? &page[tid % TID_SPACE_PAGE] : NULL;
}

static inline struct thread *tid_space_get(const struct tid_space *space, int64_t tid)
{
	struct thread **place = tid_space_place(space, tid);

	return place ? *place : map_get(&space->others, (uint64_t)tid);
}

/* Pages are in the arena.  False: out of memory. */
bool tid_space_put(struct tid_space *space, struct arena *arena, int64_t tid,
		   struct thread *thread);
/* Returns the next thread from *at (first 0) on, and moves *at; NULL: no more. */
struct thread *tid_space_next(const struct tid_space *space, uint64_t *at, int64_t *tid);
/* Forgets all; the arena is released by its owner. */
void tid_space_release(struct tid_space *space);

#endif
