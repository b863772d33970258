/* bill.c - see bill.h. */
#include "bill.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/wrap.h"

bool bill_is_leader(const struct report *report, size_t counter)
{
	const struct report_counter *first = &report->counters[counter];

	/* A log of switches has no leader among its counters. */
	return first->row.slot == 0 &&
	       (!first->group || str_equal(first->group->row.leader, first->row.name));
}

/* --- one line --- */

static bool line_init(struct bill *bill, struct bill_line *line, enum line_kind kind)
{
	const struct report *report = bill->report;
	size_t counters = report->counter_count, groups = report->group_count;
	int64_t *sums = arena_alloc(&bill->arena,
				    (2 * counters + 3 * groups + 1) * sizeof(*sums));

	*line = (struct bill_line){ .kind = kind, .threads = INT_NONE };
	line->pid = line->tid = line->cpu = INT_NONE;
	line->values = sums;
	line->with_idle = sums + counters;
	line->group_switches = sums + 2 * counters;
	line->group_seen = line->group_switches + groups;
	line->group_running = line->group_seen + groups;
	for (size_t i = 0; sums && i < groups; i++)
		line->group_running[i] = INT_NONE;
	return sums != NULL;
}

static struct bill_line *new_line(struct bill *bill, enum line_kind kind)
{
	struct bill_line *line = &bill->lines[bill->line_count];

	if (!line_init(bill, line, kind))
		return NULL;
	bill->line_count++;
	return line;
}

static void add_running(int64_t *sum, int64_t more)
{
	if (more != INT_NONE)
		*sum = wrap_add(*sum == INT_NONE ? 0 : *sum, more);
}

/* What one group counted for one thread, by the bill's rule. */
static void add_book(const struct bill *bill, struct bill_line *line,
		     const struct report_group *group, const struct report_book *book)
{
	const struct thread_summary_row *summary = &book->summary;
	bool blind = bill->rule == RULE_SWITCHED_OUT;
	int64_t switches =
		wrap_add(summary->switches, blind ? summary->unproven_switches : 0);
	size_t index = (size_t)(group - bill->report->groups);

	line->group_switches[index] = wrap_add(line->group_switches[index], switches);
	line->group_seen[index] =
		wrap_add(line->group_seen[index],
			 wrap_add(summary->switches, summary->unproven_switches));
	add_running(&line->group_running[index], summary->running_ns);
	for (size_t i = 0; i < group->slots; i++) {
		int64_t *value = &line->values[group->first + i];

		*value = wrap_add(*value, wrap_add(book->charged[i], book->with_idle[i]));
		if (blind)
			*value = wrap_add(*value, book->unproven[i]);
		line->with_idle[group->first + i] =
			wrap_add(line->with_idle[group->first + i], book->with_idle[i]);
	}
	if (group != bill->report->reference)
		return;
	line->switches = wrap_add(line->switches, switches);
	line->on_cpu_ns = wrap_add(line->on_cpu_ns, summary->on_cpu_ns);
	if (blind)
		line->on_cpu_ns = wrap_add(line->on_cpu_ns, summary->unproven_ns);
	line->with_idle_switches =
		wrap_add(line->with_idle_switches, summary->with_idle_switches);
	line->timeless_switches =
		wrap_add(line->timeless_switches, summary->timeless_switches);
	if (line->threads != INT_NONE)
		line->threads += switches > 0;
}

static void add_thread(const struct bill *bill, struct bill_line *line,
		       const struct report_thread *thread)
{
	const struct report *report = bill->report;

	for (size_t g = 0; g < report->group_count; g++) {
		const struct report_book *book =
			report_book(thread, report->groups[g].row.group_id);

		if (book)
			add_book(bill, line, &report->groups[g], book);
	}
}

/* A line nobody switched for, in any group, is no line. */
static bool is_empty(const struct bill *bill, const struct bill_line *line)
{
	for (size_t g = 0; g < bill->report->group_count; g++)
		if (line->group_switches[g])
			return false;
	return true;
}

static struct str shown_name(struct bill *bill, struct str name, int64_t id)
{
	char number[32];

	if (name.ptr && name.len)
		return name;
	text_print(number, sizeof(number), ":%lld", (long long)id);
	return arena_str(&bill->arena, str_of(number));
}

/* --- by process and by thread --- */

