/*
 * tasks.h - processes and threads of a Perfetto trace.
 *
 * Perfetto knows a thread by its number alone, and a process by that of its main thread.
 * Where a number was used again, the later threads, or all threads of the later process,
 * are announced as the kernel announces a new task.
 */
#ifndef PERFTAB_PERFETTO_TASKS_H
#define PERFTAB_PERFETTO_TASKS_H

#include "base/arena.h"
#include "base/map.h"
#include "model/record.h"
#include "output/perfetto/packets.h"

struct task {
	int64_t thread_id, tid; /* tid 0: idle */
	int64_t start_ns;	/* at least that of its process; INT_NONE: not known */
	struct str name;
	const struct task_process *process;
	struct task *next; /* in the order of the rows */
};

struct tasks {
	struct map processes, threads; /* by id */
	struct map by_pid;	       /* the process that had the pid first */
	struct task *first, **last;
	size_t count;
	struct arena arena;
};

/* Rows of one trace, each process before its threads; false: out of memory. */
bool tasks_add_process(struct tasks *tasks, const struct process_row *row);
bool tasks_add_thread(struct tasks *tasks, const struct thread_row *row);
/* NULL: idle, or not known. */
const struct task *tasks_find(const struct tasks *tasks, int64_t thread_id);
MUST_CHECK enum status task_tracks_write(const struct tasks *tasks,
					 struct packets *packets, int64_t first_ns);
void tasks_release(struct tasks *tasks);

#endif
