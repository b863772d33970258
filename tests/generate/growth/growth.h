/*
 * Inputs that have COUNT of one thing and nearly nothing else: what a reader's time and
 * memory must grow with, and no faster.
 */
#ifndef GROWTH_H
#define GROWTH_H

#include "common/bytes.h"

struct growth {
	const char *name;
	const char *ending; /* of its file */
	const char *what;   /* of which there are COUNT */
	void (*write)(struct byte_buf *out, uint64_t count);
};

extern const struct growth perf_growths[];    /* each ends with an empty name */
extern const struct growth windows_growths[]; /* ETW, PerfLib, texts */
extern const struct growth crowd_growths[];   /* for bench/crowd, not listed */

#endif
