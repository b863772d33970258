/*
 * stored.h - handlers of rows that come from a converted database.
 */
#ifndef PERFTAB_PIPELINE_STORED_H
#define PERFTAB_PIPELINE_STORED_H

#include "pipeline/pipeline.h"

MUST_CHECK enum status on_stored_cgroup(struct pipeline *p, const struct record *record);
MUST_CHECK enum status on_stored_switch(struct pipeline *p, const struct record *record);
MUST_CHECK enum status on_stored_read(struct pipeline *p, const struct record *record);
MUST_CHECK enum status on_stored_interrupt(struct pipeline *p,
					   const struct record *record);
MUST_CHECK enum status on_stored_thread(struct pipeline *p, const struct record *record);
MUST_CHECK enum status on_stored_sample(struct pipeline *p, const struct record *record);
MUST_CHECK enum status on_stored_switch_record(struct pipeline *p,
					       const struct record *record);
MUST_CHECK enum status on_base(struct pipeline *p, const struct record *record);

#endif
