/*
 * background.h - one job at a time in a second thread.
 *
 * For the two places where waiting is worth it: reading the next block of a file while
 * the last one is decoded, and loading a batch of rows while the next one is made.  What
 * a job touches is the thread's until background_wait() has returned.
 */
#ifndef PERFTAB_BACKGROUND_H
#define PERFTAB_BACKGROUND_H

struct background;

/* NULL when there is no thread to be had; then do the work in the foreground. */
struct background *background_start(void);
/* Begins job(context); the one before must have been waited for. */
void background_run(struct background *background, void (*job)(void *context),
		    void *context);
/* Until the job is done; at once when there is none. */
void background_wait(struct background *background);
/* Waits, and ends the thread.  NULL is fine. */
void background_stop(struct background *background);

#endif
