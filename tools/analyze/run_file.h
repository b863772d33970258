/*
 * run_file.h - the reports of traces and databases.
 */
#ifndef PERFTAB_ANALYZE_RUN_FILE_H
#define PERFTAB_ANALYZE_RUN_FILE_H

#include "options.h"

/*
 * Prints the report of each input, one after the other; returns the worst exit status.
 * `root`: only the processes that this process started, a recorder that began the trace
 * before; 0: all.
 */
int run_files(struct analyze_options *options, char **inputs, size_t count, int64_t root);

#endif
