/*
 * tasks.h - processes and threads that were there before the recording, from /proc.
 */
#ifndef PERFTAB_TASKS_H
#define PERFTAB_TASKS_H

#include <sys/types.h>

#include "capture/linux/counters/counters.h"
#include "formats/perf/write_parts.h"

#define TASKS_MAX (1u << 22)

/*
 * FORK (time 0) and COMM records of all tasks below `proc` ("/proc") that began before
 * `armed_ns` on CLOCK_BOOTTIME: the kernel reports later ones.  COMM has the time at
 * which the name was read, as has the command line of each.  pid > 0: only that process.
 */
void tasks_write(struct bytes *to, const char *proc, const struct counters *counters,
		 pid_t pid, uint64_t armed_ns);

/* The process began before that time on CLOCK_MONOTONIC; false: or there is none. */
bool tasks_began_before(const char *proc, pid_t pid, uint64_t time_ns);

/* Threads of a process; *tids is the caller's.  ST_UNSUPPORTED: there is none such. */
MUST_CHECK enum status tasks_of(const char *proc, int64_t pid, pid_t **tids,
				size_t *count, struct error *error);

/* The process of a thread; 0: there is no such thread. */
pid_t tasks_process(const char *proc, int64_t tid);

/* kernel_map.c: where the kernel's text is, as `kallsyms` ("/proc/kallsyms") has it. */
void kernel_map_write(struct bytes *to, const char *kallsyms,
		      const struct counters *counters);

/*
 * One record, of that process below `proc` ("/proc").  False: it is there, and has no
 * command line, at least not yet.
 */
bool tasks_write_command(struct bytes *to, const char *proc, pid_t pid, uint64_t time_ns);

#endif
