/*
 * audited.h - handlers of the checks that the recorder made of its counters.
 */
#ifndef PERFTAB_PIPELINE_AUDITED_H
#define PERFTAB_PIPELINE_AUDITED_H

#include "pipeline/pipeline.h"

MUST_CHECK enum status on_audit_check(struct pipeline *p, const struct record *record);
/* At the end of a trace: emits a verdict for each counter. */
MUST_CHECK enum status audited_report(struct pipeline *p);

#endif
