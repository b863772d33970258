/*
 * commands.h - command lines, from /proc/PID/cmdline, into the trace.
 *
 * Those of processes that exist are read at the beginning, those of new ones when the
 * kernel reports their exec (a COMM record with its EXEC bit).  So that also programs of
 * few milliseconds are there when they are looked at, an event of its own for each CPU,
 * with a small ring, wakes the recorder at once.  The kernel reports an exec before the
 * new program has its words: those that have none yet are looked at again.
 */
#ifndef PERFTAB_COMMANDS_H
#define PERFTAB_COMMANDS_H

#include "base/bytes.h"
#include "capture/linux/counters/counters.h"
#include "capture/linux/recorder/ring.h"

#define COMMANDS_WAITING_MAX 64

/* A process that has begun a program, and has no words yet. */
struct new_command {
	pid_t pid;
	int tries;
	uint64_t time_ns;
};

/* All zero reads none. */
struct commands {
	const struct counters *counters;
	int *fds;	    /* by instance of the counters, -1: none */
	struct ring *rings; /* by place of the CPU */
	int poll_fd;	    /* of them all */
	bool works;	    /* else the tracker's records have to do: commands_note() */
	struct bytes made;  /* records that are not written yet */
	struct new_command waiting[COMMANDS_WAITING_MAX];
	size_t waiting_count; /* look at them soon: commands_read() */
};

/* Optional: where the limits of this user do not allow it, `works` is false. */
void commands_open(struct commands *commands, const struct counters *counters);
void commands_close(struct commands *commands);
void commands_begin(struct commands *commands);
/* Reads what the rings report, and those that wait. */
void commands_read(struct commands *commands);
/* A record of another ring; `time_ns` is that of the exec. */
void commands_note(struct commands *commands, pid_t pid, uint64_t time_ns);

#endif
