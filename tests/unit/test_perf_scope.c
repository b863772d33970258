/*
 * test_perf_scope.c - lib/formats/perf/scope.c: which task and CPU an id is of, where no
 * ID_INDEX record says it.
 */
#include <string.h>

#include "formats/perf/perf.h"
#include "unit.h"

#define IDS_MAX 8

struct fixture {
	struct perf perf;
	struct perf_event event;
	struct perf_event *events[1];
	struct perf_stream streams[IDS_MAX];
};

static void setup(struct fixture *f)
{
	f->events[0] = &f->event;
	f->perf.catalog.events = f->events;
	f->perf.catalog.event_count = 1;
	f->perf.rows.trace.cpu_count = INT_NONE;
}

static void teardown(struct fixture *f)
{
	arena_release(&f->perf.catalog.arena);
}

UNIT_FIXTURE(struct fixture, setup, teardown);

static void ids(struct fixture *f, size_t count)
{
	assert_true(count <= IDS_MAX);
	f->event.streams = f->streams;
	f->event.id_count = count;
	for (size_t i = 0; i < count; i++)
		f->streams[i] =
			(struct perf_stream){ .event = &f->event,
					      .next = i + 1 < count ? &f->streams[i + 1]
								    : NULL,
					      .task = INT_NONE,
					      .cpu = INT_NONE };
}

/* A THREAD_MAP record of these tasks. */
static void threads(struct fixture *f, const int64_t *tids, size_t count)
{
	uint64_t words[1 + 3 * IDS_MAX] = { count };

	for (size_t i = 0; i < count; i++)
		words[1 + 3 * i] = (uint64_t)tids[i];
	assert_true(perf_note_threads(&f->perf.catalog,
				      cursor_over((const uint8_t *)words, 8 + 24 * count,
						  0, false)));
}
#define THREADS(f, ...)                                \
	threads((f), (const int64_t[]){ __VA_ARGS__ }, \
		sizeof((const int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t))

static void cpus(struct fixture *f, int64_t first, int64_t second)
{
	perf_note_cpu(&f->perf.catalog.scope, first);
	perf_note_cpu(&f->perf.catalog.scope, second);
}

/* "5@0 indexed one": the task and the CPU of each id, and what they say. */
static void assert_ids(struct fixture *f, const char *expected)
{
	char text[512] = "";
	size_t at = 0;

	perf_find_scope(&f->perf);
	for (const struct perf_stream *s = f->event.streams; s; s = s->next) {
		char task[24] = "?", cpu[24] = "?";

		if (s->task != INT_NONE)
			snprintf(task, sizeof(task), "%lld", (long long)s->task);
		if (s->cpu != INT_NONE)
			snprintf(cpu, sizeof(cpu), "%lld", (long long)s->cpu);
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%s@%s%s%s",
				       at ? ", " : "", task, cpu,
				       s->is_indexed ? " indexed" : "",
				       s->on_one_cpu ? " one" : "");
	}
	assert_string_equal(text, expected);
}

/* All tasks of the first CPU, then those of the next one. */
UNIT_CASE(each_task_on_each_cpu, struct fixture *f)
{
	ids(f, 4);
	THREADS(f, 51, 52);
	cpus(f, 3, 130);
	assert_ids(
		f,
		"51@3 indexed one, 52@3 indexed one, 51@130 indexed one, 52@130 indexed one");
	assert_true(f->perf.catalog.scope.follows_tasks);
}

UNIT_CASE(each_task_on_all_cpus, struct fixture *f)
{
	ids(f, 2);
	THREADS(f, 51, 52);
	cpus(f, 0, 1);
	perf_note_cpu(&f->perf.catalog.scope, 2);
	assert_ids(f, "51@?, 52@?");
}

/* Ids that fit neither are on one CPU, which is not known. */
UNIT_CASE(other_numbers_of_ids, struct fixture *f)
{
	ids(f, 3);
	THREADS(f, 51, 52);
	cpus(f, 0, 1);
	assert_ids(f, "?@? one, ?@? one, ?@? one");
}

