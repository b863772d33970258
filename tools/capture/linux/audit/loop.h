/*
 * loop.h - work of which the number of instructions and branches is known.
 */
#ifndef PERFTAB_AUDIT_LOOP_H
#define PERFTAB_AUDIT_LOOP_H

#include <stdint.h>

/* Instructions of one turn, at least and at most; one branch each. */
#if defined(__x86_64__) || defined(__aarch64__)
#define AUDIT_LOOP_LEAST 2
#define AUDIT_LOOP_MOST 2
#else
#define AUDIT_LOOP_LEAST 1
#define AUDIT_LOOP_MOST 16
#endif

/* `turns` is at least 1. */
void audit_loop(uint64_t turns);

/* The time-stamp counter, after all instructions before it; 0: there is none. */
uint64_t audit_tsc(void);

/* Pages of new memory, each touched once: as many page faults. */
#define AUDIT_PAGES 8
void audit_touch_pages(void);

#endif