static bool make_processes(struct bill *bill)
{
	const struct report *report = bill->report;
	struct map lines = { NULL, 0, 0 };
	bool done = true;
	size_t kept = 0;

	for (const struct report_process *p = report->processes; p && done; p = p->next) {
		bool idle = p->row.pid == 0;
		struct bill_line *line = new_line(bill, idle ? LINE_IDLE : LINE_TASK);

		done = line && map_put(&lines, (uint64_t)p->row.process_id, line);
		if (!done)
			break;
		line->of = p;
		line->threads = 0;
		line->process =
			idle ? STR("(idle)") : shown_name(bill, p->row.name, p->row.pid);
		line->pid = idle ? INT_NONE : p->row.pid;
	}
	for (const struct report_thread *t = report->threads; t && done; t = t->next)
		add_thread(bill, map_get(&lines, (uint64_t)t->row.process_id), t);
	map_release(&lines);
	for (size_t i = 0; i < bill->line_count; i++)
		if (bill->lines[i].kind == LINE_IDLE || !is_empty(bill, &bill->lines[i]))
			bill->lines[kept++] = bill->lines[i];
	bill->line_count = kept;
	return done;
}

static bool make_threads(struct bill *bill)
{
	for (const struct report_thread *t = bill->report->threads; t; t = t->next) {
		bool idle = t->row.idle_cpu != INT_NONE;
		struct bill_line *line = new_line(bill, idle ? LINE_IDLE : LINE_TASK);

		if (!line)
			return false;
		add_thread(bill, line, t);
		if (is_empty(bill, line)) {
			bill->line_count--;
			continue;
		}
		line->of = t->process;
		line->process = idle ? STR("(idle)")
				     : shown_name(bill, t->process->row.name,
						  t->process->row.pid);
		line->thread = shown_name(bill, t->row.name, t->row.tid);
		line->pid = idle ? INT_NONE : t->process->row.pid;
		line->tid = t->row.tid;
		line->cpu = t->row.idle_cpu;
	}
	return true;
}

/* What the statuses without proof hold, less what the rule has given to threads. */
static bool make_unattributed(struct bill *bill)
{
	const struct report *report = bill->report;
	struct bill_line *line = new_line(bill, LINE_UNATTRIBUTED);

	if (!line)
		return false;
	line->process = STR("(unattributed)");
	for (size_t g = 0; g < report->group_count; g++) {
		const struct report_group *group = &report->groups[g];

		for (int s = CHARGE_WITH_IDLE + 1; s < CHARGE_STATUSES; s++) {
			line->group_switches[g] = wrap_add(line->group_switches[g],
							   group->statuses[s].switches);
			if (group == report->reference)
				line->on_cpu_ns = wrap_add(line->on_cpu_ns,
							   group->statuses[s].on_cpu_ns);
			for (size_t i = group->first; i < group->first + group->slots;
			     i++)
				line->values[i] =
					wrap_add(line->values[i],
						 report->counters[i].status_values[s]);
		}
	}
	if (report->reference)
		line->switches = line->group_switches[report->reference - report->groups];
	for (const struct report_thread *t = report->threads; t; t = t->next) {
		if (bill->rule != RULE_SWITCHED_OUT)
			break;
		for (const struct report_book *book = t->books; book; book = book->next) {
			size_t g = 0;

			while (report->groups[g].row.group_id != book->summary.group_id)
				g++;
			line->group_switches[g] = wrap_sub(
				line->group_switches[g], book->summary.unproven_switches);
			for (size_t i = 0; i < report->groups[g].slots; i++) {
				int64_t *value =
					&line->values[report->groups[g].first + i];

				*value = wrap_sub(*value, book->unproven[i]);
			}
			if (&report->groups[g] != report->reference)
				continue;
			line->switches =
				wrap_sub(line->switches, book->summary.unproven_switches);
			line->on_cpu_ns =
				wrap_sub(line->on_cpu_ns, book->summary.unproven_ns);
		}
	}
	return true;
}

/* The (idle) row is there even when no CPU was ever idle. */
static bool make_idle(struct bill *bill)
{
	struct bill_line *line;

	for (size_t i = 0; i < bill->line_count; i++)
		if (bill->lines[i].kind == LINE_IDLE)
			return true;
	line = new_line(bill, LINE_IDLE);
	if (!line)
		return false;
	line->process = STR("(idle)");
	line->threads = bill->by == BY_PROCESS ? 0 : INT_NONE;
	return true;
}

/* --- by CPU --- */

static struct bill_line *cpu_line(struct bill *bill, struct map *lines, int64_t cpu)
{
	struct bill_line *line = map_get(lines, (uint64_t)cpu);

