/*
 * switches.h - lines of context_switch.csv: there may be many millions.
 *
 * Rows and runs are kept as numbers until there are enough; threads make lines of them.
 */
#ifndef PERFTAB_CSV_SWITCHES_H
#define PERFTAB_CSV_SWITCHES_H

#include "model/run.h"
#include "output/csv/pieces.h"

struct csv_switches {
	struct csv_pieces pieces;
};

/* False: out of memory; csv_switches_release() in any case. */
MUST_CHECK bool csv_switches_init(struct csv_switches *switches);
/* The file has its header; lines get `columns` deltas, of which rows may fill fewer. */
MUST_CHECK enum status csv_switches_add(struct csv_switches *switches, struct sink *sink,
					struct csv_file *file,
					const struct record *record, size_t columns);
MUST_CHECK enum status csv_switches_add_run(struct csv_switches *switches,
					    struct sink *sink, struct csv_file *file,
					    const struct run_rows *rows, size_t columns);
MUST_CHECK enum status csv_switches_end(struct csv_switches *switches, struct sink *sink,
					struct csv_file *file);
void csv_switches_release(struct csv_switches *switches);

#endif
