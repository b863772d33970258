/*
 * memory.h - allocation that remembers when it failed.
 *
 * Much of what a reader keeps can be missing without any other harm: a name, a detail of
 * an event, a count.  An output without it must not be called complete.  So a failure is
 * noted here, once for the whole process or scope (scope.h), and looked at where outputs
 * get their names and where the exit status is made: a caller may go on, or give up
 * earlier.
 */
#ifndef PERFTAB_MEMORY_H
#define PERFTAB_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/os.h"

/* As malloc(), calloc(), realloc() and os_alloc_aligned(); to be freed by free(). */
void *memory_alloc(size_t size);
void *memory_alloc_zeroed(size_t count, size_t size);
void *memory_resize(void *memory, size_t size);
void *memory_alloc_aligned(size_t alignment, size_t size);

/* As os_alloc_large(); to be freed by os_free_large(). */
void *memory_alloc_large(size_t size);

/* Notes that a library that allocates by itself failed to. */
void memory_note_failure(void);
/* Returns whether any allocation has failed. */
bool memory_failed(void);

#endif
