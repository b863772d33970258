/* memory.c - malloc, calloc and realloc, and a flag that one of them failed. */
#include "base/memory.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/os.h"
#include "base/scope.h"

/* Set by any thread without a scope. */
static atomic_bool failed;

static atomic_bool *flag(void)
{
	struct scope *scope = scope_current();

	return scope ? &scope->failed : &failed;
}

void memory_note_failure(void)
{
	atomic_store_explicit(flag(), true, memory_order_relaxed);
}

bool memory_failed(void)
{
	return atomic_load_explicit(flag(), memory_order_relaxed);
}

static void *noted(void *memory)
{
	if (!memory)
		memory_note_failure();
	return memory;
}

void *memory_alloc(size_t size)
{
	return noted(malloc(size ? size : 1));
}

void *memory_alloc_zeroed(size_t count, size_t size)
{
	return noted(calloc(count ? count : 1, size ? size : 1));
}

void *memory_resize(void *memory, size_t size)
{
	return noted(realloc(memory, size ? size : 1));
}

void *memory_alloc_aligned(size_t alignment, size_t size)
{
	return noted(os_alloc_aligned(alignment, size));
}

void *memory_alloc_large(size_t size)
{
	return noted(os_alloc_large(size));
}
