/*
 * tasks.h - names and numbers of the threads of one trace, for the columns of switches.
 */
#ifndef PERFTAB_FLEET_TASKS_H
#define PERFTAB_FLEET_TASKS_H

#include "base/arena.h"
#include "base/map.h"
#include "model/record.h"

struct fleet_name {
	struct str text;
	struct fleet_name *next; /* of the same hash */
	/* While texts of a column are numbered: the number of the name in it. */
	uint32_t number;
	uint64_t numbered; /* in which column, counted by `columns` below */
};

struct fleet_task {
	struct fleet_name *process, *thread; /* NULL: not known */
	int64_t pid, tid;
	bool is_idle;
};

struct fleet_tasks {
	struct map processes, threads; /* by id */
	struct fleet_task **dense;     /* the same of small ids */
	size_t dense_room;
	struct map names; /* by hash */
	uint64_t columns; /* numbered so far */
	struct arena arena;
};

/* Rows of process and thread, others are ignored; false: out of memory. */
bool fleet_tasks_on_row(struct fleet_tasks *tasks, const struct record *record);
/* Never NULL: without names and numbers when the thread is not known. */
struct fleet_task *fleet_tasks_find(const struct fleet_tasks *tasks, int64_t thread_id);
/* STR_NONE where there is none. */
static inline struct str fleet_name_text(const struct fleet_name *name)
{
	return name ? name->text : STR_NONE;
}

void fleet_tasks_release(struct fleet_tasks *tasks);

#endif
