/* totals.c - collects the rows of one trace that a report needs. */
#include "report/totals.h"

#include "report/places.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/memory.h"
#include "base/wrap.h"
#include "report/totals_cgroups.h"
#include "report/totals_lookup.h"

/* --- rows, which die with their record --- */

static bool on_group(struct totals *totals, const struct counter_group_row *row)
{
	struct totals_group *group;

	if (totals->indexed || row->counters < 0 || row->counters > GROUP_COUNTERS_MAX ||
	    !ARRAY_GROW_ZEROED(totals->groups, totals->group_room, totals->group_count))
		return false;
	group = &totals->groups[totals->group_count++];
	if (!row_copy(&totals->arena, &tables[RECORD_counter_group], &group->row, row))
		return false;
	group->slots = (size_t)row->counters;
	group->first = totals->counter_count;
	if (!ARRAY_GROW_ZEROED(totals->counters, totals->counter_room,
			       totals->counter_count + group->slots))
		return false;
	totals->counter_count += group->slots;
	return totals_lookup_add_group(totals, row->group_id, totals->group_count - 1);
}

static bool on_counter(struct totals *totals, const struct counter_row *row)
{
	const struct totals_group *group = totals_group(totals, row->group_id);
	struct totals_counter *counter;

	if (!group || row->slot < 0 || (size_t)row->slot >= group->slots)
		return true; /* not read at switches */
	counter = &totals->counters[group->first + (size_t)row->slot];
	return row_copy(&totals->arena, &tables[RECORD_counter], &counter->row, row);
}

/* Groups and counters may have moved while they were added; now they stand. */
static bool index_counters(struct totals *totals)
{
	for (size_t g = 0; g < totals->group_count; g++) {
		struct totals_group *group = &totals->groups[g];

		if (!group->cpus_tail)
			group->cpus_tail = &group->cpus;
		for (size_t i = 0; i < group->slots; i++) {
			struct totals_counter *counter =
				&totals->counters[group->first + i];

			counter->group = group;
			if (!map_put(&totals->counter_by_id,
				     (uint64_t)counter->row.counter_id, counter))
				return false;
		}
	}
	return true;
}

/* Thousands have the name of the one before them. */
static struct str kept_name(struct totals *totals, struct str *last, struct str name)
{
	if (!name.ptr)
		return STR_NONE;
	if (!last->ptr || !str_equal(*last, name))
		*last = arena_str(&totals->arena, name);
	return *last;
}

static bool on_process(struct totals *totals, const struct process_row *row)
{
	struct totals_process *process = arena_alloc(&totals->arena, sizeof(*process));

	if (!process)
		return false;
	process->row = *row;
	process->row.name = kept_name(totals, &totals->last_process_name, row->name);
	process->row.command = kept_name(totals, &totals->last_command, row->command);
	if ((row->name.ptr && !process->row.name.ptr) ||
	    (row->command.ptr && !process->row.command.ptr))
		return false;
	*totals->processes_tail = process;
	totals->processes_tail = &process->next;
	return map_put(&totals->process_by_id, (uint64_t)row->process_id, process);
}

/* Most have that of their process. */
static struct str thread_name(struct totals *totals, const struct thread_row *row,
			      const struct totals_process *process)
{
	if (!row->name.ptr || str_equal(process->row.name, row->name))
		return row->name.ptr ? process->row.name : STR_NONE;
	return kept_name(totals, &totals->last_name, row->name);
}

static bool on_thread(struct totals *totals, const struct thread_row *row)
{
	struct totals_thread *thread = arena_alloc(&totals->arena, sizeof(*thread));

	if (!thread)
		return false;
	thread->row = *row;
	thread->process = map_get(&totals->process_by_id, (uint64_t)row->process_id);
	if (!thread->process)
		return false;
	thread->row.name = thread_name(totals, row, thread->process);
	*totals->threads_tail = thread;
	totals->threads_tail = &thread->next;
	return map_put(&totals->thread_by_id, (uint64_t)row->thread_id, thread);
}

/* Sums come in the order of threads: mostly it is the one found last, or the next. */
static struct totals_thread *find_thread(struct totals *totals, int64_t thread_id)
{
	struct totals_thread *thread = totals->recent ? totals->recent : totals->threads;

	if (thread && thread->row.thread_id != thread_id)
		thread = thread->next;
	if (!thread || thread->row.thread_id != thread_id)
		thread = map_get(&totals->thread_by_id, (uint64_t)thread_id);
	if (thread)
		totals->recent = thread;
	return thread;
}

