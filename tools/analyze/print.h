/*
 * print.h - the forms that a bill, or the check of the books, takes on stdout.
 */
#ifndef PERFTAB_PRINT_H
#define PERFTAB_PRINT_H

#include <stdio.h>

#include "bill.h"
#include "common/text_table.h"
#include "counts.h"
#include "estimate.h"
#include "values.h"

#define JSON_SCHEMA_VERSION 1

struct print_options {
	int64_t top; /* at most so many lines, 0: all */
	bool metrics;
	bool csv_safe;
	int64_t csv_time_ns; /* a first column of its own with this; 0: none */
	bool csv_goes_on;    /* the line of names is out already */
};

/* All that is printed of one trace; `estimate` and `counts` are NULL if there are none.
 */
struct pages {
	const struct bill *bill;
	const struct estimate *estimate;
	const struct counts *counts;
};

void print_text(FILE *to, const struct pages *pages, const struct print_options *options);
void print_live(FILE *to, const struct bill *bill, const struct print_options *options);
/* The table alone. */
void print_bill_lines(FILE *to, const struct bill *bill,
		      const struct print_options *options);
void print_csv(FILE *to, const struct bill *bill, const struct print_options *options);
/* One object; the caller writes what stands between several. */
void print_json(FILE *to, const struct pages *pages, const struct print_options *options);

/* What was sampled.  JSON: the member "sampling". */
void print_estimate_text(FILE *to, const struct estimate *estimate,
			 const struct print_options *options);
void print_estimate_csv(FILE *to, const struct estimate *estimate,
			const struct print_options *options);
void print_estimate_json(FILE *to, const struct estimate *estimate,
			 const struct print_options *options);

/* What perf stat counted.  JSON: the member "stat". */
void print_counts_text(FILE *to, const struct counts *counts,
		       const struct print_options *options);
void print_counts_csv(FILE *to, const struct counts *counts,
		      const struct print_options *options);
void print_counts_json(FILE *to, const struct counts *counts,
		       const struct print_options *options);

/* Values of PerfLib.  CSV and JSON come line by line, while the trace is read. */
void print_values_text(FILE *to, const struct report *report, const struct values *values,
		       const struct print_options *options);
void print_value_csv_names(FILE *to);
void print_value_csv(FILE *to, const struct value_line *line,
		     const struct print_options *options);
/* An element of the member "values". */
void print_value_json(FILE *to, const struct value_line *line);
/* What follows the last one. */
void print_values_json_end(FILE *to, const struct report *report,
			   const struct values *values);

/* One line of the check: the books of a counter on a CPU. */
struct check_line {
	int64_t cpu;
	struct str counter;
	int64_t first, last, charged, with_idle, idle, unattributed;
	bool balanced;
};
/* Calls `each` for every CPU and counter; returns how many do not balance. */
size_t check_each(const struct report *report,
		  void (*each)(void *context, const struct check_line *line),
		  void *context);
void print_check_text(FILE *to, const struct report *report);
void print_check_csv(FILE *to, const struct report *report,
		     const struct print_options *options);
/* The member "check" of the JSON document. */
void print_check_json(FILE *to, const struct report *report);

/* The pieces that the forms share. */
void csv_cell(FILE *to, struct str text, bool safe);
void csv_number(FILE *to, int64_t value); /* empty for INT_NONE */
/* The fewest digits that are this number and no other; infinity, which JSON has no word
 * for, as a number that is read as one. */
void print_real(FILE *to, double value);
/* The first lines of the text: what the trace is, how much of what, and where from. */
void print_trace_head(FILE *to, const struct trace_row *trace, const char *amount);
void print_findings_text(FILE *to, const struct report *report);
/* The members "trace" and, behind a comma, "findings". */
void print_trace_json(FILE *to, const struct report *report);
void print_findings_json(FILE *to, const struct report *report);
const char *rule_words(enum bill_rule rule);
#define NAME_COLUMNS 24 /* of a process or thread name; longer ones are cut */
void print_shown(FILE *to, struct str text, size_t columns);
void shown_cell(struct text_table *table, size_t column, struct str text);
void id_cell(struct text_table *table, size_t column, int64_t id);
/* A paragraph, its lines broken at blanks. */
void print_words(FILE *to, const char *words);

#endif
