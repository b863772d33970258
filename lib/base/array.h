/*
 * array.h - arrays that double when they are full.
 *
 * An array is a pointer and its room, the number of elements that fit: NULL and 0 at
 * first, and released by free().  The caller counts those in use.
 */
#ifndef PERFTAB_ARRAY_H
#define PERFTAB_ARRAY_H

#include <stddef.h>

/* Elements of an array, not of a pointer. */
#define ARRAY_COUNT(array) (sizeof(array) / sizeof((array)[0]))

/*
 * Makes room for element `at`, if there is none.  False: out of memory (memory.h notes
 * it), and the array is unchanged.
 *
 * The caller itself compares `at` with `room` (a size_t); calls are rare.  Each argument
 * is evaluated several times, `at` again after `room` has changed.
 */
#define ARRAY_GROW(items, room, at) ARRAY_GROW_BY(array_grow, items, room, at)
/* As ARRAY_GROW(), and sets new elements to zero. */
#define ARRAY_GROW_ZEROED(items, room, at) \
	ARRAY_GROW_BY(array_grow_zeroed, items, room, at)

#define ARRAY_GROW_BY(grow, items, room, at) \
	((at) < (room) ||                    \
	 ((items) = grow((items), &(room), (at), sizeof((items)[0])), (at) < (room)))

/*
 * Returns elements of `size` bytes, at least twice as many as before, `at` included, and
 * sets the room.  Out of memory: returns `items`, and the room is not above `at`.
 */
void *array_grow(void *items, size_t *room, size_t at, size_t size);
void *array_grow_zeroed(void *items, size_t *room, size_t at, size_t size);

#endif
