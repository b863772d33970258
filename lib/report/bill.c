/* bill.c - makes the lines of a bill from the totals of a trace. */
#include "report/bill.h"

#include <stdlib.h>

#include "base/text.h"
#include "model/row_sums.h"

bool bill_is_leader(const struct totals *totals, size_t counter)
{
	const struct totals_counter *first = &totals->counters[counter];

	/* A log of switches has no leader among its counters. */
	return first->row.slot == 0 &&
	       (!first->group || str_equal(first->group->row.leader, first->row.name));
}

bool bill_is_edge(const struct totals *totals, size_t counter)
{
	struct str event = totals->counters[counter].row.event;
	const char *starts[] = { "irq:irq_handler_", "irq:softirq_", "irq_vectors:" };

	for (size_t i = 0; i < 3 && totals->has_interrupts; i++)
		if (event.len > strlen(starts[i]) &&
		    memcmp(event.ptr, starts[i], strlen(starts[i])) == 0)
			return true;
	return false;
}

/* --- what adds to a line --- */

/* Intervals of a thread's book that the rule charges to the thread. */
static int64_t own_switches(const struct bill *bill,
			    const struct thread_summary_row *summary)
{
	int64_t switches = summary->switches; /* those with idle are among them */

	if (bill->rule.unproven_to_threads)
		switches = wrap_add(switches, summary->unproven_switches);
	if (!bill->rule.with_idle_to_threads)
		switches = wrap_sub(switches, summary->with_idle_switches);
	return switches;
}

/*
 * The counts that are not by group: as the reference groups saw them.  Time on the CPU is
 * the thread's also in intervals that it shares with idle, where it is known.
 */
static void add_reference(const struct bill *bill, struct view_line *line,
			  const struct totals_thread *thread,
			  const struct totals_book *book)
{
	const struct thread_summary_row *summary = &book->summary;
	int64_t *numbers = line->numbers;

	wrap_add_to(&numbers[CUT_SWITCHES], own_switches(bill, summary));
	wrap_add_to(&numbers[CUT_ON_CPU], summary->on_cpu_ns);
	if (bill->rule.interrupts_to_threads)
		wrap_add_to(&numbers[CUT_ON_CPU], summary->interrupts_ns);
	if (bill->rule.unproven_to_threads)
		wrap_add_to(&numbers[CUT_ON_CPU], summary->unproven_ns);
	wrap_add_to(&numbers[BILL_WITH_IDLE_SWITCHES], summary->with_idle_switches);
	wrap_add_to(&numbers[BILL_TIMELESS_SWITCHES], summary->timeless_switches);
	if (book->is_sum)
		wrap_add_to(&numbers[CUT_THREADS], book->threads);
	if (book->is_sum || numbers[CUT_THREADS] == INT_NONE || line->counted == thread ||
	    (summary->switches + summary->reads <= 0 && own_switches(bill, summary) <= 0))
		return;
	line->counted = thread;
	numbers[CUT_THREADS]++;
}

/* Adds the book of a thread to a line, by the rule of the bill. */
static void add_book(const struct bill *bill, struct view_line *line,
		     const struct totals_thread *thread, const struct totals_book *book)
{
	const struct totals_group *group = book->group;
	const struct thread_summary_row *summary = &book->summary;
	int64_t *values = line->numbers + bill->values + group->first;
	int64_t *with_idle = line->numbers + bill->with_idle + group->first;
	int64_t *interrupts = line->numbers + bill->interrupts + group->first;
	size_t g = (size_t)(group - bill->totals->groups);

	wrap_add_to(&line->numbers[bill->group_switches + g],
		    own_switches(bill, summary));
	wrap_add_to(&line->numbers[bill->group_seen + g],
		    wrap_add(summary->switches, summary->unproven_switches));
	wrap_add_to(&line->numbers[BILL_PROVEN],
		    wrap_add(summary->switches, summary->reads));
	if (bill->rule.unproven_to_threads)
		wrap_add_to(&line->numbers[BILL_PROVEN], summary->unproven_switches);
	row_add_known(&line->numbers[BILL_RUNNING + g], summary->running_ns);
	for (size_t i = 0; i < group->slots; i++) {
		wrap_add_to(&values[i], book->charged[i]);
		if (bill->rule.with_idle_to_threads)
			wrap_add_to(&values[i], book->with_idle[i]);
		if (bill->rule.unproven_to_threads)
			wrap_add_to(&values[i], book->unproven[i]);
		if (bill->rule.interrupts_to_threads)
			wrap_add_to(&values[i], book->interrupts[i]);
		wrap_add_to(&with_idle[i], book->with_idle[i]);
		wrap_add_to(&interrupts[i], book->interrupts[i]);
	}
	if (group->is_reference)
		add_reference(bill, line, thread, book);
}

