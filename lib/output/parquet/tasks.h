/*
 * tasks.h - names and numbers of the threads of one trace, for the columns of switches.
 */
#ifndef PERFTAB_PARQUET_TASKS_H
#define PERFTAB_PARQUET_TASKS_H

#include "base/arena.h"
#include "base/map.h"
#include "model/record.h"

struct parquet_name {
	struct str text;
	struct parquet_name *next; /* of the same hash */
	/* While texts of a column are numbered: the number of the name in it. */
	uint32_t number;
	uint64_t numbered; /* in which column, counted by `columns` below */
};

struct parquet_task {
	struct parquet_name *process, *thread; /* NULL: not known */
	int64_t pid, tid;
	bool is_idle;
};

struct parquet_tasks {
	struct map processes, threads; /* by id */
	struct parquet_task **dense;   /* the same of small ids */
	size_t dense_room;
	struct map names; /* by hash */
	uint64_t columns; /* numbered so far */
	struct arena arena;
};

/* Rows of process and thread, others are ignored; false: out of memory. */
bool parquet_tasks_on_row(struct parquet_tasks *tasks, const struct record *record);
/* Never NULL: without names and numbers when the thread is not known. */
struct parquet_task *parquet_tasks_find(const struct parquet_tasks *tasks,
					int64_t thread_id);
/* STR_NONE where there is none. */
static inline struct str parquet_name_text(const struct parquet_name *name)
{
	return name ? name->text : STR_NONE;
}

void parquet_tasks_release(struct parquet_tasks *tasks);

#endif
