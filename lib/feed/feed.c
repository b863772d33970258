/* feed.c - the thread of a feed, and what passes between it and the caller. */
#include "feed/feed.h"

#include <stdlib.h>
#include <time.h>

#include "base/memory.h"
#include "base/os.h"
#include "feed/private.h"

struct feed_request feed_request_all(void)
{
	struct feed_request request = { .cpu = INT_NONE,
					.from_ns = INT64_MIN,
					.to_ns = INT64_MAX };

	memset(request.tables, 1, sizeof(request.tables));
	return request;
}

enum record_kind feed_table_kind(const char *name)
{
	size_t kind = 0;

	while (kind < RECORD_TABLES && strcmp(tables[kind].name, name) != 0)
		kind++;
	return (enum record_kind)kind;
}

/* --- the feed's thread --- */

static enum status read_trace(struct feed *feed)
{
	struct reader reader;
	enum status status;

	feed->reader = &reader;
	if (!feed->request.no_sandbox && !feed->request.writes_files)
		feed_enter_sandbox(feed);
	status = feed_open_reader(feed, &reader);
	if (status != ST_OK)
		return feed_fail(feed, &reader.error);
	status = feed->request.run
			 ? feed->request.run(feed, &reader, feed->request.run_context)
			 : feed_run(feed, &reader, NULL);
	reader_close(&reader);
	return status;
}

static void *run_thread(void *context)
{
	struct feed *feed = context;
	enum status status;

	(void)scope_enter(&feed->scope);
	os_use_c_locale();
	status = read_trace(feed);
	pthread_mutex_lock(&feed->lock);
	if (feed_block_to_fill(feed)->rows && !feed_is_stopped(feed))
		feed->written++;
	feed->status = status == ST_OK ? ST_END : status;
	feed->has_ended = true;
	pthread_cond_broadcast(&feed->changed);
	pthread_mutex_unlock(&feed->lock);
	return NULL;
}

/* --- the caller's --- */

static bool start_thread(struct feed *feed)
{
	struct os_signals before;

	os_block_signals(&before); /* signals are the host's */
	feed->has_thread = pthread_create(&feed->thread, NULL, run_thread, feed) == 0;
	os_restore_signals(&before);
	return feed->has_thread;
}

/* False: out of memory. */
static bool copy_name(struct feed *feed, const char *name, char **copy)
{
	if (name)
		*copy = (char *)(uintptr_t)arena_str(&feed->arena, str_of(name)).ptr;
	return !name || *copy;
}

struct feed *feed_open(const struct feed_source *source,
		       const struct feed_request *request)
{
	struct feed *feed = calloc(1, sizeof(*feed));
	pthread_condattr_t clock;

	if (!feed)
		return NULL;
	feed->source = *source;
	feed->request = *request;
	feed->least_rows = 1;
	pthread_mutex_init(&feed->lock, NULL);
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&feed->changed, &clock);
	pthread_condattr_destroy(&clock);
	if (copy_name(feed, source->path, &feed->path) &&
	    copy_name(feed, request->own_table, &feed->own_table) && start_thread(feed))
		return feed;
	feed_close(feed);
	return NULL;
}

/* Calls back without the lock. */
static void read_for_thread(struct feed *feed)
{
	uint8_t *to = feed->pull_to;
	size_t room = feed->pull_room;
	ptrdiff_t got;

	pthread_mutex_unlock(&feed->lock);
	got = feed->source.read(feed->source.context, to, room);
	pthread_mutex_lock(&feed->lock);
	feed->pulled = got > 0 && (size_t)got > room ? -1 : got;
	feed->pull_to = NULL;
	pthread_cond_broadcast(&feed->changed);
}

static void poll_interruption(struct feed *feed)
{
	bool stop;

	pthread_mutex_unlock(&feed->lock);
	stop = feed->request.interrupted(feed->request.context);
	pthread_mutex_lock(&feed->lock);
	if (stop)
		atomic_store(&feed->scope.stop, true);
}

