/* colours.c - finds the line of the bill that a thread is in. */
#include "output/html/colours.h"

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

static size_t find_name(const struct colours *colours, struct str name, uint64_t *key)
{
	size_t line;

	*key = map_hash_text(map_salt(), name);
	while ((line = restored(map_get(&colours->line_by_name, *key))) != SIZE_MAX &&
	       !str_equal(colours->view->lines[line]->texts[CUT_PROCESS], name))
		++*key;
	return line;
}

static size_t line_of(const struct colours *colours, const struct totals_thread *thread)
{
	const struct process_row *process = &thread->process->row;
	bool is_idle = process->pid == 0 || thread->row.idle_cpu != INT_NONE;
	const void *of =
		colours->by == BY_THREAD ? (const void *)thread : thread->process;
	struct str name = process->name;
	size_t line;
	char number[32];
	uint64_t key;

	if (colours->tid != INT_NONE && !is_idle && thread->row.tid != colours->tid)
		return colours->others;
	line = restored(map_get(&colours->line_by_of, (uint64_t)(uintptr_t)of));
	if (line == SIZE_MAX && colours->by == BY_COMM && !is_idle) {
		text_print(number, sizeof(number), ":%lld", (long long)process->pid);
		if (!name.ptr || !name.len)
			name = str_of(number);
		line = find_name(colours, name, &key);
	}
	return line == SIZE_MAX && !is_idle ? colours->others : line;
}

bool colours_make(struct colours *colours, const struct totals *totals,
		  const struct view *view, const struct cut_filter *filter,
		  enum cut_by by)
{
	bool done = true;

	*colours = (struct colours){ .totals = totals,
				     .view = view,
				     .by = by,
				     .tid = filter->tid,
				     .others = SIZE_MAX };
	for (size_t i = 0; i < view->line_count && done; i++) {
		const struct view_line *line = view->lines[i];
		uint64_t key;

		if (line->kind == LINE_OTHERS)
			colours->others = i;
		if (line->of)
			done = map_put(&colours->line_by_of,
				       (uint64_t)(uintptr_t)line->of, stored(i));
		if (done && by == BY_COMM && line->kind == LINE_TASK &&
		    find_name(colours, line->texts[CUT_PROCESS], &key) == SIZE_MAX)
			done = map_put(&colours->line_by_name, key, stored(i));
	}
	for (const struct totals_thread *t = totals->threads; t && done; t = t->next) {
		size_t line = line_of(colours, t);

		if (line != SIZE_MAX && t->row.thread_id >= 0)
			done = map_put(&colours->line_by_thread,
				       (uint64_t)t->row.thread_id, stored(line));
	}
	return done;
}

void colours_end(struct colours *colours)
{
	map_release(&colours->line_by_of);
	map_release(&colours->line_by_name);
	map_release(&colours->line_by_thread);
}

size_t colours_line(const struct colours *colours, int64_t thread_id)
{
	return restored(map_get(&colours->line_by_thread, (uint64_t)thread_id));
}

enum colour colours_of_line(const struct colours *colours, size_t line)
{
	static const enum colour special[] = {
		[LINE_OTHERS] = COLOUR_OTHERS,
		[LINE_IDLE] = COLOUR_IDLE,
		[LINE_WITH_IDLE] = COLOUR_WITH_IDLE,
		[LINE_INTERRUPTS] = COLOUR_INTERRUPTS,
		[LINE_UNATTRIBUTED] = COLOUR_UNATTRIBUTED,
	};
	enum line_kind kind;

	if (line == SIZE_MAX)
		return COLOUR_REST;
	kind = colours->view->lines[line]->kind;
	if (kind == LINE_TASK)
		return line < COLOUR_TASKS ? (enum colour)line : COLOUR_REST;
	return (size_t)kind < ARRAY_COUNT(special) ? special[kind] : COLOUR_REST;
}

enum colour colours_of_key(const struct colours *colours, uint64_t key)
{
	switch (key) {
	case KEY_UNATTRIBUTED:
		return COLOUR_UNATTRIBUTED;
	case KEY_WITH_IDLE:
		return COLOUR_WITH_IDLE;
	case KEY_INTERRUPTS:
		return COLOUR_INTERRUPTS;
	default:
		break;
	}
	if (key < KEY_THREADS)
		return COLOUR_REST;
	return colours_of_line(colours,
			       colours_line(colours, (int64_t)(key - KEY_THREADS)));
}
