/* totals_play.h - rows of a trace into the sink of totals. */
#ifndef PERFTAB_TOTALS_PLAY_H
#define PERFTAB_TOTALS_PLAY_H

#include "report/totals.h"

/* PUT(kind, ...): a row of that table, its columns in order or by name. */
#define PUT(kind, ...)                                    \
	{                                                 \
		RECORD_##kind, &(const struct kind##_row) \
		{                                         \
			__VA_ARGS__                       \
		}                                         \
	}

struct row {
	enum record_kind kind;
	const void *data;
};

/*
 * The rows, then that of the trace, which ends it: `inspect` gets the totals.  Returns
 * what the last row came to.
 */
enum status totals_play(const struct row *rows, size_t count, int64_t from_ns,
			void (*inspect)(const struct totals *totals));

#endif
