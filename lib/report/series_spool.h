/*
 * series_spool.h - books of intervals in a temporary file, once they fill their memory.
 *
 * A book that is added to again after that is stored a second time: reading an interval
 * adds up what is stored of it.
 */
#ifndef PERFTAB_REPORT_SERIES_SPOOL_H
#define PERFTAB_REPORT_SERIES_SPOOL_H

#include "report/series.h"

/*
 * Stores the books in memory and drops them there.  Where no temporary file can be made
 * they stay in memory.  False: out of memory, or writing failed.
 */
bool series_spool(struct series *series);
/*
 * Returns the books of an interval in the order in which they were added, valid until the
 * next call.  After the first call nothing can be added.  NULL: out of memory, or reading
 * failed.
 */
const struct series_interval *series_spool_read(struct series *series, size_t number);
void series_spool_close(struct series *series);

#endif
