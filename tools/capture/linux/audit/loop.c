/*
 * loop.c - the loop by which counters are audited, in assembly where its length is to be
 * known; see loop.h.
 */
#include "capture/linux/audit/loop.h"

#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

void audit_loop(uint64_t turns)
{
#if defined(__x86_64__)
	__asm__ volatile("1:	dec %0\n"
			 "	jnz 1b\n"
			 : "+r"(turns)
			 :
			 : "cc");
#elif defined(__aarch64__)
	__asm__ volatile("1:	subs %0, %0, #1\n"
			 "	b.ne 1b\n"
			 : "+r"(turns)
			 :
			 : "cc");
#else
	for (; turns; turns--) /* the compiler may not know how often */
		__asm__ volatile("" : "+r"(turns));
#endif
}

uint64_t audit_tsc(void)
{
#if defined(__x86_64__)
	uint32_t low, high;

	__asm__ volatile("lfence\n\trdtsc\n\tlfence"
			 : "=a"(low), "=d"(high)
			 :
			 : "memory");
	return (uint64_t)high << 32 | low;
#else
	return 0;
#endif
}

void audit_touch_pages(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = AUDIT_PAGES * page;
	volatile char *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED)
		return;
	(void)madvise((void *)(uintptr_t)pages, bytes, MADV_NOHUGEPAGE);
	for (size_t at = 0; at < bytes; at += page)
		pages[at] = 1;
	(void)munmap((void *)(uintptr_t)pages, bytes);
}