/* -1 is all of the CPUs. */
UNIT_CASE(all_of_the_cpus, struct fixture *f)
{
	ids(f, 2);
	THREADS(f, -1);
	cpus(f, 0, 1);
	f->event.flags = PERF_FLAG_ENABLE_ON_EXEC;
	assert_ids(f, "?@?, ?@?");
	assert_false(f->perf.catalog.scope.follows_tasks);
}

/* Without a THREAD_MAP a command was followed; its task is not known. */
UNIT_CASE(a_command, struct fixture *f)
{
	ids(f, 2);
	cpus(f, 4, 5);
	f->event.flags = PERF_FLAG_ENABLE_ON_EXEC;
	assert_ids(f, "?@4 indexed one, ?@5 indexed one");
}

UNIT_CASE(a_command_of_two_tasks_a_cpu, struct fixture *f)
{
	ids(f, 4);
	cpus(f, 4, 5);
	f->event.flags = PERF_FLAG_ENABLE_ON_EXEC;
	assert_ids(f, "?@4 one, ?@4 one, ?@5 one, ?@5 one");
}

/* Without a CPU_MAP the CPUs are those of the machine: likely, not certain. */
UNIT_CASE(cpus_of_the_machine, struct fixture *f)
{
	ids(f, 2);
	f->perf.rows.trace.cpu_count = 2;
	f->event.flags = PERF_FLAG_ENABLE_ON_EXEC;
	assert_ids(f, "?@0 one, ?@1 one");
}

UNIT_CASE(an_index_says_it, struct fixture *f)
{
	ids(f, 1);
	THREADS(f, 51);
	cpus(f, 0, 0);
	f->perf.catalog.scope.is_indexed = true;
	assert_ids(f, "?@?");
}

/* What says that tasks were followed. */
UNIT_TEST(signs_of_tasks)
{
	const uint64_t inherit = PERF_FLAG_INHERIT;
	const struct {
		int line;
		uint64_t flags, sample_type;
		bool is_switch, of_tasks, of_cpus;
		bool follows_tasks;
	} rows[] = {
		{ ROW, 0, PERF_READ, true, false, false, false },
		{ ROW, PERF_FLAG_ENABLE_ON_EXEC, 0, false, false, true, true },
		{ ROW, inherit, PERF_READ, true, false, false, true },
		{ ROW, inherit, PERF_READ, false, false, false, false },
		{ ROW, inherit, 0, true, false, false, false },
		{ ROW, 0, 0, false, true, false, true },
		/* Records of CPUs say more than the flag. */
		{ ROW, inherit, PERF_READ, true, false, true, false },
		{ ROW, inherit, PERF_READ, true, true, true, true },
		{ ROW, 0, 0, true, true, true, false },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct fixture *f = unit_alloc(sizeof(*f));

		setup(f);
		ids(f, 1);
		f->event.flags = rows[i].flags;
		f->event.sample_type = rows[i].sample_type;
		f->event.is_switch = rows[i].is_switch;
		f->perf.catalog.scope.has_task_switches = rows[i].of_tasks;
		f->perf.catalog.scope.has_cpu_switches = rows[i].of_cpus;
		perf_find_scope(&f->perf);
		ROW_INT(&rows[i], f->perf.catalog.scope.follows_tasks,
			rows[i].follows_tasks);
	}
}

/* The first THREAD_MAP counts; one cut short has the tasks that are whole. */
UNIT_CASE(maps_of_threads, struct fixture *f)
{
	const uint64_t words[] = { 9, 61, 0, 0, 62, 0 };
	struct perf_catalog *catalog = &f->perf.catalog;

	assert_true(perf_note_threads(catalog, cursor_over((const uint8_t *)words,
							   sizeof(words), 0, false)));
	assert_int_equal(catalog->scope.tid_count, 1);
	assert_int_equal(catalog->scope.tids[0], 61);
	THREADS(f, 71, 72);
	assert_int_equal(catalog->scope.tid_count, 1);
}

UNIT_CASE(maps_of_cpus, struct fixture *f)
{
	cpus(f, 7, 7);
	cpus(f, -1, CPU_MAX);
	assert_int_equal(f->perf.catalog.scope.cpu_count, 1);
	perf_note_cpu(&f->perf.catalog.scope, CPU_MAX - 1);
	assert_int_equal(f->perf.catalog.scope.cpu_count, 2);
}
