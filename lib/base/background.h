/*
 * background.h - jobs in a pool of threads.
 *
 * The next block of a file is read while the last one is decoded, and a batch of rows is
 * loaded while the next one is filled.
 * The jobs of a client run one after the other, each on any thread of the pool; their
 * data belong to it until background_wait() returns.  A thread that waits for an
 * unstarted job runs it itself, so a job must not wait for other jobs of its client; one
 * that waits for a job under way does short ones meanwhile, and reads.
 */
#ifndef PERFTAB_BACKGROUND_H
#define PERFTAB_BACKGROUND_H

#include <stddef.h>

struct background;

/* Most unfinished jobs of a client, the running one included. */
#define BACKGROUND_JOBS_MAX 8
/* Most threads of a program that work at once. */
#define BACKGROUND_THREADS_MAX 16

/* Whose job comes first where a thread can choose; of one kind, what was queued first. */
enum background_kind {
	BACKGROUND_WORKS, /* keeps a CPU busy, and only one may do it */
	BACKGROUND_SHORT, /* a thread that waits for another job does it meanwhile */
	BACKGROUND_READS, /* a thread that waits for bytes can read them itself */
};

/*
 * How many threads of this program work at once, the first one included: 1 to
 * BACKGROUND_THREADS_MAX; 0, which it is before: as many as there are CPUs, but 2 to 16.
 * Before the first background_start().
 */
void background_set_threads(size_t count);
/*
 * NULL: the caller does the work itself, as there are to be no more threads, or no other
 * can be started.
 */
struct background *background_start(enum background_kind kind);
/* Queues job(context); waits for a job to end if the queue is full. */
void background_run(struct background *background, void (*job)(void *context),
		    void *context);
/* The same for each context. */
void background_run_each(struct background *background, void (*job)(void *context),
			 void *const *contexts, size_t count);
/* Waits until at most `left` jobs, the latest, are unfinished. */
void background_wait(struct background *background, size_t left);
/* Waits for all jobs and releases the client.  NULL is allowed. */
void background_stop(struct background *background);

#endif
