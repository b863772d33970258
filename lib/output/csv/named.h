/*
 * named.h - context_switch_named.csv: each switch with names of its threads, its status
 * and its counters, as the view of that name has them.
 *
 * Threads are known when a trace is complete, so context_switch.csv is read again.
 */
#ifndef PERFTAB_CSV_NAMED_H
#define PERFTAB_CSV_NAMED_H

#include "output/csv/columns.h"
#include "output/csv/pieces.h"
#include "output/csv/tasks.h"

/*
 * Writes it, from context_switch.csv in the folder, which is complete, with so many
 * deltas in each line.  The pieces are not in use.
 */
MUST_CHECK enum status csv_named_write(const struct csv_tasks *tasks, struct sink *sink,
				       struct os_folder *folder,
				       const struct csv_columns *columns, size_t slots,
				       struct csv_pieces *pieces);

#endif
