/* tasks.h - processes and threads as CSV, for lines that name them. */
#ifndef PERFTAB_CSV_TASKS_H
#define PERFTAB_CSV_TASKS_H

#include "base/bytes.h"
#include "base/compiled_twice.h"
#include "model/sink.h"

/* After a text so many bytes can be read. */
#define CSV_TASKS_SLACK 64

/*
 * A part of the text: process,pid,thread,tid, with the last comma.  Of a process it is
 * the first half.
 */
struct csv_task {
	size_t at;
	uint32_t size;
	uint32_t next_at; /* where the second half begins */
};

struct csv_task_list {
	struct csv_task *tasks; /* by id */
	size_t count, room;
};

struct csv_tasks {
	struct bytes text;
	struct csv_task_list processes, threads;
	size_t longest; /* text of a thread */
};

/* One that is not known: commas. */
extern const struct csv_task csv_no_task;

/* False: out of memory; csv_tasks_release() in any case. */
MUST_CHECK bool csv_tasks_init(struct csv_tasks *tasks);
/* Keeps rows of process and thread; others are ignored.  False: out of memory. */
bool csv_tasks_on_row(struct csv_tasks *tasks, const struct sink *sink,
		      const struct record *record);
static ALWAYS_INLINE const struct csv_task *csv_tasks_find(
	const struct csv_task_list *list, int64_t id)
{
	return (uint64_t)id < list->count ? &list->tasks[id] : &csv_no_task;
}
void csv_tasks_release(struct csv_tasks *tasks);

#endif