	if (line)
		return line;
	line = new_line(bill, LINE_TASK);
	if (!line || !map_put(lines, (uint64_t)cpu, line))
		return NULL;
	line->cpu = cpu;
	return line;
}

static bool make_cpus(struct bill *bill, struct map *lines)
{
	const struct report *report = bill->report;

	for (size_t g = 0; g < report->group_count; g++) {
		const struct report_group *group = &report->groups[g];

		for (const struct report_cpu *cpu = group->cpus; cpu; cpu = cpu->next) {
			struct bill_line *line = cpu_line(bill, lines, cpu->summary.cpu);

			if (!line)
				return false;
			line->group_switches[g] = cpu->summary.switches;
			add_running(&line->group_running[g], cpu->summary.running_ns);
			if (group == report->reference) {
				line->switches = cpu->summary.switches;
				line->on_cpu_ns = cpu->summary.on_cpu_ns;
			}
			for (size_t i = 0; i < group->slots; i++) {
				const struct cpu_charge_row *charge = &cpu->charges[i];

				line->values[group->first + i] = wrap_add(
					wrap_add(charge->charged, charge->with_idle),
					wrap_add(charge->idle, charge->unattributed));
				line->with_idle[group->first + i] = charge->with_idle;
			}
		}
	}
	return true;
}

/* --- the whole --- */

void bill_line_add(struct bill_line *sum, const struct bill_line *line,
		   const struct report *report)
{
	sum->switches = wrap_add(sum->switches, line->switches);
	sum->on_cpu_ns = wrap_add(sum->on_cpu_ns, line->on_cpu_ns);
	sum->with_idle_switches =
		wrap_add(sum->with_idle_switches, line->with_idle_switches);
	sum->timeless_switches =
		wrap_add(sum->timeless_switches, line->timeless_switches);
	for (size_t i = 0; i < report->counter_count; i++) {
		sum->values[i] = wrap_add(sum->values[i], line->values[i]);
		sum->with_idle[i] = wrap_add(sum->with_idle[i], line->with_idle[i]);
	}
	for (size_t g = 0; g < report->group_count; g++) {
		sum->group_switches[g] =
			wrap_add(sum->group_switches[g], line->group_switches[g]);
		sum->group_seen[g] = wrap_add(sum->group_seen[g], line->group_seen[g]);
		add_running(&sum->group_running[g], line->group_running[g]);
	}
}

static void add_total(struct bill *bill)
{
	const struct report *report = bill->report;
	struct bill_line *total = &bill->total;
	int64_t most = INT64_MIN;

	for (size_t l = 0; l < bill->line_count; l++)
		bill_line_add(total, &bill->lines[l], report);
	bill->heaviest = SIZE_MAX;
	for (size_t i = 0; i < report->counter_count; i++) {
		if (bill_is_leader(report, i) || total->values[i] <= most)
			continue;
		most = total->values[i];
		bill->heaviest = i;
	}
}

static void find_metrics(struct bill *bill)
{
	const struct report *report = bill->report;
	size_t room = report->counter_count + 1;
	struct str *names = arena_alloc(&bill->arena, room * sizeof(*names));
	int64_t *groups = arena_alloc(&bill->arena, room * sizeof(*groups));

	if (!names || !groups)
		return;
	for (size_t i = 0; i < report->counter_count; i++) {
		names[i] = report->counters[i].row.event;
		groups[i] = report->counters[i].row.group_id;
	}
	bill->use_count = metrics_possible(names, groups, report->counter_count,
					   bill->uses, METRIC_USES_MAX);
}

static size_t most_lines(const struct report *report, enum bill_by by)
{
	size_t count = 2; /* idle, unattributed */

	if (by == BY_PROCESS)
		for (const struct report_process *p = report->processes; p; p = p->next)
			count++;
	else if (by == BY_THREAD)
		for (const struct report_thread *t = report->threads; t; t = t->next)
			count++;
	else
		for (size_t g = 0; g < report->group_count; g++)
			for (const struct report_cpu *c = report->groups[g].cpus; c;
			     c = c->next)
				count++;
	return count;
}

bool bill_make(struct bill *bill, const struct report *report, enum bill_by by,
	       enum bill_rule rule)
{
	struct map lines = { NULL, 0, 0 }; /* by CPU */
	bool done;

