/* tally.c - adds up samples and perf stat counts from table rows. */
#include "report/tally.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/wrap.h"
#include "report/totals.h"

void tally_begin(struct tally *tally)
{
	*tally = (struct tally){
		.from_ns = INT64_MIN,
		.to_ns = INT64_MAX,
		.events_tail = &tally->events,
		.by_thread_tail = &tally->by_thread,
		.by_cpu_tail = &tally->by_cpu,
		.by_cgroup_tail = &tally->by_cgroup,
		.on_cpu_tail = &tally->on_cpu,
		.stat_ns = INT_NONE,
	};
}

void tally_end(struct tally *tally)
{
	for (struct tally_event *event = tally->events; event; event = event->next)
		map_release(&event->stat_by_place);
	map_release(&tally->event_by_id);
	map_release(&tally->sample_by_place);
	arena_release(&tally->arena);
}

/* Finds or adds an event, also before its own row has come.  NULL: out of memory. */
static struct tally_event *event_of(struct tally *tally, int64_t counter_id)
{
	struct tally_event *event = map_get(&tally->event_by_id, (uint64_t)counter_id);

	if (event)
		return event;
	event = arena_alloc(&tally->arena, sizeof(*event));
	if (!event || !map_put(&tally->event_by_id, (uint64_t)counter_id, event))
		return NULL;
	event->row.counter_id = counter_id;
	event->stats_tail = &event->stats;
	*tally->events_tail = event;
	tally->events_tail = &event->next;
	tally->event_count++;
	return event;
}

/* NULL: there is no such counter. */
static struct tally_event *declared_event(const struct tally *tally, int64_t counter_id)
{
	struct tally_event *event = map_get(&tally->event_by_id, (uint64_t)counter_id);

	return event && event->is_declared ? event : NULL;
}

static bool on_counter(struct tally *tally, const struct counter_row *row)
{
	struct tally_event *event = event_of(tally, row->counter_id);

	if (!event)
		return false;
	if (!row_copy(&tally->arena, &tables[RECORD_counter], &event->row, row))
		return false;
	event->is_declared = true;
	event->in_group = row->group_id != INT_NONE;
	return true;
}

/* --- samples and time --- */

static struct tally_samples *add_samples(struct tally *tally, struct tally_event *event,
					 struct tally_samples ***tail)
{
	struct tally_samples *samples = arena_alloc(&tally->arena, sizeof(*samples));

	if (!samples)
		return NULL;
	event->is_sampled = true;
	samples->event = event;
	**tail = samples;
	*tail = &samples->next;
	return samples;
}

static uint64_t place_of(int64_t thread_id, int64_t counter_id)
{
	return (thread_id == INT_NONE ? 0 : (uint64_t)thread_id + 1) << 32 |
	       (uint32_t)counter_id;
}

static bool on_sample_summary(struct totals *totals, const struct sample_summary_row *row)
{
	struct tally *tally = &totals->tally;
	struct tally_event *event = declared_event(tally, row->counter_id);
	struct totals_thread *thread = NULL;
	struct tally_samples *samples;

	if (row->thread_id != INT_NONE)
		thread = map_get(&totals->thread_by_id, (uint64_t)row->thread_id);
	if (!event || (row->thread_id != INT_NONE && !thread))
		return false;
	if (event->in_group)
		return true;
	samples = add_samples(tally, event, &tally->by_thread_tail);
	if (!samples)
		return false;
	if (thread)
		thread->is_sampled = true;
	samples->thread = thread;
	samples->cpu = INT_NONE;
	samples->samples = row->samples;
	samples->events = row->events;
	event->has_periods |= row->events != 0;
	return map_put(&tally->sample_by_place, place_of(row->thread_id, row->counter_id),
		       samples);
}

