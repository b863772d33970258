/* test_balance.c - wild traces: the books balance, and both roads lead to the same. */
#include <stdlib.h>
#include <string.h>

#include "events.h"
#include "formats/formats.h"
#include "output/outputs.h"
#include "rows.h"

/* --- a wild trace --- */

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* A second group samples the same switch a little later; its values are the same. */
static void add_second(struct trace *trace, int64_t ts, int64_t cpu, int64_t prev,
		       int64_t next, uint64_t leader, uint64_t value)
{
	struct record *record;
	struct switch_event *event = unit_alloc(sizeof(*event));

	trace_add_switch(trace, ts + 5, cpu, prev, next, leader, value);
	record = &trace->records[trace->count - 1];
	memcpy(event, record->data, sizeof(*event));
	event->group_id = 2;
	event->stream = cpu + 3;
	record->data = event;
}

/*
 * Three CPUs, six threads, every kind of trouble; no value is 2^63 (see below).  With
 * two groups each counts the same, but the second one misses switches of its own.
 */
static void make_wild(struct trace *trace, uint64_t seed, int64_t groups, size_t switches)
{
	uint64_t random = seed, leader[3] = { 0 }, value[3] = { 0 };
	int64_t on_cpu[3] = { 0 }, ts = 1000;

	for (int64_t group = 1; group <= groups; group++)
		trace_begin_group(trace, group);
	for (size_t i = 0; i < switches; i++) {
		int64_t cpu = (int64_t)(next_random(&random) % 3);
		uint64_t trouble = next_random(&random) % 32;
		int64_t next = (int64_t)(next_random(&random) % 6);
		int64_t prev = trouble == 1 ? 9 : on_cpu[cpu];

		ts += (int64_t)(next_random(&random) % 1000);
		if (trouble == 2)
			TRACE_ADD(trace, RECORD_LOSS,
				  (struct loss_event){ ts, cpu, INT_NONE, 5,
						       STR("LOST") });
		if (trouble == 3)
			TRACE_ADD(trace, RECORD_THROTTLED,
				  (struct throttled_event){ ts, INT_NONE, INT_NONE,
							    true });
		if (trouble == 4)
			TRACE_ADD(trace, RECORD_SWITCH_IN,
				  (struct switch_in_event){ ts, cpu, prev, true, false,
							    INT_NONE });
		leader[cpu] += trouble == 5 ? 3 : 1;
		value[cpu] += trouble == 6 ? next_random(&random) | 1
					   : next_random(&random) % 100000;
		trace_add_switch(trace, ts, cpu, prev, next, leader[cpu], value[cpu]);
		if (groups > 1 && trouble != 7)
			add_second(trace, ts, cpu, prev, next, leader[cpu], value[cpu]);
		on_cpu[cpu] = next;
	}
	trace_end(trace);
}

/* --- a wild trace of groups that follow tasks --- */

/* More tasks than CPUs, and few numbers for all that come and go. */
enum { TASK_CPUS = 3, TASKS = 6, TASK_NUMBERS = 9, TASK_NUMBER = 100 };

struct wild_task {
	int64_t tid; /* 0: there is none in this place */
	bool on_cpu;
	int64_t since_ns, ran_ns;
	uint64_t leader, value;
};

struct wild {
	struct trace *trace;
	uint64_t random;
	int64_t ts;
	struct wild_task tasks[TASKS], *on_cpu[TASK_CPUS];
};

static bool is_number_used(const struct wild *wild, int64_t tid)
{
	for (size_t i = 0; i < TASKS; i++)
		if (wild->tasks[i].tid == tid)
			return true;
	return false;
}

/* The counters of a new task start at zero, also where its number was used before. */
static void fork_task(struct wild *wild, struct wild_task *task)
{
	int64_t tid;

	do
		tid = TASK_NUMBER + (int64_t)(next_random(&wild->random) % TASK_NUMBERS);
	while (is_number_used(wild, tid));
	*task = (struct wild_task){ .tid = tid };
	TRACE_ADD(wild->trace, RECORD_TASK_FORK,
		  (struct task_fork_event){ wild->ts, tid, tid, 1, 1 });
}

