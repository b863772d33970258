/*
 * background.h - jobs in a pool of threads.
 *
 * The next block of a file is read while the last one is decoded, and a batch of rows is
 * loaded while the next one is filled.
 * The jobs of a client run one after the other, each on any thread of the pool; their
 * data belong to it until background_wait() returns.  A thread that waits for an
 * unstarted job runs it itself, so a job must not wait for other jobs of its client.  A
 * thread that waits for a running job runs short jobs and reads of others meanwhile.
 */
#ifndef PERFTAB_BACKGROUND_H
#define PERFTAB_BACKGROUND_H

#include <stddef.h>

struct background;

/* Maximum of unfinished jobs of a client, the running one included. */
#define BACKGROUND_JOBS_MAX 8
/* Maximum of threads of a program that work at once. */
#define BACKGROUND_THREADS_MAX 16

/* Priority of jobs, the highest first; jobs of one kind run in the order of queueing. */
enum background_kind {
	BACKGROUND_WORKS, /* CPU-bound; only one thread may run it */
	BACKGROUND_SHORT, /* a thread that waits for another job may run it */
	BACKGROUND_READS, /* a thread that waits for bytes can read them itself */
};

/*
 * Sets how many threads of this program work at once, the first one included: 1 to
 * BACKGROUND_THREADS_MAX; 0 (default): as many as there are CPUs, but 2 to 16.  Call it
 * before the first background_start().
 */
void background_set_threads(size_t count);
/*
 * Returns a client of the pool.  NULL: the caller does the work itself, because only one
 * thread is allowed or none could be started.
 */
struct background *background_start(enum background_kind kind);
/* Queues job(context); waits for a job to end if the queue is full. */
void background_run(struct background *background, void (*job)(void *context),
		    void *context);
/* Calls background_run() for each context. */
void background_run_each(struct background *background, void (*job)(void *context),
			 void *const *contexts, size_t count);
/* Waits until at most the `left` latest jobs are unfinished. */
void background_wait(struct background *background, size_t left);
/* Waits for all jobs and releases the client.  NULL is allowed. */
void background_stop(struct background *background);

#endif
