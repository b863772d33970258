/*
 * switches.h - lines of context_switch.csv: there may be many millions.
 *
 * Rows and runs are kept as numbers until there are enough; threads make lines of them.
 */
#ifndef PERFTAB_CSV_SWITCHES_H
#define PERFTAB_CSV_SWITCHES_H

#include "model/run.h"
#include "output/csv/pieces.h"

/* The pieces are used for these lines until csv_switches_end(). */
void csv_switches_begin(struct csv_pieces *pieces);
/* The file has its header; lines get `columns` deltas, of which rows may fill fewer. */
MUST_CHECK enum status csv_switches_add(struct csv_pieces *pieces, struct sink *sink,
					struct csv_file *file,
					const struct record *record, size_t columns);
MUST_CHECK enum status csv_switches_add_run(struct csv_pieces *pieces, struct sink *sink,
					    struct csv_file *file,
					    const struct run_rows *rows, size_t columns);
MUST_CHECK enum status csv_switches_end(struct csv_pieces *pieces, struct sink *sink,
					struct csv_file *file);

#endif
