/*
 * slots.h - what the page draws in colours of their own: the first lines of the bill, and
 * lines apart from threads.  All other lines together are the rest.
 */
#ifndef PERFTAB_HTML_SLOTS_H
#define PERFTAB_HTML_SLOTS_H

#include "report/cut.h"

/* page/colours.js has the same numbers. */
enum slot {
	SLOT_TASKS = 24, /* 0 .. 23: lines of tasks, in their order */
	SLOT_REST = SLOT_TASKS,
	SLOT_IDLE,
	SLOT_WITH_IDLE,
	SLOT_INTERRUPTS,
	SLOT_UNATTRIBUTED,
	SLOT_OTHERS,
	SLOTS,
};

struct slots {
	const struct totals *totals;
	const struct view *view;
	enum cut_by by;
	int64_t tid; /* of the filter; INT_NONE: none */
	struct map line_by_of, line_by_name, line_by_thread;
	size_t others; /* index of its line, or SIZE_MAX */
};

/* Makes slots of a view of processes, threads or programs.  False: out of memory. */
bool slots_make(struct slots *slots, const struct totals *totals, const struct view *view,
		const struct cut_filter *filter, enum cut_by by);
void slots_end(struct slots *slots);
/* Returns the line of a thread; SIZE_MAX: it has none of its own. */
size_t slots_line(const struct slots *slots, int64_t thread_id);
enum slot slots_of_line(const struct slots *slots, size_t line);
/* Returns the slot of a key of the collected sums. */
enum slot slots_of_key(const struct slots *slots, uint64_t key);

#endif
