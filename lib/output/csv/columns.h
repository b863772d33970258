/*
 * columns.h - the counters of all traces as columns with their own names, as the views
 * of a database have them.
 */
#ifndef PERFTAB_CSV_COLUMNS_H
#define PERFTAB_CSV_COLUMNS_H

#include "base/arena.h"
#include "base/map.h"
#include "output/csv/file.h"

#define CSV_COLUMNS_MAX 1900 /* more have none, as in a database */

/* A group and where its slots are among the columns. */
struct csv_group {
	int64_t group_id, trace_id;
	size_t slots;
	size_t columns[]; /* by slot; CSV_COLUMNS_MAX: it has none */
};

struct csv_columns {
	struct arena arena;
	struct map groups; /* group_id -> struct csv_group */
	struct str *names; /* of the columns, as the counters were named first */
	size_t count, room;
};

/* Rows of counter_group and counter; others are ignored.  False: out of memory. */
bool csv_columns_on_row(struct csv_columns *columns, const struct record *record);
/* The column of a counter by its name, in either case; CSV_COLUMNS_MAX: it has none. */
size_t csv_columns_find(const struct csv_columns *columns, struct str name);
/*
 * Ends a header: a comma and a name for each, with a # where views have such a column
 * anyway, and the end of the line.
 */
MUST_CHECK enum status csv_columns_write(struct sink *sink, struct csv_file *file,
					 const char *table,
					 const struct csv_columns *columns);
void csv_columns_release(struct csv_columns *columns);

#endif
