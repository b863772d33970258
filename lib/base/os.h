/*
 * os.h - common names for the system functions that differ between Linux and Windows.
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
/* Whether one was caught; in a scope (scope.h), whether that is to stop. */
bool os_interrupted(void);
/* Ends the program as the caught signal would have, after cleaning up. */
void os_die_of_interrupt(void);

/* Makes a write to a pipe without a reader fail instead of ending the program. */
void os_ignore_closed_pipes(void);
/* Whether a write to this descriptor failed with that errno for this reason. */
bool os_is_closed_pipe(FILE *file, int number);

/* Seconds of a monotonic clock. */
double os_seconds(void);

/* Sleeps until os_seconds() reaches this value or a signal comes. */
void os_sleep_until(double seconds);

/* The wall clock: 100 ns since 1601, UTC; and UTC less local time. */
int64_t os_wall_100ns(void);
int32_t os_minutes_west(void);

/* Creates an empty file to write bytes to; errno is set.  Names are UTF-8 everywhere. */
FILE *os_create_file(const char *path);
/*
 * A descriptor to write the bytes of a recording to: a new file that only the user can
 * read.  A file of that name that has bytes is renamed to NAME.old, in place of an older
 * one; pipes and devices are opened as they are.  Refuses links to files, and empty files
 * that others own or that have another name.  -1: *why in words.
 */
int os_open_output(const char *path, const char **why);

/* Unpredictable bits. */
uint64_t os_random(void);

/* Whether file descriptor 0, 1 or 2 is a terminal. */
bool os_is_terminal(int fd);
/*
 * Characters of a line of the terminal that a descriptor is, and its lines; 0: unknown.
 */
void os_terminal_size(int fd, int *columns, int *lines);

#endif
