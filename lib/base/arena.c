/* arena.c - allocates from large blocks that are freed together. */
#include "base/arena.h"

#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer_bytes.h"
#include "base/memory.h"
#include "base/os.h"
#include "base/prefetch.h"
#include "base/sanitizer.h"

/* A sanitizer sees what is written past an allocation if each has a guard after it. */
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>

#define GUARD_BYTES 16
#else
#define GUARD_BYTES 0
#define ASAN_POISON_MEMORY_REGION(at, size) ((void)(at), (void)(size))
#endif

#define ALIGN alignof(max_align_t)
/* A block has as many bytes as all before it: many arenas stay small. */
#define FIRST_BLOCK_BYTES BUFFER_SIZE((size_t)4 * 1024, (size_t)1024)
#define MIDDLE_BLOCK_BYTES BUFFER_SIZE((size_t)64 * 1024, (size_t)4 * 1024)

/*
 * An arena with more gets blocks that are large pages: fewer faults, fewer addresses to
 * be looked up.  A sanitizer must know what is in them.
 */
#define LARGE_ARENA_BYTES BUFFER_SIZE((size_t)1 << 20, (size_t)16 * 1024)
#define LARGE_BLOCK_BYTES ((size_t)2 << 20)

struct arena_block {
	struct arena_block *next;
	size_t used;
	size_t size;
	size_t all; /* bytes of this block and of those before it */
	bool is_large;
	alignas(max_align_t) unsigned char bytes[];
};

static struct arena_block *new_block(size_t all, size_t size)
{
	bool is_large = all >= LARGE_ARENA_BYTES && !GUARD_BYTES &&
			size <= LARGE_BLOCK_BYTES - sizeof(struct arena_block);
	size_t room = all < MIDDLE_BLOCK_BYTES ? all : MIDDLE_BLOCK_BYTES;
	struct arena_block *block;

	if (room < FIRST_BLOCK_BYTES)
		room = FIRST_BLOCK_BYTES;
	if (room < size)
		room = size;
	if (is_large)
		room = LARGE_BLOCK_BYTES - sizeof(*block);
	block = is_large ? memory_alloc_large(LARGE_BLOCK_BYTES)
			 : memory_alloc_zeroed(1, sizeof(*block) + room);
	if (!block)
		return NULL;
	block->size = room;
	block->all = all + room;
	block->is_large = is_large;
	return block;
}

/* `align` is a power of two. */
static void *allocate(struct arena *arena, size_t size, size_t align)
{
	struct arena_block *block = arena->blocks;
	size_t before;
	unsigned char *at;

	if (size > SIZE_MAX / 2)
		return NULL;
	size = (size + GUARD_BYTES + ALIGN - 1) / ALIGN * ALIGN;
	if (!block || block->size - block->used < size + align - ALIGN) {
		block = new_block(block ? block->all : 0, size + align - ALIGN);
		if (!block)
			return NULL;
		block->next = arena->blocks;
		arena->blocks = block;
	}
	at = block->bytes + block->used;
	before = -(uintptr_t)at % align;
	block->used += before + size;
	ASAN_POISON_MEMORY_REGION(block->bytes + block->used - GUARD_BYTES, GUARD_BYTES);
	return at + before;
}

void *arena_alloc(struct arena *arena, size_t size)
{
	return allocate(arena, size, ALIGN);
}

void *arena_alloc_line(struct arena *arena, size_t size)
{
	return allocate(arena, size, CACHE_LINE_BYTES);
}

struct str arena_str(struct arena *arena, struct str text)
{
	char *copy = arena_alloc(arena, text.len + 1);

	if (!copy)
		return STR_NONE;
	if (text.len)
		memcpy(copy, text.ptr, text.len);
	return (struct str){ copy, text.len };
}

void arena_release(struct arena *arena)
{
	while (arena->blocks) {
		struct arena_block *next = arena->blocks->next;

		if (arena->blocks->is_large)
			os_free_large(arena->blocks, LARGE_BLOCK_BYTES);
		else
			free(arena->blocks);
		arena->blocks = next;
	}
}
