/* check.c - makes the lines of the balance of each CPU and counter. */
#include "report/check.h"

#include "base/wrap.h"

enum { TEXT_COUNTER, TEXTS };
enum { ID_CPU, IDS };
enum { COUNT_BALANCED = IDS, COUNTS_END };
enum {
	VALUE_FIRST = COUNTS_END,
	VALUE_LAST,
	VALUE_RISE,
	VALUE_CHARGED,
	VALUE_INTERRUPTS,
	VALUE_WITH_IDLE,
	VALUE_IDLE,
	VALUE_UNATTRIBUTED,
	VALUE_END,
};

static bool add_book(struct check *check, int64_t cpu, struct str counter,
		     const struct cpu_charge_row *row)
{
	struct view_line *line = view_add_line(&check->view, LINE_TASK);
	int64_t *numbers, sum;

	if (!line)
		return false;
	sum = wrap_add(wrap_add(wrap_add(row->charged, row->interrupts), row->with_idle),
		       wrap_add(row->idle, row->unattributed));
	line->texts[TEXT_COUNTER] = counter;
	numbers = line->numbers;
	numbers[ID_CPU] = cpu;
	numbers[VALUE_FIRST] = row->first_value;
	numbers[VALUE_LAST] = row->last_value;
	numbers[VALUE_RISE] = wrap_sub(row->last_value, row->first_value);
	numbers[VALUE_CHARGED] = row->charged;
	numbers[VALUE_INTERRUPTS] = row->interrupts;
	numbers[VALUE_WITH_IDLE] = row->with_idle;
	numbers[VALUE_IDLE] = row->idle;
	numbers[VALUE_UNATTRIBUTED] = row->unattributed;
	numbers[COUNT_BALANCED] = numbers[VALUE_RISE] == sum;
	check->unbalanced += !numbers[COUNT_BALANCED];
	return true;
}

static void add_columns(struct view *view, bool has_interrupts)
{
	unsigned all = VIEW_TEXT | VIEW_CSV | VIEW_JSON;
	struct view_column *column;

	view_add_column(view, VIEW_ID, all, "cpu", ID_CPU)->is_key = true;
	column = view_add_column(view, VIEW_NAME, all, "counter", TEXT_COUNTER);
	column->is_key = true;
	column->width = VIEW_TITLE_WIDTH;
	view_add_column(view, VIEW_NUMBER, VIEW_TEXT, "last - first", VALUE_RISE);
	view_add_column(view, VIEW_NUMBER, VIEW_CSV | VIEW_JSON, "first", VALUE_FIRST);
	view_add_column(view, VIEW_NUMBER, VIEW_CSV | VIEW_JSON, "last", VALUE_LAST);
	view_add_column(view, VIEW_NUMBER, all, "charged", VALUE_CHARGED);
	view_add_column(view, VIEW_NUMBER,
			VIEW_CSV | VIEW_JSON | (has_interrupts ? VIEW_TEXT : 0),
			"interrupts", VALUE_INTERRUPTS);
	view_add_column(view, VIEW_NUMBER, all, "with_idle", VALUE_WITH_IDLE)->title =
		STR("with idle");
	view_add_column(view, VIEW_NUMBER, all, "idle", VALUE_IDLE);
	view_add_column(view, VIEW_NUMBER, all, "unattributed", VALUE_UNATTRIBUTED);
	view_add_column(view, VIEW_FLAG, all, "balanced", COUNT_BALANCED);
}

bool check_make(struct check *check, const struct totals *totals)
{
	bool done = true;

	*check = (struct check){ .unbalanced = 0 };
	view_begin(&check->view, TEXTS, IDS, COUNTS_END - IDS, VALUE_END - COUNTS_END);
	check->view.keeps_order = true;
	for (size_t g = 0; g < totals->group_count; g++) {
		const struct totals_group *group = &totals->groups[g];

		for (const struct totals_cpu *c = group->cpus; c && done; c = c->next)
			for (size_t i = 0; i < group->slots && done; i++)
				done = add_book(
					check, c->summary.cpu,
					totals->counters[group->first + i].row.name,
					&c->charges[i]);
	}
	add_columns(&check->view, totals->has_interrupts);
	return done && !check->view.failed;
}

void check_release(struct check *check)
{
	view_release(&check->view);
}
