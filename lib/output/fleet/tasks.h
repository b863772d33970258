/*
 * tasks.h - names and numbers of the threads of one trace, for the columns of switches.
 */
#ifndef PERFTAB_FLEET_TASKS_H
#define PERFTAB_FLEET_TASKS_H

#include "base/arena.h"
#include "base/map.h"
#include "model/record.h"

struct fleet_task {
	struct str process, thread; /* names */
	int64_t pid, tid;
	bool is_idle;
	/* While texts of a column are numbered: the number of the name in it. */
	uint32_t number;
	uint64_t numbered; /* in which column, counted by `columns` below */
};

struct fleet_tasks {
	struct map processes, threads; /* by id */
	uint64_t columns;	       /* numbered so far */
	struct arena arena;
};

/* Rows of process and thread, others are ignored; false: out of memory. */
bool fleet_tasks_on_row(struct fleet_tasks *tasks, const struct record *record);
/* Never NULL: without names and numbers when the thread is not known. */
struct fleet_task *fleet_tasks_find(const struct fleet_tasks *tasks, int64_t thread_id);
void fleet_tasks_release(struct fleet_tasks *tasks);

#endif
