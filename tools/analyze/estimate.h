/*
 * estimate.h - the lines of what was sampled: one a process, thread or CPU.
 *
 * A sample stands for as many events as its period says, so these are estimates.  Time on
 * a CPU is measured, from SWITCH records.  Made once from a report, printed as text, CSV
 * or JSON.
 */
#ifndef PERFTAB_ESTIMATE_H
#define PERFTAB_ESTIMATE_H

#include "bill.h"

struct estimate_line {
	enum line_kind kind;	/* LINE_UNATTRIBUTED: of no known thread, or CPU */
	struct str process;	/* shown name */
	struct str thread;	/* BY_THREAD */
	int64_t pid, tid;	/* INT_NONE: empty */
	int64_t cpu;		/* BY_CPU and idle threads */
	int64_t threads;	/* INT_NONE: empty */
	int64_t switches;	/* INT_NONE: there are no SWITCH records */
	int64_t on_cpu_ns;	/* likewise */
	int64_t samples;	/* of all events */
	int64_t *event_samples; /* by column */
	int64_t *events;	/* by column: sum of the periods */
};

struct estimate {
	struct arena arena;
	const struct report *report;
	enum bill_by by;
	const struct tally_event **columns; /* events with samples */
	size_t column_count;
	bool is_timed;		      /* there are SWITCH records */
	struct estimate_line **lines; /* sorted; then idle, unattributed (not BY_CPU) */
	size_t line_count;
	struct estimate_line total;
	size_t heaviest; /* column with the largest total, or SIZE_MAX */
};

/* Is there anything to say? */
bool estimate_any(const struct report *report);

/* False: out of memory.  What was made is freed by estimate_release() in either case. */
bool estimate_make(struct estimate *estimate, const struct report *report,
		   enum bill_by by);
void estimate_release(struct estimate *estimate);

/* Sorts by a column as CSV names them; NULL: by the heaviest event.  False: no such. */
bool estimate_sort(struct estimate *estimate, const char *column);

/* Did the samples of this column say what they stand for?  Else only their number is. */
bool estimate_has_periods(const struct estimate *estimate, size_t column);
/* No samples, no switches. */
bool estimate_is_empty(const struct estimate_line *line);

#endif
