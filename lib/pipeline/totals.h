/*
 * totals.h - handlers of a trace's declarations and of its end.
 */
#ifndef PERFTAB_PIPELINE_TOTALS_H
#define PERFTAB_PIPELINE_TOTALS_H

#include "pipeline/pipeline.h"

MUST_CHECK enum status on_group(struct pipeline *p, const struct record *record);
MUST_CHECK enum status on_counter(struct pipeline *p, const struct record *record);
MUST_CHECK enum status on_finding(struct pipeline *p, const struct record *record);
MUST_CHECK enum status on_trace(struct pipeline *p, const struct record *record);

/* In a live trace: keeps a row that is emitted with the totals of every interval. */
MUST_CHECK enum status totals_keep_live(struct pipeline *p, enum record_kind kind,
					const void *data);

/* Handles that no more samples and call chains of the trace follow. */
MUST_CHECK enum status totals_end_addresses(struct pipeline *p);
/* Frees all data of one trace. */
void totals_end_trace(struct pipeline *p);

#endif
