/* background.c - see background.h. */
#include "core/background.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>

struct job {
	void (*work)(void *context);
	void *context;
};

struct background {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct job jobs[BACKGROUND_JOBS_MAX]; /* a ring */
	size_t first, count; /* the first one is being done, or will be next */
	bool stop;
};

static void *work(void *context)
{
	struct background *b = context;

	pthread_mutex_lock(&b->lock);
	while (!b->stop || b->count) {
		struct job job = b->jobs[b->first];

		if (!b->count) {
			pthread_cond_wait(&b->changed, &b->lock);
			continue;
		}
		pthread_mutex_unlock(&b->lock);
		job.work(job.context);
		pthread_mutex_lock(&b->lock);
		b->first = (b->first + 1) % BACKGROUND_JOBS_MAX;
		b->count--;
		pthread_cond_broadcast(&b->changed);
	}
	pthread_mutex_unlock(&b->lock);
	return NULL;
}

static int start_thread(struct background *b)
{
	sigset_t all, before;
	int failed;

	/* Signals are for the main thread, which knows what to do with them. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	failed = pthread_create(&b->thread, NULL, work, b);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return failed;
}

struct background *background_start(void)
{
	struct background *b = calloc(1, sizeof(*b));

	if (!b)
		return NULL;
	pthread_mutex_init(&b->lock, NULL);
	pthread_cond_init(&b->changed, NULL);
	if (start_thread(b) == 0)
		return b;
	pthread_cond_destroy(&b->changed);
	pthread_mutex_destroy(&b->lock);
	free(b);
	return NULL;
}

static void wait_until(struct background *b, size_t left)
{
	while (b->count > left)
		pthread_cond_wait(&b->changed, &b->lock);
}

void background_run(struct background *b, void (*job)(void *context), void *context)
{
	pthread_mutex_lock(&b->lock);
	wait_until(b, BACKGROUND_JOBS_MAX - 1);
	b->jobs[(b->first + b->count++) % BACKGROUND_JOBS_MAX] =
		(struct job){ job, context };
	pthread_cond_broadcast(&b->changed);
	pthread_mutex_unlock(&b->lock);
}

void background_wait(struct background *b, size_t left)
{
	pthread_mutex_lock(&b->lock);
	wait_until(b, left);
	pthread_mutex_unlock(&b->lock);
}

void background_stop(struct background *b)
{
	if (!b)
		return;
	pthread_mutex_lock(&b->lock);
	b->stop = true;
	pthread_cond_broadcast(&b->changed);
	pthread_mutex_unlock(&b->lock);
	pthread_join(b->thread, NULL);
	pthread_cond_destroy(&b->changed);
	pthread_mutex_destroy(&b->lock);
	free(b);
}
