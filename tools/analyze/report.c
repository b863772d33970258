/* report.c - see report.h. */
#include "report.h"

#include <stdlib.h>

#include "base/wrap.h"

/* --- copies: rows die with their record --- */

static struct str keep(struct report *report, struct str text)
{
	if (!text.ptr)
		return text;
	/* Thousands of threads go by the name of the one before them. */
	if (!report->last_text.ptr || !str_equal(report->last_text, text))
		report->last_text = arena_str(&report->arena, text);
	return report->last_text;
}

/* One more element; NULL when out of memory. */
static void *append(void **array, size_t *count, size_t size)
{
	char *bigger;

	/* Doubles at powers of two. */
	if ((*count & (*count - 1)) == 0) {
		bigger = realloc(*array, (*count ? *count * 2 : 1) * size);
		if (!bigger)
			return NULL;
		*array = bigger;
	}
	bigger = (char *)*array + (*count)++ * size;
	memset(bigger, 0, size);
	return bigger;
}

static struct report_group *find_group(const struct report *report, int64_t group_id)
{
	for (size_t i = 0; i < report->group_count; i++)
		if (report->groups[i].row.group_id == group_id)
			return &report->groups[i];
	return NULL;
}

/* --- rows --- */

static bool take_group(struct report *report, const struct counter_group_row *row)
{
	void *groups = report->groups;
	struct report_group *group =
		append(&groups, &report->group_count, sizeof(*group));

	report->groups = groups;
	if (!group || row->counters < 0 || row->counters > GROUP_COUNTERS_MAX)
		return false;
	group->row = *row;
	group->row.leader = keep(report, row->leader);
	group->row.scope = keep(report, row->scope);
	group->row.has_times = keep(report, row->has_times);
	group->slots = (size_t)row->counters;
	group->first = report->counter_count;
	for (size_t i = 0; i < group->slots; i++) {
		void *counters = report->counters;
		struct report_counter *counter =
			append(&counters, &report->counter_count, sizeof(*counter));

		report->counters = counters;
		if (!counter)
			return false;
	}
	return true;
}

static bool take_counter(struct report *report, const struct counter_row *row)
{
	const struct report_group *group = find_group(report, row->group_id);
	struct report_counter *counter;

	if (!group || row->slot < 0 || (size_t)row->slot >= group->slots)
		return true; /* not read at switches */
	counter = &report->counters[group->first + (size_t)row->slot];
	counter->row = *row;
	counter->row.name = keep(report, row->name);
	counter->row.event = keep(report, row->event);
	counter->row.unit = keep(report, row->unit);
	return true;
}

/* Groups and counters may have moved while they were added; now they stand. */
static bool index_counters(struct report *report)
{
	for (size_t g = 0; g < report->group_count; g++) {
		struct report_group *group = &report->groups[g];

		if (!group->cpus_tail)
			group->cpus_tail = &group->cpus;
		for (size_t i = 0; i < group->slots; i++) {
			struct report_counter *counter =
				&report->counters[group->first + i];

			counter->group = group;
			if (!map_put(&report->counter_by_id,
				     (uint64_t)counter->row.counter_id, counter))
				return false;
		}
	}
	return true;
}

static bool take_process(struct report *report, const struct process_row *row)
{
	struct report_process *process = arena_alloc(&report->arena, sizeof(*process));

	if (!process)
		return false;
	process->row = *row;
	process->row.name = keep(report, row->name);
	process->row.command = keep(report, row->command);
	*report->processes_tail = process;
	report->processes_tail = &process->next;
	return map_put(&report->process_by_id, (uint64_t)row->process_id, process);
}

static bool take_thread(struct report *report, const struct thread_row *row)
{
	struct report_thread *thread = arena_alloc(&report->arena, sizeof(*thread));

	if (!thread)
		return false;
	thread->row = *row;
	thread->process = map_get(&report->process_by_id, (uint64_t)row->process_id);
	if (thread->process && str_equal(thread->process->row.name, row->name))
		thread->row.name = thread->process->row.name;
	else
		thread->row.name = keep(report, row->name);
	*report->threads_tail = thread;
	report->threads_tail = &thread->next;
	return thread->process &&
	       map_put(&report->thread_by_id, (uint64_t)row->thread_id, thread);
}

