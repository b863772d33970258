/* background.c - the second thread, its clients and their queues of jobs. */
#include "base/background.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/os.h"
#include "base/scope.h"

struct job {
	void (*work)(void *context);
	void *context;
	struct scope *scope; /* of the thread that queued it */
};

/* The jobs of one client. */
struct background {
	struct worker *worker;
	enum background_kind kind;
	struct job jobs[BACKGROUND_JOBS_MAX]; /* a ring */
	size_t first, count;
	bool is_busy; /* a thread runs the first job */
};

/* A thread that works for one client of each kind, or for one client alone. */
struct worker {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct background *clients[BACKGROUND_KINDS];
	bool stop;
};

/* The worker with room for a client of another kind, or NULL. */
static pthread_mutex_t lone_lock = PTHREAD_MUTEX_INITIALIZER;
static struct worker *lone;

/* --- the thread --- */

/* Runs the first job; called with the lock, which is released meanwhile. */
static void do_first(struct background *b)
{
	struct worker *worker = b->worker;
	struct job job = b->jobs[b->first];
	struct scope *before;

	b->is_busy = true;
	pthread_mutex_unlock(&worker->lock);
	before = scope_enter(job.scope);
	job.work(job.context);
	(void)scope_enter(before);
	pthread_mutex_lock(&worker->lock);
	b->is_busy = false;
	b->first = (b->first + 1) % BACKGROUND_JOBS_MAX;
	b->count--;
	pthread_cond_broadcast(&worker->changed);
}

/* The next client with an unstarted job, round-robin. */
static struct background *next_client(const struct worker *worker, unsigned int last)
{
	for (unsigned int i = 1; i <= BACKGROUND_KINDS; i++) {
		struct background *b = worker->clients[(last + i) % BACKGROUND_KINDS];

		if (b && b->count && !b->is_busy)
			return b;
	}
	return NULL;
}

static void *work(void *context)
{
	struct worker *worker = context;
	unsigned int last = 0;

	pthread_mutex_lock(&worker->lock);
	while (!worker->stop) {
		struct background *b = next_client(worker, last);

		if (b) {
			last = b->kind;
			do_first(b);
		} else {
			pthread_cond_wait(&worker->changed, &worker->lock);
		}
	}
	pthread_mutex_unlock(&worker->lock);
	return NULL;
}

static int start_thread(struct worker *worker)
{
	struct os_signals before;
	int failed;

	os_block_signals(&before);
	failed = pthread_create(&worker->thread, NULL, work, worker);
	os_restore_signals(&before);
	return failed;
}

static void worker_free(struct worker *worker)
{
	pthread_cond_destroy(&worker->changed);
	pthread_mutex_destroy(&worker->lock);
	free(worker);
}

static struct worker *worker_start(struct background *client)
{
	struct worker *worker = calloc(1, sizeof(*worker));

	if (!worker)
		return NULL;
	pthread_mutex_init(&worker->lock, NULL);
	pthread_cond_init(&worker->changed, NULL);
	worker->clients[client->kind] = client;
	if (start_thread(worker) == 0)
		return worker;
	worker_free(worker);
	return NULL;
}

/* --- clients --- */

/*
 * With two CPUs a third thread does not help: two of the three would share a CPU,
 * sometimes with the thread that the others wait for.
 */
static bool has_few_cpus(void)
{
	size_t cpus = os_cpu_count();

	return cpus && cpus <= 2;
}

/* Adds a client to the lone worker; false: no such worker, or it has one of that kind. */
static bool join_lone(struct background *b)
{
	struct worker *worker = lone;

	if (!worker || worker->clients[b->kind])
		return false;
	pthread_mutex_lock(&worker->lock);
	worker->clients[b->kind] = b;
	pthread_mutex_unlock(&worker->lock);
	b->worker = worker;
	return true;
}

struct background *background_start(enum background_kind kind)
{
	const struct scope *scope = scope_current();
	struct background *b = calloc(1, sizeof(*b));

	if (!b)
		return NULL;
	b->kind = kind;
	pthread_mutex_lock(&lone_lock);
	/* Handles of the library share no thread: it may be in a sandbox. */
	if (scope || !has_few_cpus() || !join_lone(b)) {
		b->worker = worker_start(b);
		if (!lone && !scope)
			lone = b->worker;
	}
	pthread_mutex_unlock(&lone_lock);
	if (b->worker)
		return b;
	free(b);
	return NULL;
}

/* Ends a worker without clients. */
static void worker_stop(struct worker *worker)
{
	pthread_mutex_lock(&worker->lock);
	worker->stop = true;
	pthread_cond_broadcast(&worker->changed);
	pthread_mutex_unlock(&worker->lock);
	pthread_join(worker->thread, NULL);
	worker_free(worker);
}

void background_stop(struct background *b)
{
	struct worker *worker;
	bool is_last = true;

	if (!b)
		return;
	worker = b->worker;
	background_wait(b, 0);
	pthread_mutex_lock(&lone_lock);
	pthread_mutex_lock(&worker->lock);
	worker->clients[b->kind] = NULL;
	for (int i = 0; i < BACKGROUND_KINDS; i++)
		is_last &= !worker->clients[i];
	pthread_mutex_unlock(&worker->lock);
	if (is_last && lone == worker)
		lone = NULL;
	pthread_mutex_unlock(&lone_lock);
	if (is_last)
		worker_stop(worker);
	free(b);
}

/* --- jobs --- */

/* Runs an unstarted job itself instead of waiting for it. */
static void wait_until(struct background *b, size_t left)
{
	while (b->count > left)
		if (b->is_busy)
			pthread_cond_wait(&b->worker->changed, &b->worker->lock);
		else
			do_first(b);
}

void background_run(struct background *b, void (*job)(void *context), void *context)
{
	pthread_mutex_lock(&b->worker->lock);
	wait_until(b, BACKGROUND_JOBS_MAX - 1);
	b->jobs[(b->first + b->count++) % BACKGROUND_JOBS_MAX] =
		(struct job){ job, context, scope_current() };
	pthread_cond_broadcast(&b->worker->changed);
	pthread_mutex_unlock(&b->worker->lock);
}

void background_wait(struct background *b, size_t left)
{
	pthread_mutex_lock(&b->worker->lock);
	wait_until(b, left);
	pthread_mutex_unlock(&b->worker->lock);
}
