/*
 * os_posix_memory.c - memory in large pages.
 *
 * The first touch of a page costs the most where a hypervisor keeps page tables itself:
 * 10 to 17 us there, whether it has 4 KiB or 2 MiB (bench/README.md, "New memory").
 */
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/os.h"

#define LARGE_PAGE_BYTES ((size_t)2 << 20)

void *os_alloc_aligned(size_t alignment, size_t size)
{
	/* C11 wants whole multiples of the alignment, and ASan refuses others. */
	size_t over = size % alignment;
	size_t missing = over ? alignment - over : 0;

	return size <= SIZE_MAX - missing ? aligned_alloc(alignment, size + missing)
					  : NULL;
}

void os_prefer_large_pages(void *memory, size_t size)
{
	(void)madvise(memory, size, MADV_HUGEPAGE);
}

void os_drop_pages(void *memory, size_t size)
{
	(void)madvise(memory, size, MADV_DONTNEED);
}

/* Begins a large page: maps room for that, and unmaps the pages before and after. */
void *os_alloc_large(size_t size)
{
	char *memory = mmap(NULL, size + LARGE_PAGE_BYTES, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	size_t before;

	if (memory == MAP_FAILED)
		return NULL;
	before = (size_t)(-(uintptr_t)memory % LARGE_PAGE_BYTES);
	if (before)
		(void)munmap(memory, before);
	(void)munmap(memory + before + size, LARGE_PAGE_BYTES - before);
	os_prefer_large_pages(memory + before, size);
	return memory + before;
}

void os_free_large(void *memory, size_t size)
{
	(void)munmap(memory, size);
}

#ifdef __GLIBC__
void os_trim_heap(void)
{
	(void)malloc_trim(0);
}

/*
 * Addresses that are asked for at a time.  Only pages that are touched are memory.  Where
 * more is needed, what comes after the first of these has small pages.
 */
#define HEAP_BYTES (64 * 1024 * 1024)
/* Larger blocks have pages of their own: one that grows is not copied. */
#define BLOCK_BYTES (16 * 1024 * 1024)
/* More than is left of the first heap, which grows then. */
#define FIRST_BYTES ((size_t)160 * 1024)
#define BEFORE_BYTES ((size_t)256 * 1024)

/*
 * The heap of the first thread, which grows in one place, for all threads.  What malloc()
 * writes as it grows lies before the first large page: a page that was touched stays
 * small.
 */
void os_use_large_pages(void)
{
	char *end = sbrk(0), *large;
	size_t before = (size_t)(-(uintptr_t)end % LARGE_PAGE_BYTES);
	void *volatile first; /* else the compiler leaves it out */

	if (before < BEFORE_BYTES)
		before += LARGE_PAGE_BYTES;
	if (end == (void *)-1 || !mallopt(M_ARENA_MAX, 1) ||
	    !mallopt(M_TOP_PAD, HEAP_BYTES) || !mallopt(M_TRIM_THRESHOLD, HEAP_BYTES) ||
	    !mallopt(M_MMAP_THRESHOLD, BLOCK_BYTES) ||
	    sbrk((intptr_t)(before - BEFORE_BYTES)) != end)
		return;
	first = malloc(FIRST_BYTES);
	large = end + before;
	if ((char *)sbrk(0) > large)
		os_prefer_large_pages(large, (size_t)((char *)sbrk(0) - large));
	free(first);
}
#else
void os_trim_heap(void)
{
}

void os_use_large_pages(void)
{
}
#endif
