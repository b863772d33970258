/*
 * processes.h - rows of processes, and their sums instead of those of threads, for a
 * report that shows only the first ones.
 */
#ifndef PERFTAB_PIPELINE_PROCESSES_H
#define PERFTAB_PIPELINE_PROCESSES_H

#include "model/top.h"
#include "pipeline/pipeline.h"

/* Emits the row of a process. */
MUST_CHECK enum status emit_process(struct pipeline *p, const struct process *process);
/* Chooses the first processes of a trace; false: the report needs threads. */
bool top_of_processes(struct pipeline *p, struct top *top);
/* Emits the chosen processes, and the sum of the others. */
MUST_CHECK enum status emit_top(struct pipeline *p, const struct top *top);

#endif
