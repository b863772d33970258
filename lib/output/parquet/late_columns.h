/*
 * late_columns.h - the columns of switches that wait for the end of a trace: names and
 * numbers of threads, the time of day.
 */
#ifndef PERFTAB_PARQUET_LATE_COLUMNS_H
#define PERFTAB_PARQUET_LATE_COLUMNS_H

#include "output/parquet/switches.h"

bool parquet_is_late(enum fleet_switch_column column);
/*
 * What the late columns of the group being filled need waits from now on.  The chunks of
 * the other columns are made.
 */
MUST_CHECK enum status parquet_late_wait(struct parquet_switches *switches,
					 const struct parquet_group *group);
/* The late columns of all groups. */
MUST_CHECK enum status parquet_late_write(struct parquet_switches *switches,
					  const struct parquet_ending *ending);

#endif
