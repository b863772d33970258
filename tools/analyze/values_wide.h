/*
 * values_wide.h - values of PerfLib as relog writes them: a line for each interval, a
 * column for each counter of an instance.
 */
#ifndef PERFTAB_VALUES_WIDE_H
#define PERFTAB_VALUES_WIDE_H

#include "report/values.h"

/* Memory for cells. */
#define WIDE_BYTES_MAX ((size_t)1 << 30)

struct wide_column {
	const struct value_identity *identity;
	const struct value_counter *counter;
	uint32_t number;
};

struct wide_cell {
	uint32_t column;
	double value;
};

struct wide_row {
	int64_t snapshot, interval, ts_ns, filetime; /* of its first snapshot */
	size_t first;				     /* of its cells */
};

struct wide {
	struct arena arena;
	struct map columns; /* -> struct wide_column */
	struct wide_column **in_order;
	struct wide_row *rows;
	struct wide_cell *cells;
	size_t column_count, row_count, cell_count;
	size_t column_room, row_room, cell_room;
	bool failed; /* out of memory, or over WIDE_BYTES_MAX */
};

/* The values of a snapshot follow one another; the wide table is zeroed at first. */
void wide_add(struct wide *wide, const struct values *values,
	      const struct value_line *line);
/* CSV; before the values are released.  False: `failed`. */
bool wide_print(FILE *to, const struct wide *wide, const struct trace_row *trace,
		bool csv_safe);
void wide_release(struct wide *wide);

#endif
