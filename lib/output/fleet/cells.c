/* cells.c - makes rows of cells that waited; see cells.h. */
#include "output/fleet/cells.h"

struct fleet_switch_row fleet_switch_of(const int64_t cells[FLEET_CELLS],
					const struct fleet_trace *trace,
					const struct fleet_tasks *tasks)
{
	const struct fleet_task *prev = fleet_tasks_find(tasks, cells[CELL_PREV_THREAD]);
	const struct fleet_task *next = fleet_tasks_find(tasks, cells[CELL_NEXT_THREAD]);
	const struct charge_status_words *words = fleet_status_words(cells[CELL_STATUS]);

	return (struct fleet_switch_row){
		.trace = trace->name,
		.ts_ns = cells[CELL_TS],
		.utc_ns = wall_utc(&trace->wall, cells[CELL_TS]),
		.cpu = cells[CELL_CPU],
		.process = fleet_name_text(prev->process),
		.pid = prev->pid,
		.thread = fleet_name_text(prev->thread),
		.tid = prev->tid,
		.next_thread = fleet_name_text(next->thread),
		.next_tid = next->tid,
		.prev_state = cells[CELL_PREV_STATE],
		.status = str_of(words->name),
		.reason = str_of(words->reason),
		.on_cpu_ns = cells[CELL_ON_CPU],
		.running_ns = cells[CELL_RUNNING],
	};
}
