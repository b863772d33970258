/* text_bill.c - prints the notes and tables below a bill: uncertain intervals, ratios. */
#include <string.h>

#include "base/text.h"
#include "base/wrap.h"
#include "render.h"

/* --- what of it is not certain --- */

static void print_with_idle(FILE *to, const struct bill *bill)
{
	const int64_t *total = bill->view.total->numbers;
	size_t heaviest = bill->heaviest;
	bool is_apart = !bill->rule.with_idle_to_threads && bill->by != BY_CPU;
	char number[40], share[300] = "", words[900], shown[200];

	if (total[BILL_WITH_IDLE_SWITCHES] == 0)
		return;
	text_grouped(number, sizeof(number), total[BILL_WITH_IDLE_SWITCHES]);
	if (heaviest != SIZE_MAX && total[bill->values + heaviest] > 0) {
		text_shown(shown, sizeof(shown),
			   bill->totals->counters[heaviest].row.name, VIEW_TITLE_WIDTH);
		text_print(share, sizeof(share), " with %.2f %% of %s",
			   (double)total[bill->with_idle + heaviest] * 100 /
				   (double)total[bill->values + heaviest],
			   shown);
	}
	text_print(
		words, sizeof(words),
		"(with idle): %s intervals%s, in which idle ran, and then a thread; the "
		"kernel did not record when.  %s",
		number, share,
		is_apart ? "They are in no thread's line; --with-idle thread puts them "
			   "there."
			 : "The threads carry idle's counts as well.");
	fputs("\n", to);
	print_words(to, words);
	if (total[BILL_TIMELESS_SWITCHES] == 0)
		return;
	text_grouped(number, sizeof(number), total[BILL_TIMELESS_SWITCHES]);
	text_print(
		words, sizeof(words),
		"Of %s of them the thread's time on the CPU is not known and counts as "
		"0.",
		number);
	print_words(to, words);
}

static void print_falls(FILE *to, const struct bill *bill)
{
	const struct view *view = &bill->view;

	for (size_t i = 0; i < view->line_count; i++)
		if (view->lines[i]->kind == LINE_FALLS) {
			fputs("\n", to);
			print_words(to,
				    "(counter fell): by so much counters were lower at "
				    "the end of intervals than at their start.  What "
				    "these intervals cost is not known: it is in no "
				    "other line and not in the total.");
		}
}

/* Not the leader, which says no more than `intervals`, nor what begins an interrupt. */
static bool is_shown(const struct totals *totals, const struct totals_group *group,
		     size_t counter)
{
	bool leads = counter == group->first && bill_is_leader(totals, counter);

	return !leads && !bill_is_edge(totals, counter);
}

static void reason_row(struct text_table *table, const struct totals *totals,
		       const struct totals_group *group, int status)
{
	size_t next = 4;

	text_table_row(table);
	id_cell(table, 0, group - totals->groups + 1);
	text_table_text(table, 1, str_of(charge_status_words[status].words));
	text_table_int(table, 2,
		       wrap_add(group->statuses[status].switches,
				group->statuses[status].reads));
	text_table_ms(table, 3, group->statuses[status].on_cpu_ns);
	for (size_t i = group->first; i < group->first + group->slots; i++)
		if (is_shown(totals, group, i))
			text_table_int(table, next++,
				       totals->counters[i].status_values[status]);
}

static void titles(struct text_table *table, const char *const *names, size_t count)
{
	text_table_row(table);
	for (size_t i = 0; i < count; i++)
		text_table_text(table, i, str_of(names[i]));
}

/* Without the leader, and edges of interrupts. */
static size_t shown_counters(const struct totals *totals,
			     const struct totals_group *group)
{
	size_t count = 0;

	for (size_t i = group->first; i < group->first + group->slots; i++)
		count += is_shown(totals, group, i);
	return count;
}