/* Adds the part of a book that is shared with idle to the line (with idle). */
static void add_shared(const struct bill *bill, struct view_line *line,
		       const struct totals_group *group, const struct totals_book *book)
{
	const struct thread_summary_row *summary = &book->summary;
	size_t g = (size_t)(group - bill->totals->groups);

	wrap_add_to(&line->numbers[bill->group_switches + g],
		    summary->with_idle_switches);
	if (group->is_reference)
		wrap_add_to(&line->numbers[CUT_SWITCHES], summary->with_idle_switches);
	for (size_t i = 0; i < group->slots; i++)
		wrap_add_to(&line->numbers[bill->values + group->first + i],
			    book->with_idle[i]);
}

/* Adds the cost of interrupts of a thread to the line (interrupts). */
static void add_interrupted(const struct bill *bill, struct view_line *line,
			    const struct totals_group *group,
			    const struct totals_book *book)
{
	if (group->is_reference)
		wrap_add_to(&line->numbers[CUT_ON_CPU], book->summary.interrupts_ns);
	for (size_t i = 0; i < group->slots; i++)
		wrap_add_to(&line->numbers[bill->values + group->first + i],
			    book->interrupts[i]);
}

/* --- by process and by thread --- */

/* A line without a switch or a read in any group is left out. */
static bool is_empty(const struct bill *bill, const struct view_line *line)
{
	if (line->numbers[BILL_PROVEN])
		return false;
	return line->kind == LINE_TASK ||
	       (line->kind == LINE_IDLE && bill->by == BY_THREAD);
}

static void drop_empty(struct bill *bill)
{
	struct view *view = &bill->view;
	size_t kept = 0;

	for (size_t i = 0; i < view->line_count; i++)
		if (is_empty(bill, view->lines[i]))
			view->lines[i]->is_dropped = true;
		else
			view->lines[kept++] = view->lines[i];
	view->line_count = kept;
}

/* Subtracts what the rule gives to threads from the line (unattributed). */
static void add_unproven(struct bill *bill, struct view_line *line,
			 const struct totals_book *book)
{
	const struct totals *totals = bill->totals;
	const struct totals_group *group = book->group;
	int64_t *switches;

	switches =
		&line->numbers[bill->group_switches + (size_t)(group - totals->groups)];
	*switches = wrap_sub(*switches, book->summary.unproven_switches);
	for (size_t i = 0; i < group->slots; i++) {
		int64_t *value = &line->numbers[bill->values + group->first + i];

		*value = wrap_sub(*value, book->unproven[i]);
	}
	if (!group->is_reference)
		return;
	line->numbers[CUT_ON_CPU] =
		wrap_sub(line->numbers[CUT_ON_CPU], book->summary.unproven_ns);
}

/* Makes the line (unattributed) from the sums of unproven statuses. */
static bool add_unattributed(struct bill *bill, struct cut *cut)
{
	const struct totals *totals = bill->totals;
	struct view_line *line = cut_unattributed_line(cut);

	if (!line)
		return false;
	for (size_t g = 0; g < totals->group_count; g++) {
		const struct totals_group *group = &totals->groups[g];

		for (int s = 0; s < CHARGE_STATUSES; s++) {
			if (!charge_is_unproven(s))
				continue;
			wrap_add_to(&line->numbers[bill->group_switches + g],
				    group->statuses[s].switches);
			if (group->is_reference)
				wrap_add_to(&line->numbers[CUT_ON_CPU],
					    group->statuses[s].on_cpu_ns);
			for (size_t i = group->first; i < group->first + group->slots;
			     i++)
				wrap_add_to(&line->numbers[bill->values + i],
					    totals->counters[i].status_values[s]);
		}
	}
	if (bill->rule.unproven_to_threads)
		for (const struct totals_thread *t = totals->threads; t; t = t->next)
			for (const struct totals_book *b = t->books; b; b = b->next)
				add_unproven(bill, line, b);
	for (size_t g = 0; g < totals->group_count; g++)
		if (totals->groups[g].is_reference)
			wrap_add_to(&line->numbers[CUT_SWITCHES],
				    line->numbers[bill->group_switches + g]);
	return true;
}

/* --- by control group --- */

static void subtract(int64_t *from, const int64_t *part, size_t count)
{
	for (size_t i = 0; i < count; i++)
		from[i] = wrap_sub(from[i], part[i]);
}