/* After those of the thread, of which they are a part. */
static bool on_sample_cgroup_summary(struct totals *totals,
				     const struct sample_cgroup_summary_row *row)
{
	struct tally *tally = &totals->tally;
	struct tally_event *event = declared_event(tally, row->counter_id);
	struct tally_samples *all = map_get(&tally->sample_by_place,
					    place_of(row->thread_id, row->counter_id));
	struct tally_samples *samples;

	if (!event || row->cgroup_id == INT_NONE || row->cgroup_id == 0)
		return false;
	if (event->in_group)
		return true;
	if (!all || all->event != event ||
	    (row->thread_id != INT_NONE &&
	     all->thread != map_get(&totals->thread_by_id, (uint64_t)row->thread_id)))
		return false;
	samples = add_samples(tally, event, &tally->by_cgroup_tail);
	if (!samples)
		return false;
	totals->has_cgroups = true;
	samples->thread = all->thread;
	samples->cpu = INT_NONE;
	samples->cgroup_id = row->cgroup_id;
	samples->samples = row->samples;
	samples->events = row->events;
	all->part_samples = wrap_add(all->part_samples, row->samples);
	all->part_events = wrap_add(all->part_events, row->events);
	return true;
}

static bool on_sample_cpu_summary(struct tally *tally,
				  const struct sample_cpu_summary_row *row)
{
	struct tally_event *event = declared_event(tally, row->counter_id);
	struct tally_samples *samples;

	if (!event || event->in_group)
		return event != NULL;
	if (row->samples == 0) { /* others were left out: sampling_note() */
		event->is_sampled = true;
		event->has_periods |= row->events != 0;
		return true;
	}
	samples = add_samples(tally, event, &tally->by_cpu_tail);
	if (!samples)
		return false;
	samples->cpu = row->cpu;
	samples->samples = row->samples;
	samples->events = row->events;
	event->has_periods |= row->events != 0;
	return true;
}

static bool on_on_cpu(struct totals *totals, const struct on_cpu_summary_row *row)
{
	struct tally *tally = &totals->tally;
	struct tally_on_cpu *on_cpu = arena_alloc(&tally->arena, sizeof(*on_cpu));

	if (!on_cpu)
		return false;
	on_cpu->row = *row;
	on_cpu->thread = map_get(&totals->thread_by_id, (uint64_t)row->thread_id);
	if (!on_cpu->thread)
		return false;
	on_cpu->thread->is_switched = true;
	*tally->on_cpu_tail = on_cpu;
	tally->on_cpu_tail = &on_cpu->next;
	return true;
}

/* Saturates, as the count of a finding does. */
static void add_loss(int64_t *sum, int64_t more)
{
	if (__builtin_add_overflow(*sum, more, sum))
		*sum = INT64_MAX;
}

static bool on_lost(struct tally *tally, const struct lost_row *row)
{
	struct tally_event *event;

	tally->has_loss_times = true;
	if (row->ts_ns != INT_NONE &&
	    !time_is_within(row->ts_ns, tally->from_ns, tally->to_ns))
		return true;
	if (tally->cpus && row->cpu >= 0 &&
	    ((uint64_t)row->cpu >= tally->cpu_count || !tally->cpus[row->cpu]))
		return true;
	add_loss(str_equal(row->record, STR("LOST_SAMPLES")) ? &tally->window_lost_samples
							     : &tally->window_lost_events,
		 row->events);
	if (!str_equal(row->record, STR("LOST_SAMPLES"))) {
		tally->lost_records = wrap_add(tally->lost_records, row->events);
		return true;
	}
	if (row->counter_id == INT_NONE) {
		tally->lost_samples = wrap_add(tally->lost_samples, row->events);
		return true;
	}
	event = event_of(tally, row->counter_id);
	if (event)
		event->lost_samples = wrap_add(event->lost_samples, row->events);
	return event != NULL;
}

/* --- perf stat --- */

/*
 * perf stat record writes what it read from the kernel, so counts rise from round to
 * round, with -I as well: the last one is the total (arm64-smp1.hw_stat_system.data,
 * whose last counts have no round of their own).
 */