/* Group by group, because each has counters of its own. */
static void print_reasons(FILE *to, const struct totals *totals)
{
	static const char *const names[] = { "group", "reason", "intervals", "ms" };

	for (size_t g = 0; g < totals->group_count; g++) {
		const struct totals_group *group = &totals->groups[g];
		size_t counters = shown_counters(totals, group);
		struct text_table table;
		size_t next = 4;

		text_table_init(&table, 4 + counters, 3);
		titles(&table, names, 4);
		for (size_t i = group->first; i < group->first + group->slots; i++)
			if (is_shown(totals, group, i))
				shown_cell(&table, next++, totals->counters[i].row.name,
					   VIEW_TITLE_WIDTH);
		if (table.left)
			table.left[1] = true;
		for (int s = 0; s < CHARGE_STATUSES; s++)
			if (charge_is_unproven(s) &&
			    (group->statuses[s].switches || group->statuses[s].reads))
				reason_row(&table, totals, group, s);
		if (table.rows > 1) {
			fputs("\nNot proven, and why:\n", to);
			text_table_print(&table, to);
		}
		text_table_release(&table);
	}
}

/* --- multiplexing: what each group saw of each line --- */

static bool is_multiplexed(const struct totals *totals)
{
	for (size_t g = 0; g < totals->group_count; g++)
		if (totals->groups[g].switches < totals->groups[g].all_switches ||
		    totals->groups[g].statuses[CHARGE_MULTIPLEXED].switches)
			return true;
	return false;
}

/* Which share of its time on the CPU the group was counting. */
static void proven_cell(struct text_table *table, const struct totals_group *group,
			const int64_t *numbers, size_t g)
{
	int64_t running = numbers[BILL_RUNNING + g];

	if (group->slots == 0)
		text_table_text(table, 6, STR("no counters"));
	else if (!str_equal(group->row.has_times, STR("yes")))
		text_table_text(table, 6, STR("unknown"));
	else if (running == INT_NONE)
		text_table_text(table, 6, STR("nothing"));
	else if (numbers[CUT_ON_CPU] > 0)
		text_table_real(table, 6,
				(double)running * 100 / (double)numbers[CUT_ON_CPU], 1,
				"%");
}

static void group_row(struct text_table *table, const struct bill *bill,
		      const struct view_line *line, size_t g)
{
	const struct totals *totals = bill->totals;
	const struct totals_group *group = &totals->groups[g];
	bool is_thread = bill->by == BY_THREAD;
	const int64_t *seen = line->numbers + bill->group_seen;
	int64_t all = 0;

	for (size_t i = 0; i < totals->group_count; i++)
		if (totals->groups[i].is_reference)
			all = wrap_add(all, seen[i]);

	text_table_row(table);
	shown_cell(table, 0, line->texts[is_thread ? CUT_THREAD : CUT_PROCESS],
		   VIEW_NAME_WIDTH);
	id_cell(table, 1, line->numbers[is_thread ? CUT_TID : CUT_PID]);
	id_cell(table, 2, (int64_t)g + 1);
	shown_cell(table, 3, group->row.leader, VIEW_NAME_WIDTH);
	text_table_int(table, 4, seen[g]);
	text_table_int(table, 5, all);
	proven_cell(table, group, line->numbers, g);
}

static void print_multiplexing(FILE *to, const struct bill *bill, int64_t top)
{
	static const char *const names[] = { "",    "id", "group", "leader",
					     "saw", "of", "proven" };
	struct text_table table;

	if (!is_multiplexed(bill->totals) || bill->by == BY_CPU)
		return;
	text_table_init(&table, 7, 3);
	titles(&table, names, 7);
	if (table.left)
		table.left[0] = table.left[3] = true;
	for (size_t i = 0; i < bill->view.line_count; i++)
		for (size_t g = 0; g < bill->totals->group_count; g++)
			if (bill->view.lines[i]->kind == LINE_TASK &&
			    !view_is_hidden(&bill->view, i, top))
				group_row(&table, bill, bill->view.lines[i], g);
	fputs("\nMultiplexed: the groups took turns on the PMU, so each saw only some switches "
	      "and counted\nonly part of the time.  Below: the switches each group saw, of all, "
	      "and the share of the\ntime on the CPU that it was counting in proven intervals.  "
	      "Nothing is scaled: a share of the\ntime is not a share of the work.\n",
	      to);
	text_table_print(&table, to);
	text_table_release(&table);
}

/* --- ratios --- */

