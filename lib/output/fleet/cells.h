/*
 * cells.h - what is known of a switch when it passes, as numbers that wait for the names
 * of threads and the wall clock, which are known at the end of a trace only.
 */
#ifndef PERFTAB_FLEET_CELLS_H
#define PERFTAB_FLEET_CELLS_H

#include "output/fleet/columns.h"
#include "output/fleet/tasks.h"

enum fleet_cell {
	CELL_TS,
	CELL_CPU,
	CELL_PREV_THREAD,
	CELL_NEXT_THREAD,
	CELL_PREV_STATE,
	CELL_STATUS,
	CELL_ON_CPU,
	CELL_RUNNING,
	FLEET_CELLS
};

/* To at[cell * stride]. */
static inline void fleet_cells_put(int64_t *at, size_t stride,
				   const struct context_switch_row *row)
{
	at[CELL_TS * stride] = row->ts_ns;
	at[CELL_CPU * stride] = row->cpu;
	at[CELL_PREV_THREAD * stride] = row->prev_thread_id;
	at[CELL_NEXT_THREAD * stride] = row->next_thread_id;
	at[CELL_PREV_STATE * stride] = row->prev_state;
	at[CELL_STATUS * stride] = row->status;
	at[CELL_ON_CPU * stride] = row->on_cpu_ns;
	at[CELL_RUNNING * stride] = row->running_ns;
}

/* The words of a status; of one that does not exist those of the first. */
static inline const struct charge_status_words *fleet_status_words(int64_t status)
{
	return &charge_status_words[status >= 0 && status < CHARGE_STATUSES ? status : 0];
}

/* The row, once the names are known. */
struct fleet_switch_row fleet_switch_of(const int64_t cells[FLEET_CELLS],
					const struct fleet_trace *trace,
					const struct fleet_tasks *tasks);

#endif
