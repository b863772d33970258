/*
 * private.h - what the files of a feed share.
 */
#ifndef PERFTAB_FEED_PRIVATE_H
#define PERFTAB_FEED_PRIVATE_H

#include <pthread.h>
#include <time.h>

#include "base/arena.h"
#include "base/scope.h"
#include "feed/blocks.h"
#include "pipeline/pipeline.h"

/* How often a caller that waits polls for an interruption. */
#define FEED_POLL_NS 20000000

/* Places in rows of a table of the columns that requests filter by. */
struct feed_columns {
	const struct table *table; /* of the last row; NULL: no row yet */
	size_t ts, cpu;		   /* SIZE_MAX: there is none */
	bool has_texts;
	bool is_requested; /* by its name */
};

struct feed {
	struct feed_source source;
	struct feed_request request;
	char *path; /* a copy of source.path */
	char *own_table;
	struct scope scope;
	atomic_bool is_damaged;
	struct arena arena;

	/* between the two threads, under the lock */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	size_t written, released; /* blocks, ever: [released, written) have rows */
	atomic_bool caller_waits;
	bool has_ended;
	uint8_t *pull_to; /* bytes that the caller is to read; NULL: none */
	size_t pull_room;
	ptrdiff_t pulled;
	struct feed_block blocks[FEED_BLOCKS];

	/* of the feed's thread */
	pthread_t thread;
	bool has_thread;
	size_t least_rows; /* of a block that is handed over before it is full */
	struct feed_columns columns[RECORD_OWN_TABLE + 1];
	struct pipeline pipeline; /* its tables are the caller's until the end */
	bool has_pipeline;
	bool has_own_table; /* the requested one had a row */
	struct reader *reader;
	uint64_t pulled_bytes; /* so far */

	/* of the caller's thread */
	struct timespec next_poll;
	size_t at;	    /* the next row of the first block */
	bool has_block;	    /* the caller reads a block */
	struct error error; /* of the thread, once it has ended */
	enum status status; /* likewise */
};

static inline bool feed_is_stopped(const struct feed *feed)
{
	return atomic_load_explicit(&feed->scope.stop, memory_order_relaxed);
}

static inline struct feed_block *feed_block_to_fill(struct feed *feed)
{
	return &feed->blocks[feed->written % FEED_BLOCKS];
}

/* source.c: opens the reader of feed->source. */
MUST_CHECK enum status feed_open_reader(struct feed *feed, struct reader *reader);
/* sandbox.c: confines the calling thread to reading the source. */
void feed_enter_sandbox(const struct feed *feed);
/* exchange.c: hands a row to the caller. */
MUST_CHECK enum status feed_put_row(struct feed *feed, const struct record *record,
				    bool has_texts);
/* exchange.c: hands over the context_switch rows of a run at requested times. */
MUST_CHECK enum status feed_put_rows(struct feed *feed, const struct run_rows *rows);
/* exchange.c: has the caller read bytes; an input_pull_fn. */
ptrdiff_t feed_pull(void *context, uint8_t *to, size_t room);
/* sink.c: opens a sink that hands the requested rows to the caller. */
MUST_CHECK enum status feed_open_sink(struct feed *feed, struct sink *sink);
/* pump.c: reads the trace and hands over the requested rows. */
MUST_CHECK enum status feed_run(struct feed *feed, struct reader *reader, void *unused);

#endif
