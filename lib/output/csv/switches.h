/*
 * switches.h - lines of context_switch.csv: there may be many millions.
 *
 * Rows and runs are kept as numbers until there are enough; threads make lines of them.
 */
#ifndef PERFTAB_CSV_SWITCHES_H
#define PERFTAB_CSV_SWITCHES_H

#include "model/run.h"
#include "output/csv/pieces.h"

/* The pieces are used for these lines, of this file, until csv_switches_end(). */
void csv_switches_begin(struct csv_pieces *pieces, struct csv_file *file);
/*
 * The file is open and has its header; lines get `columns` deltas, of which rows may fill
 * fewer.
 */
MUST_CHECK enum status csv_switches_add(struct csv_pieces *pieces, struct sink *sink,
					const struct record *record, size_t columns);
MUST_CHECK enum status csv_switches_add_run(struct csv_pieces *pieces, struct sink *sink,
					    const struct run_rows *rows, size_t columns);
MUST_CHECK enum status csv_switches_end(struct csv_pieces *pieces, struct sink *sink);

#endif
