/*
 * compiled_twice.h - loops for any CPU, and for x86 of the last ten years.
 *
 * Those CPUs have AVX2, and count and shift bits in one instruction each.  Nothing but
 * the time of a call differs.
 */
#ifndef PERFTAB_COMPILED_TWICE_H
#define PERFTAB_COMPILED_TWICE_H

#include <stdbool.h>

#if defined(__x86_64__) && defined(__GNUC__) && !defined(_WIN32)
#include <immintrin.h>
#define HAVE_AVX2 1
#define AVX2 __attribute__((target("avx2,bmi,bmi2,popcnt")))
#endif

/* Mark the functions that such a loop calls: without it they are compiled for any CPU. */
#ifdef __GNUC__
#define ALWAYS_INLINE inline __attribute__((always_inline))
#else
#define ALWAYS_INLINE inline
#endif

static inline bool cpu_has_avx2(void)
{
#ifdef HAVE_AVX2
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
	       __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
#else
	return false;
#endif
}

/*
 * Defines static void NAME(TYPE context), which calls NAME_any(context, has_avx2): that
 * is always inline, and may call functions marked AVX2 if has_avx2.
 */
#ifdef HAVE_AVX2
#define COMPILED_TWICE(name, type)                    \
	AVX2 static void name##_by_avx2(type context) \
	{                                             \
		name##_any(context, true);            \
	}                                             \
	static void name(type context)                \
	{                                             \
		if (cpu_has_avx2())                   \
			name##_by_avx2(context);      \
		else                                  \
			name##_any(context, false);   \
	}
#else
#define COMPILED_TWICE(name, type)          \
	static void name(type context)      \
	{                                   \
		name##_any(context, false); \
	}
#endif

#endif
