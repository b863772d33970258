/*
 * ids.h - rows on their way to the sinks: output ids and threads filled in by the names
 * of their columns, texts made valid UTF-8, tables of the trace's own found.
 */
#ifndef PERFTAB_PIPELINE_IDS_H
#define PERFTAB_PIPELINE_IDS_H

#include "pipeline/pipeline.h"

/* To every sink; the first failure ends it. */
MUST_CHECK enum status emit_record(struct pipeline *p, const struct record *record);
/* The same for a row of tables.def; `context` is the pipeline. */
MUST_CHECK enum status emit_row(void *context, enum record_kind kind, const void *row);

/* The output's id of the reader's counter. */
int64_t output_counter_id(const struct pipeline *p, int64_t counter_id);
/* The output's thread for a tid that the recorder saw at a time; INT_NONE: unknown. */
int64_t output_thread_at(struct pipeline *p, int64_t tid, int64_t pid, int64_t ts_ns,
			 int64_t cpu);

/* Handlers of records; run.c has the table. */
MUST_CHECK enum status on_plain_row(struct pipeline *p, const struct record *record);
MUST_CHECK enum status on_own_row(struct pipeline *p, const struct record *record);
MUST_CHECK enum status on_traced(struct pipeline *p, const struct record *record);
MUST_CHECK enum status on_tracepoint(struct pipeline *p, const struct record *record);

#endif
