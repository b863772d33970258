/*
 * test_attribution_rows.c - rows that pass through the stage: what it puts in their
 * place, and the tables that a trace defines itself.
 */
#include <stdlib.h>
#include <string.h>

#include "events.h"
#include "pipeline/pipeline.h"

/* --- rows that only need their ids --- */

/* Attribution has a handler of its own for these. */
static bool is_plain(enum record_kind kind)
{
	static const enum record_kind others[] = {
		RECORD_trace,	      RECORD_counter_group,  RECORD_counter,
		RECORD_thread,	      RECORD_context_switch, RECORD_counter_base,
		RECORD_finding,	      RECORD_tracepoint,     RECORD_sample,
		RECORD_switch_record,
	};

	for (size_t i = 0; i < COUNT(others); i++)
		if (kind == others[i])
			return false;
	return true;
}

/* Every column whose value only attribution knows is put in place, in every table. */
UNIT_TEST(plain_rows)
{
	static const char zeros[4096];

	for (int kind = 0; kind < RECORD_TABLES; kind++) {
		struct trace trace = { NULL, 0, 0 };
		struct unit_notes notes;
		struct sink sink;
		const char *lines;

		assert_true(tables[kind].row_size <= sizeof(zeros));
		if (!is_plain((enum record_kind)kind))
			continue;
		sink = unit_noting_sink(&notes);
		trace_add(&trace, (enum record_kind)kind, zeros, tables[kind].row_size);
		trace_end(&trace);
		assert_int_equal(trace_run(&trace, &sink, 1), ST_OK);
		lines = unit_notes_of(&notes, tables[kind].name);
		if (strstr(lines, " trace_id=") && !strstr(lines, " trace_id=1 "))
			fail_msg("%s", lines);
	}
}

UNIT_TEST(row_ids)
{
	struct trace trace = { NULL, 0, 0 };
	struct unit_notes notes;
	struct counter_read_row read = { 0, 200, 8, 11, 5, INT_NONE, INT_NONE };
	struct aux_row aux = { 0, 200, 3, 0, STR("AUX"), 1, 2, 3 };
	const char *text;

	TRACE_ADD(&trace, RECORD_TASK_COMM,
		  (struct task_comm_event){ 0, 7, 7, STR("x"), false });
	TRACE_ADD(&trace, RECORD_TASK_COMM,
		  (struct task_comm_event){ 0, 8, 8, STR("y"), false });
	TRACE_ADD(&trace, RECORD_counter_read, read);
	read.thread_id = 9; /* an unknown thread, and not evidence of one */
	read.counter_id = INT_NONE;
	TRACE_ADD(&trace, RECORD_counter_read, read);
	read.thread_id = INT_NONE;
	TRACE_ADD(&trace, RECORD_counter_read, read);
	TRACE_ADD(&trace, RECORD_aux, aux); /* idle, of its CPU */
	notes = trace_rows(&trace);
	text = unit_notes_text(&notes);
	HAS(text,
	    "counter_read trace_id=1 ts_ns=200 thread_id=2 "
	    "counter_id=11 value=5 enabled_ns=- running_ns=-\n",
	    "counter_read trace_id=1 ts_ns=200 thread_id=- "
	    "counter_id=- value=5",
	    "aux trace_id=1 ts_ns=200 cpu=3 thread_id=3 ",
	    "thread thread_id=3 process_id=3 tid=0 "
	    "recorder_tid=- idle_cpu=3 ");
	LACKS(text, " tid=9 ");
}

/* Losses are findings of two kinds, and end what is known of the time on a CPU. */
UNIT_TEST(losses)
{
	const struct loss_event samples = { 50, 0, INT_NONE, 3, STR("LOST_SAMPLES") };
	const struct loss_event records = { 120, 0, INT_NONE, 4, STR("LOST") };
	struct trace trace = { NULL, 0, 0 };
	struct unit_notes notes;
	const char *text;

	TRACE_ADD(&trace, RECORD_LOSS, samples);
	for (int64_t i = 0; i < 2; i++) {
		TRACE_ADD(&trace, RECORD_SWITCH_IN,
			  (struct switch_in_event){ 100 * i + 100, 0, 7, true, false,
						    0 });
		if (i == 0)
			TRACE_ADD(&trace, RECORD_LOSS, records);
		TRACE_ADD(&trace, RECORD_SWITCH_IN,
			  (struct switch_in_event){ 100 * i + 130, 0, 7, false, false,
						    0 });
	}
	notes = trace_rows(&trace);
	text = unit_notes_of(&notes, "finding");
	HAS(text, "kind='lost_samples' count=3 ", "kind='lost_events' count=4 ");
	text = unit_notes_of(&notes, "on_cpu_summary");
	assert_string_equal(text,
			    "on_cpu_summary thread_id=1 cpu=0 switches=2 on_cpu_ns=30\n");
}

