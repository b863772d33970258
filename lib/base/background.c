/* background.c - the pool of threads, its clients and their queues of jobs. */
#include "base/background.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/os.h"
#include "base/other_cpu.h"
#include "base/scope.h"

/* Jobs nest a few functions.  AddressSanitizer marks all of a stack. */
#define STACK_BYTES ((size_t)1 << 20)

struct job {
	void (*work)(void *context);
	void *context;
	struct scope *scope; /* of the thread that queued it */
	size_t number;	     /* of all that were queued in the pool */
};

/* The jobs of one client. */
struct background {
	struct pool *pool;
	struct background *next; /* of the pool */
	enum background_kind kind;
	struct job jobs[BACKGROUND_JOBS_MAX]; /* a ring */
	size_t first, count;
	bool is_busy;	/* a thread runs the first job */
	bool is_waited; /* its own thread waits until `left` are unfinished */
	size_t left;
};

/* Threads that work for all its clients; one more for each, up to a most. */
struct pool {
	pthread_t threads[BACKGROUND_THREADS_MAX];
	size_t thread_count;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct background *clients;
	size_t client_count;
	size_t queued; /* jobs so far */
	bool stop;
};

/* That of the program, while it has clients, and how many threads are to work at once. */
static pthread_mutex_t program_lock = PTHREAD_MUTEX_INITIALIZER;
static struct pool *program_pool;
static size_t program_threads;

/* --- a thread --- */

/* The first job of one client comes before that of another one. */
static bool is_before(const struct background *a, const struct background *b)
{
	return a->kind != b->kind ? a->kind < b->kind
				  : a->jobs[a->first].number < b->jobs[b->first].number;
}

/* The client whose unstarted job comes first. */
static struct background *next_client(const struct pool *pool)
{
	struct background *first = NULL;

	for (struct background *b = pool->clients; b; b = b->next)
		if (b->count && !b->is_busy && (!first || is_before(b, first)))
			first = b;
	return first;
}

/* Runs the first job; called with the lock, which is released meanwhile. */
static void do_first(struct background *b)
{
	struct pool *pool = b->pool;
	struct job job = b->jobs[b->first];
	struct scope *before;

	b->is_busy = true;
	pthread_mutex_unlock(&pool->lock);
	before = scope_enter(job.scope);
	job.work(job.context);
	(void)scope_enter(before);
	other_cpu_fence();
	pthread_mutex_lock(&pool->lock);
	b->is_busy = false;
	b->first = (b->first + 1) % BACKGROUND_JOBS_MAX;
	b->count--;
}

/* Its own thread need not wait any longer, or has a job to run itself. */
static bool is_over(const struct background *b, const struct background *next)
{
	return b->is_waited && (b->count <= b->left || b != next);
}

static void *work(void *context)
{
	struct pool *pool = context;

	os_use_c_locale();
	pthread_mutex_lock(&pool->lock);
	while (!pool->stop) {
		struct background *b = next_client(pool);

		if (!b) {
			pthread_cond_wait(&pool->changed, &pool->lock);
			continue;
		}
		do_first(b);
		/* Waking a thread costs much. */
		if (is_over(b, next_client(pool)))
			pthread_cond_broadcast(&pool->changed);
	}
	pthread_mutex_unlock(&pool->lock);
	return NULL;
}

static bool add_thread(struct pool *pool)
{
	struct os_signals before;
	pthread_attr_t attr;
	int failed = pthread_attr_init(&attr);

	if (failed)
		return false;
	os_block_signals(&before);
	failed = pthread_attr_setstacksize(&attr, STACK_BYTES) ||
		 pthread_create(&pool->threads[pool->thread_count], &attr, work, pool);
	os_restore_signals(&before);
	pthread_attr_destroy(&attr);
	pool->thread_count += !failed;
	return !failed;
}

/* --- pools --- */

static struct pool *pool_new(void)
{
	struct pool *pool = calloc(1, sizeof(*pool));

	if (!pool)
		return NULL;
	pthread_mutex_init(&pool->lock, NULL);
	pthread_cond_init(&pool->changed, NULL);
	return pool;
}

static void pool_free(struct pool *pool)
{
	pthread_mutex_lock(&pool->lock);
	pool->stop = true;
	pthread_cond_broadcast(&pool->changed);
	pthread_mutex_unlock(&pool->lock);
	for (size_t i = 0; i < pool->thread_count; i++)
		pthread_join(pool->threads[i], NULL);
	pthread_cond_destroy(&pool->changed);
	pthread_mutex_destroy(&pool->lock);
	free(pool);
}

