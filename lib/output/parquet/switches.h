/*
 * switches.h - the switches that one group of counters saw, as the rows of one file.
 *
 * Names of threads and the wall clock are known at the end of a trace only.  Until then
 * times and the ids of the threads wait in a file without a name, so that memory does not
 * grow with the trace; the chunks of the other columns are written at once, and those
 * that are late after all of them.
 */
#ifndef PERFTAB_PARQUET_SWITCHES_H
#define PERFTAB_PARQUET_SWITCHES_H

#include "output/fleet/cells.h"
#include "output/fleet/collect.h"
#include "output/parquet/bill.h"
#include "output/parquet/folders.h"

struct parquet_switches {
	struct folders_file begun;
	struct parquet_file file;
	struct parquet_column *columns;
	size_t slots;	       /* counters: the last columns */
	size_t rows, rows_max; /* of the group being filled */
	int64_t *cells;	       /* column by column, at multiples of the stride */
	size_t stride;
	/* False for CELL_STATUS, CELL_RUNNING: unset; all rows have the usual value. */
	bool is_filled[FLEET_CELLS];
	uint16_t *filled;    /* by row: counters that were read, */
	size_t least_filled; /* the least of the group */
	uint8_t *is_null;
	uint32_t *texts;
	uint16_t *narrow;
	struct spool spool;
	struct parquet_maker *maker; /* of the caller */
	struct arena arena;
	struct error *error; /* of the caller */
};

/* Data that are known at the end of a trace. */
struct parquet_ending {
	struct fleet_trace trace;
	struct fleet_tasks *tasks;
};

/* Begins the file, with a column for each counter after the others. */
MUST_CHECK enum status parquet_switches_begin(struct parquet_switches *switches,
					      const struct fleet_counters *counters,
					      struct folders *folders,
					      struct parquet_maker *maker);
/* Adds a row of context_switch. */
MUST_CHECK enum status parquet_switches_add(struct parquet_switches *switches,
					    const struct record *record);
MUST_CHECK enum status parquet_switches_add_run(struct parquet_switches *switches,
						const struct run_rows *rows);
/* All rows are in the file then, which is to be finished. */
MUST_CHECK enum status parquet_switches_end(struct parquet_switches *switches,
					    const struct parquet_ending *ending);
void parquet_switches_release(struct parquet_switches *switches);

/* A cell of the rows of the group being filled. */
static inline int64_t *parquet_switches_cells(const struct parquet_switches *switches,
					      size_t cell)
{
	return switches->cells + cell * switches->stride;
}

#endif
