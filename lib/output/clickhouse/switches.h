/*
 * switches.h - the switches that one group of counters saw, as rows of the table
 * `switch`.
 *
 * Names of threads and the wall clock are known at the end of a trace only.  Until then
 * the rows wait, as numbers, in a file without a name: memory does not grow with the
 * trace.
 */
#ifndef PERFTAB_CLICKHOUSE_SWITCHES_H
#define PERFTAB_CLICKHOUSE_SWITCHES_H

#include "output/clickhouse/tables.h"
#include "output/fleet/cells.h"
#include "output/fleet/spool.h"

struct native_switches {
	size_t slots;
	int64_t *cells; /* of the rows that are not in the file yet */
	size_t rows, rows_max;
	uint64_t spooled; /* rows */
	struct spool spool;
	struct error *error; /* of the caller */
};

MUST_CHECK enum status native_switches_begin(struct native_switches *switches,
					     size_t slots, struct error *error);
/* A row of context_switch. */
MUST_CHECK enum status native_switches_add(struct native_switches *switches,
					   const struct record *record);
/* All rows; a column for each counter follows those of the table. */
MUST_CHECK enum status native_switches_end(struct native_switches *switches,
					   struct native_block *block,
					   const struct native_trace *trace,
					   const struct fleet_tasks *tasks);
void native_switches_release(struct native_switches *switches);

#endif
