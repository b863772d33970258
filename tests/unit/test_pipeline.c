/*
 * test_pipeline.c - lib/pipeline: what reads, ends and findings of a trace make of its
 * rows, and what the intervals of a live one begin with.
 */
#include <string.h>

#include "base/scope.h"
#include "events.h"

/* --- what follows a switch --- */

static struct switch_event *last_event(const struct trace *trace)
{
	return (struct switch_event *)(uintptr_t)trace->records[trace->count - 1].data;
}

static void add_read(struct trace *trace, int64_t ts, int64_t tid, uint64_t leader,
		     uint64_t value)
{
	struct switch_event *event;

	trace_add_switch(trace, ts, 0, tid, INT_NONE, leader, value);
	event = last_event(trace);
	event->is_read = true;
	event->prev_tid = INT_NONE;
}

/* A read says which switch it follows; what comes after it is known to the end. */
UNIT_TEST(reads)
{
	struct trace trace = { NULL, 0, 0 };
	struct unit_notes notes;

	trace_begin_group(&trace, 1);
	trace_add_switch(&trace, 100, 0, 8, 7, 1, 10);
	trace_add_switch(&trace, 200, 0, 7, 8, 2, 30);
	add_read(&trace, 300, 8, 2, 70);
	notes = trace_rows(&trace);
	HAS(unit_notes_of(&notes, "group_read"), "read_id=1 ts_ns=300 ",
	    " after_switch_id=2 ");
	HAS(unit_notes_of(&notes, "group_read_value"),
	    "read_id=1 counter_id=11 delta=40\n");
	LACKS(unit_notes_of(&notes, "finding"), "last_interval");
}

/* --- what is unknown of a CPU: before its first values, and after its last --- */

/* The findings of a trace that begins and ends then. */
static const char *findings_between(struct trace *trace, int64_t first_ns,
				    int64_t last_ns)
{
	struct unit_notes notes;
	struct sink sink = unit_noting_sink(&notes);

	TRACE_ADD(trace, RECORD_trace,
		  (struct trace_row){ .format = STR("test"),
				      .status = STR("complete"),
				      .first_ns = first_ns,
				      .last_ns = last_ns });
	assert_int_equal(trace_run(trace, &sink, 1), ST_OK);
	return unit_notes_of(&notes, "finding");
}

#define FIRST "text='baselines, not charged: before the first switch on "
#define LAST "text='unknown counts: after the last switch on "

UNIT_TEST(ends_of_one_cpu)
{
	struct trace trace = { NULL, 0, 0 };
	const char *findings;

	trace_begin_group(&trace, 1);
	trace_add_switch(&trace, 1000500, 3, 8, 7, 1, 10);
	findings = findings_between(&trace, 500, 1251000);
	HAS(findings, "kind='first_interval' count=1 ", FIRST "1 CPU: CPU 3 1.000 ms'",
	    "kind='last_interval' count=1 ", LAST "1 CPU: CPU 3 0.251 ms'");
}

/* All count, those with the longest times have names. */
UNIT_TEST(ends_of_cpus)
{
	struct trace trace = { NULL, 0, 0 };
	const char *findings;

	trace_begin_group(&trace, 1);
	for (int64_t cpu = 0; cpu < 5; cpu++)
		trace_add_switch(&trace, 1000000 * (cpu + 2), cpu, 8, 7, 1, 10);
	findings = findings_between(&trace, 1000000, 2006000000);
	HAS(findings, "kind='first_interval' count=5 ",
	    FIRST "5 CPUs, 15.000 ms in total: CPU 4 5.000 ms, CPU 3 4.000 ms, "
		  "CPU 2 3.000 ms and 2 more'",
	    "kind='last_interval' count=5 ",
	    LAST "5 CPUs, 10,010.000 ms in total: CPU 0 2,004.000 ms, "
		 "CPU 1 2,003.000 ms, CPU 2 2,002.000 ms and 2 more'");
}

