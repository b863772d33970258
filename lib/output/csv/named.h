/*
 * named.h - context_switch_named.csv: each switch with names of its threads, its status
 * and its counters, as the view of that name has them.
 *
 * Threads are known when a trace is complete, so context_switch.csv is read again.
 */
#ifndef PERFTAB_CSV_NAMED_H
#define PERFTAB_CSV_NAMED_H

#include "output/csv/columns.h"
#include "output/csv/file.h"

struct csv_named {
	struct arena arena;
	struct map processes, threads; /* id -> what a line says of it */
};

/* Keeps what is needed of tasks; other rows are ignored.  False: out of memory. */
bool csv_named_on_row(struct csv_named *named, const struct sink *sink,
		      const struct record *record);
/* Writes it, from context_switch.csv in the folder, which is complete. */
MUST_CHECK enum status csv_named_write(const struct csv_named *named, struct sink *sink,
				       struct os_folder *folder,
				       const struct csv_columns *columns);
void csv_named_release(struct csv_named *named);

#endif
