/*
 * blg.h - what is particular to a performance log (.blg): an .etl whose events are the
 * records of PDH.
 *
 * The buffers are walked twice like those of any .etl.  In the first walk the log's names
 * and catalogue are learned, in the second one its samples become rows.
 */
#ifndef PERFTAB_BLG_H
#define PERFTAB_BLG_H

#include "readers/etl.h"

struct blg;

bool blg_is_event(const struct etl_event *event);
/* First walk; etl->blg is made with the first such event. */
void blg_learn(struct reader *reader, const struct etl_event *event);
/* Behind it: what the catalogue names can go out. */
void blg_begin(struct reader *reader);
/* Second walk. */
void blg_take(struct reader *reader, const struct etl_event *event);
/* A row of what was taken; false: there is none yet. */
bool blg_next(struct reader *reader, struct record *out);
/* Memory is at its end. */
bool blg_failed(const struct etl *etl);
/* Behind the last event. */
void blg_end(struct reader *reader);
void blg_describe(const struct etl *etl, struct trace_row *trace);
void blg_close(struct etl *etl);

#endif