/* A CPU with two groups counts once, with the longer time. */
UNIT_TEST(ends_of_groups)
{
	struct trace trace = { NULL, 0, 0 };
	const char *findings;

	trace_begin_group(&trace, 1);
	trace_begin_group(&trace, 2);
	trace_add_switch(&trace, 2000000, 0, 8, 7, 1, 10);
	trace_add_switch(&trace, 5000000, 0, 7, 8, 1, 10);
	last_event(&trace)->stream = 1;
	last_event(&trace)->group_id = 2;
	findings = findings_between(&trace, 1000000, 7000000);
	HAS(findings, "kind='first_interval' count=2 ", FIRST "1 CPU: CPU 0 4.000 ms'",
	    "kind='last_interval' count=2 ", LAST "1 CPU: CPU 0 5.000 ms'");
}

/* A switch without values leaves the counts before it unknown, too. */
UNIT_TEST(ends_unread)
{
	struct trace trace = { NULL, 0, 0 };
	const char *findings;

	trace_begin_group(&trace, 1);
	trace_add_switch(&trace, 1000000, 0, 8, 7, 0, 0);
	last_event(&trace)->unread = true;
	trace_add_switch(&trace, 2000000, 0, 7, 8, 1, 10);
	trace_add_switch(&trace, 5000000, 0, 8, 7, 0, 0);
	last_event(&trace)->unread = true;
	findings = findings_between(&trace, 1000000, 7000000);
	HAS(findings, FIRST "1 CPU: CPU 0 1.000 ms'", LAST "1 CPU: CPU 0 5.000 ms'");
}

/* Times of a damaged trace neither overflow nor go below zero. */
UNIT_TEST(ends_damaged)
{
	struct trace trace = { NULL, 0, 0 };
	const char *findings;

	trace_begin_group(&trace, 1);
	for (int64_t cpu = 0; cpu < 4; cpu++)
		trace_add_switch(&trace, 1000 + cpu, cpu, 8, 7, 1, 10);
	trace_add_switch(&trace, INT64_MAX, CPU_MAX - 1, 8, 7, 1, 10);
	findings = findings_between(&trace, INT64_MIN + 1, INT64_MAX - 1);
	HAS(findings,
	    FIRST "5 CPUs, 9,223,372,036,854.776 ms in total: "
		  "CPU 0 9,223,372,036,854.776 ms, CPU 1 9,223,372,036,854.776 ms, "
		  "CPU 2 9,223,372,036,854.776 ms and 2 more'",
	    LAST "5 CPUs, 9,223,372,036,854.776 ms in total: ");
	trace = (struct trace){ NULL, 0, 0 };
	trace_begin_group(&trace, 1);
	trace_add_switch(&trace, 100, 0, 8, 7, 1, 10);
	findings = findings_between(&trace, 101, 99);
	HAS(findings, FIRST "1 CPU: CPU 0 0.000 ms'", LAST "1 CPU: CPU 0 0.000 ms'");
}

/* Groups that follow threads are of no CPU. */
UNIT_TEST(ends_of_threads)
{
	struct trace trace = { NULL, 0, 0 };
	const char *findings;

	trace_begin_group(&trace, 1);
	trace_add_switch(&trace, 100, 0, 8, 7, 5, 10);
	last_event(&trace)->per_task = true;
	findings = findings_between(&trace, 50, 200);
	HAS(findings, "kind='first_interval' count=1 ",
	    "text='first switches of a group on a CPU: ", "kind='last_interval' count=1 ",
	    "text='last switches of a group on a CPU: ");
}

/* --- tracepoints of switches --- */

static const struct field traced_fields[] = {
	{ "trace_id", FIELD_INT, offsetof(struct traced_head, trace_id) },
	{ "ts_ns", FIELD_INT, offsetof(struct traced_head, ts_ns) },
	{ "thread_id", FIELD_INT, offsetof(struct traced_head, thread_id) },
};

