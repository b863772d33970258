/*
 * prefetch.h - asks for memory that will be needed soon.
 *
 * Where it is known what comes next, waiting for many lines at once costs as much as
 * waiting for one.  To GCC 12 a function that does nothing else has no effect, and it
 * drops calls of it; the empty assembly is an effect.
 */
#ifndef PERFTAB_PREFETCH_H
#define PERFTAB_PREFETCH_H

#include <stddef.h>
#include <stdint.h>

#define CACHE_LINE_BYTES 64
/* Loops ask for what they need so many turns later: of more the last ones would wait. */
#define TURNS_AHEAD 24

/* So many bytes, at least one; some KiB at most. */
static inline void prefetch(const void *at, size_t bytes)
{
	const char *end = (const char *)at + bytes;

	__asm__ volatile("");
	for (const char *line = (const char *)at - (uintptr_t)at % CACHE_LINE_BYTES;
	     line < end; line += CACHE_LINE_BYTES)
		__builtin_prefetch(line);
}

#endif
