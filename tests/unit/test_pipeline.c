/*
 * test_pipeline.c - lib/pipeline: what reads, ends and findings of a trace make of its
 * rows, and what the intervals of a live one begin with.
 */
#include <string.h>

#include "base/scope.h"
#include "events.h"

/* --- what follows a switch --- */

static void add_read(struct trace *trace, int64_t ts, int64_t tid, uint64_t leader,
		     uint64_t value)
{
	struct switch_event *event;

	trace_add_switch(trace, ts, 0, tid, INT_NONE, leader, value);
	event = (struct switch_event *)(uintptr_t)trace->records[trace->count - 1].data;
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

UNIT_TEST(last_interval)
{
	struct trace trace = { NULL, 0, 0 };
	struct unit_notes notes;

	trace_begin_group(&trace, 1);
	trace_add_switch(&trace, 100, 0, 8, 7, 1, 10);
	trace_add_switch(&trace, 200, 0, 7, 8, 2, 30);
	notes = trace_rows(&trace);
	HAS(unit_notes_of(&notes, "finding"), "kind='last_interval' count=1 ");
}

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
