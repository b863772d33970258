/*
 * ids.h - passes rows to the sinks: fills in output ids and threads by column name, makes
 * texts valid UTF-8, and finds the output's table for one that the trace defines.
 */
#ifndef PERFTAB_PIPELINE_IDS_H
#define PERFTAB_PIPELINE_IDS_H

#include "pipeline/pipeline.h"

/* Passes a record to every sink; stops at the first failure. */
MUST_CHECK enum status emit_record(struct pipeline *p, const struct record *record);
/* As emit_record() for a row of tables.def; `context` is the pipeline. */
MUST_CHECK enum status emit_row(void *context, enum record_kind kind, const void *row);

/* Returns the output's id of the reader's counter. */
int64_t output_counter_id(const struct pipeline *p, int64_t counter_id);
/* Returns the output's thread for a tid of the recorder at a time; INT_NONE: unknown. */
int64_t output_thread_at(struct pipeline *p, int64_t tid, int64_t pid, int64_t ts_ns,
			 int64_t cpu);

/* Handlers of records, for the table in pump.c. */
MUST_CHECK enum status on_plain_row(struct pipeline *p, const struct record *record);
MUST_CHECK enum status on_own_row(struct pipeline *p, const struct record *record);
MUST_CHECK enum status on_traced(struct pipeline *p, const struct record *record);
MUST_CHECK enum status on_tracepoint(struct pipeline *p, const struct record *record);

#endif
