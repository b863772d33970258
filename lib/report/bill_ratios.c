/* bill_ratios.c - the ratios of a bill: their columns, and sums over kinds of cores. */
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

void bill_add_up_kinds(struct bill *bill)
{
	for (size_t i = 0; bill->sum_count && i < bill->view.line_count; i++)
		add_kinds(bill, bill->view.lines[i]->numbers);
	if (bill->sum_count && bill->view.rest)
		add_kinds(bill, bill->view.rest->numbers);
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
	size_t sum = bill->sums;

	for (size_t i = 0; i < bill->use_count; i++) {
		const struct metric_use *use = &bill->uses[i];

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
