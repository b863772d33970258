/*
 * bill_falls.c - sets counters that went down apart from what was counted.
 *
 * An interval in which a counter is lower at its end than at its start says nothing about
 * its cost: it wrapped, was reset, or the trace is damaged.  The books keep the
 * difference, as they must balance; a reader of the bill should not see a negative cost.
 */
#include "base/wrap.h"
#include "report/bill.h"

int64_t bill_fall(const struct totals *totals, size_t counter)
{
	int64_t value = totals->counters[counter].status_values[CHARGE_DECREASE];

	return value < 0 ? value : 0;
}

static struct view_line *find_unattributed(const struct view *view)
{
	for (size_t i = 0; i < view->line_count; i++)
		if (view->lines[i]->kind == LINE_UNATTRIBUTED)
			return view->lines[i];
	return NULL;
}

static void move(struct bill *bill, struct view_line *from, struct view_line *to)
{
	for (size_t i = 0; i < bill->totals->counter_count; i++) {
		int64_t fall = bill_fall(bill->totals, i);
		int64_t *total = &bill->view.total->numbers[bill->values + i];
		int64_t *value = &from->numbers[bill->values + i];

		*value = wrap_sub(*value, fall);
		*total = wrap_sub(*total, fall);
		to->numbers[bill->values + i] = fall;
	}
}

bool bill_set_falls_apart(struct bill *bill)
{
	struct view_line *unattributed = find_unattributed(&bill->view), *falls;
	bool any = false;

	for (size_t i = 0; i < bill->totals->counter_count; i++)
		any |= bill_fall(bill->totals, i) != 0;
	/* The other rule charges them to threads; CPUs have no such line. */
	if (!any || !unattributed || bill->rule.unproven_to_threads)
		return true;
	falls = view_add_line(&bill->view, LINE_FALLS);
	if (!falls)
		return false;
	falls->texts[CUT_PROCESS] = STR("(counter fell)");
	move(bill, unattributed, falls);
	return true;
}
