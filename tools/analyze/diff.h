/*
 * diff.h - perftab-analyze --diff A... --with B...: what a change did to each program.
 *
 * Each trace is a run.  Programs are compared by name, by one counter, and only those of
 * the command that was recorded, where the trace shows who started them: other programs
 * of the machine would say nothing about the change.
 */
#ifndef PERFTAB_ANALYZE_DIFF_H
#define PERFTAB_ANALYZE_DIFF_H

#include "options.h"

/* --fail-on: something is dearer. */
#define EXIT_DEARER 4

/* The inputs of one side, then those of the other; returns the exit status. */
int run_diff(const struct analyze_options *options, char **inputs, size_t runs_a,
	     size_t runs_b);

#endif
