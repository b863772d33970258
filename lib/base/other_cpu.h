/*
 * other_cpu.h - copies numbers that another thread will read, past the caches.
 *
 * Where two CPUs share no cache, a store to a line that the other one has read waits
 * until that one has dropped it: in copies of 1 KiB, 8 ns a line on an AMD EPYC (Zen 5),
 * and 2 past the caches.  Where they share one, these cost 1 ns more (bench/other_cpu.c).
 */
#ifndef PERFTAB_OTHER_CPU_H
#define PERFTAB_OTHER_CPU_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/sanitizer.h"

/* Sanitizers see memcpy() alone, so but for one test their programs have that. */
#if defined(__x86_64__) &&            \
	(defined(OTHER_CPU_ALWAYS) || \
	 (!defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)))
#define OTHER_CPU_STREAMS 1
#include <immintrin.h>
#endif

/*
 * Copies `count` numbers of 8 bytes to a place that is aligned to them.  The other thread
 * may read them after other_cpu_fence(), which background.c calls between jobs.
 */
static inline void other_cpu_copy(void *to, const void *from, size_t count)
{
#ifdef OTHER_CPU_STREAMS
	const char *in = from, *end = in + count * sizeof(int64_t);
	char *out = to;
	long long number;

	if (count && (uintptr_t)out % sizeof(__m128i)) {
		memcpy(&number, in, sizeof(number));
		_mm_stream_si64((void *)out, number);
		in += sizeof(number);
		out += sizeof(number);
	}
	for (; (size_t)(end - in) >= sizeof(__m128i); in += sizeof(__m128i)) {
		_mm_stream_si128((void *)out, _mm_loadu_si128((const void *)in));
		out += sizeof(__m128i);
	}
	if (in < end) {
		memcpy(&number, in, sizeof(number));
		_mm_stream_si64((void *)out, number);
	}
#else
	memcpy(to, from, count * sizeof(int64_t));
#endif
}

static inline void other_cpu_fence(void)
{
#ifdef OTHER_CPU_STREAMS
	_mm_sfence();
#endif
}

#endif
