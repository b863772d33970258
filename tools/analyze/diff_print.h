/*
 * diff_print.h - a comparison of runs, and how it is printed.
 */
#ifndef PERFTAB_ANALYZE_DIFF_PRINT_H
#define PERFTAB_ANALYZE_DIFF_PRINT_H

#include "options.h"
#include "report/compare.h"

#define DIFF_SCHEMA_VERSION 1

struct diff_name {
	struct str name;
	double *runs[2]; /* by side */
};

struct diff {
	const struct analyze_options *options;
	struct arena arena;
	int side;
	size_t runs[2]; /* read so far, by side */
	struct str counter;
	struct diff_name *names;
	size_t name_count, name_room;
	size_t of_all; /* runs in which the command is not known */
	bool is_damaged;
	struct compare_line *lines; /* the heaviest first */
	size_t line_count;
};

/* The same, JSON alone. */
void diff_print_json(FILE *to, const struct diff *diff);
void diff_print(FILE *to, const struct diff *diff, enum form form);

#endif