static bool on_thread_summary(struct totals *totals, const struct thread_summary_row *row)
{
	struct totals_thread *thread = find_thread(totals, row->thread_id);
	const struct totals_group *group = totals_group(totals, row->group_id);
	struct totals_book *book;

	if (!thread || !group)
		return false;
	if (!totals->zeros)
		totals->zeros =
			arena_alloc(&totals->arena, GROUP_COUNTERS_MAX * sizeof(int64_t));
	book = arena_alloc(&totals->arena,
			   sizeof(*book) + group->slots * sizeof(*book->charged));
	if (!book || !totals->zeros)
		return false;
	book->summary = *row;
	book->charged = (int64_t *)(book + 1);
	book->interrupts = book->with_idle = book->unproven = totals->zeros;
	book->group = group;
	return totals_lookup_add_book(totals, thread, book);
}

/* Adds the counts that few threads have: interrupts, with idle, unproven. */
static bool add_others(struct totals *totals, struct totals_book *book, size_t slot,
		       const struct thread_charge_row *row)
{
	size_t slots = book->group->slots;

	if (row->interrupts == 0 && row->with_idle == 0 && row->unproven == 0)
		return true;
	if (book->interrupts == totals->zeros) {
		int64_t *others =
			arena_alloc(&totals->arena, 3 * slots * sizeof(*others));

		if (!others)
			return false;
		book->interrupts = others;
		book->with_idle = others + slots;
		book->unproven = others + 2 * slots;
	}
	book->interrupts[slot] = row->interrupts;
	book->with_idle[slot] = row->with_idle;
	book->unproven[slot] = row->unproven;
	return true;
}

static bool on_thread_charge(struct totals *totals, const struct thread_charge_row *row)
{
	const struct totals_counter *counter =
		map_get(&totals->counter_by_id, (uint64_t)row->counter_id);
	const struct totals_thread *thread = find_thread(totals, row->thread_id);
	struct totals_book *book =
		counter && thread
			? totals_lookup_book(totals, thread, counter->row.group_id)
			: NULL;

	if (!book)
		return false;
	book->charged[counter->row.slot] = row->charged;
	return add_others(totals, book, (size_t)counter->row.slot, row);
}

/* --- CPUs and statuses --- */

static bool on_cpu_summary(struct totals *totals, const struct cpu_summary_row *row)
{
	struct totals_group *group = totals_group(totals, row->group_id);
	struct totals_cpu *cpu = arena_alloc(&totals->arena, sizeof(*cpu));

	if (!group || !cpu)
		return false;
	if (!group->cpus_tail)
		group->cpus_tail = &group->cpus;
	cpu->summary = *row;
	cpu->charges = arena_alloc(&totals->arena, (group->slots ? group->slots : 1) *
							   sizeof(*cpu->charges));
	*group->cpus_tail = cpu;
	group->cpus_tail = &cpu->next;
	group->last_cpu = cpu;
	group->switches = wrap_add(group->switches, row->switches);
	group->all_switches = wrap_add(group->all_switches, row->all_switches);
	return cpu->charges && totals_lookup_add_cpu(totals, cpu);
}

static bool on_cpu_charge(struct totals *totals, const struct cpu_charge_row *row)
{
	const struct totals_counter *counter =
		map_get(&totals->counter_by_id, (uint64_t)row->counter_id);
	struct totals_cpu *cpu = counter ? counter->group->last_cpu : NULL;

	/* Charges come right after their summary, which is the last one. */
	if (cpu && cpu->summary.cpu != row->cpu)
		cpu = totals_lookup_cpu(totals, counter->row.group_id, row->cpu);

	if (cpu)
		cpu->charges[counter->row.slot] = *row;
	return cpu != NULL;
}

static bool on_status_summary(struct totals *totals, const struct status_summary_row *row)
{
	struct totals_group *group = totals_group(totals, row->group_id);

	if (!group || row->status < 0 || row->status >= CHARGE_STATUSES)
		return false;
	group->statuses[row->status] = *row;
	return true;
}

static bool on_status_charge(struct totals *totals, const struct status_charge_row *row)
{
	struct totals_counter *counter =
		map_get(&totals->counter_by_id, (uint64_t)row->counter_id);

	if (!counter || row->status < 0 || row->status >= CHARGE_STATUSES)
		return false;
	counter->status_values[row->status] = row->value;
	return true;
}

