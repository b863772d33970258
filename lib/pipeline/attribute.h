/*
 * attribute.h - handlers of events: they identify threads, judge intervals and charge
 * them. The rules are in docs/attribution.md.
 */
#ifndef PERFTAB_PIPELINE_ATTRIBUTE_H
#define PERFTAB_PIPELINE_ATTRIBUTE_H

#include "pipeline/pipeline.h"

MUST_CHECK enum status on_switch(struct pipeline *p, const struct record *record);
/* reads.c: handles a switch event that is a read */
MUST_CHECK enum status on_read(struct pipeline *p, const struct record *record);
MUST_CHECK enum status on_edge(struct pipeline *p, const struct record *record);
MUST_CHECK enum status on_interrupted(struct pipeline *p, const struct record *record);
MUST_CHECK enum status on_switch_in(struct pipeline *p, const struct record *record);
MUST_CHECK enum status on_process(struct pipeline *p, const struct record *record);
MUST_CHECK enum status on_comm(struct pipeline *p, const struct record *record);
MUST_CHECK enum status on_command(struct pipeline *p, const struct record *record);
MUST_CHECK enum status on_fork(struct pipeline *p, const struct record *record);
MUST_CHECK enum status on_exit_event(struct pipeline *p, const struct record *record);
MUST_CHECK enum status on_exiting(struct pipeline *p, const struct record *record);
MUST_CHECK enum status on_handed(struct pipeline *p, const struct record *record);
MUST_CHECK enum status on_loss(struct pipeline *p, const struct record *record);
MUST_CHECK enum status on_throttled(struct pipeline *p, const struct record *record);
MUST_CHECK enum status on_sampled(struct pipeline *p, const struct record *record);
MUST_CHECK enum status on_deferred_chain(struct pipeline *p, const struct record *record);

#endif
