/*
 * live_main.h - perftab-analyze --live: a bill while it is measured.
 */
#ifndef PERFTAB_ANALYZE_LIVE_MAIN_H
#define PERFTAB_ANALYZE_LIVE_MAIN_H

#include "job.h"

/*
 * Counts until it is interrupted, or argv[first], a command, has ended: the exit status.
 */
int run_live(const struct analyze_options *options, int argc, char **argv, int first);

#endif