static bool on_interrupt(struct totals *totals, const struct interrupt_row *row)
{
	struct interrupt_row *interrupt = arena_alloc(&totals->arena, sizeof(*interrupt));

	/* Interrupts of ETW are estimates, and part of no sum. */
	totals->has_interrupts |=
		!str_equal(row->kind, STR("isr")) && !str_equal(row->kind, STR("dpc"));
	return interrupt &&
	       row_copy(&totals->arena, &tables[RECORD_interrupt], interrupt, row) &&
	       map_put(&totals->interrupt_by_id, (uint64_t)row->interrupt_id, interrupt);
}

static bool on_interrupt_summary(struct totals *totals,
				 const struct interrupt_summary_row *row)
{
	const struct totals_group *group = totals_group(totals, row->group_id);
	size_t slots = group ? group->slots : 0;
	struct totals_interrupt *interrupt =
		arena_alloc(&totals->arena, sizeof(*interrupt) + slots * sizeof(int64_t));

	if (!interrupt || !row_copy(&totals->arena, &tables[RECORD_interrupt_summary],
				    &interrupt->summary, row))
		return false;
	interrupt->row = map_get(&totals->interrupt_by_id, (uint64_t)row->interrupt_id);
	interrupt->charged = (int64_t *)(interrupt + 1);
	*totals->interrupts_tail = interrupt;
	totals->interrupts_tail = &interrupt->next;
	return interrupt->row && totals_lookup_add_interrupt(totals, interrupt);
}

static bool is_charge_of(const struct totals_interrupt *interrupt,
			 const struct interrupt_charge_row *row, int64_t group_id)
{
	const struct interrupt_summary_row *summary = &interrupt->summary;

	return summary->interrupt_id == row->interrupt_id && summary->cpu == row->cpu &&
	       summary->thread_id == row->thread_id && summary->group_id == group_id;
}

/* Charges come in the order of their summaries. */
static bool on_interrupt_charge(struct totals *totals,
				const struct interrupt_charge_row *row)
{
	const struct totals_counter *counter =
		map_get(&totals->counter_by_id, (uint64_t)row->counter_id);
	struct totals_interrupt *at = totals->charged_interrupt;

	if (!counter)
		return false;
	if (at && !is_charge_of(at, row, counter->row.group_id))
		at = at->next;
	if (!at || !is_charge_of(at, row, counter->row.group_id))
		at = totals_lookup_interrupt(totals, row, counter->row.group_id);
	totals->charged_interrupt = at;
	if (at)
		at->charged[counter->row.slot] = row->charged;
	return at != NULL;
}

static bool on_counter_audit(struct totals *totals, const struct counter_audit_row *row)
{
	struct totals_counter *counter =
		map_get(&totals->counter_by_id, (uint64_t)row->counter_id);

	/* Without tasks and totals there is no index. */
	for (size_t i = 0; !totals->indexed && i < totals->counter_count; i++)
		if (totals->counters[i].row.counter_id == row->counter_id)
			counter = &totals->counters[i];
	return !counter || row_copy(&totals->arena, &tables[RECORD_counter_audit],
				    &counter->audit, row);
}

static bool on_finding(struct totals *totals, const struct finding_row *row)
{
	return ARRAY_GROW(totals->findings, totals->finding_room,
			  totals->finding_count) &&
	       row_copy(&totals->arena, &tables[RECORD_finding],
			&totals->findings[totals->finding_count++], row);
}

static bool on_trace(struct totals *totals, const struct trace_row *row)
{
	if (!row_copy(&totals->arena, &tables[RECORD_trace], &totals->trace, row))
		return false;
	return totals_lookup_choose_references(totals) && tally_settle(&totals->tally);
}

/* --- the sink --- */

static void totals_begin(struct totals *totals)
{
	*totals = (struct totals){ .group_count = 0 };
	totals->processes_tail = &totals->processes;
	totals->threads_tail = &totals->threads;
	totals->interrupts_tail = &totals->interrupts;
	tally_begin(&totals->tally);
}

static void totals_end(struct totals *totals)
{
	free(totals->groups);
	free(totals->counters);
	free(totals->findings);
	map_release(&totals->process_by_id);
	map_release(&totals->thread_by_id);
	map_release(&totals->counter_by_id);
	map_release(&totals->cgroup_by_id);
	map_release(&totals->part_by_place);
	map_release(&totals->interrupt_by_id);
	totals_lookup_release(totals);
	arena_release(&totals->arena);
	tally_end(&totals->tally);
	totals_begin(totals);
}

