/* cut.c - finds or adds the line of a process, thread or CPU. */
#include "report/cut.h"

#include "base/text.h"

void cut_begin(struct cut *cut, enum cut_by by, struct view *view)
{
	*cut = (struct cut){ .by = by, .view = view };
}

void cut_end(struct cut *cut)
{
	map_release(&cut->lines);
}

void cut_add_columns(struct view *view, enum cut_by by)
{
	struct view_column *column;
	unsigned all = VIEW_TEXT | VIEW_CSV | VIEW_JSON;
	unsigned process = by == BY_PROCESS ? all | VIEW_RATIOS : all;

	if (by == BY_CPU) {
		view_add_column(view, VIEW_ID, all | VIEW_RATIOS, "cpu", CUT_CPU)
			->is_key = true;
		return;
	}
	view_add_column(view, VIEW_KIND, VIEW_JSON, "kind", 0);
	column = view_add_column(view, VIEW_NAME, process, "process", CUT_PROCESS);
	column->is_key = true;
	column->width = VIEW_NAME_WIDTH;
	if (by == BY_THREAD) { /* in text beside the process, elsewhere after its id */
		column = view_add_column(view, VIEW_NAME, VIEW_TEXT | VIEW_RATIOS,
					 "thread", CUT_THREAD);
		column->is_key = true;
		column->width = VIEW_NAME_WIDTH;
	}
	view_add_column(view, VIEW_ID, process, "pid", CUT_PID)->is_key = true;
	if (by == BY_THREAD) {
		view_add_column(view, VIEW_ID, all | VIEW_RATIOS, "tid", CUT_TID)
			->is_key = true;
		view_add_column(view, VIEW_NAME, VIEW_CSV | VIEW_JSON, "thread",
				CUT_THREAD);
		return;
	}
	column = view_add_column(view, VIEW_NUMBER, all, "threads", CUT_THREADS);
	column->is_key = true;
	column->tasks_only = true;
}

/* --- lines --- */

static struct str shown_name(struct cut *cut, struct str name, int64_t id)
{
	char number[32];

	if (name.ptr && name.len)
		return name;
	text_print(number, sizeof(number), ":%lld", (long long)id);
	return arena_str(&cut->view->arena, str_of(number));
}

static void name_line(struct cut *cut, struct view_line *line,
		      const struct totals_thread *thread)
{
	const struct process_row *process = &thread->process->row;
	bool is_idle = line->kind == LINE_IDLE;

	line->of = thread->process;
	line->texts[CUT_PROCESS] =
		is_idle ? STR("(idle)") : shown_name(cut, process->name, process->pid);
	line->numbers[CUT_PID] = is_idle ? INT_NONE : process->pid;
	if (cut->by == BY_PROCESS)
		return;
	line->texts[CUT_THREAD] = shown_name(cut, thread->row.name, thread->row.tid);
	line->numbers[CUT_TID] = thread->row.tid;
	line->numbers[CUT_CPU] = thread->row.idle_cpu;
	line->numbers[CUT_THREADS] = INT_NONE;
}

static bool is_idle_thread(const struct totals_thread *thread)
{
	return thread->process->row.pid == 0 || thread->row.idle_cpu != INT_NONE;
}

struct view_line *cut_thread_line(struct cut *cut, const struct totals_thread *thread)
{
	const void *of = cut->by == BY_PROCESS ? (const void *)thread->process : thread;
	struct view_line *line = map_get(&cut->lines, (uint64_t)(uintptr_t)of);

	if (line)
		return line;
	line = view_add_line(cut->view, is_idle_thread(thread) ? LINE_IDLE : LINE_TASK);
	if (!line || !map_put(&cut->lines, (uint64_t)(uintptr_t)of, line))
		return NULL;
	name_line(cut, line, thread);
	return line;
}

struct view_line *cut_add_named(struct cut *cut, enum line_kind kind, struct str name)
{
	struct view_line *line = view_add_line(cut->view, kind);

	if (!line)
		return NULL;
	line->texts[CUT_PROCESS] = name;
	line->numbers[CUT_THREADS] = INT_NONE;
	return line;
}

struct view_line *cut_cpu_line(struct cut *cut, int64_t cpu)
{
	struct view_line *line = map_get(&cut->lines, (uint64_t)cpu);

	if (line)
		return line;
	line = cpu == INT_NONE
		       ? cut_add_named(cut, LINE_UNATTRIBUTED, STR("(unattributed)"))
		       : cut_add_named(cut, LINE_TASK, STR_NONE);
	if (!line || !map_put(&cut->lines, (uint64_t)cpu, line))
		return NULL;
	line->numbers[CUT_CPU] = cpu;
	return line;
}

struct view_line *cut_unattributed_line(struct cut *cut)
{
	struct view_line *line = map_get(&cut->lines, 0);

	if (line)
		return line;
	line = cut_add_named(cut, LINE_UNATTRIBUTED, STR("(unattributed)"));
	return line && map_put(&cut->lines, 0, line) ? line : NULL;
}

bool cut_complete_idle(struct cut *cut)
{
	struct view_line *line;

	for (size_t i = 0; i < cut->view->line_count; i++)
		if (cut->view->lines[i]->kind == LINE_IDLE)
			return true;
	line = cut_add_named(cut, LINE_IDLE, STR("(idle)"));
	if (line && cut->by == BY_PROCESS)
		line->numbers[CUT_THREADS] = 0;
	return line != NULL;
}
