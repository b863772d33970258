/* series.c - adds up switches by interval, and puts the sums of one in a bill's place. */
#include "report/series.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/wrap.h"
#include "model/row_sums.h"
#include "report/series_spool.h"

bool series_begin(struct series *series, enum cut_by by, int64_t from_ns, int64_t to_ns,
		  int64_t interval_ns)
{
	uint64_t length = (uint64_t)to_ns - (uint64_t)from_ns;

	*series = (struct series){ .from_ns = from_ns,
				   .interval_ns = interval_ns,
				   .by = by,
				   .first_used = SIZE_MAX,
				   .recent_number = SIZE_MAX };
	if (to_ns <= from_ns ||
	    (length - 1) / (uint64_t)interval_ns >= SERIES_INTERVALS_MAX)
		return false;
	series->interval_count = (size_t)((length - 1) / (uint64_t)interval_ns + 1);
	return true;
}

void series_coarsen(struct series *series, size_t most)
{
	size_t count = series->interval_count, each = (count + most - 1) / most;

	/* An interval longer than the trace is not cut. */
	if (each <= 1 || series->interval_ns > INT64_MAX / (int64_t)each)
		return;
	series->interval_ns *= (int64_t)each;
	series->interval_count = (count + each - 1) / each;
}

void series_end(struct series *series)
{
	series_clear(series);
	series_spool_close(series);
	free(series->intervals);
	*series = (struct series){ .interval_count = 0 };
}

/* --- adding --- */

static void add_to_thread(struct totals_book *book, const struct context_switch_row *row,
			  enum charge_class class, const int64_t *deltas, size_t slots)
{
	struct thread_summary_row *summary = &book->summary;
	bool is_switch = !row_is_read(row);

	summary->reads += !is_switch && row->status != CHARGE_BASELINE;
	if (class == CLASS_UNPROVEN) {
		summary->unproven_switches += is_switch;
		row_add_time(&summary->unproven_ns, row->on_cpu_ns);
		row_add_all(book->unproven, deltas, slots);
		return;
	}
	if (class == CLASS_INTERRUPT) {
		row_add_time(&summary->interrupts_ns, row->on_cpu_ns);
		row_add_all(book->interrupts, deltas, slots);
		return;
	}
	summary->switches += is_switch;
	row_add_time(&summary->on_cpu_ns, row->on_cpu_ns);
	row_add_known(&summary->running_ns, row->running_ns);
	if (class == CLASS_CHARGED) {
		row_add_all(book->charged, deltas, slots);
		return;
	}
	summary->with_idle_switches += is_switch;
	summary->timeless_switches += is_switch && row->on_cpu_ns == 0;
	row_add_all(book->with_idle, deltas, slots);
}

static void add_to_cpu(struct totals_cpu *cpu, const struct context_switch_row *row,
		       enum charge_class class, const int64_t *deltas, size_t slots)
{
	cpu->summary.switches += !row_is_read(row);
	cpu->summary.reads += row_is_read(row);
	row_add_time(&cpu->summary.on_cpu_ns, row->on_cpu_ns);
	row_add_known(&cpu->summary.running_ns, row->running_ns);
	for (size_t i = 0; i < slots; i++) {
		int64_t *sum = class == CLASS_INTERRUPT	  ? &cpu->charges[i].interrupts
			       : class == CLASS_WITH_IDLE ? &cpu->charges[i].with_idle
							  : &cpu->charges[i].charged;

		*sum = wrap_add(*sum, deltas[i]);
	}
}

