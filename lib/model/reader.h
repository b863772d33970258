/*
 * reader.h - the interface that every input format implements.
 *
 * A format is one const struct reader_ops at the end of its file and one entry of
 * TRACE_FORMATS in formats/formats.h.  reader_open() probes the first bytes with each
 * format and chooses the most certain one.  Records point into the reader and are valid
 * until its next call.
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
	const char *name;  /* as messages have it */
	size_t state_size; /* allocated and zeroed for the format */
	bool emits_rows;   /* emits table rows with final ids (a database), not events */
	bool processes_apart; /* a pid names a process, not its main thread, too */
	/* returns 0 (not this format) to 100 (certain); len <= READER_PROBE_BYTES */
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
	bool want_frames; /* a database: names of the sampled addresses */
	bool want_values; /* raw values of PerfLib, with their counters and instances */
	int64_t trace_id; /* a database: only this trace; 0: all */
	/*
	 * Instead of threads, emit the processes that cost most by each counter, at least
	 * this many, and the sum of the others.  Done by databases, and by the pipeline
	 * for other formats, where possible.  0: threads
	 */
	size_t top_processes;
	const char *events;  /* perf.data: names for events that the file does not name */
	const char *tracefs; /* perf.data: a folder with events/SYSTEM/NAME/format */
	bool more_follow;    /* other inputs will be read after this one */
	bool no_runs;	     /* every switch as a record of its own (tests) */
	size_t least_sum;  /* perf.data: least switches of RUN_SUMS (tests); 0: default */
	int64_t code_page; /* PDH-CSV: of its names, a known one; 0: not given */
};

struct reader {
	const struct reader_ops *ops;
	void *state;
	const char *path;    /* borrowed */
	bool is_directory;   /* `path` is a directory; the input is its file `data` */
	uint64_t position;   /* bytes decoded, where that is not the input's offset */
	bool no_addresses;   /* set by open(): the trace has no samples or call chains */
	int64_t trace_count; /* traces of the input; 0: one, or unknown */
	struct input input;
	struct unpack *unpack;	  /* compressed input around `input`; NULL: none */
	struct findings findings; /* of the trace being read */
	struct reader_options options;
	bool wants_runs;     /* the caller of reader_next() handles RECORD_RUN */
	run_sum_fn *sum_run; /* adds up RECORD_RUN_SUMS; NULL: the caller handles none */
	struct error error;
};

/* Returns whether an input can be read twice, which standard input and pipes cannot. */
bool reader_is_repeatable(const char *path);
/* Opens an input and recognises its format.  On failure reader->error says why. */
MUST_CHECK enum status reader_open(struct reader *reader, const char *path,
				   const struct reader_options *options,
				   const struct reader_ops *const *formats);
/* As reader_open(), for bytes in memory (tests, fuzzing). */
MUST_CHECK enum status reader_open_memory(struct reader *reader, const void *bytes,
					  size_t size,
					  const struct reader_options *options,
					  const struct reader_ops *const *formats);
/* As reader_open(), for bytes that pull() produces; `name` replaces the path. */
MUST_CHECK enum status reader_open_pull(struct reader *reader, const char *name,
					input_pull_fn *pull, void *context,
					const struct reader_options *options,
					const struct reader_ops *const *formats);
/* As reader_open_pull(), for bytes that appear while they are read. */
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
 * Returns whether SIGINT or SIGTERM was caught; sets reader->error.  Readers check it in
 * every loop that returns no row.  False for live inputs, which end by themselves.
 */
bool reader_interrupted(struct reader *reader);
/* Initializes the row of a trace with path and bytes; other columns are NULL. */
void reader_describe(const struct reader *reader, struct arena *arena,
		     struct trace_row *trace);
/* Return decoded bytes and size (0: unknown) of the input, for progress. */
uint64_t reader_done_bytes(const struct reader *reader);
uint64_t reader_all_bytes(const struct reader *reader);
void reader_close(struct reader *reader);

#endif
