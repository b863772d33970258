/*
 * arena.h - memory that is freed all at once.
 *
 * For data kept as long as a trace (names, threads, totals).  Blocks never move, so
 * pointers stay valid until arena_release().
 */
#ifndef PERFTAB_ARENA_H
#define PERFTAB_ARENA_H

#include <stddef.h>

#include "base/str.h"

struct arena {
	struct arena_block *blocks; /* newest first */
};

/* Zeroed memory, aligned for any type; NULL when out of memory. */
void *arena_alloc(struct arena *arena, size_t size);
/* As arena_alloc(), but aligned to a cache line. */
void *arena_alloc_line(struct arena *arena, size_t size);
/* Returns a copy, followed by a NUL; its ptr is NULL when out of memory. */
struct str arena_str(struct arena *arena, struct str text);
void arena_release(struct arena *arena);

#endif