static bool add_row(struct series *series, size_t number, const struct record *record,
		    bool in_interrupt)
{
	const struct context_switch_row *row = record->data;
	enum charge_class class = charge_class(row->status, in_interrupt);
	struct series_thread *thread = NULL, *part = NULL;
	struct series_status *status;
	struct series_cpu *cpu;

	if (row->prev_thread_id != INT_NONE && series->by != BY_CPU) {
		thread = series_thread_at(series, number, row, 0, record->slots);
		if (!thread)
			return false;
	}
	if (thread && record->cgroup_id && series->by == BY_CGROUP) {
		part = series_thread_at(series, number, row, record->cgroup_id,
					record->slots);
		if (!part)
			return false;
		part->of = thread;
		add_to_thread(&part->book, row, class, record->deltas, record->slots);
	}
	cpu = series->by == BY_CPU ? series_cpu_at(series, number, row, record->slots)
				   : NULL;
	status = series_status_at(series, number, row, record->slots);
	if (!status || (series->by == BY_CPU && !cpu))
		return false;
	if (thread)
		add_to_thread(&thread->book, row, class, record->deltas, record->slots);
	if (cpu)
		add_to_cpu(&cpu->cpu, row, class, record->deltas, record->slots);
	status->summary.switches += !row_is_read(row);
	status->summary.reads += row_is_read(row);
	row_add_time(&status->summary.on_cpu_ns, row->on_cpu_ns);
	row_add_all(status->values, record->deltas, record->slots);
	return true;
}

bool series_add(struct series *series, const struct record *record, bool in_interrupt)
{
	const struct context_switch_row *row = record->data;
	size_t number;
	bool done;

	if (row->status < 0 || row->status >= CHARGE_STATUSES)
		return true;
	if (series->bytes > SERIES_MEMORY_MAX && !series_spool(series))
		return false;
	return series_interval_at(series, row->ts_ns, &number, &done)
		       ? add_row(series, number, record, in_interrupt)
		       : done;
}

/* --- one interval --- */

/* The threads of the interval before are the list by now. */
static void clear(struct totals *totals)
{
	for (struct totals_thread *t = totals->threads; t; t = t->next) {
		t->books = NULL;
		t->is_sampled = t->is_switched = t->is_listed = false;
	}
	tally_clear(&totals->tally);
	totals->threads = NULL;
	for (size_t g = 0; g < totals->group_count; g++) {
		struct totals_group *group = &totals->groups[g];

		group->cpus = NULL;
		memset(group->statuses, 0, sizeof(group->statuses));
	}
	for (size_t i = 0; i < totals->counter_count; i++)
		memset(totals->counters[i].status_values, 0,
		       sizeof(totals->counters[i].status_values));
}

static bool load_status(struct totals *totals, const struct series_status *status)
{
	struct totals_group *group = totals_group(totals, status->summary.group_id);
	int64_t s = status->summary.status;

	if (!group)
		return false;
	group->statuses[s] = status->summary;
	for (size_t i = 0; i < group->slots; i++)
		totals->counters[group->first + i].status_values[s] = status->values[i];
	return true;
}

bool series_load(struct series *series, size_t number, struct totals *totals)
{
	const struct series_interval *interval;
	bool done = true;

	clear(totals);
	if (number >= series->room)
		return true;
	interval = series->spool ? series_spool_read(series, number)
				 : &series->intervals[number];
	if (!interval)
		return false;
	for (struct series_thread *t = interval->threads; t; t = t->next)
		t->book.parts = NULL;
	for (struct series_thread *t = interval->threads; t; t = t->next) {
		struct totals_thread *thread =
			map_get(&totals->thread_by_id, (uint64_t)t->thread_id);

		t->book.group = totals_group(totals, t->book.summary.group_id);
		if (!thread || !t->book.group)
			return false;
		if (t->of) {
			t->book.next = t->of->book.parts;
			t->of->book.parts = &t->book;
			continue;
		}
		series_list_thread(totals, thread);
		t->book.next = thread->books;
		thread->books = &t->book;
	}
	for (struct series_cpu *c = interval->cpus; c; c = c->next) {
		struct totals_group *group = totals_group(totals, c->group_id);

		if (!group)
			return false;
		c->cpu.next = group->cpus;
		group->cpus = &c->cpu;
	}
	for (struct series_status *s = interval->statuses; s && done; s = s->next)
		done = load_status(totals, s);
	return done && series_load_samples(interval, totals, series->by == BY_CPU);
}