/* The tracepoint of a switch that was refused is of no thread. */
UNIT_TEST(refused_switches)
{
	struct table table = { "a_b", traced_fields, COUNT(traced_fields),
			       sizeof(struct traced_head) };
	struct traced_head rows[] = { { .ts_ns = 100 }, { .ts_ns = 200 } };
	struct trace trace = { NULL, 0, 0 };
	struct unit_notes notes;

	trace_begin_group(&trace, 1);
	trace_add_switch(&trace, 100, 0, 8, 7, 1, 10);
	TRACE_ADD(&trace, RECORD_TRACED, (struct traced_event){ true, &table, &rows[0] });
	trace_add_switch(&trace, 200, CPU_MAX, 7, 8, 2, 30);
	TRACE_ADD(&trace, RECORD_TRACED, (struct traced_event){ true, &table, &rows[1] });
	notes = trace_rows(&trace);
	assert_string_equal(unit_notes_of(&notes, "a_b"),
			    "a_b trace_id=1 ts_ns=100 thread_id=1\n"
			    "a_b trace_id=1 ts_ns=200 thread_id=-\n");
}

/* --- traces with something between their records --- */

static struct play {
	struct unit_play play;
	struct reader_ops ops;
	enum status (*next)(struct reader *reader, struct record *record);
	struct pipeline pipeline;
	size_t at, called_at;
	void (*call)(struct pipeline *pipeline);
} * now;

static enum status next_record(struct reader *reader, struct record *record)
{
	if (now->at++ == now->called_at)
		now->call(&now->pipeline);
	return now->next(reader, record);
}

/* All rows of the trace; `call` comes before record number `at`. */
static struct unit_notes play(const struct trace *trace, size_t at, bool is_live,
			      void (*call)(struct pipeline *pipeline))
{
	static const struct pipeline_hooks no_hooks;
	struct play playing = { .play = { trace->records, trace->count, 0, ST_OK },
				.called_at = at,
				.call = call };
	struct unit_notes notes;
	struct sink sink = unit_noting_sink(&notes);
	struct reader reader = unit_replay(&playing.play);

	now = &playing;
	playing.ops = *reader.ops;
	playing.next = playing.ops.next;
	playing.ops.next = next_record;
	reader.ops = &playing.ops;
	pipeline_init(&playing.pipeline, &sink, 1);
	playing.pipeline.is_live = is_live;
	assert_int_equal(pipeline_run(&playing.pipeline, &reader, &no_hooks), ST_OK);
	pipeline_release(&playing.pipeline);
	return notes;
}

static void add_damage(struct pipeline *pipeline)
{
	finding_add(pipeline->findings, FINDING_BAD_SAMPLE, 0x40, 1);
}

static void reach_limit(struct pipeline *pipeline)
{
	pipeline->identity.limit_reached = true;
}

static void do_nothing(struct pipeline *pipeline)
{
	(void)pipeline;
}

/* What interrupts took after the last switch of a CPU is of that trace alone. */
UNIT_TEST(interrupts_at_the_end)
{
	static const struct pipeline_hooks no_hooks;
	struct pipeline pipeline;
	struct unit_notes notes;
	struct sink sink = unit_noting_sink(&notes);

	pipeline_init(&pipeline, &sink, 1);
	for (int i = 0; i < 2; i++) {
		struct trace trace = { NULL, 0, 0 };
		struct unit_play play = { NULL, 0, 0, ST_OK };
		struct reader reader;

		trace_begin_group(&trace, 1);
		trace_add_switch(&trace, 100, 0, 8, 7, 1, 10);
		trace_add_switch(&trace, 200, 0, 7, 8, 2, 30);
		if (i == 0)
			TRACE_ADD(&trace, RECORD_INTERRUPTED,
				  (struct interrupted_event){ 240, 230, 0, STR("isr"), 3,
							      STR("disk") });
		trace_end(&trace);
		play.records = trace.records;
		play.count = trace.count;
		reader = unit_replay(&play);
		assert_int_equal(pipeline_run(&pipeline, &reader, &no_hooks), ST_OK);
	}
	pipeline_release(&pipeline);
	HAS(unit_notes_of(&notes, "interrupt"), "interrupt_id=1 trace_id=1 ");
	assert_string_equal(unit_notes_of(&notes, "interrupt_summary"), "");
}

