/* tasks.c - writes the process tree, and the new tasks that have a number used before. */
#include "output/perfetto/tasks.h"

#include <stdlib.h>

#include "base/memory.h"

#define CLONE_THREAD_FLAG 0x10000 /* of clone(2): a thread of the process that calls it */
#define UNKNOWN_TID (INT64_C(1) << 30) /* beyond what the kernel gives */

struct task_process {
	int64_t pid, parent_pid, start_ns;
	bool is_later; /* another process had the pid before */
	struct str name;
};

/* Numbers above and below those of real tasks stay apart from them. */
static int64_t shown_number(int64_t number, int64_t id)
{
	return number >= 0 && number < UNKNOWN_TID ? number : UNKNOWN_TID + id;
}

/* Of all processes with a pid the one that began first has had no other before it. */
static bool find_later(struct tasks *tasks, struct task_process *process)
{
	struct task_process *first = map_get(&tasks->by_pid, (uint64_t)process->pid);

	if (first && first->start_ns <= process->start_ns)
		return process->is_later = true;
	if (first)
		first->is_later = true;
	return map_put(&tasks->by_pid, (uint64_t)process->pid, process);
}

bool tasks_add_process(struct tasks *tasks, const struct process_row *row)
{
	struct task_process *process = arena_alloc(&tasks->arena, sizeof(*process));

	if (!process || !map_put(&tasks->processes, (uint64_t)row->process_id, process))
		return false;
	*process = (struct task_process){
		.pid = shown_number(row->pid, row->process_id),
		.parent_pid = row->parent_pid,
		.start_ns = row->start_ns,
		.name = row->name.ptr ? arena_str(&tasks->arena, row->name) : STR_NONE,
	};
	return (!row->name.ptr || process->name.ptr) && find_later(tasks, process);
}

bool tasks_add_thread(struct tasks *tasks, const struct thread_row *row)
{
	const struct task_process *process =
		map_get(&tasks->processes, (uint64_t)row->process_id);
	struct task *task;

	if (row->idle_cpu != INT_NONE)
		return true;
	task = arena_alloc(&tasks->arena, sizeof(*task));
	if (!task || !map_put(&tasks->threads, (uint64_t)row->thread_id, task))
		return false;
	*task = (struct task){
		.thread_id = row->thread_id,
		.tid = shown_number(row->tid, row->thread_id),
		.start_ns = process && process->start_ns > row->start_ns
				    ? process->start_ns
				    : row->start_ns,
		.name = row->name.ptr ? arena_str(&tasks->arena, row->name) : STR_NONE,
		.process = process,
	};
	if (!tasks->last)
		tasks->last = &tasks->first;
	*tasks->last = task;
	tasks->last = &task->next;
	tasks->count++;
	return !row->name.ptr || task->name.ptr;
}

const struct task *tasks_find(const struct tasks *tasks, int64_t thread_id)
{
	return map_get(&tasks->threads, (uint64_t)thread_id);
}

/* --- packets --- */

/* A process tree of one thread and its process. */
static void write_tree(struct packets *to, const struct task *task, int64_t ts_ns)
{
	size_t packet = packets_begin_packet(to, ts_ns);
	size_t tree = packets_begin(to, PACKET_PROCESS_TREE), place;
	int64_t pid = task->process ? task->process->pid : task->tid;

	if (task->process) {
		place = packets_begin(to, TREE_PROCESS);
		packets_int(to, PROCESS_PID, pid);
		if (task->process->parent_pid >= 0)
			packets_int(to, PROCESS_PPID, task->process->parent_pid);
		if (task->process->name.ptr)
			packets_text(to, PROCESS_CMDLINE, task->process->name);
		packets_end(to, place);
	}
	place = packets_begin(to, TREE_THREAD);
	packets_int(to, THREAD_TID, task->tid);
	if (task->name.ptr)
		packets_text(to, THREAD_NAME, task->name);
	packets_int(to, THREAD_TGID, pid);
	packets_end(to, place);
	packets_end(to, tree);
	packets_end(to, packet);
}

/* The kernel's event of a new task: the thread that had the number before has ended. */
static void write_new_task(struct packets *to, const struct task *task)
{
	size_t packet = packets_begin_packet(to, task->start_ns);
	size_t bundle = packets_begin(to, PACKET_FTRACE_EVENTS), event, place;
	int64_t pid = task->process ? task->process->pid : task->tid;
	bool is_main = pid == task->tid;
	int64_t parent = is_main && task->process ? task->process->parent_pid : pid;

	packets_int(to, BUNDLE_CPU, 0);
	event = packets_begin(to, BUNDLE_EVENT);
	packets_int(to, EVENT_TIMESTAMP, task->start_ns);
	packets_int(to, EVENT_PID, parent > 0 ? parent : 1);
	place = packets_begin(to, EVENT_TASK_NEWTASK);
	packets_int(to, NEWTASK_PID, task->tid);
	packets_text(to, NEWTASK_COMM, task->name.ptr ? task->name : STR("?"));
	packets_int(to, NEWTASK_CLONE_FLAGS, is_main ? 0 : CLONE_THREAD_FLAG);
	packets_end(to, place);
	packets_end(to, event);
	packets_end(to, bundle);
	packets_end(to, packet);
}

static int by_number_and_start(const void *a, const void *b)
{
	const struct task *first = *(const struct task *const *)a;
	const struct task *second = *(const struct task *const *)b;

	if (first->tid != second->tid)
		return first->tid < second->tid ? -1 : 1;
	if (first->start_ns != second->start_ns) /* INT_NONE is the least */
		return first->start_ns < second->start_ns ? -1 : 1;
	return first->thread_id < second->thread_id ? -1 : 1;
}

enum status task_tracks_write(const struct tasks *tasks, struct packets *packets,
			      int64_t first_ns)
{
	const struct task **sorted = memory_alloc(tasks->count * sizeof(*sorted));
	enum status status = ST_OK;
	size_t count = 0;

	if (!sorted)
		return error_nomem(packets->error);
	for (const struct task *task = tasks->first; task; task = task->next)
		sorted[count++] = task;
	qsort(sorted, count, sizeof(*sorted), by_number_and_start);
	for (size_t i = 0; i < count && status == ST_OK; i++) {
		const struct task_process *process = sorted[i]->process;
		bool reused = ((i && sorted[i]->tid == sorted[i - 1]->tid) ||
			       (process && process->is_later)) &&
			      sorted[i]->start_ns > first_ns;

		if (reused)
			write_new_task(packets, sorted[i]);
		write_tree(packets, sorted[i], reused ? sorted[i]->start_ns : first_ns);
		status = packets_write(packets, false);
	}
	free(sorted);
	return status;
}

void tasks_release(struct tasks *tasks)
{
	map_release(&tasks->processes);
	map_release(&tasks->by_pid);
	map_release(&tasks->threads);
	arena_release(&tasks->arena);
	*tasks = (struct tasks){ .first = NULL };
}
