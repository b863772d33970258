/* series_books.c - finds or adds what an interval has of a thread, a CPU and a status. */
#include <string.h>

#include "base/wrap.h"
#include "report/series.h"

void series_clear(struct series *series)
{
	map_release(&series->threads);
	map_release(&series->cpus);
	map_release(&series->statuses);
	map_release(&series->samples);
	map_release(&series->on_cpu);
	arena_release(&series->arena);
	memset(series->recent, 0, sizeof(series->recent));
	memset(series->recent_status, 0, sizeof(series->recent_status));
	series->bytes = 0;
	series->first_used = series->recent_number = SIZE_MAX;
	series->last_used = 0;
}

struct series_thread *series_make_thread(struct series *series, size_t number,
					 const struct context_switch_row *row,
					 int64_t cgroup_id, size_t slots)
{
	uint64_t key =
		map_key((int64_t)number, row->group_id, cgroup_id, row->prev_thread_id);
	struct series_thread *thread;
	int64_t *sums;

	MAP_FIND(&series->threads, key, thread,
		 series_is_thread(thread, number, row, cgroup_id));
	if (thread)
		return thread;
	thread = series_allocate(series, sizeof(*thread) + 4 * slots * sizeof(*sums));
	if (!thread || !map_put(&series->threads, key, thread))
		return NULL;
	sums = (int64_t *)(thread + 1);
	thread->thread_id = row->prev_thread_id;
	thread->number = number;
	thread->slots = slots;
	thread->book.cgroup_id = cgroup_id;
	thread->book.summary.thread_id = row->prev_thread_id;
	thread->book.summary.group_id = row->group_id;
	thread->book.summary.running_ns = INT_NONE;
	thread->book.charged = sums;
	thread->book.interrupts = sums + slots;
	thread->book.with_idle = sums + 2 * slots;
	thread->book.unproven = sums + 3 * slots;
	thread->next = series->intervals[number].threads;
	series->intervals[number].threads = thread;
	return thread;
}

struct series_cpu *series_cpu_at(struct series *series, size_t number,
				 const struct context_switch_row *row, size_t slots)
{
	uint64_t key = map_key((int64_t)number, row->group_id, row->cpu, 0);
	struct series_cpu *cpu;

	MAP_FIND(&series->cpus, key, cpu,
		 cpu->cpu.summary.cpu == row->cpu && cpu->number == number &&
			 cpu->group_id == row->group_id);
	if (cpu)
		return cpu;
	cpu = series_allocate(series, sizeof(*cpu) + slots * sizeof(*cpu->cpu.charges));
	if (!cpu || !map_put(&series->cpus, key, cpu))
		return NULL;
	cpu->number = number;
	cpu->slots = slots;
	cpu->group_id = row->group_id;
	cpu->cpu.charges = (struct cpu_charge_row *)(cpu + 1);
	cpu->cpu.summary.cpu = row->cpu;
	cpu->cpu.summary.running_ns = INT_NONE;
	cpu->next = series->intervals[number].cpus;
	series->intervals[number].cpus = cpu;
	return cpu;
}

struct series_status *series_make_status(struct series *series, size_t number,
					 const struct context_switch_row *row,
					 size_t slots)
{
	uint64_t key = map_key((int64_t)number, row->group_id, row->status, 0);
	struct series_status *status;

	MAP_FIND(&series->statuses, key, status, series_is_status(status, number, row));
	if (status)
		return status;
	status = series_allocate(series,
				 sizeof(*status) + slots * sizeof(*status->values));
	if (!status || !map_put(&series->statuses, key, status))
		return NULL;
	status->number = number;
	status->slots = slots;
	status->summary.status = row->status;
	status->summary.group_id = row->group_id;
	status->values = (int64_t *)(status + 1);
	status->next = series->intervals[number].statuses;
	series->intervals[number].statuses = status;
	return status;
}

bool series_add_samples(struct series *series, const struct series_samples *at)
{
	struct series_interval *interval = &series->intervals[at->number];
	bool is_time = at->counter_id == INT_NONE;
	struct map *map = is_time ? &series->on_cpu : &series->samples;
	struct series_samples **list = is_time ? &interval->on_cpu : &interval->samples;
	int64_t place = (int64_t)map_key(at->cgroup_id, at->cpu, 0, 0);
	uint64_t key = map_key((int64_t)at->number, at->counter_id, at->thread_id, place);
	struct series_samples *found;

	MAP_FIND(map, key, found,
		 found->number == at->number && found->counter_id == at->counter_id &&
			 found->cgroup_id == at->cgroup_id &&
			 found->thread_id == at->thread_id && found->cpu == at->cpu);
	if (!found) {
		found = series_allocate(series, sizeof(*found));
		if (!found || !map_put(map, key, found))
			return false;
		*found = *at;
		found->samples = found->events = 0;
		found->next = *list;
		*list = found;
	}
	found->samples = wrap_add(found->samples, at->samples);
	found->events = wrap_add(found->events, at->events);
	return true;
}
