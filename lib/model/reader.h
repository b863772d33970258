/*
 * reader.h - the interface that every input format implements.
 *
 * A format is one const struct reader_ops at the end of its file and one line in
 * formats.c.  reader_open() has each probe the first bytes and chooses the surest.
 * Records point into the reader and live until its next call.
 */
#ifndef PERFTAB_READER_H
#define PERFTAB_READER_H

#include "base/error.h"
#include "base/input.h"
#include "model/finding.h"
#include "model/record.h"

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

/* What a caller may ask of a reader; a format ignores what does not concern it. */
struct reader_options {
	bool want_switches;  /* a database: its switches one by one, not its summaries */
	bool want_rows;	     /* all that is in the trace, not only what a bill needs */
	bool want_values;    /* raw values of PerfLib, and what they are of */
	int64_t trace_id;    /* a database: only this trace; 0: all */
	const char *events;  /* perf.data: names for events that the file does not name */
	const char *tracefs; /* perf.data: a folder with events/SYSTEM/NAME/format */
};

struct reader {
	const struct reader_ops *ops;
	void *state;
	const char *path;  /* borrowed */
	bool is_directory; /* `path` is one; the input is the file `data` in it */
	uint64_t position; /* bytes dealt with, where the input's offset does not tell */
	int64_t trace_count; /* traces that will come; 0: one, or not known */
	struct input input;
	struct findings findings; /* of the trace being read */
	struct reader_options options;
	struct error error;
};

/* Opens and recognises.  On failure reader->error says why and nothing is left open. */
MUST_CHECK enum status reader_open(struct reader *reader, const char *path,
				   const struct reader_options *options,
				   const struct reader_ops *const *formats);
/* The same for bytes in memory (tests, fuzzing). */
MUST_CHECK enum status reader_open_memory(struct reader *reader, const void *bytes,
					  size_t size,
					  const struct reader_options *options,
					  const struct reader_ops *const *formats);
/* The same for bytes that are made while they are read; `name` stands for the path. */
MUST_CHECK enum status reader_open_live(struct reader *reader, const char *name,
					input_pull *pull, void *context,
					const struct reader_options *options,
					const struct reader_ops *const *formats);
/*
 * As reader_ops.next.  ST_IO or ST_NOMEM if the system refused to read, or memory, even
 * where the format could go on without.
 */
MUST_CHECK enum status reader_next(struct reader *reader, struct record *record);
/*
 * SIGINT or SIGTERM was caught: sets reader->error.  Readers ask wherever they go on
 * without a row.  False for live inputs, which end by themselves.
 */
bool reader_interrupted(struct reader *reader);
/* Bytes of the input dealt with, and how many there are (0: unknown), for progress. */
uint64_t reader_done_bytes(const struct reader *reader);
uint64_t reader_all_bytes(const struct reader *reader);
void reader_close(struct reader *reader);

#endif
