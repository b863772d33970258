/*
 * render.h - prints the report of a trace as text, CSV and JSON.
 *
 * Each form has one renderer of views (lib/report/view.h), and around it what that form
 * alone has: text has a head and words on what the numbers mean, JSON has the trace, its
 * counters and findings.
 */
#ifndef PERFTAB_ANALYZE_RENDER_H
#define PERFTAB_ANALYZE_RENDER_H

#include <stdio.h>

#include "cells.h"
#include "report/bill.h"
#include "report/check.h"
#include "report/counts.h"
#include "report/estimate.h"
#include "report/interrupts.h"
#include "report/places.h"
#include "report/values.h"

#define JSON_SCHEMA_VERSION 2

enum form { FORM_TEXT, FORM_CSV, FORM_JSON, FORM_HTML };

struct render_options {
	int64_t top; /* at most so many lines, 0: all */
	bool ratios;
	bool one_block; /* of a table: leave out what is too wide */
	bool csv_safe;
	bool interrupts_only; /* text: leave out the table of the bill */
	/*
	 * First columns that are the same in each line, with their last comma; or NULL.
	 */
	const char *csv_names, *csv_cells;
	bool csv_goes_on; /* the line of names is out already */
	/* The window that was asked for; INT64_MIN, INT64_MAX: all. */
	int64_t from_ns, to_ns;
	const char *cpus; /* that were asked for; NULL: all */
};

/* All that is printed of one trace. */
struct pages {
	struct bill *bill;
	struct estimate *estimate;	   /* NULL: nothing was sampled */
	struct counts *counts;		   /* NULL: there is nothing of perf stat */
	struct interrupt_bill *interrupts; /* NULL: none were recorded */
	bool by_interrupt;		   /* the table is of those */
	struct view *places;		   /* NULL: not by function or module */
	enum place_by by_place;
};

/* --- views --- */

void render_csv(FILE *to, const struct view *view, const struct render_options *options);
/* The elements of an array, each on a line of its own after `indent`. */
void render_json_lines(FILE *to, const struct view *view, int64_t top,
		       const char *indent);
/*
 * Fills a table, with a last line for what `top` cut off and one for the total, if the
 * view has one.  The caller may add rows, prints the table and releases it.
 */
void render_table(struct text_table *table, struct view *view, int64_t top);

/* --- text --- */

void render_text(FILE *to, const struct pages *pages,
		 const struct render_options *options);
/* One interval of a live bill: a line of what it was, and the table. */
void render_text_live(FILE *to, struct bill *bill, const struct render_options *options);
void render_text_check(FILE *to, struct check *check);
void render_text_values(FILE *to, const struct totals *totals,
			const struct values *values,
			const struct render_options *options);
/* Parts: what the trace is, and how much of what it has; what of a bill is uncertain. */
void text_trace_head(FILE *to, const struct trace_row *trace, const char *amount);
/* text_verdicts.c: which counters are proven, which contradicted and by what. */
void text_verdicts(FILE *to, const struct totals *totals);
void text_findings(FILE *to, const struct totals *totals);
void text_bill_notes(FILE *to, struct bill *bill, const struct render_options *options);
/* `view` is that of the estimate, or one with other lines. */
void text_estimate(FILE *to, const struct estimate *estimate, struct view *view,
		   const struct render_options *options);
void text_counts(FILE *to, struct counts *counts, const struct render_options *options);

/* --- JSON --- */

/* An object without its end, which the caller writes, like separators. */
void render_json(FILE *to, const struct pages *pages,
		 const struct render_options *options);
/* Its first part: all that comes before the lines. */
void render_json_open(FILE *to, const struct pages *pages);
/* The member "sampling", without its lines. */
void json_sampling(FILE *to, const struct estimate *estimate);
/* The member "check". */
void json_check(FILE *to, const struct check *check);
/* The members "trace" and, after a comma, "findings". */
void json_trace(FILE *to, const struct totals *totals);
void json_findings(FILE *to, const struct totals *totals);

/* --- values of PerfLib, line by line while the trace is read --- */

void csv_value_names(FILE *to);
/* `utc` is the wall-clock time of the newer snapshot, or "". */
void csv_value_line(FILE *to, const struct value_line *line, const char *utc,
		    const struct render_options *options);
/* An element of the member "values". */
void json_value_line(FILE *to, const struct value_line *line, const char *utc);
/* What follows the last one. */
void json_values_end(FILE *to, const struct totals *totals, const struct values *values);

#endif
