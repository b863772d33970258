/* tasks.c - keeps what process and thread rows say; see tasks.h. */
#include "output/fleet/tasks.h"

#include <stdlib.h>

#include "base/array.h"

/* Threads with smaller ids are found without hashing. */
#define DENSE_MAX ((size_t)1 << 18)

struct process {
	struct fleet_name *name;
	int64_t pid;
};

/* The name, added if it is new; false: out of memory. */
static bool intern_name(struct fleet_tasks *tasks, struct str text,
			struct fleet_name **found)
{
	uint64_t hash = map_hash_text(map_salt() ^ text.len, text);
	struct fleet_name *first = map_get(&tasks->names, hash), *name = first;

	*found = NULL;
	if (!text.ptr)
		return true;
	while (name && !str_equal(name->text, text))
		name = name->next;
	if (!name) {
		name = arena_alloc(&tasks->arena, sizeof(*name));
		if (!name)
			return false;
		name->text = arena_str(&tasks->arena, text);
		name->next = first;
		if (!name->text.ptr || !map_put(&tasks->names, hash, name))
			return false;
	}
	*found = name;
	return true;
}

static bool keep_process(struct fleet_tasks *tasks, const struct process_row *row)
{
	struct process *process = arena_alloc(&tasks->arena, sizeof(*process));

	if (!process)
		return false;
	process->pid = row->pid;
	return intern_name(tasks, row->name, &process->name) &&
	       map_put(&tasks->processes, (uint64_t)row->process_id, process);
}

static bool put_task(struct fleet_tasks *tasks, int64_t thread_id,
		     struct fleet_task *task)
{
	if (thread_id < 0 || (uint64_t)thread_id >= DENSE_MAX)
		return map_put(&tasks->threads, (uint64_t)thread_id, task);
	if (!ARRAY_GROW_ZEROED(tasks->dense, tasks->dense_room, (size_t)thread_id))
		return false;
	tasks->dense[thread_id] = task;
	return true;
}

static bool keep_thread(struct fleet_tasks *tasks, const struct thread_row *row)
{
	const struct process *process =
		map_get(&tasks->processes, (uint64_t)row->process_id);
	struct fleet_task *task = arena_alloc(&tasks->arena, sizeof(*task));

	if (!task)
		return false;
	*task = (struct fleet_task){
		.process = process ? process->name : NULL,
		.pid = process ? process->pid : INT_NONE,
		.tid = row->tid,
		.is_idle = row->idle_cpu != INT_NONE,
	};
	return intern_name(tasks, row->name, &task->thread) &&
	       put_task(tasks, row->thread_id, task);
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
	struct fleet_task *task;

	if (thread_id >= 0 && (uint64_t)thread_id < tasks->dense_room)
		task = tasks->dense[thread_id];
	else
		task = map_get(&tasks->threads, (uint64_t)thread_id);
	return task ? task : &unknown;
}

void fleet_tasks_release(struct fleet_tasks *tasks)
{
	map_release(&tasks->processes);
	map_release(&tasks->threads);
	map_release(&tasks->names);
	free(tasks->dense);
	arena_release(&tasks->arena);
	*tasks = (struct fleet_tasks){ .arena = { NULL } };
}