struct report_book *report_book(const struct report_thread *thread, int64_t group_id)
{
	struct report_book *book = thread->books;

	while (book && book->summary.group_id != group_id)
		book = book->next;
	return book;
}

static bool take_thread_summary(struct report *report,
				const struct thread_summary_row *row)
{
	struct report_thread *thread =
		map_get(&report->thread_by_id, (uint64_t)row->thread_id);
	const struct report_group *group = find_group(report, row->group_id);
	struct report_book *book;

	if (!thread || !group)
		return false;
	book = arena_alloc(&report->arena,
			   sizeof(*book) + 3 * group->slots * sizeof(*book->charged));
	if (!book)
		return false;
	book->summary = *row;
	book->charged = (int64_t *)(book + 1);
	book->with_idle = book->charged + group->slots;
	book->unproven = book->with_idle + group->slots;
	book->next = thread->books;
	thread->books = book;
	return true;
}

static bool take_thread_charge(struct report *report, const struct thread_charge_row *row)
{
	const struct report_counter *counter =
		map_get(&report->counter_by_id, (uint64_t)row->counter_id);
	const struct report_thread *thread =
		map_get(&report->thread_by_id, (uint64_t)row->thread_id);
	struct report_book *book =
		counter && thread ? report_book(thread, counter->row.group_id) : NULL;

	if (!book)
		return false;
	book->charged[counter->row.slot] = row->charged;
	book->with_idle[counter->row.slot] = row->with_idle;
	book->unproven[counter->row.slot] = row->unproven;
	return true;
}

static bool take_cpu_summary(struct report *report, const struct cpu_summary_row *row)
{
	struct report_group *group = find_group(report, row->group_id);
	struct report_cpu *cpu = arena_alloc(&report->arena, sizeof(*cpu));

	if (!group || !cpu)
		return false;
	if (!group->cpus_tail)
		group->cpus_tail = &group->cpus;
	cpu->summary = *row;
	cpu->charges = arena_alloc(&report->arena, (group->slots ? group->slots : 1) *
							   sizeof(*cpu->charges));
	*group->cpus_tail = cpu;
	group->cpus_tail = &cpu->next;
	group->last_cpu = cpu;
	group->switches = wrap_add(group->switches, row->switches);
	group->all_switches = wrap_add(group->all_switches, row->all_switches);
	return cpu->charges != NULL;
}

static bool take_cpu_charge(struct report *report, const struct cpu_charge_row *row)
{
	const struct report_counter *counter =
		map_get(&report->counter_by_id, (uint64_t)row->counter_id);
	struct report_cpu *cpu = counter ? counter->group->cpus : NULL;

	/* Charges come right behind their summary, which is the last one. */
	if (counter && counter->group->last_cpu &&
	    counter->group->last_cpu->summary.cpu == row->cpu)
		cpu = counter->group->last_cpu;
	while (cpu && cpu->summary.cpu != row->cpu)
		cpu = cpu->next;

	if (cpu)
		cpu->charges[counter->row.slot] = *row;
	return cpu != NULL;
}

static bool take_status_summary(struct report *report,
				const struct status_summary_row *row)
{
	struct report_group *group = find_group(report, row->group_id);

	if (!group || row->status < 0 || row->status >= CHARGE_STATUSES)
		return false;
	group->statuses[row->status] = *row;
	return true;
}

static bool take_status_charge(struct report *report, const struct status_charge_row *row)
{
	struct report_counter *counter =
		map_get(&report->counter_by_id, (uint64_t)row->counter_id);

	if (!counter || row->status < 0 || row->status >= CHARGE_STATUSES)
		return false;
	counter->status_values[row->status] = row->value;
	return true;
}

static bool take_finding(struct report *report, const struct finding_row *row)
{
	void *findings = report->findings;
	struct finding_row *finding =
		append(&findings, &report->finding_count, sizeof(*finding));

	report->findings = findings;
	if (!finding)
		return false;
	*finding = *row;
	finding->severity = keep(report, row->severity);
	finding->kind = keep(report, row->kind);
	finding->text = keep(report, row->text);
	return true;
}

