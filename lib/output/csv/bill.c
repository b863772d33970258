/*
 * bill.c - adds up what processes cost, from the sums of each; bill_write.c writes it.
 *
 * Lines hold ids and numbers only; bill_write.c looks the names up among the tasks.
 */
#include "output/csv/bill.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/wrap.h"
#include "report/bill.h"
#include "report/totals_lookup.h"

static struct totals *totals_of(const struct csv_bill *bill)
{
	return &((struct totals_sink *)bill->totals.state)->totals;
}

/* --- lines --- */

/* NULL: out of memory. */
static struct csv_bill_line *add_line(struct csv_bill *bill, enum line_kind kind)
{
	struct csv_bill_trace *trace = bill->trace;
	struct csv_bill_line *line = arena_alloc(
		&bill->arena, sizeof(*line) + trace->counters * sizeof(line->values[0]));

	if (!line)
		return NULL;
	line->kind = kind;
	line->process_id = line->pid = line->threads = INT_NONE;
	*trace->tail = line;
	trace->tail = &line->next;
	trace->line_count++;
	return line;
}

/* Groups, counters and CPUs are known. */
static bool begin_trace(struct csv_bill *bill)
{
	struct totals *totals = totals_of(bill);
	size_t counters = totals->counter_count;
	struct csv_bill_trace *trace;

	if (bill->trace)
		return true;
	if (!totals->group_count)
		return false;
	trace = arena_alloc(&bill->arena,
			    sizeof(*trace) + counters * sizeof(trace->column_of[0]));
	if (!trace || !totals_lookup_choose_references(totals))
		return false;
	trace->trace_id = totals->groups[0].row.trace_id;
	trace->tail = &trace->lines;
	trace->counters = counters;
	for (size_t i = 0; i < counters; i++)
		trace->column_of[i] =
			csv_columns_find(bill->columns, totals->counters[i].row.name);
	bill->trace = *bill->traces_tail = trace;
	bill->traces_tail = &trace->next;
	bill->with_idle = add_line(bill, LINE_WITH_IDLE);
	if (bill->with_idle && totals->has_interrupts)
		bill->interrupts = add_line(bill, LINE_INTERRUPTS);
	return bill->with_idle && (bill->interrupts || !totals->has_interrupts);
}

static void end_trace(struct csv_bill *bill)
{
	map_release(&bill->process_of);
	map_release(&bill->ran);
	bill->last_thread_id = INT_NONE;
	bill->trace = NULL;
	bill->with_idle = bill->interrupts = bill->last = NULL;
}

/* --- rows --- */

/* A thread that several groups saw is one thread. */
static bool has_groups(const struct csv_bill *bill)
{
	return totals_of(bill)->group_count > 1;
}

static bool on_thread(struct csv_bill *bill, const struct thread_row *row)
{
	return !has_groups(bill) || map_put(&bill->process_of, (uint64_t)row->thread_id,
					    (void *)((uintptr_t)row->process_id + 1));
}

static bool on_thread_summary(struct csv_bill *bill, const struct thread_summary_row *row)
{
	const struct totals_group *group = totals_group(totals_of(bill), row->group_id);
	uintptr_t process, threads;

	if (!group || !group->is_reference || row->switches + row->reads <= 0 ||
	    row->thread_id == bill->last_thread_id || !has_groups(bill))
		return true;
	bill->last_thread_id = row->thread_id;
	process = (uintptr_t)map_get(&bill->process_of, (uint64_t)row->thread_id);
	threads = (uintptr_t)map_get(&bill->ran, process);
	return map_put(&bill->ran, process, (void *)(threads + 1));
}

/* Of idle, and of all others; text of the pid ends with a comma. */
static int64_t pid_of(const struct csv_bill *bill, int64_t process_id)
{
	const struct csv_task *task = csv_tasks_find(&bill->tasks->processes, process_id);
	const char *text = (const char *)bill->tasks->text.data + task->at;
	size_t at = task->size - 1;

	while (at > 0 && text[at - 1] != ',')
		at--;
	return text[at] == ',' ? INT_NONE : strtoll(text + at, NULL, 10);
}

/* The rows of a process follow one another. */
static struct csv_bill_line *process_line(struct csv_bill *bill, int64_t process_id)
{
	struct csv_bill_line *line = bill->last;
	int64_t pid;

	if (line && line->process_id == process_id)
		return line;
	pid = pid_of(bill, process_id);
	line = add_line(bill, pid == 0 ? LINE_IDLE : LINE_TASK);
	if (!line)
		return NULL;
	line->process_id = process_id;
	line->pid = pid == 0 ? INT_NONE : pid;
	line->threads = (int64_t)(uintptr_t)map_get(&bill->ran, (uint64_t)process_id + 1);
	bill->last = line;
	return line;
}

static bool on_summary(struct csv_bill *bill, const struct process_summary_row *row)
{
	const struct totals_group *group = totals_group(totals_of(bill), row->group_id);
	struct csv_bill_line *line = process_line(bill, row->process_id);

	if (!line || !group)
		return false;
	line->is_seen |= row->switches + row->reads != 0;
	if (!group->is_reference)
		return true;
	wrap_add_to(&line->switches, wrap_sub(row->switches, row->with_idle_switches));
	wrap_add_to(&line->on_cpu_ns, row->on_cpu_ns);
	if (!has_groups(bill))
		line->threads = row->threads;
	wrap_add_to(&bill->with_idle->switches, row->with_idle_switches);
	if (bill->interrupts)
		wrap_add_to(&bill->interrupts->on_cpu_ns, row->interrupts_ns);
	return true;
}

