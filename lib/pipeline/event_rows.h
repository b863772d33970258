/*
 * event_rows.h - rows on their way from a reader of events to the sinks: ids and threads
 * put in place, texts made valid, tables of the trace's own found.  Part of
 * attribution.c.
 */
#ifndef PERFTAB_EVENT_ROWS_H
#define PERFTAB_EVENT_ROWS_H

#include "pipeline/attribution.h"

/* To every sink; the first failure ends it. */
MUST_CHECK enum status rows_put_record(struct attribution *a,
				       const struct record *record);
/* The same for a row of tables.def; `context` is the attribution. */
MUST_CHECK enum status rows_put(void *context, enum record_kind kind, const void *row);

/* The output's id of the reader's counter. */
int64_t rows_counter_id(const struct attribution *a, int64_t counter_id);
/* The output's thread for a tid that the recorder saw at a time, INT_NONE: nobody. */
int64_t rows_thread_at(struct attribution *a, int64_t tid, int64_t pid, int64_t ts_ns,
		       int64_t cpu);

/* Handlers, as attribution.c has them for each kind of record. */
MUST_CHECK enum status rows_take_plain(struct attribution *a,
				       const struct record *record);
MUST_CHECK enum status rows_take_sampled(struct attribution *a,
					 const struct record *record);
/* read_rows.c: a RECORD_SWITCH that is a read, and a RECORD_group_read. */
MUST_CHECK enum status rows_take_read(struct attribution *a, const struct record *record);
MUST_CHECK enum status rows_take_stored_read(struct attribution *a,
					     const struct record *record);
MUST_CHECK enum status rows_take_own(struct attribution *a, const struct record *record);
MUST_CHECK enum status rows_take_traced(struct attribution *a,
					const struct record *record);
MUST_CHECK enum status rows_take_tracepoint(struct attribution *a,
					    const struct record *record);

#endif
