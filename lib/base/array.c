/* array.c - reallocates arrays, with products that cannot overflow. */
#include "base/array.h"

#include <stdint.h>
#include <string.h>

#include "base/memory.h"

/* Many arrays stay small. */
#define FIRST_ROOM 4

void *array_grow(void *items, size_t *room, size_t at, size_t size)
{
	/* No object is larger than half of the address space. */
	size_t most = SIZE_MAX / 2 / size;
	size_t more = *room < most / 2 ? 2 * *room : most;
	void *bigger;

	if (at >= most) {
		memory_note_failure();
		return items;
	}
	if (more < FIRST_ROOM)
		more = FIRST_ROOM;
	if (more <= at)
		more = at + 1;
	bigger = memory_resize(items, more * size);
	if (!bigger)
		return items;
	*room = more;
	return bigger;
}

void *array_grow_zeroed(void *items, size_t *room, size_t at, size_t size)
{
	size_t before = *room;
	char *grown = array_grow(items, room, at, size);

	if (*room > before)
		memset(grown + before * size, 0, (*room - before) * size);
	return grown;
}