/* In the second trace of one output ids go on where those of the first ended. */
UNIT_TEST(second_trace)
{
	static const struct pipeline_hooks no_hooks;
	struct trace trace = { NULL, 0, 0 };
	struct unit_notes notes;
	struct sink sink = unit_noting_sink(&notes);
	struct pipeline pipeline;

	trace_begin_group(&trace, 1);
	TRACE_ADD(&trace, RECORD_TASK_COMM,
		  (struct task_comm_event){ 0, 8, 8, STR("y"), false });
	TRACE_ADD(&trace, RECORD_counter_read,
		  (struct counter_read_row){ 0, 200, 8, 10, 5, INT_NONE, INT_NONE });
	trace_end(&trace);
	pipeline_init(&pipeline, &sink, 1);
	for (int i = 0; i < 2; i++) {
		struct unit_play play = { trace.records, trace.count, 0, ST_OK };
		struct reader reader = unit_replay(&play);

		assert_int_equal(pipeline_run(&pipeline, &reader, &no_hooks), ST_OK);
	}
	pipeline_release(&pipeline);
	assert_string_equal(unit_notes_of(&notes, "counter_read"),
			    "counter_read trace_id=1 ts_ns=200 thread_id=1 counter_id=10 "
			    "value=5 enabled_ns=- running_ns=-\n"
			    "counter_read trace_id=2 ts_ns=200 thread_id=2 counter_id=21 "
			    "value=5 enabled_ns=- running_ns=-\n");
}

/* --- tables of the trace's own --- */

#define HEAD(column)                                                     \
	{                                                                \
#column, FIELD_INT, offsetof(struct traced_head, column) \
	}

struct traced_row {
	struct traced_head head;
	int64_t number;
	struct str text, bytes;
};

static const struct field traced_fields[] = {
	HEAD(trace_id),
	HEAD(sample_id),
	HEAD(ts_ns),
	HEAD(cpu),
	HEAD(thread_id),
	HEAD(sample_pid),
	HEAD(sample_tid),
	{ "number", FIELD_INT, offsetof(struct traced_row, number) },
	{ "text", FIELD_TEXT, offsetof(struct traced_row, text) },
	{ "bytes", FIELD_BLOB, offsetof(struct traced_row, bytes) },
};

static struct table traced_table(const char *name)
{
	return (struct table){ name, traced_fields, COUNT(traced_fields),
			       sizeof(struct traced_row) };
}

static void add_traced(struct trace *trace, const struct table *table,
		       struct traced_row *row, bool of_switch)
{
	TRACE_ADD(trace, RECORD_TRACED,
		  (struct traced_event){ of_switch, table, &row->head });
}

/* Rows of samples and of switches, and the catalogue that says what they are called. */
UNIT_TEST(traced)
{
	struct table table = traced_table("sample"), other = traced_table("a_b");
	struct traced_row row = { { -1, -1, 100, 2, -1, 7, 8 }, 5, STR("t"), STR("\1") };
	struct traced_row bare = {
		{ -1, -1, 200, 0, -1, INT_NONE, INT_NONE }, INT_NONE, STR_NONE, STR_NONE
	};
	struct trace trace = { NULL, 0, 0 };
	struct unit_notes notes;
	const char *text;

	TRACE_ADD(&trace, RECORD_tracepoint,
		  (struct tracepoint_row){ 0, STR("s"), STR("e"), STR_NONE, STR("file"),
					   STR_NONE });
	trace.records[0].table = &table;
	trace_begin_group(&trace, 1);
	TRACE_ADD(&trace, RECORD_SAMPLED,
		  (struct sampled_event){ .pid = 7,
					  .tid = 8,
					  .row = { .ts_ns = 100, .counter_id = 10 } });
	add_traced(&trace, &table, &row, false);
	trace_add_switch(&trace, 200, 0, 8, 7, 1, 1000);
	add_traced(&trace, &other, &bare, true);
	notes = trace_rows(&trace);
	text = unit_notes_text(&notes);
	HAS(text,
	    "tracepoint trace_id=1 system='s' name='e' "
	    "table_name='sample_2' format_from='file' format=-\n",
	    "sample_2 trace_id=1 sample_id=1 ts_ns=100 cpu=2 "
	    "thread_id=1 sample_pid=7 sample_tid=8 number=5 "
	    "text='t' bytes=0x01\n",
	    "a_b trace_id=1 sample_id=- ts_ns=200 cpu=0 "
	    "thread_id=1 sample_pid=- sample_tid=- number=- "
	    "text=- bytes=-\n");
}

