/*
 * colours.h - what the page draws in colours of their own: the first lines of the bill,
 * and lines apart from threads.  All other lines together are the rest.
 */
#ifndef PERFTAB_HTML_COLOURS_H
#define PERFTAB_HTML_COLOURS_H

#include "report/cut.h"

/* page/colours.js has the same numbers. */
enum colour {
	COLOUR_TASKS = 24, /* 0 .. 23: lines of tasks, in their order */
	COLOUR_REST = COLOUR_TASKS,
	COLOUR_IDLE,
	COLOUR_WITH_IDLE,
	COLOUR_INTERRUPTS,
	COLOUR_UNATTRIBUTED,
	COLOUR_OTHERS,
	COLOURS,
};

struct colours {
	const struct totals *totals;
	const struct view *view;
	enum cut_by by;
	int64_t tid; /* of the filter; INT_NONE: none */
	struct map line_by_of, line_by_name, line_by_thread;
	size_t others; /* index of its line, or SIZE_MAX */
};

/* Makes colours of a view of processes, threads or programs.  False: out of memory. */
bool colours_make(struct colours *colours, const struct totals *totals,
		  const struct view *view, const struct cut_filter *filter,
		  enum cut_by by);
void colours_end(struct colours *colours);
/* Returns the line of a thread; SIZE_MAX: it has none of its own. */
size_t colours_line(const struct colours *colours, int64_t thread_id);
enum colour colours_of_line(const struct colours *colours, size_t line);
/* Returns the colour of a key of the collected sums. */
enum colour colours_of_key(const struct colours *colours, uint64_t key);

#endif