static enum status totals_open(struct sink *sink)
{
	struct totals_sink *state = sink->state;

	state->from_ns = INT64_MIN;
	state->to_ns = INT64_MAX;
	totals_begin(&state->totals);
	return ST_OK;
}

/* Totals, tasks and the end follow the groups: then nothing moves any more. */
static bool follows_groups(enum record_kind kind)
{
	switch ((int)kind) {
	case RECORD_process:
	case RECORD_thread_summary:
	case RECORD_cpu_summary:
	case RECORD_status_summary:
	case RECORD_PROCESS_TOTAL:
	case RECORD_trace:
		return true;
	default:
		return false;
	}
}

static bool on_row(struct totals *totals, const struct record *record)
{
	if (!totals->indexed && follows_groups(record->kind)) {
		totals->indexed = true;
		if (!index_counters(totals))
			return false;
	}
	if (!tally_on_row(totals, record))
		return false;
	switch ((int)record->kind) {
	case RECORD_counter_group:
		return on_group(totals, record->data);
	case RECORD_counter:
		return on_counter(totals, record->data);
	case RECORD_process:
		return on_process(totals, record->data);
	case RECORD_thread:
		return on_thread(totals, record->data);
	case RECORD_thread_summary:
		return on_thread_summary(totals, record->data);
	case RECORD_thread_charge:
		return on_thread_charge(totals, record->data);
	case RECORD_cgroup:
		return totals_on_cgroup(totals, record->data);
	case RECORD_cgroup_summary:
		return totals_on_cgroup_summary(totals, record->data);
	case RECORD_cgroup_charge:
		return totals_on_cgroup_charge(totals, record->data);
	case RECORD_cpu_summary:
		return on_cpu_summary(totals, record->data);
	case RECORD_cpu_charge:
		return on_cpu_charge(totals, record->data);
	case RECORD_status_summary:
		return on_status_summary(totals, record->data);
	case RECORD_status_charge:
		return on_status_charge(totals, record->data);
	case RECORD_interrupt:
		return on_interrupt(totals, record->data);
	case RECORD_interrupt_summary:
		return on_interrupt_summary(totals, record->data);
	case RECORD_interrupt_charge:
		return on_interrupt_charge(totals, record->data);
	case RECORD_counter_audit:
		return on_counter_audit(totals, record->data);
	case RECORD_finding:
		return on_finding(totals, record->data);
	case RECORD_trace:
		return on_trace(totals, record->data);
	case RECORD_PROCESS_TOTAL:
		return totals_on_process(totals, record->data);
	default:
		return true; /* not of use here */
	}
}

static enum status totals_put(struct sink *sink, const struct record *record)
{
	struct totals_sink *state = sink->state;
	enum status status = ST_OK;

	state->totals.tally.from_ns = state->from_ns;
	state->totals.tally.to_ns = state->to_ns;
	state->totals.tally.cpus = state->cpus;
	state->totals.tally.cpu_count = state->cpu_count;
	if (!on_row(&state->totals, record))
		return memory_failed()
			       ? error_nomem(&sink->error)
			       : error_set(&sink->error, ST_CORRUPT, ERROR_NO_OFFSET,
					   "inconsistent totals in table %s",
					   record->kind < RECORD_TABLES
						   ? tables[record->kind].name
						   : "process_summary");
	if (state->places && !places_on_row(state->places, record))
		return error_nomem(&sink->error);
	if (state->values && !values_on_row(state->values, record))
		return error_set(&sink->error, ST_LIMIT, ERROR_NO_OFFSET, "%s",
				 state->values->failed);
	if (record->kind == RECORD_trace) {
		status = state->done(state->context, sink, &state->totals);
		totals_end(&state->totals);
		if (state->places)
			places_release(state->places);
		if (state->values)
			values_end(state->values);
	}
	return status;
}

static void totals_close(struct sink *sink)
{
	totals_end(&((struct totals_sink *)sink->state)->totals);
}

const struct sink_ops totals_sink_ops = {
	.name = "totals",
	.totals_only = true,
	.no_process_sums = true,
	.state_size = sizeof(struct totals_sink),
	.open = totals_open,
	.put = totals_put,
	.close = totals_close,
};