/* A row of such a table that is ready (a detail of switches) still lacks its trace. */
UNIT_TEST(own_row)
{
	static const struct field fields[] = { { "trace_id", FIELD_INT, 0 },
					       { "detail_id", FIELD_INT, 8 } };
	const struct table table = { "s_e_detail", fields, 2, 16 };
	static const int64_t row[] = { 0, 4 };
	struct trace trace = { NULL, 0, 0 };
	struct unit_notes notes;
	const char *lines;

	trace_add(&trace, RECORD_OWN_TABLE, row, sizeof(row));
	trace.records[0].table = &table;
	notes = trace_rows(&trace);
	lines = unit_notes_of(&notes, "s_e_detail");
	if (strcmp(lines, "s_e_detail trace_id=1 detail_id=4\n") != 0)
		print_error("%s", lines);
	assert_string_equal(lines, "s_e_detail trace_id=1 detail_id=4\n");
}

/* Too many tables: the rows are left out, and a finding says so. */
UNIT_TEST(table_limit)
{
	static struct table many[OWN_TABLES_MAX + 2];
	static char names[OWN_TABLES_MAX + 2][16];
	struct traced_row row = { .number = 1 };
	struct trace trace = { NULL, 0, 0 };
	struct unit_notes notes;
	const char *lines;

	for (size_t i = 0; i < COUNT(many); i++) {
		snprintf(names[i], sizeof(names[i]), "t_%zu", i);
		many[i] = traced_table(names[i]);
		add_traced(&trace, &many[i], &row, true);
	}
	notes = trace_rows(&trace);
	HAS(unit_notes_text(&notes), "\nt_511 ");
	LACKS(unit_notes_text(&notes), "\nt_512 ");
	lines = unit_notes_of(&notes, "finding");
	HAS(lines, "kind='table_limit' count=2 ");
}

/* --- rows with ids of their own (a database) --- */

/* The window holds in every trace of the input, not only in the first. */
UNIT_TEST(window_of_stored_traces)
{
	static const struct pipeline_hooks no_hooks;
	struct trace trace = { NULL, 0, 0 };
	struct unit_notes notes;
	struct sink sink = unit_noting_sink(&notes);
	struct pipeline pipeline;
	struct unit_play play;
	struct reader reader;
	struct reader_ops ops;
	const char *lines;

	for (int64_t i = 1; i <= 2; i++) {
		TRACE_ADD(&trace, RECORD_sample,
			  (struct sample_row){ .sample_id = i,
					       .ts_ns = 50,
					       .thread_id = i,
					       .counter_id = i,
					       .period = 1 });
		TRACE_ADD(&trace, RECORD_trace,
			  (struct trace_row){ .trace_id = i, .format = STR("test") });
	}
	play = (struct unit_play){ trace.records, trace.count, 0, ST_OK };
	reader = unit_replay(&play);
	ops = *reader.ops;
	ops.emits_rows = true;
	reader.ops = &ops;
	pipeline_init(&pipeline, &sink, 1);
	pipeline.from_ns = 100;
	assert_int_equal(pipeline_run(&pipeline, &reader, &no_hooks), ST_OK);
	pipeline_release(&pipeline);
	lines = unit_notes_of(&notes, "sample_summary");
	if (*lines)
		print_error("%s", lines);
	assert_int_equal(*lines, '\0');
}