/* Returns the part of a book that is in no known control group. */
static struct totals_book *rest_of(struct bill *bill, const struct totals_book *book,
				   size_t slots)
{
	struct totals_book whole = { .summary = book->summary };
	struct totals_book *rest = totals_add_part(&bill->view.arena, &whole, 0, slots);
	struct thread_summary_row *sum;

	if (!rest)
		return NULL;
	rest->group = book->group;
	rest->summary = book->summary;
	memcpy(rest->charged, book->charged, slots * sizeof(*rest->charged));
	memcpy(rest->interrupts, book->interrupts, slots * sizeof(*rest->interrupts));
	memcpy(rest->with_idle, book->with_idle, slots * sizeof(*rest->with_idle));
	memcpy(rest->unproven, book->unproven, slots * sizeof(*rest->unproven));
	sum = &rest->summary;
	for (const struct totals_book *p = book->parts; p; p = p->next) {
		const struct thread_summary_row *part = &p->summary;

		subtract(&sum->switches, &part->switches, 1);
		subtract(&sum->reads, &part->reads, 1);
		subtract(&sum->with_idle_switches, &part->with_idle_switches, 1);
		subtract(&sum->timeless_switches, &part->timeless_switches, 1);
		subtract(&sum->unproven_switches, &part->unproven_switches, 1);
		subtract(&sum->on_cpu_ns, &part->on_cpu_ns, 1);
		subtract(&sum->unproven_ns, &part->unproven_ns, 1);
		subtract(&sum->interrupts_ns, &part->interrupts_ns, 1);
		if (sum->running_ns != INT_NONE && part->running_ns != INT_NONE)
			subtract(&sum->running_ns, &part->running_ns, 1);
		subtract(rest->charged, p->charged, slots);
		subtract(rest->interrupts, p->interrupts, slots);
		subtract(rest->with_idle, p->with_idle, slots);
		subtract(rest->unproven, p->unproven, slots);
	}
	return rest;
}

static bool add_to_cgroups(struct bill *bill, struct cut *cut,
			   const struct totals_thread *thread,
			   const struct totals_book *book)
{
	const struct totals_book *rest = rest_of(bill, book, book->group->slots);
	struct view_line *line;

	for (const struct totals_book *p = book->parts; p; p = p->next) {
		line = cut_cgroup_line(cut, thread, p->cgroup_id);
		if (!line)
			return false;
		add_book(bill, line, thread, p);
	}
	line = rest ? cut_cgroup_line(cut, thread, 0) : NULL;
	if (line)
		add_book(bill, line, thread, rest);
	return line != NULL;
}

/* Lines for what the rule does not give to threads. */
struct apart {
	struct view_line *shared; /* (with idle) */
	struct view_line
		*interrupts; /* NULL: none were recorded, or they are not apart */
};

static bool add_thread(struct bill *bill, struct cut *cut,
		       const struct totals_thread *thread, const struct apart *apart)
{
	bool is_apart = bill->by == BY_CGROUP;
	struct view_line *line =
		thread->books && !is_apart ? cut_thread_line(cut, thread) : NULL;

	for (const struct totals_book *book = thread->books; book && (line || is_apart);
	     book = book->next) {
		if (!is_apart)
			add_book(bill, line, thread, book);
		else if (!add_to_cgroups(bill, cut, thread, book))
			return false;
		if (!bill->rule.with_idle_to_threads)
			add_shared(bill, apart->shared, book->group, book);
		if (apart->interrupts && !bill->rule.interrupts_to_threads)
			add_interrupted(bill, apart->interrupts, book->group, book);
	}
	return line || is_apart || !thread->books;
}

/* Makes view->rest from the sum of the processes that a database has left out. */
static bool add_rest(struct bill *bill, const struct apart *apart)
{
	const struct totals_thread *rest = bill->totals->rest;
	struct view *view = &bill->view;

	if (!rest)
		return true;
	view->rest = view_new_line(view, LINE_TASK);
	if (!view->rest)
		return false;
	view->rest_lines = (size_t)bill->totals->rest_processes;
	view->rest->numbers[CUT_PROCESSES] = bill->totals->rest_processes;
	add_book(bill, view->rest, rest, rest->books);
	add_shared(bill, apart->shared, rest->books->group, rest->books);
	return true;
}

