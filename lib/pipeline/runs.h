/*
 * runs.h - the handler of runs: charged switches together, all others as records.
 */
#ifndef PERFTAB_PIPELINE_RUNS_H
#define PERFTAB_PIPELINE_RUNS_H

#include "pipeline/pipeline.h"

/* Returns whether the reader may emit runs in the trace that begins. */
bool runs_are_wanted(const struct pipeline *p, const struct reader *reader);
/* Returns whether it may emit the sums of many runs instead. */
bool sums_are_wanted(const struct pipeline *p, const struct reader *reader);
run_sum_fn runs_sum;
MUST_CHECK enum status on_run(struct pipeline *p, const struct record *record);
MUST_CHECK enum status on_run_sums(struct pipeline *p, const struct record *record);

#endif
