/*
 * scope.c - whether the groups of a trace follow tasks or CPUs, where no ID_INDEX record
 * says so.
 *
 * perf record writes ID_INDEX since 6.0, THREAD_MAP and CPU_MAP since 4.14.  THREAD_MAP
 * has the tasks that were followed, or -1 for all of the CPUs.  Older files say less: the
 * flag enable_on_exec is set for a command alone, SWITCH records are those of tasks and
 * SWITCH_CPU_WIDE those of CPUs, and an event that is read is inherited by tasks alone
 * (evsel__config() of perf, perf_event_switch() of the kernel).
 */
#include "formats/perf/perf.h"

/* u64 count, then {u64 tid, char name[16]} */
#define THREAD_BYTES 24

bool perf_note_threads(struct perf_catalog *catalog, struct cursor c)
{
	struct perf_scope *scope = &catalog->scope;
	size_t count;

	cursor_skip(&c, 8);
	count = cursor_left(&c) / THREAD_BYTES;
	if (scope->tid_count || count == 0)
		return true;
	scope->tids = arena_alloc(&catalog->arena, count * sizeof(*scope->tids));
	if (!scope->tids)
		return false;
	for (; scope->tid_count < count; scope->tid_count++) {
		scope->tids[scope->tid_count] = (int32_t)cursor_u64(&c);
		cursor_skip(&c, THREAD_BYTES - 8);
	}
	return true;
}

void perf_note_cpu(struct perf_scope *scope, int64_t cpu)
{
	if (cpu < 0 || cpu >= CPU_MAX)
		return;
	if (!(scope->cpus[cpu / 64] >> cpu % 64 & 1))
		scope->cpu_count++;
	scope->cpus[cpu / 64] |= UINT64_C(1) << cpu % 64;
}

/* The CPU after `cpu` in the map; there must be one. */
static int64_t next_cpu(const struct perf_scope *scope, int64_t cpu)
{
	do
		cpu++;
	while (!(scope->cpus[cpu / 64] >> cpu % 64 & 1));
	return cpu;
}

/* Without a THREAD_MAP as many as the ids allow. */
static size_t count_tasks(const struct perf_scope *scope, const struct perf_event *event)
{
	if (scope->tid_count)
		return scope->tid_count;
	if (scope->cpu_count == 0 || event->id_count % scope->cpu_count)
		return 1;
	return event->id_count / scope->cpu_count;
}

/*
 * perf opens an event for each task on each CPU, or for each task over all CPUs.  The ids
 * are in this order: all tasks of the first CPU, then those of the next one.
 */
static void place_ids(const struct perf_scope *scope, const struct perf_event *event,
		      bool has_map)
{
	size_t tasks = count_tasks(scope, event), task = 0;
	bool is_each_cpu = event->id_count == scope->cpu_count * tasks;
	bool is_each_task = scope->tid_count && event->id_count == tasks;
	int64_t cpu = -1;

	for (struct perf_stream *s = event->streams; s; s = s->next) {
		s->on_one_cpu = is_each_cpu || !is_each_task;
		if (!is_each_cpu && !is_each_task)
			continue;
		if (is_each_cpu && task == 0)
			cpu = next_cpu(scope, cpu);
		if (is_each_cpu) {
			s->cpu = cpu;
			s->is_indexed = has_map && (tasks == 1 || scope->tid_count);
		}
		if (scope->tid_count)
			s->task = scope->tids[task];
		task = (task + 1) % tasks;
	}
}

/* What else than a THREAD_MAP says that tasks were followed. */
static bool has_task_signs(const struct perf_catalog *catalog)
{
	const struct perf_scope *scope = &catalog->scope;
	bool is_inherited = false;

	for (size_t i = 0; i < catalog->event_count; i++) {
		const struct perf_event *event = catalog->events[i];

		if (event->flags & PERF_FLAG_ENABLE_ON_EXEC)
			return true;
		is_inherited |= event->flags & PERF_FLAG_INHERIT && event->is_switch &&
				event->sample_type & PERF_READ;
	}
	if (scope->has_task_switches != scope->has_cpu_switches)
		return scope->has_task_switches;
	return is_inherited;
}

void perf_find_scope(struct perf *perf)
{
	struct perf_scope *scope = &perf->catalog.scope;
	bool has_map = scope->cpu_count != 0;
	int64_t cpu_count = has_map ? 0 : perf->rows.trace.cpu_count;

	if (scope->is_found)
		return;
	scope->is_found = true;
	if (scope->is_indexed)
		return;
	scope->follows_tasks =
		scope->tid_count ? scope->tids[0] >= 0 : has_task_signs(&perf->catalog);
	if (!scope->follows_tasks)
		return;
	for (int64_t cpu = 0; cpu < cpu_count && cpu < CPU_MAX; cpu++)
		perf_note_cpu(scope, cpu);
	for (size_t i = 0; i < perf->catalog.event_count; i++)
		place_ids(scope, perf->catalog.events[i], has_map);
}
