/* tasks.c - keeps what process and thread rows say; see tasks.h. */
#include "output/fleet/tasks.h"

struct process {
	struct str name;
	int64_t pid;
};

static bool keep_process(struct fleet_tasks *tasks, const struct process_row *row)
{
	struct process *process = arena_alloc(&tasks->arena, sizeof(*process));

	if (!process)
		return false;
	process->pid = row->pid;
	if (row->name.ptr)
		process->name = arena_str(&tasks->arena, row->name);
	return (!row->name.ptr || process->name.ptr) &&
	       map_put(&tasks->processes, (uint64_t)row->process_id, process);
}

static bool keep_thread(struct fleet_tasks *tasks, const struct thread_row *row)
{
	const struct process *process =
		map_get(&tasks->processes, (uint64_t)row->process_id);
	struct fleet_task *task = arena_alloc(&tasks->arena, sizeof(*task));

	if (!task)
		return false;
	*task = (struct fleet_task){
		.process = process ? process->name : STR_NONE,
		.pid = process ? process->pid : INT_NONE,
		.tid = row->tid,
		.is_idle = row->idle_cpu != INT_NONE,
	};
	if (row->name.ptr)
		task->thread = arena_str(&tasks->arena, row->name);
	return (!row->name.ptr || task->thread.ptr) &&
	       map_put(&tasks->threads, (uint64_t)row->thread_id, task);
}

bool fleet_tasks_on_row(struct fleet_tasks *tasks, const struct record *record)
{
	if (record->kind == RECORD_process)
		return keep_process(tasks, record->data);
	return record->kind != RECORD_thread || keep_thread(tasks, record->data);
}

struct fleet_task *fleet_tasks_find(const struct fleet_tasks *tasks, int64_t thread_id)
{
	static struct fleet_task unknown = { .pid = INT_NONE, .tid = INT_NONE };
	struct fleet_task *task = map_get(&tasks->threads, (uint64_t)thread_id);

	return task ? task : &unknown;
}

void fleet_tasks_release(struct fleet_tasks *tasks)
{
	map_release(&tasks->processes);
	map_release(&tasks->threads);
	arena_release(&tasks->arena);
	*tasks = (struct fleet_tasks){ .arena = { NULL } };
}
