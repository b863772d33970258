/* tasks.h - processes and threads as CSV, for lines that name them. */
#ifndef PERFTAB_CSV_TASKS_H
#define PERFTAB_CSV_TASKS_H

#include "base/bytes.h"
#include "base/compiled_twice.h"
#include "model/sink.h"

/* After a text so many bytes can be read. */
#define CSV_TASKS_SLACK 64

/*
 * Parts of the text: process,pid, and thread,tid, each with its last comma.  Of a process
 * both are the first one, and of most threads, which have its name and number.
 */
struct csv_task {
	uint32_t process_at, process_size;
	uint32_t at, size;
};

struct csv_task_list {
	struct csv_task *tasks; /* by id */
	size_t count, room;
};

struct csv_tasks {
	struct bytes text;
	struct csv_task_list processes, threads;
	size_t longest; /* both parts together */
};

/* One that is not known: commas. */
extern const struct csv_task csv_no_task;

/* False: out of memory; csv_tasks_release() in any case. */
MUST_CHECK bool csv_tasks_init(struct csv_tasks *tasks);
/*
 * Keeps rows of process and thread; others are ignored.  False: out of memory, or 4 GiB
 * of text.
 */
bool csv_tasks_on_row(struct csv_tasks *tasks, const struct sink *sink,
		      const struct record *record);
/* There are many: what is kept has room to grow in one place.  False: out of memory. */
bool csv_tasks_expect_many(struct csv_tasks *tasks);
static ALWAYS_INLINE const struct csv_task *csv_tasks_find(
	const struct csv_task_list *list, int64_t id)
{
	return (uint64_t)id < list->count ? &list->tasks[id] : &csv_no_task;
}
void csv_tasks_release(struct csv_tasks *tasks);

#endif
