/* slots.c - finds the line of the bill that a thread is in. */
#include "output/html/slots.h"

#include "base/array.h"
#include "base/text.h"
#include "output/html/keys.h"
#include "report/totals.h"

/* A line is stored as its number and 1: NULL is none. */
static void *stored(size_t line)
{
	return (void *)(uintptr_t)(line + 1);
}

static size_t restored(const void *value)
{
	return value ? (size_t)(uintptr_t)value - 1 : SIZE_MAX;
}

static size_t find_name(const struct slots *slots, struct str name, uint64_t *key)
{
	size_t line;

	*key = map_hash_text(map_salt(), name);
	while ((line = restored(map_get(&slots->line_by_name, *key))) != SIZE_MAX &&
	       !str_equal(slots->view->lines[line]->texts[CUT_PROCESS], name))
		++*key;
	return line;
}

static size_t line_of(const struct slots *slots, const struct totals_thread *thread)
{
	const struct process_row *process = &thread->process->row;
	bool is_idle = process->pid == 0 || thread->row.idle_cpu != INT_NONE;
	const void *of = slots->by == BY_THREAD ? (const void *)thread : thread->process;
	struct str name = process->name;
	size_t line;
	char number[32];
	uint64_t key;

	if (slots->tid != INT_NONE && !is_idle && thread->row.tid != slots->tid)
		return slots->others;
	line = restored(map_get(&slots->line_by_of, (uint64_t)(uintptr_t)of));
	if (line == SIZE_MAX && slots->by == BY_COMM && !is_idle) {
		text_print(number, sizeof(number), ":%lld", (long long)process->pid);
		if (!name.ptr || !name.len)
			name = str_of(number);
		line = find_name(slots, name, &key);
	}
	return line == SIZE_MAX && !is_idle ? slots->others : line;
}

bool slots_make(struct slots *slots, const struct totals *totals, const struct view *view,
		const struct cut_filter *filter, enum cut_by by)
{
	bool done = true;

	*slots = (struct slots){ .totals = totals,
				 .view = view,
				 .by = by,
				 .tid = filter->tid,
				 .others = SIZE_MAX };
	for (size_t i = 0; i < view->line_count && done; i++) {
		const struct view_line *line = view->lines[i];
		uint64_t key;

		if (line->kind == LINE_OTHERS)
			slots->others = i;
		if (line->of)
			done = map_put(&slots->line_by_of, (uint64_t)(uintptr_t)line->of,
				       stored(i));
		if (done && by == BY_COMM && line->kind == LINE_TASK &&
		    find_name(slots, line->texts[CUT_PROCESS], &key) == SIZE_MAX)
			done = map_put(&slots->line_by_name, key, stored(i));
	}
	for (const struct totals_thread *t = totals->threads; t && done; t = t->next) {
		size_t line = line_of(slots, t);

		if (line != SIZE_MAX && t->row.thread_id >= 0)
			done = map_put(&slots->line_by_thread, (uint64_t)t->row.thread_id,
				       stored(line));
	}
	return done;
}

void slots_end(struct slots *slots)
{
	map_release(&slots->line_by_of);
	map_release(&slots->line_by_name);
	map_release(&slots->line_by_thread);
}

size_t slots_line(const struct slots *slots, int64_t thread_id)
{
	return restored(map_get(&slots->line_by_thread, (uint64_t)thread_id));
}

enum slot slots_of_line(const struct slots *slots, size_t line)
{
	static const enum slot special[] = {
		[LINE_OTHERS] = SLOT_OTHERS,
		[LINE_IDLE] = SLOT_IDLE,
		[LINE_WITH_IDLE] = SLOT_WITH_IDLE,
		[LINE_INTERRUPTS] = SLOT_INTERRUPTS,
		[LINE_UNATTRIBUTED] = SLOT_UNATTRIBUTED,
	};
	enum line_kind kind;

	if (line == SIZE_MAX)
		return SLOT_REST;
	kind = slots->view->lines[line]->kind;
	if (kind == LINE_TASK)
		return line < SLOT_TASKS ? (enum slot)line : SLOT_REST;
	return (size_t)kind < ARRAY_COUNT(special) ? special[kind] : SLOT_REST;
}

enum slot slots_of_key(const struct slots *slots, uint64_t key)
{
	switch (key) {
	case KEY_UNATTRIBUTED:
		return SLOT_UNATTRIBUTED;
	case KEY_WITH_IDLE:
		return SLOT_WITH_IDLE;
	case KEY_INTERRUPTS:
		return SLOT_INTERRUPTS;
	default:
		break;
	}
	if (key < KEY_THREADS)
		return SLOT_REST;
	return slots_of_line(slots, slots_line(slots, (int64_t)(key - KEY_THREADS)));
}