	*bill = (struct bill){ .report = report, .by = by, .rule = rule };
	if (most_lines(report, by) > BILL_CELLS_MAX / (report->counter_count + 1))
		return false;
	bill->lines = calloc(most_lines(report, by), sizeof(*bill->lines));
	if (!bill->lines || !line_init(bill, &bill->total, LINE_TOTAL))
		return false;
	bill->total.process = STR("total");
	switch (by) {
	case BY_PROCESS:
		done = make_processes(bill) && make_idle(bill) && make_unattributed(bill);
		break;
	case BY_THREAD:
		done = make_threads(bill) && make_idle(bill) && make_unattributed(bill);
		break;
	default:
		done = make_cpus(bill, &lines);
	}
	map_release(&lines);
	add_total(bill);
	find_metrics(bill);
	return done;
}

void bill_release(struct bill *bill)
{
	free(bill->lines);
	arena_release(&bill->arena);
	*bill = (struct bill){ .report = NULL };
}

/* --- order --- */

enum sort_key {
	KEY_COUNTER,
	KEY_SWITCHES,
	KEY_ON_CPU,
	KEY_THREADS,
	KEY_PID,
	KEY_TID,
	KEY_CPU,
	KEY_PROCESS,
	KEY_THREAD,
};

struct sort_by {
	enum sort_key key;
	size_t counter;
};

static struct sort_by sorting; /* qsort has no argument for it */

static int order(int64_t a, int64_t b)
{
	return a < b ? -1 : a > b;
}

static int by_key(const struct bill_line *a, const struct bill_line *b)
{
	switch (sorting.key) { /* numbers: the largest first; ids and names: ascending */
	case KEY_COUNTER:
		return order(b->values[sorting.counter], a->values[sorting.counter]);
	case KEY_SWITCHES:
		return order(b->switches, a->switches);
	case KEY_ON_CPU:
		return order(b->on_cpu_ns, a->on_cpu_ns);
	case KEY_THREADS:
		return order(b->threads, a->threads);
	case KEY_PID:
		return order(a->pid, b->pid);
	case KEY_TID:
		return order(a->tid, b->tid);
	case KEY_CPU:
		return order(a->cpu, b->cpu);
	case KEY_PROCESS:
		return str_compare(a->process, b->process);
	case KEY_THREAD:
		return str_compare(a->thread, b->thread);
	}
	return 0;
}

static int compare_lines(const void *x, const void *y)
{
	const struct bill_line *a = x, *b = y;
	int result = order(a->kind, b->kind); /* tasks, then idle, then unattributed */

	if (result == 0)
		result = by_key(a, b);
	if (result == 0) /* the same order whatever road the numbers came */
		result = order(a->pid, b->pid);
	if (result == 0)
		result = order(a->tid, b->tid);
	if (result == 0)
		result = order(a->cpu, b->cpu);
	if (result == 0)
		result = str_compare(a->process, b->process);
	if (result == 0)
		result = str_compare(a->thread, b->thread);
	if (result == 0)
		result = order(b->on_cpu_ns, a->on_cpu_ns);
	return result;
}

bool bill_sort(struct bill *bill, const char *column)
{
	static const struct {
		const char *name;
		enum sort_key key;
	} columns[] = {
		{ "switches", KEY_SWITCHES }, { "on_cpu_ns", KEY_ON_CPU },
		{ "threads", KEY_THREADS },   { "pid", KEY_PID },
		{ "tid", KEY_TID },	      { "cpu", KEY_CPU },
		{ "process", KEY_PROCESS },   { "thread", KEY_THREAD },
	};
	bool found = false;

	sorting = (struct sort_by){ KEY_ON_CPU, 0 };
	if (!column) {
		found = true;
		if (bill->by == BY_CPU)
			sorting.key = KEY_CPU;
		else if (bill->heaviest != SIZE_MAX)
			sorting = (struct sort_by){ KEY_COUNTER, bill->heaviest };
	}
	for (size_t i = 0; !found && i < bill->report->counter_count; i++) {
		found = str_equal(bill->report->counters[i].row.name, str_of(column));
		if (found)
			sorting = (struct sort_by){ KEY_COUNTER, i };
	}
	for (size_t i = 0; !found && i < sizeof(columns) / sizeof(columns[0]); i++) {
		found = strcmp(columns[i].name, column) == 0;
		if (found)
			sorting = (struct sort_by){ columns[i].key, 0 };
	}
	if (found)
		qsort(bill->lines, bill->line_count, sizeof(*bill->lines), compare_lines);
	return found;
}
