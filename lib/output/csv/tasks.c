/* tasks.c - keeps what lines have of processes and threads as text. */
#include "output/csv/tasks.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "output/csv/file.h"

/* Blocks of so many bytes grow without a copy; only pages that are used are memory. */
#define MANY_BYTES ((size_t)16 << 20)

/* Of what is not known: a name and a number. */
#define NO_TEXT ",,"
const struct csv_task csv_no_task = { 0, 2, 0, 2 };

bool csv_tasks_init(struct csv_tasks *tasks)
{
	*tasks = (struct csv_tasks){ .longest = 2 * csv_no_task.size };
	bytes_put(&tasks->text, NO_TEXT, csv_no_task.size);
	return !tasks->text.failed;
}

bool csv_tasks_expect_many(struct csv_tasks *tasks)
{
	size_t size = tasks->text.size, last = MANY_BYTES / sizeof(struct csv_task) - 1;

	if (size < MANY_BYTES && !bytes_extend(&tasks->text, MANY_BYTES - size))
		return false;
	tasks->text.size = size;
	return ARRAY_GROW(tasks->processes.tasks, tasks->processes.room, last) &&
	       ARRAY_GROW(tasks->threads.tasks, tasks->threads.room, last);
}

/* Ids are small numbers; others have no text. */
static bool list_task(struct csv_task_list *list, int64_t id, struct csv_task task)
{
	size_t count = (size_t)id + 1;

	if (id < 0 || id >= INT32_MAX)
		return true;
	if (!ARRAY_GROW(list->tasks, list->room, count - 1))
		return false;
	while (list->count < count)
		list->tasks[list->count++] = csv_no_task;
	list->tasks[id] = task;
	return true;
}

/* Appends a name and a number, either of which may be missing. */
static bool put_text(struct csv_tasks *tasks, const struct sink *sink, struct str name,
		     int64_t number)
{
	size_t most = 2 * name.len + sizeof("\"\"',,") + TEXT_INT_MAX + CSV_TASKS_SLACK;
	uint8_t *room = bytes_extend(&tasks->text, most);
	char *to = (char *)room;

	if (!room || tasks->text.size > UINT32_MAX)
		return false;
	to += csv_text(sink, to, name);
	*to++ = ',';
	if (number != INT_NONE)
		to += text_int(to, number);
	*to++ = ',';
	tasks->text.size -= most - (size_t)(to - (char *)room);
	return true;
}

static bool add_task(struct csv_tasks *tasks, struct csv_task_list *list, int64_t id,
		     struct csv_task task)
{
	size_t size = (size_t)task.process_size + task.size;

	if (size > tasks->longest)
		tasks->longest = size;
	return list_task(list, id, task);
}

static bool add_process(struct csv_tasks *tasks, const struct sink *sink,
			const struct process_row *row)
{
	uint32_t at = (uint32_t)tasks->text.size, size;

	if (!put_text(tasks, sink, row->name, row->pid))
		return false;
	size = (uint32_t)tasks->text.size - at;
	return add_task(tasks, &tasks->processes, row->process_id,
			(struct csv_task){ at, size, at, size });
}

static bool add_thread(struct csv_tasks *tasks, const struct sink *sink,
		       const struct thread_row *row)
{
	struct csv_task task = *csv_tasks_find(&tasks->processes, row->process_id);
	uint32_t at = (uint32_t)tasks->text.size, size;
	const uint8_t *text;

	if (!put_text(tasks, sink, row->name, row->tid))
		return false;
	text = tasks->text.data;
	size = (uint32_t)tasks->text.size - at;
	if (size == task.size && memcmp(text + at, text + task.at, size) == 0) {
		tasks->text.size = at;
	} else {
		task.at = at;
		task.size = size;
	}
	return add_task(tasks, &tasks->threads, row->thread_id, task);
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
