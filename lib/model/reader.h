/*
 * reader.h - the interface that every input format implements.
 *
 * A format is one const struct reader_ops at the end of its file and one line in
 * formats/formats.c.  reader_open() probes the first bytes with each format and chooses
 * the most certain one.  Records point into the reader and are valid until its next call.
 */
#ifndef PERFTAB_READER_H
#define PERFTAB_READER_H

#include "base/error.h"
#include "base/input.h"
#include "model/finding.h"
#include "model/record.h"
#include "model/run_sums.h"

#define READER_PROBE_BYTES 112

struct reader;

struct reader_ops {
	const char *name;  /* the word in messages */
	size_t state_size; /* allocated and zeroed for the format */
	bool gives_rows;   /* table rows with ids of their own (a database), not events */
	bool processes_apart; /* pids name processes alone, not their main threads */
	/* 0 not mine .. 100 certain, from at most READER_PROBE_BYTES first bytes */
	int (*probe)(const uint8_t *head, size_t len);
	enum status (*open)(struct reader *reader);
	/* ST_OK: *record is filled.  ST_END: no more; damage is in the findings. */
	enum status (*next)(struct reader *reader, struct record *record);
	void (*close)(struct reader *reader);
};

/* Options of a reader; a format ignores those of other formats. */
struct reader_options {
	bool want_switches; /* a database: its switches one by one, not its summaries */
	bool want_sums; /* a database: its summaries with switches, which have no values */
	bool want_rows;	  /* all rows of the trace, not only those for a bill */
	bool want_frames; /* a database: what was at sampled addresses */
	bool want_values; /* raw values of PerfLib, with their counters and instances */
	int64_t trace_id; /* a database: only this trace; 0: all */
	/*
	 * The processes that cost most by each counter, this many at least, and the sum
	 * of the others, instead of threads, where a database, or the pipeline for other
	 * formats, can; 0: threads
	 */
	size_t top_processes;
	const char *events;  /* perf.data: names for events that the file does not name */
	const char *tracefs; /* perf.data: a folder with events/SYSTEM/NAME/format */
	bool more_follow;    /* other inputs will be read after this one */
	bool no_runs;	     /* every switch as a record of its own (tests) */
	size_t least_sum; /* perf.data: switches of sums, also in memory (tests); 0: those
			     that are worth it */
	int64_t code_page; /* PDH-CSV: of its names, one that is known; 0: not given */
};

struct reader {
	const struct reader_ops *ops;
	void *state;
	const char *path;    /* borrowed */
	bool is_directory;   /* `path` is one; the input is the file `data` in it */
	uint64_t position;   /* bytes decoded, where it differs from the input's offset */
	bool no_addresses;   /* no samples and call chains will come; open() knows */
	int64_t trace_count; /* traces that will come; 0: one, or not known */
	struct input input;
	struct unpack *unpack;	  /* what is around the input's bytes; NULL: nothing */
	struct findings findings; /* of the trace being read */
	struct reader_options options;
	bool wants_runs; /* the caller of reader_next() handles RECORD_RUN */
	run_sum_fn
		*sum_run; /* and RECORD_RUN_SUMS, which this adds up; NULL: it does not */
	struct error error;
};

/* Opens an input and recognises its format.  On failure reader->error says why. */
MUST_CHECK enum status reader_open(struct reader *reader, const char *path,
				   const struct reader_options *options,
				   const struct reader_ops *const *formats);
/* The same for bytes in memory (tests, fuzzing). */
MUST_CHECK enum status reader_open_memory(struct reader *reader, const void *bytes,
					  size_t size,
					  const struct reader_options *options,
					  const struct reader_ops *const *formats);
/* The same for bytes that a function produces; `name` replaces the path. */
MUST_CHECK enum status reader_open_pull(struct reader *reader, const char *name,
					input_pull_fn *pull, void *context,
					const struct reader_options *options,
					const struct reader_ops *const *formats);
/* The same for bytes that appear while they are read. */
MUST_CHECK enum status reader_open_live(struct reader *reader, const char *name,
					input_pull_fn *pull, void *context,
					const struct reader_options *options,
					const struct reader_ops *const *formats);
/*
 * As reader_ops.next.  ST_IO or ST_NOMEM if reading or an allocation failed, even where
 * the format could go on.
 */
MUST_CHECK enum status reader_next(struct reader *reader, struct record *record);
/*
 * Whether SIGINT or SIGTERM was caught; sets reader->error.  Readers check it in every
 * loop that returns no row.  False for live inputs, which end by themselves.
 */
bool reader_interrupted(struct reader *reader);
/* A row of a trace that has a path and bytes, and nothing else so far. */
void reader_describe(const struct reader *reader, struct arena *arena,
		     struct trace_row *trace);
/* Bytes of the input decoded, and its size (0: unknown), for progress. */
uint64_t reader_done_bytes(const struct reader *reader);
uint64_t reader_all_bytes(const struct reader *reader);
void reader_close(struct reader *reader);

#endif