/* One instance for all tasks, as of a group that children inherit. */
static void add_task_sample(const struct wild *wild, const struct wild_task *task,
			    int64_t cpu, int64_t sample_tid, bool is_final)
{
	struct switch_event *event = unit_alloc(sizeof(*event));
	struct record *record;

	trace_add_switch(wild->trace, wild->ts, cpu, INT_NONE, INT_NONE, task->leader,
			 task->value);
	record = &wild->trace->records[wild->trace->count - 1];
	memcpy(event, record->data, sizeof(*event));
	event->stream = 0;
	event->per_task = true;
	event->is_final = is_final;
	event->sample_pid = event->sample_tid = sample_tid;
	event->enabled_ns = event->running_ns = task->ran_ns;
	record->data = event;
}

static void leave_cpu(struct wild *wild, struct wild_task *task, int64_t cpu)
{
	uint64_t trouble = next_random(&wild->random) % 32;
	int64_t tid = task->tid;

	task->on_cpu = false;
	task->ran_ns += wild->ts - task->since_ns;
	task->value += next_random(&wild->random) % 100000;
	if (trouble == 1 || trouble == 2)
		TRACE_ADD(wild->trace, RECORD_LOSS,
			  (struct loss_event){ wild->ts, cpu, INT_NONE, 5, STR("LOST") });
	if (trouble == 3)
		task->value /= 2;
	if (trouble < 8) { /* it ends, and may have no number in its last sample */
		const struct task_exit_event exit = { wild->ts, cpu, tid, tid };

		TRACE_ADD(wild->trace, RECORD_TASK_EXIT, exit);
		if (trouble != 5)
			TRACE_ADD(wild->trace, RECORD_TASK_EXITING, exit);
		task->tid = 0;
	}
	task->leader += trouble != 7;
	if (trouble != 2 && trouble != 8) /* else nothing is sampled */
		add_task_sample(wild, task, cpu, trouble == 4 || trouble == 5 ? -1 : tid,
				trouble == 7);
}

static void make_wild_tasks(struct trace *trace, uint64_t seed, size_t switches)
{
	struct wild wild = { .trace = trace, .random = seed, .ts = 1000 };
	struct counter_group_row *group = unit_alloc(sizeof(*group));

	trace_begin_group(trace, 1);
	memcpy(group, trace->records[0].data, sizeof(*group));
	group->scope = STR("task");
	trace->records[0].data = group;
	while (trace->count < switches) {
		int64_t cpu = (int64_t)(next_random(&wild.random) % TASK_CPUS);
		struct wild_task *task = wild.on_cpu[cpu];

		wild.ts += SAME_SWITCH_NS + (int64_t)(next_random(&wild.random) % 10000);
		if (task) {
			leave_cpu(&wild, task, cpu);
			wild.on_cpu[cpu] = NULL;
			continue;
		}
		task = &wild.tasks[next_random(&wild.random) % TASKS];
		if (task->on_cpu)
			continue;
		if (!task->tid)
			fork_task(&wild, task);
		task->on_cpu = true;
		task->since_ns = wild.ts;
		wild.on_cpu[cpu] = task;
	}
	trace_end(trace);
}

/* What a group of CPUs or of tasks records. */
enum kind { ONE_GROUP, TWO_GROUPS, OF_TASKS, KINDS };

static void make_kind(struct trace *trace, enum kind kind, uint64_t seed, size_t switches)
{
	*trace = (struct trace){ NULL, 0, 0 };
	if (kind == OF_TASKS)
		make_wild_tasks(trace, seed, switches);
	else
		make_wild(trace, seed, kind == TWO_GROUPS ? 2 : 1, switches);
}

/* --- the books --- */

/*
 * What is 0 where the books balance: foreign keys, CPUs, processes against CPUs,
 * switches, statuses, times.  SQLite adds without wrapping, so in halves.
 */