static void join(struct pool *pool, struct background *b)
{
	pthread_mutex_lock(&pool->lock);
	b->pool = pool;
	b->next = pool->clients;
	pool->clients = b;
	pool->client_count++;
	pthread_mutex_unlock(&pool->lock);
}

/* Returns true if it was the last one. */
static bool leave(struct background *b)
{
	struct pool *pool = b->pool;
	struct background **at = &pool->clients;
	bool is_last;

	pthread_mutex_lock(&pool->lock);
	while (*at != b)
		at = &(*at)->next;
	*at = b->next;
	is_last = --pool->client_count == 0;
	pthread_mutex_unlock(&pool->lock);
	return is_last;
}

/* --- clients --- */

void background_set_threads(size_t count)
{
	program_threads = count;
}

/* Beside the first one. */
static size_t threads_wanted(void)
{
	size_t count = program_threads ? program_threads : os_cpu_count();

	if (!program_threads && count < 2)
		count = 2;
	return (count < BACKGROUND_THREADS_MAX ? count : BACKGROUND_THREADS_MAX) - 1;
}

/* A client of the program's pool; false: it has no thread. */
static bool join_program(struct background *b)
{
	struct pool *pool;

	pthread_mutex_lock(&program_lock);
	if (threads_wanted() && !program_pool)
		program_pool = pool_new();
	pool = program_pool;
	if (pool && pool->thread_count <= pool->client_count &&
	    pool->thread_count < threads_wanted())
		add_thread(pool);
	if (pool && pool->thread_count) {
		join(pool, b);
	} else if (pool) {
		pool_free(pool);
		program_pool = NULL;
	}
	pthread_mutex_unlock(&program_lock);
	return b->pool != NULL;
}

/*
 * Handles of the library share no thread: it may be in a sandbox.  A handle decodes in a
 * thread beside its caller's, so with two CPUs a third one that reads has none.
 */
static bool join_own(struct background *b)
{
	struct pool *pool = NULL;

	if (b->kind != BACKGROUND_READS || os_cpu_count() > 2)
		pool = pool_new();
	if (pool && add_thread(pool))
		join(pool, b);
	else if (pool)
		pool_free(pool);
	return b->pool != NULL;
}

struct background *background_start(enum background_kind kind)
{
	struct background *b = calloc(1, sizeof(*b));

	if (!b)
		return NULL;
	b->kind = kind;
	if (scope_current() ? join_own(b) : join_program(b))
		return b;
	free(b);
	return NULL;
}

void background_stop(struct background *b)
{
	struct pool *pool;
	bool is_last;

	if (!b)
		return;
	pool = b->pool;
	background_wait(b, 0);
	pthread_mutex_lock(&program_lock);
	is_last = leave(b);
	if (is_last && pool == program_pool)
		program_pool = NULL;
	pthread_mutex_unlock(&program_lock);
	if (is_last)
		pool_free(pool);
	free(b);
}

/* --- jobs --- */

/* The client whose job a thread runs that waits for this one; NULL: no client. */
static struct background *to_help(struct background *b)
{
	struct background *next = b->is_busy ? next_client(b->pool) : b;

	return next == b || (next && next->kind != BACKGROUND_WORKS) ? next : NULL;
}

/* Runs an unstarted job itself instead of waiting for it, or another one meanwhile. */
static void wait_until(struct background *b, size_t left)
{
	b->left = left;
	while (b->count > left) {
		struct background *next = to_help(b);

		if (next) {
			do_first(next);
			/* Another thread can go on. */
			if (next->count || is_over(next, next_client(b->pool)))
				pthread_cond_broadcast(&b->pool->changed);
			continue;
		}
		b->is_waited = true;
		pthread_cond_wait(&b->pool->changed, &b->pool->lock);
		b->is_waited = false;
	}
}

void background_run_each(struct background *b, void (*job)(void *context),
			 void *const *contexts, size_t count)
{
	other_cpu_fence();
	pthread_mutex_lock(&b->pool->lock);
	for (size_t i = 0; i < count; i++) {
		wait_until(b, BACKGROUND_JOBS_MAX - 1);
		b->jobs[(b->first + b->count++) % BACKGROUND_JOBS_MAX] =
			(struct job){ job, contexts[i], scope_current(),
				      b->pool->queued++ };
	}
	pthread_cond_broadcast(&b->pool->changed);
	pthread_mutex_unlock(&b->pool->lock);
}

void background_run(struct background *b, void (*job)(void *context), void *context)
{
	background_run_each(b, job, &context, 1);
}

void background_wait(struct background *b, size_t left)
{
	pthread_mutex_lock(&b->pool->lock);
	wait_until(b, left);
	pthread_mutex_unlock(&b->pool->lock);
}
