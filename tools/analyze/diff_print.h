/*
 * diff_print.h - a comparison of runs, and how it is printed.
 */
#ifndef PERFTAB_ANALYZE_DIFF_PRINT_H
#define PERFTAB_ANALYZE_DIFF_PRINT_H

#include "base/arena.h"
#include "base/map.h"
#include "options.h"
#include "report/compare.h"

#define DIFF_SCHEMA_VERSION 1

/* Of a run that has the name; more than 0. */
struct diff_value {
	size_t run;
	double number;
	struct diff_value *previous;
};

struct diff_name {
	struct str name;
	struct diff_value *values[2]; /* the last ones, by side */
	size_t counts[2];
	struct diff_name *previous;
};

struct diff {
	const struct analyze_options *options;
	struct arena arena;
	int side;
	size_t runs[2]; /* read so far, by side */
	struct str counter;
	struct map by_name; /* hash -> struct diff_name */
	struct diff_name *last_name;
	size_t name_count;
	size_t of_all; /* runs in which the command is not known */
	bool is_damaged;
	struct compare_line *lines; /* the heaviest first */
	size_t line_count;
};

/* The same, JSON alone. */
void diff_print_json(FILE *to, const struct diff *diff);
void diff_print(FILE *to, const struct diff *diff, enum form form);

#endif