static bool on_charge(struct csv_bill *bill, const struct process_charge_row *row)
{
	const struct totals *totals = totals_of(bill);
	const struct totals_counter *counter =
		map_get(&totals->counter_by_id, (uint64_t)row->counter_id);
	size_t i;

	if (!counter || !bill->last || bill->last->process_id != row->process_id)
		return false;
	i = (size_t)(counter - totals->counters);
	wrap_add_to(&bill->last->values[i], row->charged);
	wrap_add_to(&bill->with_idle->values[i], row->with_idle);
	if (bill->interrupts)
		wrap_add_to(&bill->interrupts->values[i], row->interrupts);
	return true;
}

static bool on_row(struct csv_bill *bill, const struct record *record)
{
	switch ((int)record->kind) {
	case RECORD_thread:
		return on_thread(bill, record->data);
	case RECORD_thread_summary:
		return begin_trace(bill) && on_thread_summary(bill, record->data);
	case RECORD_process_summary:
		return begin_trace(bill) && on_summary(bill, record->data);
	case RECORD_process_charge:
		return on_charge(bill, record->data);
	case RECORD_counter_group:
	case RECORD_counter:
	case RECORD_cpu_summary:
	case RECORD_cpu_charge:
	case RECORD_status_summary:
	case RECORD_status_charge:
	case RECORD_interrupt:
	case RECORD_trace:
		return sink_put(&bill->totals, record) == ST_OK;
	default:
		return true;
	}
}

enum status csv_bill_on_row(struct csv_bill *bill, struct sink *sink,
			    const struct record *record)
{
	if (!bill->is_broken && !on_row(bill, record))
		bill->is_broken = true;
	return bill->is_broken && memory_failed() ? error_nomem(&sink->error) : ST_OK;
}

/* --- the end of a trace --- */

/* Makes the line (unattributed) from the sums of unproven statuses. */
static bool add_unattributed(struct csv_bill *bill)
{
	const struct totals *totals = totals_of(bill);
	struct csv_bill_line *line = add_line(bill, LINE_UNATTRIBUTED);

	for (size_t g = 0; line && g < totals->group_count; g++) {
		const struct totals_group *group = &totals->groups[g];

		for (int s = 0; s < CHARGE_STATUSES; s++) {
			if (!charge_is_unproven(s))
				continue;
			if (group->is_reference) {
				wrap_add_to(&line->switches, group->statuses[s].switches);
				wrap_add_to(&line->on_cpu_ns,
					    group->statuses[s].on_cpu_ns);
			}
			for (size_t i = group->first; i < group->first + group->slots;
			     i++)
				wrap_add_to(&line->values[i],
					    totals->counters[i].status_values[s]);
		}
	}
	return line != NULL;
}

/* SIZE_MAX: time on the CPU. */
static bool find_heaviest(const struct csv_bill *bill, size_t *heaviest)
{
	const struct csv_bill_trace *trace = bill->trace;
	int64_t *sums = memory_alloc_zeroed(trace->counters + 1, sizeof(*sums));

	if (!sums)
		return false;
	for (const struct csv_bill_line *l = trace->lines; l; l = l->next)
		for (size_t i = 0; i < trace->counters; i++)
			wrap_add_to(&sums[i], l->values[i]);
	*heaviest = bill_heaviest(totals_of(bill), sums);
	free(sums);
	return true;
}

/* A line with what decides, the largest first. */
struct item {
	int64_t key;
	struct csv_bill_line *line;
};

static int compare(const void *x, const void *y)
{
	const struct item *i = x, *j = y;
	const struct csv_bill_line *a = i->line, *b = j->line;

	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (i->key != j->key)
		return i->key > j->key ? -1 : 1;
	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	return a->process_id < b->process_id ? -1 : a->process_id > b->process_id;
}

/* Processes that never ran are left out. */
static bool sort_lines(struct csv_bill *bill)
{
	struct csv_bill_trace *trace = bill->trace;
	struct item *items = memory_alloc(trace->line_count * sizeof(*items));
	size_t count = 0, heaviest;

	if (!items || !find_heaviest(bill, &heaviest)) {
		free(items);
		return false;
	}
	for (struct csv_bill_line *l = trace->lines; l; l = l->next)
		if (l->is_seen || (l->kind != LINE_TASK && l->kind != LINE_IDLE))
			items[count++] = (struct item){
				heaviest == SIZE_MAX ? l->on_cpu_ns : l->values[heaviest],
				l,
			};
	qsort(items, count, sizeof(*items), compare);
	trace->tail = &trace->lines;
	for (size_t i = 0; i < count; i++) {
		*trace->tail = items[i].line;
		trace->tail = &items[i].line->next;
	}
	*trace->tail = NULL;
	free(items);
	return true;
}

static enum status on_totals(void *context, struct sink *sink, struct totals *totals)
{
	struct csv_bill *bill = context;
	bool done = !totals->group_count ||
		    (begin_trace(bill) && add_unattributed(bill) && sort_lines(bill));

	end_trace(bill);
	return done ? ST_OK : error_nomem(&sink->error);
}

enum status csv_bill_open(struct csv_bill *bill, struct sink *sink,
			  const struct csv_columns *columns,
			  const struct csv_tasks *tasks)
{
	struct totals_sink *totals;

	bill->columns = columns;
	bill->tasks = tasks;
	bill->traces_tail = &bill->traces;
	end_trace(bill);
	if (sink_open(&bill->totals, &totals_sink_ops, NULL) != ST_OK) {
		bill->totals.ops = NULL;
		return error_nomem(&sink->error);
	}
	totals = bill->totals.state;
	totals->done = on_totals;
	totals->context = bill;
	return ST_OK;
}

void csv_bill_release(struct csv_bill *bill)
{
	if (bill->totals.ops)
		sink_close(&bill->totals);
	end_trace(bill);
	arena_release(&bill->arena);
	*bill = (struct csv_bill){ .traces = NULL };
}
