/*
 * os.h - the little that differs between systems, behind common names.
 *
 * os_posix.c and os_windows.c implement it.
 */
#ifndef PERFTAB_OS_H
#define PERFTAB_OS_H

#include <stdbool.h>
#include <stdint.h>

/* SIGINT and SIGTERM set a flag instead of ending the program. */
void os_catch_interrupts(void);
bool os_interrupted(void);
/* Ends the program the way the caught signal would have, after cleaning up. */
void os_die_of_interrupt(void);

/* Seconds on a clock that never goes back. */
double os_seconds(void);

/* Bits that nobody can foresee. */
uint64_t os_random(void);

/* File descriptor 0, 1 or 2 is a terminal. */
bool os_is_terminal(int fd);

#endif
