/*
 * run_file.h - the report of one trace or database.
 */
#ifndef PERFTAB_ANALYZE_RUN_FILE_H
#define PERFTAB_ANALYZE_RUN_FILE_H

#include "options.h"

/*
 * Prints the report; returns the exit status.  `root`: only the processes that this
 * process started, a recorder that began the trace before; 0: all.
 */
int run_file(struct analyze_options *options, const char *path, int64_t root);

#endif