static const char *const zeros[] = {
	"SELECT count(*) FROM pragma_foreign_key_check",
	"WITH h AS (SELECT (last_value & 0xffffffff) - (first_value & 0xffffffff)"
	" - (charged & 0xffffffff) - (with_idle & 0xffffffff)"
	" - (idle & 0xffffffff) - (unattributed & 0xffffffff) AS low,"
	" (last_value >> 32) - (first_value >> 32) - (charged >> 32)"
	" - (with_idle >> 32) - (idle >> 32) - (unattributed >> 32) AS high"
	" FROM cpu_charge)"
	"SELECT count(*) FROM h WHERE ((high << 32) + low) <> 0",
	"WITH p AS (SELECT counter_id, sum(charged & 0xffffffff) AS c,"
	" sum(with_idle & 0xffffffff) AS w FROM process_charge GROUP BY 1),"
	"c AS (SELECT counter_id, sum((charged & 0xffffffff) + (idle & "
	"0xffffffff))"
	" AS c, sum(with_idle & 0xffffffff) AS w FROM cpu_charge GROUP BY 1)"
	"SELECT count(*) FROM p JOIN c USING (counter_id)"
	" WHERE (p.c - c.c) & 0xffffffff OR (p.w - c.w) & 0xffffffff",
	"SELECT (SELECT sum(switches) FROM cpu_summary) -"
	" (SELECT count(*) FROM context_switch)",
	"SELECT (SELECT sum(switches) FROM status_summary) -"
	" (SELECT count(*) FROM context_switch)",
	"SELECT (SELECT sum(on_cpu_ns) FROM status_summary) -"
	" (SELECT sum(on_cpu_ns) FROM cpu_summary)",
};

/*
 * Likewise rows against books.  All that a group counts of a task is in the book of the
 * CPU that it first left; of a task that no record identifies, of this CPU.
 */
#define BOOKS                                                             \
	"b AS (SELECT cpu, last_value - first_value AS d FROM cpu_charge" \
	" WHERE counter_id = 11)"                                         \
	"SELECT count(*) FROM r JOIN b USING (cpu) WHERE (r.d - b.d) & "  \
	"0xffffffff"
static const char *const rows_by_cpu =
	"WITH r AS (SELECT cpu, sum(delta_1 & 0xffffffff) AS d FROM context_switch"
	" WHERE group_id = 1 GROUP BY cpu), " BOOKS;
static const char *const rows_by_home =
	"WITH h AS (SELECT prev_thread_id AS thread, cpu, min(switch_id)"
	" FROM context_switch GROUP BY 1),"
	" r AS (SELECT iif(thread, h.cpu, s.cpu) AS cpu, sum(delta_1 & 0xffffffff) AS d"
	" FROM context_switch AS s LEFT JOIN h ON thread = prev_thread_id GROUP BY 1), " BOOKS;
/* Few numbers for many tasks. */
static const char *const reused =
	"SELECT count(DISTINCT tid) <= 10 AND count(*) > 100 FROM thread";

static void write_database(const struct trace *trace, const char *path)
{
	const struct sink_options options = { .path = path, .overwrite = true };
	struct sink sink;

	assert_int_equal(sink_open(&sink, &sqlite_writer, &options), ST_OK);
	if (trace_run(trace, &sink, 1) != ST_OK || sink_finish(&sink) != ST_OK)
		fail_msg("%s", sink.error.text);
	sink_close(&sink);
}

UNIT_TEST(wild)
{
	for (uint64_t seed = 1; seed <= 6; seed++) {
		enum kind kind = (enum kind)(seed % KINDS);
		struct trace trace;
		sqlite3 *db;

		make_kind(&trace, kind, seed * 7919, 3000);
		write_database(&trace, unit_path("wild.db"));
		db = rows_open_database(unit_path("wild.db"));
		for (size_t i = 0; i < COUNT(zeros); i++)
			rows_answer(db, zeros[i], "0");
		rows_answer(db, kind == OF_TASKS ? rows_by_home : rows_by_cpu, "0");
		if (kind == OF_TASKS)
			rows_answer(db, reused, "1");
	}
}

/* --- two roads, one answer --- */

static const char *const totals[] = {
	"thread_summary", "thread_charge",  "cpu_summary",
	"cpu_charge",	  "status_summary", "status_charge"
};

/* The totals from a reader, of a window that begins there. */
static enum status totals_of(struct reader *reader, int64_t from_ns,
			     struct unit_notes *notes)
{
	static const struct pipeline_hooks no_hooks;
	struct sink sink = unit_noting_sink(notes);
	struct pipeline pipeline;
	enum status status;

