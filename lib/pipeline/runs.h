/*
 * runs.h - the handler of runs: charged switches together, all others as records.
 */
#ifndef PERFTAB_PIPELINE_RUNS_H
#define PERFTAB_PIPELINE_RUNS_H

#include "pipeline/pipeline.h"

/* Whether the reader's switches may come in runs, in the trace that begins. */
bool runs_are_wanted(const struct pipeline *p, const struct reader *reader);
MUST_CHECK enum status on_run(struct pipeline *p, const struct record *record);

#endif
