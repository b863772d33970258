/* tasks.c - keeps what lines have of processes and threads as text. */
#include "output/csv/tasks.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "output/csv/file.h"

/* Of what is not known: process, pid, thread and tid, or two of them. */
#define NO_TEXT ",,,,"
const struct csv_task csv_no_task = { 0, 4, 2 };

bool csv_tasks_init(struct csv_tasks *tasks)
{
	*tasks = (struct csv_tasks){ .longest = csv_no_task.size };
	bytes_put(&tasks->text, NO_TEXT, csv_no_task.size);
	return !tasks->text.failed;
}

/* Ids are small numbers; others have no text. */
static bool add_task(struct csv_task_list *list, int64_t id, struct csv_task task)
{
	size_t count = (size_t)id + 1;

	if (id < 0 || id >= INT32_MAX)
		return true;
	if (count > list->room) {
		size_t room = 2 * count + 64;
		struct csv_task *bigger =
			memory_resize(list->tasks, room * sizeof(*bigger));

		if (!bigger)
			return false;
		list->tasks = bigger;
		list->room = room;
	}
	while (list->count < count)
		list->tasks[list->count++] = csv_no_task;
	list->tasks[id] = task;
	return true;
}

/* Appends a name and a number, either of which may be missing. */
static bool put_task(struct csv_tasks *tasks, const struct sink *sink, struct str name,
		     int64_t number)
{
	size_t most = 2 * name.len + sizeof("\"'\",,") + TEXT_INT_MAX + CSV_TASKS_SLACK;
	uint8_t *room = bytes_extend(&tasks->text, most);
	char *to = (char *)room;

	if (!room)
		return false;
	to += csv_text(sink, to, name);
	*to++ = ',';
	if (number != INT_NONE)
		to += text_int(to, number);
	*to++ = ',';
	tasks->text.size -= most - (size_t)(to - (char *)room);
	return true;
}

static bool add_process(struct csv_tasks *tasks, const struct sink *sink,
			const struct process_row *row)
{
	struct csv_task task = { .at = tasks->text.size };

	if (!put_task(tasks, sink, row->name, row->pid))
		return false;
	task.size = task.next_at = (uint32_t)(tasks->text.size - task.at);
	return add_task(&tasks->processes, row->process_id, task);
}

static bool add_thread(struct csv_tasks *tasks, const struct sink *sink,
		       const struct thread_row *row)
{
	const struct csv_task *process =
		csv_tasks_find(&tasks->processes, row->process_id);
	size_t size = process->next_at;
	struct csv_task task = { .at = tasks->text.size, .next_at = process->next_at };
	uint8_t *to = bytes_extend(&tasks->text, size);

	if (!to || !put_task(tasks, sink, row->name, row->tid))
		return false;
	memcpy(tasks->text.data + task.at, tasks->text.data + process->at, size);
	size = tasks->text.size - task.at;
	task.size = (uint32_t)size;
	if (size > tasks->longest)
		tasks->longest = size;
	return add_task(&tasks->threads, row->thread_id, task);
}

bool csv_tasks_on_row(struct csv_tasks *tasks, const struct sink *sink,
		      const struct record *record)
{
	if (record->kind == RECORD_thread)
		return add_thread(tasks, sink, record->data);
	return record->kind != RECORD_process || add_process(tasks, sink, record->data);
}

void csv_tasks_release(struct csv_tasks *tasks)
{
	bytes_release(&tasks->text);
	free(tasks->processes.tasks);
	free(tasks->threads.tasks);
	*tasks = (struct csv_tasks){ .longest = 0 };
}
