/*
 * background.h - jobs in a second thread, one after the other.
 *
 * For the places where waiting is worth it: reading the next block of a file while the
 * last one is decoded, and loading batches of rows while the next one is made.  What a
 * job touches is the thread's until background_wait() has returned.  Who waits for a job
 * that nobody has begun does it; so a job must not itself wait for others.
 */
#ifndef PERFTAB_BACKGROUND_H
#define PERFTAB_BACKGROUND_H

#include <stddef.h>

struct background;

/* As many may be waited for at once, the one that is being done included. */
#define BACKGROUND_JOBS_MAX 4

/* Where there are no more than two CPUs one thread works for one of each, in turns. */
enum background_kind {
	BACKGROUND_READS, /* waits for the system, mostly */
	BACKGROUND_WORKS, /* has enough to do for a CPU */
	BACKGROUND_KINDS
};

/* NULL when there is no thread to be had; then do the work in the foreground. */
struct background *background_start(enum background_kind kind);
/* job(context), when those before it are done; waits for one if there are too many. */
void background_run(struct background *background, void (*job)(void *context),
		    void *context);
/* Until at most `left` jobs are not done, the latest ones; at once when there are none.
 */
void background_wait(struct background *background, size_t left);
/* Waits, and ends the thread.  NULL is fine. */
void background_stop(struct background *background);

#endif
