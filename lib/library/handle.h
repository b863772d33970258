/*
 * handle.h - struct perftab, for the files of the library.
 */
#ifndef PERFTAB_LIBRARY_HANDLE_H
#define PERFTAB_LIBRARY_HANDLE_H

#include "base/arena.h"
#include "feed/bill.h"
#include "feed/feed.h"
#include "perftab/perftab.h"

/* Columns of context_switch after those of its table. */
#define DELTA_NAME_BYTES 24

struct perftab {
	struct feed_source source;
	struct feed_request request;
	struct perftab_options options;
	struct arena arena;
	struct feed *feed; /* NULL: nothing was asked for yet */
	struct feed_bill bill;
	struct feed_row row; /* table NULL: there is none */
	int status;
	struct error error;
	/* Names of delta columns, as far as they were asked for. */
	const char **delta_names;
	size_t delta_count;
};

/* Keeps a failure. */
int handle_fail(struct perftab *trace, enum status status, const char *text);
/* Keeps it, or its text alone where there are rows, and returns PERFTAB_MISUSE. */
int handle_misuse(struct perftab *trace, const char *text);

#endif
