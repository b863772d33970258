/* exchange.c - rows and bytes between the thread of a feed and the caller. */
#include "feed/private.h"

#define LEAST_ROWS_MAX 4096

/*
 * Hands the block over.  Where none is free, it waits until half of them are: waking a
 * thread costs as much as a few hundred rows.
 */
static enum status hand_over(struct feed *feed)
{
	pthread_mutex_lock(&feed->lock);
	feed->written++;
	pthread_cond_broadcast(&feed->changed);
	if (feed->written - feed->released == FEED_BLOCKS)
		while (feed->written - feed->released > FEED_BLOCKS / 2 &&
		       !feed_is_stopped(feed))
			pthread_cond_wait(&feed->changed, &feed->lock);
	pthread_mutex_unlock(&feed->lock);
	if (feed_is_stopped(feed))
		return ST_INTERRUPTED;
	feed_block_to_fill(feed)->used = feed_block_to_fill(feed)->rows = 0;
	return ST_OK;
}

/* The first rows at once, later ones in ever larger parts. */
static enum status offer(struct feed *feed)
{
	if (feed_block_to_fill(feed)->rows < feed->least_rows ||
	    !atomic_load_explicit(&feed->caller_waits, memory_order_relaxed))
		return ST_OK;
	if (feed->least_rows < LEAST_ROWS_MAX)
		feed->least_rows *= 2;
	return hand_over(feed);
}

enum status feed_put_row(struct feed *feed, const struct record *record, bool has_texts)
{
	size_t size = feed_block_row_size(record, has_texts);

	if (size > UINT32_MAX)
		return ST_NOMEM;
	if (feed_block_is_full(feed_block_to_fill(feed), size)) {
		enum status status = hand_over(feed);

		if (status != ST_OK)
			return status;
	}
	if (!feed_block_add(feed_block_to_fill(feed), record, size, has_texts))
		return ST_NOMEM;
	return offer(feed);
}

enum status feed_put_rows(struct feed *feed, const struct run_rows *rows)
{
	size_t at = rows->from;

	for (;;) {
		enum status status;

		if (!feed_block_add_run(feed_block_to_fill(feed), rows, &at,
					feed->request.from_ns, feed->request.to_ns))
			return ST_NOMEM;
		if (at == rows->to)
			return offer(feed);
		status = hand_over(feed);
		if (status != ST_OK)
			return status;
	}
}

ptrdiff_t feed_pull(void *context, uint8_t *to, size_t room)
{
	struct feed *feed = context;
	ptrdiff_t got = -1;
	bool done;

	pthread_mutex_lock(&feed->lock);
	feed->pull_to = to;
	feed->pull_room = room;
	pthread_cond_broadcast(&feed->changed);
	while (feed->pull_to && !feed_is_stopped(feed))
		pthread_cond_wait(&feed->changed, &feed->lock);
	done = !feed->pull_to;
	feed->pull_to = NULL;
	if (done)
		got = feed->pulled;
	pthread_mutex_unlock(&feed->lock);
	if (!done)
		error_set(&feed->reader->error, ST_INTERRUPTED, ERROR_NO_OFFSET,
			  "interrupted");
	else if (got < 0)
		error_set(&feed->reader->error, ST_IO, feed->pulled_bytes,
			  "cannot read at 0x%llx: the callback failed",
			  (unsigned long long)feed->pulled_bytes);
	else
		feed->pulled_bytes += (uint64_t)got;
	return got;
}
