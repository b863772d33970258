/*
 * os.h - the little that differs between systems, behind common names.
 *
 * os_posix.c and os_windows.c implement it.
 */
#ifndef PERFTAB_OS_H
#define PERFTAB_OS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* SIGINT and SIGTERM set a flag instead of ending the program. */
void os_catch_interrupts(void);
bool os_interrupted(void);
/* Ends the program the way the caught signal would have, after cleaning up. */
void os_die_of_interrupt(void);

/* Writing to a pipe that nobody reads any more fails, and does not end the program. */
void os_ignore_closed_pipes(void);
/* That is why a write to this one failed with that errno. */
bool os_is_closed_pipe(FILE *file, int number);

/* Seconds on a clock that never goes back. */
double os_seconds(void);

/* Sleeps until os_seconds() is that, or a signal comes. */
void os_sleep_until(double seconds);

/* The wall clock: 100 ns since 1601, UTC; and by how much local time is behind that. */
int64_t os_wall_100ns(void);
int32_t os_minutes_west(void);

/* Names are UTF-8 everywhere; errno says why not.  An empty file to write bytes to: */
FILE *os_create_file(const char *path);
/*
 * A descriptor to write the bytes of a recording to: a new file that only the user can
 * read.  A file of that name that has bytes is renamed to NAME.old, in place of an older
 * one; pipes and devices are opened as they are.  Refuses links to files, and empty files
 * that others own or that have another name.  -1: *why in words.
 */
int os_open_output(const char *path, const char **why);

/* Bits that nobody can foresee. */
uint64_t os_random(void);

/* File descriptor 0, 1 or 2 is a terminal. */
bool os_is_terminal(int fd);
/* Characters of a line of the terminal that a descriptor is, and its lines; 0: unknown.
 */
void os_terminal_size(int fd, int *columns, int *lines);

#endif