static bool on_stat(struct tally *tally, const struct stat_row *row)
{
	struct tally_event *event;
	uint64_t place = (row->cpu == INT_NONE ? 0 : (uint64_t)row->cpu + 1) << 32 |
			 (uint32_t)row->thread;
	struct tally_stat *stat;

	if (row->counter_id == INT_NONE) /* not described: a finding says so */
		return true;
	if ((row->cpu != INT_NONE && (row->cpu < 0 || row->cpu >= CPU_MAX)) ||
	    (row->thread != INT_NONE && (row->thread < 0 || row->thread > UINT32_MAX)))
		return false;
	event = event_of(tally, row->counter_id);
	stat = event ? map_get(&event->stat_by_place, place) : NULL;
	if (!event)
		return false;
	if (!stat) {
		stat = arena_alloc(&tally->arena, sizeof(*stat));
		if (!stat || !map_put(&event->stat_by_place, place, stat))
			return false;
		*event->stats_tail = stat;
		event->stats_tail = &stat->next;
	}
	stat->row = *row;
	return true;
}

static void on_stat_round(struct tally *tally, const struct stat_round_row *row)
{
	tally->stat_rounds++;
	tally->stat_ns = row->time_ns;
}

/* --- rows, settling --- */

bool tally_on_row(struct totals *totals, const struct record *record)
{
	struct tally *tally = &totals->tally;

	switch ((int)record->kind) {
	case RECORD_counter:
		return on_counter(tally, record->data);
	case RECORD_sample_summary:
		return on_sample_summary(totals, record->data);
	case RECORD_sample_cgroup_summary:
		return on_sample_cgroup_summary(totals, record->data);
	case RECORD_sample_cpu_summary:
		return on_sample_cpu_summary(tally, record->data);
	case RECORD_on_cpu_summary:
		return on_on_cpu(totals, record->data);
	case RECORD_lost:
		return on_lost(tally, record->data);
	case RECORD_stat:
		return on_stat(tally, record->data);
	case RECORD_stat_round:
		on_stat_round(tally, record->data);
		return true;
	default:
		return true; /* not of use here */
	}
}

void tally_clear(struct tally *tally)
{
	tally->by_thread = tally->by_cpu = tally->by_cgroup = NULL;
	tally->by_thread_tail = &tally->by_thread;
	tally->by_cpu_tail = &tally->by_cpu;
	tally->by_cgroup_tail = &tally->by_cgroup;
	tally->on_cpu = NULL;
	tally->on_cpu_tail = &tally->on_cpu;
	map_release(&tally->sample_by_place);
}

static int compare_events(const void *x, const void *y)
{
	const struct tally_event *a = *(const struct tally_event *const *)x;
	const struct tally_event *b = *(const struct tally_event *const *)y;

	return a->row.counter_id < b->row.counter_id ? -1 : 1;
}

static void settle_event(struct tally *tally, struct tally_event *event)
{
	for (const struct tally_stat *stat = event->stats; stat; stat = stat->next)
		tally->stat_count += event->is_declared;
	if (!event->in_group)
		tally->lost_samples = wrap_add(tally->lost_samples, event->lost_samples);
	if (event->is_sampled)
		event->column = tally->column_count++;
}

bool tally_settle(struct tally *tally)
{
	struct tally_event **events =
		memory_alloc((tally->event_count + 1) * sizeof(*events));
	size_t count = 0;

	if (!events)
		return false;
	for (struct tally_event *event = tally->events; event; event = event->next)
		events[count++] = event;
	qsort(events, count, sizeof(struct tally_event *), compare_events);
	tally->events_tail = &tally->events;
	for (size_t i = 0; i < count; i++) {
		*tally->events_tail = events[i];
		tally->events_tail = &events[i]->next;
		settle_event(tally, events[i]);
	}
	*tally->events_tail = NULL;
	free(events);
	return true;
}
