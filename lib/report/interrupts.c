/* interrupts.c - makes a line for each kind and vector of interrupts. */
#include "report/interrupts.h"

#include "base/wrap.h"

enum { TEXT_KIND, TEXT_NAME, TEXT_CHARGED_TO, TEXT_MOST, TEXTS };
enum { ID_VECTOR, IDS };
enum { COUNT_INTERRUPTS = IDS, COUNT_TIME, COUNT_THREADS, COUNT_END };

/* The time by which a kind and vector interrupted a process. */
struct interrupted {
	const struct totals_process *process;
	int64_t time_ns;
	struct interrupted *next;
};

struct line {
	struct view_line *line;
	struct interrupted *processes;
};

static struct line *add_line(struct interrupt_bill *interrupts,
			     const struct interrupt_row *row)
{
	struct view *view = &interrupts->view;
	struct line *line = arena_alloc(&view->arena, sizeof(*line));

	if (line)
		line->line = view_add_line(view, LINE_TASK);
	if (!line || !line->line ||
	    !map_put(&interrupts->lines, (uint64_t)row->interrupt_id, line))
		return NULL;
	line->line->texts[TEXT_KIND] = row->kind;
	line->line->texts[TEXT_NAME] = row->name;
	line->line->texts[TEXT_CHARGED_TO] =
		row->in_thread ? STR("thread") : STR("interrupts");
	line->line->numbers[ID_VECTOR] = row->vector;
	return line;
}

/* Keeps the process with the most time; the first one of several. */
static bool add_process(struct interrupt_bill *interrupts, struct line *line,
			const struct totals_process *process, int64_t time_ns)
{
	struct interrupted **at = &line->processes;

	while (*at && (*at)->process != process)
		at = &(*at)->next;
	if (!*at)
		*at = arena_alloc(&interrupts->view.arena, sizeof(**at));
	if (!*at)
		return false;
	(*at)->process = process;
	(*at)->time_ns = wrap_add((*at)->time_ns, time_ns);
	return true;
}

static bool add_interrupt(struct interrupt_bill *interrupts, const struct bill *bill,
			  const struct totals_interrupt *from)
{
	const struct totals *totals = bill->totals;
	struct line *line =
		map_get(&interrupts->lines, (uint64_t)from->summary.interrupt_id);
	const struct totals_thread *thread =
		map_get(&totals->thread_by_id, (uint64_t)from->summary.thread_id);
	const struct totals_group *group = totals_group(totals, from->summary.group_id);
	int64_t *numbers;

	if (!line)
		line = add_line(interrupts, from->row);
	if (!line)
		return false;
	numbers = line->line->numbers;
	numbers[COUNT_INTERRUPTS] =
		wrap_add(numbers[COUNT_INTERRUPTS], from->summary.interrupts);
	numbers[COUNT_TIME] = wrap_add(numbers[COUNT_TIME], from->summary.time_ns);
	numbers[COUNT_THREADS] += thread != NULL;
	if (!group)
		return true;
	for (size_t i = 0; i < group->slots; i++) {
		int64_t *sum = &numbers[COUNT_END + group->first + i];

		*sum = wrap_add(*sum, from->charged[i]);
	}
	return !thread ||
	       add_process(interrupts, line, thread->process, from->summary.time_ns);
}

static void name_most(const struct bill *bill, struct interrupt_bill *interrupts)
{
	const struct totals *totals = bill->totals;

	for (const struct totals_interrupt *i = totals->interrupts; i; i = i->next) {
		const struct line *line =
			map_get(&interrupts->lines, (uint64_t)i->summary.interrupt_id);
		const struct interrupted *most = line->processes;

		for (const struct interrupted *p = most; p; p = p->next)
			if (p->time_ns > most->time_ns)
				most = p;
		if (most)
			line->line->texts[TEXT_MOST] = most->process->row.pid == 0
							       ? STR("(idle)")
							       : most->process->row.name;
	}
}

static void add_columns(struct view *view, const struct bill *bill)
{
	unsigned all = VIEW_TEXT | VIEW_CSV | VIEW_JSON;
	struct view_column *column;

	view_add_column(view, VIEW_NAME, all, "kind", TEXT_KIND)->is_key = true;
	view_add_column(view, VIEW_ID, all, "vector", ID_VECTOR)->is_key = true;
	column = view_add_column(view, VIEW_NAME, all, "name", TEXT_NAME);
	column->is_key = true;
	column->width = VIEW_NAME_WIDTH;
	view_add_column(view, VIEW_NAME, all, "charged_to", TEXT_CHARGED_TO)->title =
		STR("charged to");
	view_add_column(view, VIEW_NUMBER, all, "interrupts", COUNT_INTERRUPTS);
	view_add_column(view, VIEW_NS, all, "time_ns", COUNT_TIME)->title = STR("ms");
	view->first_key = view_last_column(view);
	view_add_column(view, VIEW_NUMBER, all, "threads", COUNT_THREADS);
	column = view_add_column(view, VIEW_NAME, all, "most_interrupted", TEXT_MOST);
	column->title = STR("most interrupted");
	column->width = VIEW_NAME_WIDTH;
	bill_add_counters(bill, view, VIEW_CSV | VIEW_JSON, COUNT_END);
}

bool interrupt_bill_make(struct interrupt_bill *interrupts, const struct bill *bill)
{
	const struct totals *totals = bill->totals;
	bool done = true;

	*interrupts = (struct interrupt_bill){ .lines = { NULL, 0, 0 } };
	view_begin(&interrupts->view, TEXTS, IDS, COUNT_END - IDS, totals->counter_count);
	interrupts->view.first_unknown = COUNT_END;
	for (const struct totals_interrupt *i = totals->interrupts; i && done;
	     i = i->next)
		done = add_interrupt(interrupts, bill, i);
	if (done)
		name_most(bill, interrupts);
	add_columns(&interrupts->view, bill);
	return done && !interrupts->view.failed;
}

void interrupt_bill_release(struct interrupt_bill *interrupts)
{
	map_release(&interrupts->lines);
	view_release(&interrupts->view);
}