static bool make_tasks(struct bill *bill, struct cut *cut)
{
	struct view_line *shared = cut_add_named(cut, LINE_WITH_IDLE, STR("(with idle)"));
	struct apart apart = { .shared = shared };
	bool done = shared != NULL;

	if (bill->totals->has_interrupts && done) {
		apart.interrupts =
			cut_add_named(cut, LINE_INTERRUPTS, STR("(interrupts)"));
		done = apart.interrupts != NULL;
	}

	for (const struct totals_thread *t = bill->totals->threads; t && done;
	     t = t->next)
		done = add_thread(bill, cut, t, &apart);
	if (!done || !add_rest(bill, &apart))
		return false;
	drop_empty(bill);
	shared->is_csv_only = shared->numbers[CUT_SWITCHES] == 0;
	for (size_t i = 0; i < bill->totals->counter_count; i++)
		shared->is_csv_only &= shared->numbers[bill->values + i] == 0;
	return cut_complete_idle(cut) && add_unattributed(bill, cut) && cut_join(cut);
}

/* --- by CPU --- */

static void add_cpu(const struct bill *bill, struct view_line *line,
		    const struct totals_group *group, const struct totals_cpu *cpu)
{
	size_t g = (size_t)(group - bill->totals->groups);

	line->numbers[bill->group_switches + g] = cpu->summary.switches;
	row_add_known(&line->numbers[BILL_RUNNING + g], cpu->summary.running_ns);
	if (group->is_reference) {
		wrap_add_to(&line->numbers[CUT_SWITCHES], cpu->summary.switches);
		wrap_add_to(&line->numbers[CUT_ON_CPU], cpu->summary.on_cpu_ns);
	}
	for (size_t i = 0; i < group->slots; i++) {
		const struct cpu_charge_row *charge = &cpu->charges[i];

		line->numbers[bill->values + group->first + i] =
			wrap_add(wrap_add(wrap_add(charge->charged, charge->interrupts),
					  charge->with_idle),
				 wrap_add(charge->idle, charge->unattributed));
		line->numbers[bill->with_idle + group->first + i] = charge->with_idle;
		line->numbers[bill->interrupts + group->first + i] = charge->interrupts;
		bill_add_idle(bill, line, group->first + i, charge->idle);
	}
}

static bool make_cpus(struct bill *bill, struct cut *cut)
{
	const struct totals *totals = bill->totals;

	for (size_t g = 0; g < totals->group_count; g++)
		for (const struct totals_cpu *c = totals->groups[g].cpus; c;
		     c = c->next) {
			struct view_line *line = cut_cpu_line(cut, c->summary.cpu);

			if (!line)
				return false;
			add_cpu(bill, line, &totals->groups[g], c);
		}
	return true;
}

/* --- columns --- */

#define COMMAND_WIDTH 40

static void add_list(struct bill *bill, const char *name, size_t cell, size_t count)
{
	view_add_column(&bill->view, VIEW_LIST, VIEW_JSON, name, cell)->count = count;
}

/* Adds the columns of sums of a line of a tree and of all lines below it. */
static void add_tree_columns(struct bill *bill)
{
	size_t counters = bill->totals->counter_count;
	struct view *view = &bill->view;
	struct view_column *column;
	bool has_commands = false;
	char name[300];

	for (size_t i = 0; i < counters + 2; i++) {
		size_t cell = i == 0   ? CUT_SWITCHES
			      : i == 1 ? CUT_ON_CPU
				       : bill->values + i - 2;
		struct str of = i == 0	 ? STR("switches")
				: i == 1 ? STR("on_cpu_ns")
					 : bill->totals->counters[i - 2].row.name;

		text_print(name, sizeof(name), "tree_%.*s", (int)of.len, of.ptr);
		column = view_add_column(view, VIEW_NUMBER,
					 i < 2 ? VIEW_CSV | VIEW_JSON : VIEW_CSV, "",
					 cell);
		column->name = column->title = arena_str(&view->arena, str_of(name));
		column->is_sum = true;
		if (i == 1 || (i >= 2 && i - 2 == bill->heaviest))
			view->first_key = view_last_column(view);
	}
	for (size_t i = 0; i < view->line_count; i++)
		has_commands |= view->lines[i]->texts[CUT_COMMAND].ptr != NULL;
	if (has_commands)
		view_add_column(view, VIEW_NAME, VIEW_TEXT, "command", CUT_COMMAND)
			->width = COMMAND_WIDTH;
	column = view_add_column(view, VIEW_LIST, VIEW_JSON, "tree_values", bill->values);
	column->count = counters;
	column->is_sum = true;
}

void bill_add_counters(const struct bill *bill, struct view *view, unsigned int forms,
		       size_t first)
{
	for (size_t i = 0; i < bill->totals->counter_count; i++) {
		struct view_column *column =
			view_add_column(view, VIEW_NUMBER, forms, "", first + i);

		column->name = column->title = bill->totals->counters[i].row.name;
		column->width = VIEW_TITLE_WIDTH;
		column->is_event = true;
		if (!bill_is_leader(bill->totals, i) && !bill_is_edge(bill->totals, i))
			column->forms |= VIEW_TEXT;
		if (i == bill->heaviest)
			view->first_key = view_last_column(view);
	}
}

