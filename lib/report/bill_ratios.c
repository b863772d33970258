/* bill_ratios.c - the ratios of a bill: their columns, sums over kinds of cores, idle. */
#include "base/memory.h"
#include "base/wrap.h"
#include "report/bill.h"

bool bill_begins_sum(const struct bill *bill, size_t use)
{
	const struct metric_use *uses = bill->uses;

	return uses[use].is_part && (use == 0 || !uses[use - 1].is_part ||
				     uses[use - 1].metric != uses[use].metric);
}

bool bill_find_ratios(struct bill *bill)
{
	const struct totals *totals = bill->totals;
	struct metric_counter *counters =
		memory_alloc((totals->counter_count + 1) * sizeof(*counters));

	if (!counters)
		return false;
	for (size_t i = 0; i < totals->counter_count; i++) {
		const struct counter_row *row = &totals->counters[i].row;

		counters[i].counter =
			(struct role_counter){ row->event, row->type, row->config };
		counters[i].group = row->group_id;
	}
	bill->metrics =
		(struct metric_trace){ counters, totals->counter_count,
				       totals->trace.arch, totals->trace.cpu_model };
	bill->use_count = metrics_possible(&bill->metrics, bill->uses, METRIC_USES_MAX);
	for (size_t i = 0; i < bill->use_count; i++)
		bill->sum_count += bill_begins_sum(bill, i);
	for (size_t i = 0; i < bill->use_count; i++)
		bill->idle_count += bill->uses[i].metric->of_idle;
	return true;
}

static void add_kinds(const struct bill *bill, int64_t *numbers)
{
	int64_t *sum = numbers + bill->sums - 2;

	for (size_t i = 0; i < bill->use_count; i++) {
		const struct metric_use *use = &bill->uses[i];

		if (bill_begins_sum(bill, i))
			sum += 2;
		if (!use->is_part)
			continue;
		sum[0] = wrap_add(sum[0], numbers[bill->values + use->numerator]);
		sum[1] = wrap_add(sum[1], numbers[bill->values + use->denominator]);
	}
}

void bill_add_idle(const struct bill *bill, struct view_line *line, size_t counter,
		   int64_t idle)
{
	int64_t *cell = line->numbers + bill->idle;

	for (size_t i = 0; i < bill->use_count; i++) {
		const struct metric_use *use = &bill->uses[i];

		if (!use->metric->of_idle)
			continue;
		if (use->numerator == counter)
			*cell = wrap_add(*cell, idle);
		cell += 2;
	}
}

/* A CPU's line holds all that ran there, a thread's may not hold what idle shares. */
static void add_shares(const struct bill *bill, int64_t *numbers)
{
	bool is_apart = bill->by != BY_CPU && !bill->rule.with_idle_to_threads;
	int64_t *cell = numbers + bill->idle;

	for (size_t i = 0; i < bill->use_count; i++) {
		const struct metric_use *use = &bill->uses[i];
		int64_t shared = numbers[bill->with_idle + use->numerator];

		if (!use->metric->of_idle)
			continue;
		cell[0] = wrap_add(cell[0], shared);
		cell[1] = wrap_add(numbers[bill->values + use->numerator],
				   is_apart ? shared : 0);
		cell += 2;
	}
}

static void add_up(const struct bill *bill, struct view_line *line)
{
	if (bill->sum_count)
		add_kinds(bill, line->numbers);
	if (bill->idle_count)
		add_shares(bill, line->numbers);
}

void bill_add_up_ratios(struct bill *bill)
{
	for (size_t i = 0; i < bill->view.line_count; i++)
		add_up(bill, bill->view.lines[i]);
	if (bill->view.rest)
		add_up(bill, bill->view.rest);
}

static void add_column(struct bill *bill, const struct metric_use *use, size_t numerator,
		       size_t denominator)
{
	struct view_column *column = view_add_column(
		&bill->view, VIEW_RATIO, VIEW_CSV | VIEW_TEXT, use->name, numerator);

	column->tasks_only = true;
	column->other = denominator;
	column->scale = use->metric->scale;
	column->places = 3;
	column->unit = use->metric->unit;
	column->none = "-";
}

void bill_add_ratios(struct bill *bill)
{
	size_t sum = bill->sums, idle = bill->idle;

	for (size_t i = 0; i < bill->use_count; i++) {
		const struct metric_use *use = &bill->uses[i];

		if (use->metric->of_idle) {
			add_column(bill, use, idle, idle + 1);
			idle += 2;
			continue;
		}
		if (!use->is_part)
			add_column(bill, use, bill->values + use->numerator,
				   bill->values + use->denominator);
		if (!bill_begins_sum(bill, i))
			continue;
		add_column(bill, use, sum, sum + 1);
		sum += 2;
	}
	view_add_column(&bill->view, VIEW_OBJECT, VIEW_JSON, "metrics", 0);
}
