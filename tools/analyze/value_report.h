/*
 * value_report.h - values of PerfLib on stdout: CSV and JSON line by line, while the
 * trace is read, text as totals and CSV of intervals as a table when it is over.
 */
#ifndef PERFTAB_VALUE_REPORT_H
#define PERFTAB_VALUE_REPORT_H

#include "render.h"
#include "values_wide.h"

struct value_report {
	struct values values;
	enum form form;
	struct render_options options;
	/* Called before the first output of a trace. */
	void (*begin)(void *context);
	void *context;
	int64_t lines; /* of this trace so far */
	bool is_wide;  /* CSV of intervals */
	struct wide wide;
};

/* All but `values` is set. */
void value_report_open(struct value_report *report, const struct value_options *options);
/* The trace is complete.  False: out of memory. */
bool value_report_end(struct value_report *report, const struct totals *totals);
/* If it failed in between, what was begun is ended. */
void value_report_close(struct value_report *report);

#endif
