/*
 * live.h - a bill straight from the rings: the recorder as an input.
 *
 * The recorder writes its pipe form into memory, the perf reader reads it from there; so
 * live numbers come through the same code as those of a file.  Between two records, when
 * all that the rings gave has been read, an interval may end.
 */
#ifndef PERFTAB_LIVE_H
#define PERFTAB_LIVE_H

#include "capture/linux/recorder/recorder.h"
#include "model/reader.h"

struct live {
	struct recorder recorder;
	struct perf_writer writer;
	struct bytes queue; /* from `taken` on it waits to be read */
	size_t taken;
	double interval_s; /* 0: none */
	double seconds;	   /* end after so long; 0: do not */
	double next, end;  /* os_seconds() */
	int parts_left;	   /* rounds that the interval waits for, at most */
	bool due;	   /* all rounds of the interval are in the queue */
	bool over;
	bool failed; /* nothing more comes */
	/* CLOCK_MONOTONIC: begin of the interval, end of the recording. */
	int64_t from_ns, to_ns;
	/* An interval has ended. */
	enum status (*tick)(void *context, int64_t from_ns, int64_t to_ns);
	void *context;
	struct reader *reader; /* borrowed: where errors go */
};

/* Opens the recorder and a reader of what it records; intervals and tick are set. */
MUST_CHECK enum status live_open(struct live *live,
				 const struct recorder_options *options,
				 const struct reader_options *reading,
				 struct reader *reader);
/* After the reader. */
void live_close(struct live *live);

#endif