static void add_columns(struct bill *bill)
{
	unsigned all = VIEW_TEXT | VIEW_CSV | VIEW_JSON;
	size_t counters = bill->totals->counter_count;
	size_t groups = bill->totals->group_count;
	struct view *view = &bill->view;
	bool is_light = bill->heaviest == SIZE_MAX;
	struct view_column *share;

	cut_add_columns(view, bill->by);
	view_add_column(view, VIEW_NUMBER, all, "switches", CUT_SWITCHES);
	view_add_column(view, VIEW_NS, all, "on_cpu_ns", CUT_ON_CPU)->title =
		STR("on-CPU ms");
	view->first_key = view_last_column(view);
	share = view_add_column(view, VIEW_SHARE, VIEW_TEXT, "share",
				is_light ? CUT_ON_CPU : bill->values + bill->heaviest);
	share->places = 2;
	share->unit = "%";
	if (bill->by == BY_TREE) {
		share = view_add_column(view, VIEW_SHARE, VIEW_TEXT, "with children",
					share->cell);
		share->places = 2;
		share->unit = "%";
		share->is_sum = true;
	}
	view_add_column(view, VIEW_NUMBER, VIEW_JSON, "with_idle_switches",
			BILL_WITH_IDLE_SWITCHES);
	view_add_column(view, VIEW_NUMBER, VIEW_JSON, "timeless_switches",
			BILL_TIMELESS_SWITCHES);
	add_list(bill, "values", bill->values, counters);
	add_list(bill, "with_idle", bill->with_idle, counters);
	if (bill->totals->has_interrupts)
		add_list(bill, "interrupts", bill->interrupts, counters);
	add_list(bill, "group_switches", bill->group_switches, groups);
	add_list(bill, "group_seen", bill->group_seen, groups);
	add_list(bill, "group_running_ns", BILL_RUNNING, groups);
	bill_add_counters(bill, view, VIEW_CSV, bill->values);
	if (bill->by == BY_TREE)
		add_tree_columns(bill);
	if (bill->by == BY_CPU)
		view->first_key = 0;
}

/* --- making a bill --- */

size_t bill_heaviest(const struct totals *totals, const int64_t *sums)
{
	size_t heaviest = SIZE_MAX;
	int64_t most = INT64_MIN;

	for (size_t i = 0; i < totals->counter_count; i++) {
		int64_t value = wrap_sub(sums[i], bill_fall(totals, i));

		if (bill_is_leader(totals, i) || bill_is_edge(totals, i) || value <= most)
			continue;
		most = value;
		heaviest = i;
	}
	return heaviest;
}

bool bill_make(struct bill *bill, const struct totals *totals, enum cut_by by,
	       struct bill_rule rule, const struct cut_filter *filter)
{
	size_t counters = totals->counter_count, groups = totals->group_count;
	struct view *view = &bill->view;
	struct cut cut;
	bool done;

	*bill = (struct bill){ .totals = totals, .by = by, .rule = rule };
	bill->rule.with_idle_to_threads |= rule.unproven_to_threads;
	done = bill_find_ratios(bill);
	view_begin(view, cut_texts(by), CUT_IDS, BILL_RUNNING + groups - CUT_IDS,
		   2 * groups + 3 * counters + 2 * (bill->sum_count + bill->idle_count));
	view->first_unknown = BILL_RUNNING;
	bill->group_switches = BILL_RUNNING + groups;
	bill->group_seen = bill->group_switches + groups;
	bill->values = bill->group_seen + groups;
	bill->with_idle = bill->values + counters;
	bill->interrupts = bill->with_idle + counters;
	bill->sums = bill->interrupts + counters;
	bill->idle = bill->sums + 2 * bill->sum_count;
	done = cut_begin(&cut, by, filter, totals, view) && done &&
	       (by == BY_CPU ? make_cpus(bill, &cut) : make_tasks(bill, &cut));
	cut_end(&cut);
	bill->matches = cut.matches;
	bill_add_up_ratios(bill);
	view_add_total(view);
	if (!done || view->failed)
		return false;
	bill->heaviest = bill_heaviest(totals, view->total->numbers + bill->values);
	add_columns(bill);
	return !view->failed;
}

void bill_release(struct bill *bill)
{
	view_release(&bill->view);
	free((void *)(uintptr_t)bill->metrics.counters);
	*bill = (struct bill){ .totals = NULL };
}