	pipeline_init(&pipeline, &sink, 1);
	pipeline.from_ns = from_ns;
	status = pipeline_run(&pipeline, reader, &no_hooks);
	pipeline_release(&pipeline);
	return status;
}

/* Totals from the trace, as stored, and worked out anew from the stored switches. */
static void compare_roads(const struct trace *trace, const char *path, int64_t from_ns)
{
	bool is_whole = from_ns == INT64_MIN;
	struct unit_play play = { trace->records, trace->count, 0, ST_OK };
	struct reader replay = unit_replay(&play);
	struct unit_notes notes[3];

	assert_int_equal(totals_of(&replay, from_ns, &notes[0]), ST_OK);
	for (int wants = 0; wants < 2; wants++) {
		const struct reader_options options = { .want_switches =
								wants || !is_whole };
		struct reader reader;

		assert_int_equal(reader_open(&reader, path, &options, all_formats),
				 ST_OK);
		if (totals_of(&reader, from_ns, &notes[1 + wants]) != ST_OK)
			fail_msg("%s", reader.error.text);
		reader_close(&reader);
	}
	for (size_t t = 0; t < COUNT(totals); t++) {
		const char *from[3];

		for (int i = 0; i < 3; i++)
			from[i] = unit_notes_of(&notes[i], totals[t]);
		assert_true(strlen(from[0]) > 0);
		assert_string_equal(from[0], from[1]);
		assert_string_equal(from[0], from[2]);
	}
}

/* The whole trace, and windows that begin within a loss. */
UNIT_TEST(two_roads)
{
	const char *path = unit_path("roads.db");

	for (enum kind kind = 0; kind < KINDS; kind++) {
		struct trace trace;
		size_t windows = 0;

		make_kind(&trace, kind, 12345, 2000);
		write_database(&trace, path);
		compare_roads(&trace, path, INT64_MIN);
		for (size_t i = 0; i < trace.count && windows < 5; i++) {
			const struct loss_event *loss = trace.records[i].data;

			if (trace.records[i].kind != RECORD_LOSS)
				continue;
			windows++;
			compare_roads(&trace, path, loss->ts_ns);
		}
		assert_int_equal(windows, 5);
	}
}

/* --- numbers at the edge, which the columns that are NOT NULL must take --- */

static void assert_can_be_written(const struct trace *trace)
{
	const struct sink_options options = { .path = unit_below(unit_directory(),
								 "edge.db") };
	struct sink sink;
	enum status status;

	assert_int_equal(sink_open(&sink, &sqlite_writer, &options), ST_OK);
	status = trace_run(trace, &sink, 1);
	if (status == ST_OK)
		status = sink_finish(&sink);
	sink_close(&sink);
	if (status != ST_OK)
		fail_msg("%s", sink.error.text);
}

/* A counter may stand at 2^63, and rise by it: the pattern that INT_NONE has in a row. */
UNIT_TEST(value_of_int_none)
{
	struct trace trace = { NULL, 0, 0 };

	trace_begin_group(&trace, 1);
	trace_add_switch(&trace, 100, 0, 7, 8, 1, UINT64_C(1) << 63);
	trace_add_switch(&trace, 200, 0, 8, 7, 2, (UINT64_C(1) << 63) + 1);
	trace_add_switch(&trace, 300, 0, 7, 8, 3, 1);
	trace_end(&trace);
	assert_can_be_written(&trace);
}

/*
 * Two intervals, the first as long as there can be: their sum wraps to the same pattern.
 */
UNIT_TEST(time_of_int_none)
{
	const int64_t quarter = INT64_C(1) << 62;
	struct trace trace = { NULL, 0, 0 };

	trace_begin_group(&trace, 1);
	trace_add_switch(&trace, -quarter, 0, 8, 7, 1, 1);
	trace_add_switch(&trace, quarter - 1, 0, 7, 7, 2, 2);
	trace_add_switch(&trace, quarter, 0, 7, 7, 3, 3);
	trace_end(&trace);
	assert_can_be_written(&trace);
}
