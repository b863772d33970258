/*
 * background.h - jobs in a second thread, one after the other.
 *
 * The next block of a file is read while the last one is decoded, and a batch of rows is
 * loaded while the next one is filled.  The data of a job belong to the thread until
 * background_wait() returns.  A thread that waits for an unstarted job runs it itself, so
 * a job must not wait for other jobs.
 */
#ifndef PERFTAB_BACKGROUND_H
#define PERFTAB_BACKGROUND_H

#include <stddef.h>

struct background;

/* Most unfinished jobs of a client, the running one included. */
#define BACKGROUND_JOBS_MAX 4

/* With at most two CPUs one thread serves one client of each kind in turn. */
enum background_kind {
	BACKGROUND_READS, /* mostly waits for the system */
	BACKGROUND_WORKS, /* keeps a CPU busy */
	BACKGROUND_KINDS
};

/* NULL if no thread can be started: the caller then does the work itself. */
struct background *background_start(enum background_kind kind);
/* Queues job(context); waits for a job to end if the queue is full. */
void background_run(struct background *background, void (*job)(void *context),
		    void *context);
/* Waits until at most `left` jobs, the latest, are unfinished. */
void background_wait(struct background *background, size_t left);
/* Waits for all jobs and releases the client.  NULL is allowed. */
void background_stop(struct background *background);

#endif
