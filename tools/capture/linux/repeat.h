/*
 * repeat.h - records a command several times, in turns with another one, for
 * perftab-analyze --diff.
 */
#ifndef PERFTAB_REPEAT_H
#define PERFTAB_REPEAT_H

#include "capture/linux/recorder/recorder.h"

#define REPEAT_RUNS_MAX 1000 /* of each command; --diff compares as many */

struct repeat {
	int64_t runs;
	const char *against;   /* the other command, as a line; NULL: none */
	const char *directory; /* made here; the runs are a-001.data, b-001.data, ... */
	bool quiet;
	/* Records one run to that file; returns its exit status. */
	int (*run)(const void *context, const struct recorder_options *options,
		   const char *path);
	const void *context;
};

/* The exit status of the first run that failed, or 0; reports why it stopped. */
int repeat_record(const struct repeat *repeat, const struct recorder_options *options);

#endif
