/*
 * feed.h - the rows of one trace, one after the other, without an output.
 *
 * A thread of its own runs reader, symbols and pipeline.  Its sink copies the requested
 * rows into blocks, of which a few may wait; the caller gets them row by row.  So rows
 * are decoded while the caller uses the last ones, memory does not grow with the trace,
 * and closing the feed ends the reading.
 *
 * The thread blocks all signals, and enters a sandbox (base/sandbox.h) that the rest of
 * the process is not in.  All callbacks but `finding` run in the thread that calls
 * feed_next().
 */
#ifndef PERFTAB_FEED_H
#define PERFTAB_FEED_H

#include "model/reader.h"
#include "model/sink.h"

struct feed;

/* Up to `room` bytes; 0 at the end, -1 on failure. */
typedef ptrdiff_t feed_read_fn(void *context, void *to, size_t room);

struct feed_source {
	const char *path;  /* of a file, or NULL */
	const void *bytes; /* in memory, borrowed until the feed is closed; or NULL */
	size_t size;
	feed_read_fn *read; /* produces the bytes; or NULL */
	void *context;
};

struct feed_request {
	bool tables[RECORD_OWN_TABLE + 1]; /* by kind; the last: tables of the trace */
	/* Only this table of the trace; the feed fails if it has no rows.  NULL: all. */
	const char *own_table;
	/*
	 * Filters of rows with such columns: this CPU (INT_NONE: all), and times from
	 * from_ns to to_ns.
	 */
	int64_t cpu;
	int64_t from_ns, to_ns;
	bool limits_totals; /* totals are those of `cpu` and the times, too */
	/* Leave out rows that no bill needs, and context_switch.detail_id. */
	bool no_details;
	bool no_sandbox;
	/* Polled while the caller waits: true ends the reading. */
	bool (*interrupted)(void *context);
	void *context;
	/* Called in the feed's thread. */
	void (*finding)(void *context, const char *format,
			const struct finding_row *finding);
	void *finding_context;
	/*
	 * Reads the trace in the feed's thread, and hands rows to the caller by
	 * feed_put().  NULL: feed_run().
	 */
	enum status (*run)(struct feed *feed, struct reader *reader, void *context);
	void *run_context;
	bool writes_files; /* run() writes files: use no sandbox */
};

struct feed_row {
	const struct table *table; /* until the feed is closed */
	const char *data;	   /* struct <table>_row */
	const int64_t *deltas;	   /* of context_switch, else NULL */
	size_t slots;
};

/* Returns a request for all tables. */
struct feed_request feed_request_all(void);
/* Returns the kind of a table of tables.def by its name; RECORD_OWN_TABLE: none. */
enum record_kind feed_table_kind(const char *name);
/* That name is one of a view: the sentence that refuses it.  NULL: it is not. */
const char *feed_view(const char *name);

/* Starts the thread.  NULL: out of memory, or no thread could be started. */
struct feed *feed_open(const struct feed_source *source,
		       const struct feed_request *request);
/* ST_OK: *row is filled, until the next call; ST_END: there are no more. */
MUST_CHECK enum status feed_next(struct feed *feed, struct feed_row *row);
/* Returns the error after feed_next() failed. */
const struct error *feed_error(const struct feed *feed);
/* Returns whether there was a finding of severity damage so far. */
bool feed_is_damaged(const struct feed *feed);
/* Ends the reading.  NULL is allowed. */
void feed_close(struct feed *feed);

/* --- for run() --- */

/* Runs the pipeline from the reader to the sink; fails with the error of either. */
MUST_CHECK enum status feed_pump(struct feed *feed, struct reader *reader,
				 struct sink *sink);
/* Hands a row to the caller; waits while all blocks are full.  ST_INTERRUPTED: stop. */
MUST_CHECK enum status feed_put(struct feed *feed, const struct record *record);
/* Returns an arena, freed with the feed, for the tables of run(). */
struct arena *feed_arena(struct feed *feed);
MUST_CHECK enum status feed_fail(struct feed *feed, const struct error *error);

#endif
