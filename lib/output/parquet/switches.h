/*
 * switches.h - the switches that one group of counters saw, as the rows of one file.
 *
 * Names of threads and the wall clock are known at the end of a trace only.  Until then
 * the chunks of the other columns wait in a file without a name, with the ids of the
 * threads: memory does not grow with the trace.
 */
#ifndef PERFTAB_PARQUET_SWITCHES_H
#define PERFTAB_PARQUET_SWITCHES_H

#include "model/wall.h"
#include "output/fleet/collect.h"
#include "output/parquet/file.h"

/* A row group that waits. */
struct waiting_group;

struct parquet_switches {
	struct parquet_column *columns;
	size_t column_count;
	size_t slots;	       /* counters: the last columns */
	size_t rows, rows_max; /* of the group being filled */
	int64_t *cells;	       /* column by column, rows_max each */
	uint16_t *filled;      /* by row: counters that were read, */
	size_t least_filled;   /* the least of the group */
	uint8_t *is_null;
	uint32_t *texts;
	struct bytes made; /* chunks of a group */
	struct spool spool;
	struct waiting_group *groups, **last;
	struct parquet_maker *maker; /* of the caller */
	struct arena arena;
	struct error *error; /* of the caller */
};

/* What is known at the end of a trace. */
struct parquet_ending {
	struct str trace;
	struct wall wall;
	struct fleet_tasks *tasks;
};

/* A column for each counter follows the others. */
MUST_CHECK enum status parquet_switches_begin(struct parquet_switches *switches,
					      const struct fleet_counters *counters,
					      struct parquet_maker *maker,
					      struct error *error);
/* A row of context_switch. */
MUST_CHECK enum status parquet_switches_add(struct parquet_switches *switches,
					    const struct record *record);
/* All rows into a file that has begun. */
MUST_CHECK enum status parquet_switches_end(struct parquet_switches *switches,
					    struct parquet_file *file,
					    const struct parquet_ending *ending);
void parquet_switches_release(struct parquet_switches *switches);

#endif