static bool take_trace(struct report *report, const struct trace_row *row)
{
	struct trace_row *trace = &report->trace;
	struct str *texts[] = { &trace->path,	 &trace->format,    &trace->status,
				&trace->clock,	 &trace->host,	    &trace->os_release,
				&trace->arch,	 &trace->cpu_model, &trace->recorder,
				&trace->command, &trace->form,	    &trace->byte_order };

	*trace = *row;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		*texts[i] = keep(report, *texts[i]);
	for (size_t i = 0; i < report->group_count; i++)
		if (!report->reference ||
		    report->groups[i].switches > report->reference->switches)
			report->reference = &report->groups[i];
	return tally_settle(&report->tally);
}

/* --- the sink --- */

static void report_begin(struct report *report)
{
	*report = (struct report){ .group_count = 0 };
	report->processes_tail = &report->processes;
	report->threads_tail = &report->threads;
	tally_begin(&report->tally);
}

static void report_end(struct report *report)
{
	free(report->groups);
	free(report->counters);
	free(report->findings);
	map_release(&report->process_by_id);
	map_release(&report->thread_by_id);
	map_release(&report->counter_by_id);
	arena_release(&report->arena);
	tally_end(&report->tally);
	report_begin(report);
}

static enum status report_open(struct sink *sink)
{
	struct report_sink *state = sink->state;

	state->from_ns = INT64_MIN;
	state->to_ns = INT64_MAX;
	report_begin(&state->report);
	return ST_OK;
}

static bool take(struct report *report, const struct record *record)
{
	/* Totals and people come when all groups are known: nothing moves any more. */
	if (!report->indexed &&
	    (record->kind == RECORD_process || record->kind >= RECORD_process_summary)) {
		report->indexed = true;
		if (!index_counters(report))
			return false;
	}
	if (!tally_take(report, record))
		return false;
	switch ((int)record->kind) {
	case RECORD_counter_group:
		return take_group(report, record->data);
	case RECORD_counter:
		return take_counter(report, record->data);
	case RECORD_process:
		return take_process(report, record->data);
	case RECORD_thread:
		return take_thread(report, record->data);
	case RECORD_thread_summary:
		return take_thread_summary(report, record->data);
	case RECORD_thread_charge:
		return take_thread_charge(report, record->data);
	case RECORD_cpu_summary:
		return take_cpu_summary(report, record->data);
	case RECORD_cpu_charge:
		return take_cpu_charge(report, record->data);
	case RECORD_status_summary:
		return take_status_summary(report, record->data);
	case RECORD_status_charge:
		return take_status_charge(report, record->data);
	case RECORD_finding:
		return take_finding(report, record->data);
	case RECORD_trace:
		return take_trace(report, record->data);
	default:
		return true; /* rows that are of no use here */
	}
}

static enum status report_put(struct sink *sink, const struct record *record)
{
	struct report_sink *state = sink->state;
	enum status status = ST_OK;

	state->report.tally.from_ns = state->from_ns;
	state->report.tally.to_ns = state->to_ns;
	if (!take(&state->report, record))
		return error_set(
			&sink->error, ST_CORRUPT, ERROR_NO_OFFSET,
			"the totals do not fit together (table %s), or memory is out",
			tables[record->kind].name);
	if (state->values && !values_take(state->values, record))
		return error_set(&sink->error, ST_LIMIT, ERROR_NO_OFFSET, "%s",
				 state->values->failed);
	if (record->kind == RECORD_trace) {
		status = state->done(state->context, sink, &state->report);
		report_end(&state->report);
		if (state->values)
			values_end(state->values);
	}
	return status;
}

static void report_close(struct sink *sink)
{
	report_end(&((struct report_sink *)sink->state)->report);
}

const struct sink_ops report_sink_ops = {
	.name = "report",
	.totals_only = true,
	.state_size = sizeof(struct report_sink),
	.open = report_open,
	.put = report_put,
	.close = report_close,
};