static bool is_before(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec < b->tv_sec ||
	       (a->tv_sec == b->tv_sec && a->tv_nsec < b->tv_nsec);
}

/* At the next poll, if that has not been reached. */
static void poll_in_time(struct feed *feed)
{
	struct timespec now;

	if (!feed->request.interrupted)
		return;
	clock_gettime(CLOCK_MONOTONIC, &now);
	if (is_before(&now, &feed->next_poll))
		return;
	poll_interruption(feed);
	now.tv_nsec += FEED_POLL_NS;
	now.tv_sec += now.tv_nsec / 1000000000;
	now.tv_nsec %= 1000000000;
	feed->next_poll = now;
}

static void wait_some_time(struct feed *feed)
{
	if (!feed->request.interrupted)
		pthread_cond_wait(&feed->changed, &feed->lock);
	else
		(void)pthread_cond_timedwait(&feed->changed, &feed->lock,
					     &feed->next_poll);
}

/* Gives the last block back and waits for the next one; false: there is none. */
static bool next_block(struct feed *feed)
{
	bool found;

	pthread_mutex_lock(&feed->lock);
	feed->released += feed->has_block;
	if (feed->written - feed->released <= FEED_BLOCKS / 2)
		pthread_cond_broadcast(&feed->changed);
	atomic_store_explicit(&feed->caller_waits, true, memory_order_relaxed);
	poll_in_time(feed);
	while (feed->written == feed->released && !feed->has_ended &&
	       !feed_is_stopped(feed)) {
		if (feed->pull_to)
			read_for_thread(feed);
		else
			wait_some_time(feed);
		poll_in_time(feed);
	}
	atomic_store_explicit(&feed->caller_waits, false, memory_order_relaxed);
	found = feed->written != feed->released && !feed_is_stopped(feed);
	if (feed_is_stopped(feed))
		pthread_cond_broadcast(&feed->changed);
	pthread_mutex_unlock(&feed->lock);
	feed->has_block = found;
	feed->at = 0;
	return found;
}

static enum status feed_end(struct feed *feed)
{
	pthread_join(feed->thread, NULL);
	feed->has_thread = false;
	if (!feed_is_stopped(feed))
		return feed->status;
	feed->error = (struct error){ .status = ST_OK };
	feed->status =
		error_set(&feed->error, ST_INTERRUPTED, ERROR_NO_OFFSET, "interrupted");
	return feed->status;
}

enum status feed_next(struct feed *feed, struct feed_row *row)
{
	for (;;) {
		if (feed->has_block &&
		    feed_block_next(&feed->blocks[feed->released % FEED_BLOCKS],
				    &feed->at, row))
			return ST_OK;
		if (!feed->has_thread)
			return feed->status;
		if (!next_block(feed))
			return feed_end(feed);
	}
}

const struct error *feed_error(const struct feed *feed)
{
	return &feed->error;
}

bool feed_is_damaged(const struct feed *feed)
{
	return atomic_load(&feed->is_damaged);
}

struct arena *feed_arena(struct feed *feed)
{
	return &feed->arena;
}

void feed_close(struct feed *feed)
{
	if (!feed)
		return;
	if (feed->has_thread) {
		pthread_mutex_lock(&feed->lock);
		atomic_store(&feed->scope.stop, true);
		pthread_cond_broadcast(&feed->changed);
		pthread_mutex_unlock(&feed->lock);
		pthread_join(feed->thread, NULL);
	}
	if (feed->has_pipeline)
		pipeline_release(&feed->pipeline);
	for (size_t i = 0; i < FEED_BLOCKS; i++)
		free(feed->blocks[i].bytes);
	arena_release(&feed->arena);
	pthread_cond_destroy(&feed->changed);
	pthread_mutex_destroy(&feed->lock);
	free(feed);
}
