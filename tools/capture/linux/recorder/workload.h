/*
 * workload.h - the command that is recorded: it exists before the counters are armed, and
 * runs when they are.
 */
#ifndef PERFTAB_WORKLOAD_H
#define PERFTAB_WORKLOAD_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"

#define WORKLOAD_NOT_FOUND 127 /* exit statuses, as the shell has them */
#define WORKLOAD_NOT_EXECUTABLE 126

struct workload {
	pid_t pid; /* 0: none */
	int gate; /* the command waits until something is written here, or it is closed */
	int news; /* what its exec failed with, if it did */
	bool ended, stopped;
	int exit_status; /* once it has ended: its own, or 128 + signal */
};

/*
 * Forks; the child waits for the gate, then forks the command and waits for its end: so
 * the command is a child of a counted process; its last counts are reported like those
 * of every child.  The caller has SIGCHLD handled.
 * Fails without a child if the command cannot be found, as execvp(3) looks for it.
 * to_stderr: what the command prints goes there, standard output is the recorder's.
 */
MUST_CHECK enum status workload_prepare(struct workload *workload, char *const *command,
					bool to_stderr, struct error *error);
/* Lets it run; fails if it cannot be executed (exit_status is 126 or 127 then). */
MUST_CHECK enum status workload_run(struct workload *workload, const char *name,
				    struct error *error);
/* Looks whether it has ended. */
bool workload_ended(struct workload *workload);
/* SIGTERM to a command that still runs, and waits a second for its end. */
void workload_stop(struct workload *workload);
/* Waits for its end, or until SIGINT or SIGTERM comes: it is left then. */
void workload_wait(struct workload *workload);

#endif