static void print_ratio_words(FILE *to, const struct bill *bill)
{
	const struct metric *last = NULL;
	bool has_hardware = false;
	char words[1200];

	for (size_t i = 0; i < bill->use_count; i++)
		has_hardware |= !bill->uses[i].metric->of_idle &&
				role_is_hardware(bill->uses[i].metric->numerator);
	fputs("\n", to);
	if (!has_hardware) {
		metrics_missing(&bill->metrics, words, sizeof(words));
		print_words(to, words);
	}
	for (size_t i = 0; i < bill->use_count; i++) {
		const struct metric *metric = bill->uses[i].metric;

		if (metric == last)
			continue;
		last = metric;
		text_print(words, sizeof(words), "%s: %s.", metric->name, metric->words);
		print_words(to, words);
	}
}

/* --- kinds of cores: a line for each, and for their sum --- */

/* What idle shares is not of everything that ran. */
static bool has_kind(const struct metric_use *use)
{
	return use->kind[0] && !use->metric->of_idle;
}

/* Is the use in the line of that kind?  NULL: in that of the sum. */
static bool is_of_kind(const struct metric_use *use, const char *kind)
{
	return kind ? !use->is_part && strcmp(use->kind, kind) == 0 : use->is_part;
}

static bool is_first_kind(const struct bill *bill, size_t use)
{
	for (size_t i = 0; i < use; i++)
		if (is_of_kind(&bill->uses[i], bill->uses[use].kind))
			return false;
	return has_kind(&bill->uses[use]) && !bill->uses[use].is_part;
}

static void kind_cell(struct text_table *table, size_t at, const struct bill *bill,
		      const char *kind, const struct metric *metric)
{
	const int64_t *total = bill->view.total->numbers + bill->values;
	int64_t numerator = 0, denominator = 0;
	const struct metric_use *found = NULL;
	double value;

	for (size_t i = 0; i < bill->use_count; i++) {
		const struct metric_use *use = &bill->uses[i];

		if (use->metric != metric || !is_of_kind(use, kind))
			continue;
		numerator = wrap_add(numerator, total[use->numerator]);
		denominator = wrap_add(denominator, total[use->denominator]);
		found = use;
	}
	if (found && metric_value(found, numerator, denominator, &value))
		text_table_real(table, at, value, 3, metric->unit);
	else
		text_table_text(table, at, STR("-"));
}

static void kind_row(struct text_table *table, const struct bill *bill, const char *kind)
{
	size_t column = 0;

	text_table_row(table);
	text_table_text(table, column++, kind ? str_of(kind) : STR("together"));
	for (size_t m = 0; m < metric_count; m++)
		for (size_t i = 0; i < bill->use_count; i++)
			if (bill->uses[i].metric == &metrics[m] &&
			    has_kind(&bill->uses[i])) {
				kind_cell(table, column++, bill, kind, &metrics[m]);
				break;
			}
}

static void print_kinds(FILE *to, const struct bill *bill)
{
	struct text_table table;
	size_t columns = 1, kinds = 0, sums = 0;

	for (size_t i = 0; i < bill->use_count; i++) {
		kinds += is_first_kind(bill, i);
		sums += bill->uses[i].is_part;
		columns += has_kind(&bill->uses[i]) &&
			   (i == 0 || bill->uses[i - 1].metric != bill->uses[i].metric);
	}
	if (kinds < 2)
		return;
	fputs("\nOf everything that ran, by kind of core:\n", to);
	text_table_init(&table, columns, 1);
	text_table_row(&table);
	columns = 1;
	for (size_t m = 0; m < metric_count; m++)
		for (size_t i = 0; i < bill->use_count; i++)
			if (bill->uses[i].metric == &metrics[m] &&
			    has_kind(&bill->uses[i])) {
				text_table_text(&table, columns++,
						str_of(metrics[m].name));
				break;
			}
	if (table.left)
		table.left[0] = true;
	for (size_t i = 0; i < bill->use_count; i++)
		if (is_first_kind(bill, i))
			kind_row(&table, bill, bill->uses[i].kind);
	if (sums)
		kind_row(&table, bill, NULL);
	text_table_print(&table, to);
	text_table_release(&table);
}

void text_bill_notes(FILE *to, struct bill *bill, const struct render_options *options)
{
	print_with_idle(to, bill);
	print_falls(to, bill);
	print_reasons(to, bill->totals);
	print_multiplexing(to, bill, options->top);
	if (options->ratios && bill->totals->reference) {
		print_kinds(to, bill);
		print_ratio_words(to, bill);
	}
}