/* Damage makes a whole trace a recovered one; one that is partial stays that. */
UNIT_TEST(damaged_traces)
{
	static const struct {
		int line;
		const char *status, *expected;
		void (*call)(struct pipeline *pipeline);
	} rows[] = {
		{ ROW, "complete", " status='complete' ", do_nothing },
		{ ROW, "complete", " status='recovered' ", add_damage },
		{ ROW, "partial", " status='partial' ", do_nothing },
		{ ROW, "partial", " status='partial' ", add_damage },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct trace trace = { NULL, 0, 0 };
		struct unit_notes notes;

		TRACE_ADD(&trace, RECORD_trace,
			  (struct trace_row){ .format = STR("test"),
					      .status = str_of(rows[i].status) });
		notes = play(&trace, 0, false, rows[i].call);
		ROW_HAS(&rows[i], unit_notes_of(&notes, "trace"), rows[i].expected);
	}
}

UNIT_TEST(too_many_threads)
{
	for (int reached = 0; reached < 2; reached++) {
		struct trace trace = { NULL, 0, 0 };
		struct unit_notes notes;

		trace_end(&trace);
		notes = play(&trace, 0, false, reached ? reach_limit : do_nothing);
		if (reached)
			HAS(unit_notes_of(&notes, "finding"),
			    "kind='thread_limit' count=1 ");
		else
			LACKS(unit_notes_of(&notes, "finding"), "thread_limit");
	}
}

/* --- live traces --- */

static void end_interval(struct pipeline *pipeline)
{
	assert_int_equal(pipeline_interval(pipeline, 0, 250), ST_OK);
}

/* Each interval begins with the values that the one before ended with, and sums it up. */
UNIT_TEST(live_intervals)
{
	struct trace trace = { NULL, 0, 0 };
	struct unit_notes notes;

	trace_begin_group(&trace, 1);
	trace_add_switch(&trace, 100, 0, 8, 7, 1, 10);
	trace_add_switch(&trace, 200, 0, 7, 8, 2, 30);
	trace_add_switch(&trace, 300, 0, 8, 7, 3, 70);
	trace_add_switch(&trace, 400, 0, 7, 8, 4, 150);
	trace_end(&trace);
	notes = play(&trace, 5, true, end_interval);
	HAS(unit_notes_of(&notes, "cpu_charge"),
	    "counter_id=11 first_value=10 last_value=30 charged=20 ",
	    "counter_id=11 first_value=30 last_value=150 charged=120 ");
}

/* --- a signal while the rows of the end are emitted --- */

static void stop(void *context, struct trace_row *row)
{
	struct scope *scope = context;

	(void)row;
	scope->stop = true;
}

/* It comes when all has been read.  A live trace ends by it: its rows still come. */
UNIT_TEST(stopped_at_the_end)
{
	static const struct {
		int line;
		int64_t threads;
		bool is_live;
		enum status status;
	} rows[] = {
		{ ROW, 2000, false, ST_INTERRUPTED },
		{ ROW, 2000, true, ST_OK },
		{ ROW, 10, false, ST_OK },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct trace trace = { NULL, 0, 0 };
		struct scope scope = { .stop = false }, *before = scope_enter(&scope);
		const struct pipeline_hooks hooks = { .trace = stop, .context = &scope };
		struct unit_notes notes;
		struct sink sink = unit_noting_sink(&notes);
		struct unit_play play;
		struct pipeline pipeline;
		struct reader reader;

		trace_begin_group(&trace, 1);
		for (int64_t tid = 1; tid <= rows[i].threads; tid++)
			trace_add_switch(&trace, 100 * tid, 0, tid, tid + 1, 1,
					 (uint64_t)tid);
		trace_end(&trace);
		play = (struct unit_play){ trace.records, trace.count, 0, ST_OK };
		reader = unit_replay(&play);
		reader.input.is_live = rows[i].is_live;
		pipeline_init(&pipeline, &sink, 1);
		ROW_INT(&rows[i], pipeline_run(&pipeline, &reader, &hooks),
			rows[i].status);
		ROW_INT(&rows[i], reader.error.status, rows[i].status);
		pipeline_release(&pipeline);
		(void)scope_enter(before);
	}
}
