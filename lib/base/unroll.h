/*
 * unroll.h - short loops over columns: four steps at a time, or all of them.
 *
 * Counting is half of the work of a loop that copies a number; compilers do not unroll
 * such loops at -O2.
 */
#ifndef PERFTAB_UNROLL_H
#define PERFTAB_UNROLL_H

#if defined(__clang__)
#define UNROLLED _Pragma("clang loop unroll_count(4)")
#define COMPLETELY _Pragma("clang loop unroll(full)")
#elif defined(__GNUC__)
#define UNROLLED _Pragma("GCC unroll 4")
#define COMPLETELY _Pragma("GCC unroll 32")
#else
#define UNROLLED
#define COMPLETELY
#endif

#endif
