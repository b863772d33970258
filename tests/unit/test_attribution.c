/* test_attribution.c - from events to rows, through the whole stage. */
#include "pipeline/pipeline.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "events.h"
#include "output/outputs.h"
#include "rows.h"

/* --- one small trace, all of its rows --- */

static void make_small(struct trace *trace)
{
	TRACE_ADD(trace, RECORD_header_fact,
		  (struct header_fact_row){ 0, STR("HOSTNAME"), STR("lab") });
	TRACE_ADD(trace, RECORD_TASK_COMM,
		  (struct task_comm_event){ 0, 7, 7, STR("shell"), false });
	trace_begin_group(trace, 1);
	trace_add_switch(trace, 100, 0, 7, 8, 1, 1000);
	TRACE_ADD(trace, RECORD_TASK_FORK, (struct task_fork_event){ 90, 8, 8, 7, 7 });
	TRACE_ADD(trace, RECORD_TASK_COMM,
		  (struct task_comm_event){ 110, 8, 8, STR("job"), true });
	TRACE_ADD(trace, RECORD_THROTTLED, (struct throttled_event){ 111, 1, 11, true });
	TRACE_ADD(trace, RECORD_SWITCH_IN,
		  (struct switch_in_event){ 105, 0, 8, true, false, INT_NONE });
	TRACE_ADD(trace, RECORD_TASK_EXIT, (struct task_exit_event){ 190, 0, 8, 8 });
	TRACE_ADD(trace, RECORD_TASK_EXITING, (struct task_exit_event){ 190, 0, 8, 8 });
	trace_add_switch(trace, 200, 0, 8, 0, 2, 1500);
	trace_add_switch(trace, 300, 0, 7, 0, 3, 1600);
	TRACE_ADD(trace, RECORD_LOSS, (struct loss_event){ 310, 0, 10, 3, STR("LOST") });
	trace_add_switch(trace, 400, 0, 0, 7, 4, 1700);
	trace_end(trace);
}

static const char *const small_rows[] = {
	"header_fact trace_id=1 key='HOSTNAME' value='lab'",
	"comm trace_id=1 ts_ns=0 thread_id=1 name='shell' is_exec=0",
	"counter_group group_id=1 trace_id=1 leader='leader' counters=2 scope='cpu' "
	"has_times='no'",
	"counter counter_id=10 trace_id=1 group_id=1 slot=0 name='leader' event='e' "
	"unit=- "
	"source='test' type=0 config=0 period=0",
	"counter counter_id=11 trace_id=1 group_id=1 slot=1 name='cycles' event='e' "
	"unit=- "
	"source='test' type=0 config=0 period=0",
	"context_switch switch_id=1 ts_ns=100 cpu=0 group_id=1 prev_thread_id=1 "
	"next_thread_id=2 prev_state=0 status=0 on_cpu_ns=0 running_ns=- detail_id=- | 0,0",
	"fork trace_id=1 ts_ns=90 thread_id=2 parent_thread_id=1",
	"comm trace_id=1 ts_ns=110 thread_id=2 name='job' is_exec=1",
	"throttle trace_id=1 ts_ns=111 cpu=1 counter_id=11 throttled=1",
	"switch_record trace_id=1 ts_ns=105 cpu=0 thread_id=2 is_out=0 is_preempted=0 "
	"other_tid=- on_cpu_ns=-",
	"exit trace_id=1 ts_ns=190 thread_id=2",
	"context_switch switch_id=2 ts_ns=200 cpu=0 group_id=1 prev_thread_id=2 "
	"next_thread_id=3 prev_state=0 status=1 on_cpu_ns=95 running_ns=- detail_id=- | 1,500",
	"context_switch switch_id=3 ts_ns=300 cpu=0 group_id=1 prev_thread_id=1 "
	"next_thread_id=3 prev_state=0 status=2 on_cpu_ns=0 running_ns=- detail_id=- | 1,100",
	"lost trace_id=1 ts_ns=310 cpu=0 record='LOST' counter_id=10 events=3",
	"context_switch switch_id=4 ts_ns=400 cpu=0 group_id=1 prev_thread_id=3 "
	"next_thread_id=1 prev_state=0 status=3 on_cpu_ns=100 running_ns=- detail_id=- | 1,100",
	"counter_base counter_id=10 cpu=0 thread_id=- first_ns=100 first_value=1 "
	"last_ns=400 "
	"last_value=4",
	"counter_base counter_id=11 cpu=0 thread_id=- first_ns=100 first_value=1000 "
	"last_ns=400 last_value=1700",
	"process process_id=1 trace_id=1 pid=7 parent_pid=- start_ns=- end_ns=- "
	"name='shell' "
	"command=-",
	"process process_id=2 trace_id=1 pid=8 parent_pid=7 start_ns=90 end_ns=190 "
	"name='job' "
	"command=-",
	"process process_id=3 trace_id=1 pid=0 parent_pid=- start_ns=- end_ns=- "
	"name='swapper' command=-",
	"thread thread_id=1 process_id=1 tid=7 recorder_tid=- idle_cpu=- start_ns=- "
	"end_ns=- "
	"name='shell'",
	"thread thread_id=2 process_id=2 tid=8 recorder_tid=- idle_cpu=- start_ns=90 "
	"end_ns=190 name='job'",
	"thread thread_id=3 process_id=3 tid=0 recorder_tid=- idle_cpu=0 start_ns=- "
	"end_ns=- "
	"name='swapper/0'",
	"cpu_charge cpu=0 counter_id=11 first_value=1000 last_value=1700 charged=500 "
	"interrupts=0 with_idle=100 idle=0 unattributed=100",
	"process_charge process_id=2 counter_id=11 charged=500 interrupts=0 with_idle=0 unproven=0",
	"process_charge process_id=1 counter_id=11 charged=0 interrupts=0 with_idle=100 unproven=0",
	"process_charge process_id=3 counter_id=11 charged=0 interrupts=0 with_idle=0 unproven=100",
	"trace trace_id=1 path=- format='test' status='complete' bytes=0 first_ns=0 "
	"last_ns=0 "
	"clock=- wall_offset_ns=0 wall_offset_end_ns=0 host=- os_release=- arch=- cpu_count=0 cpu_model=- "
	"recorder=- command=- form=- byte_order=-",
};

UNIT_TEST(small)
{
	struct trace trace = { NULL, 0, 0 };
	struct unit_notes notes;

	make_small(&trace);
	notes = trace_rows(&trace);
	for (size_t i = 0; i < COUNT(small_rows); i++) {
		char line[512];

		snprintf(line, sizeof(line), "%s\n", small_rows[i]);
		if (!strstr(unit_notes_text(&notes), line))
			fail_msg("there is no row '%s' in\n%s", small_rows[i],
				 unit_notes_text(&notes));
	}
}

/* --- single things --- */

/* Every row goes to every sink, and the first that fails ends it. */
UNIT_TEST(sinks)
{
	struct trace trace = { NULL, 0, 0 };
	struct unit_notes notes[2];
	struct sink sinks[2] = { unit_noting_sink(&notes[0]),
				 unit_noting_sink(&notes[1]) };

	make_small(&trace);
	assert_int_equal(trace_run(&trace, sinks, 2), ST_OK);
	assert_string_equal(unit_notes_text(&notes[0]), unit_notes_text(&notes[1]));
	notes[1].fail_at = RECORD_thread;
	assert_int_equal(trace_run(&trace, sinks, 2), ST_IO);
	assert_int_equal(sinks[0].error.status, ST_OK);
	assert_string_equal(sinks[1].error.text, "asked to fail");
}

static void count_finding(void *context, const struct finding_row *row)
{
	int *count = context;

	assert_true(row->count > 0);
	++*count;
}

/* A reader that fails in the middle; findings go to the hook as well as to the sinks. */
UNIT_TEST(reader_and_hook)
{
	struct trace trace = { NULL, 0, 0 };
	struct unit_notes notes;
	struct sink sink = unit_noting_sink(&notes);
	int findings = 0;
	const struct pipeline_hooks hooks = { .finding = count_finding,
					      .context = &findings };
	struct pipeline pipeline;
	struct unit_play play;
	struct reader reader;

	make_small(&trace);
	pipeline_init(&pipeline, &sink, 1);
	play = (struct unit_play){ trace.records, trace.count, 0, ST_OK };
	reader = unit_replay(&play);
	assert_int_equal(pipeline_run(&pipeline, &reader, &hooks), ST_OK);
	assert_true(findings >= 3); /* first and last interval, with idle, lost */
	play = (struct unit_play){ trace.records, 10, 0, ST_CORRUPT };
	reader = unit_replay(&play);
	assert_int_equal(pipeline_run(&pipeline, &reader, &hooks), ST_CORRUPT);
	pipeline_release(&pipeline);
}

/* Ids go on from trace to trace: nothing in one output has the same twice. */
UNIT_TEST(two_traces)
{
	static const struct pipeline_hooks no_hooks;
	const struct sink_options options = { .path = unit_path("two.db") };
	struct trace trace = { NULL, 0, 0 };
	struct pipeline pipeline;
	struct sink sink;
	sqlite3 *db;

	make_small(&trace);
	assert_int_equal(sink_open(&sink, &sqlite_writer, &options), ST_OK);
	pipeline_init(&pipeline, &sink, 1);
	for (int i = 0; i < 2; i++) {
		struct unit_play play = { trace.records, trace.count, 0, ST_OK };
		struct reader reader = unit_replay(&play);

		assert_int_equal(pipeline_run(&pipeline, &reader, &no_hooks), ST_OK);
	}
	pipeline_release(&pipeline);
	assert_int_equal(sink_finish(&sink), ST_OK);
	sink_close(&sink);
	db = rows_open_database(options.path);
	rows_answer(db,
		    "SELECT (SELECT count(*) FROM trace) || ' ' || (SELECT count(*) FROM "
		    "thread) || ' ' || (SELECT max(group_id) FROM counter_group) || ' ' "
		    "|| (SELECT count(*) FROM pragma_foreign_key_check)",
		    "2 6 2 0");
	rows_answer(db,
		    "SELECT group_concat(x, ';') FROM (SELECT trace_id || process || "
		    "cycles AS x FROM process_bill ORDER BY trace_id, process)",
		    "1(unattributed)100;1(with idle)100;1job500;1shell0;"
		    "2(unattributed)100;2(with idle)100;2job500;2shell0");
}

/* However late it is in the file, a name in a row is valid UTF-8. */
UNIT_TEST(names_are_valid)
{
	struct trace trace = { NULL, 0, 0 };
	struct unit_notes notes;
	const char *text;

	TRACE_ADD(&trace, RECORD_TASK_COMM,
		  (struct task_comm_event){ 300, 7, 7, STR("a\xff"), false });
	TRACE_ADD(&trace, RECORD_TASK_COMM,
		  (struct task_comm_event){ 100, 7, 7, STR("b\xfe"), false });
	TRACE_ADD(&trace, RECORD_TASK_COMM,
		  (struct task_comm_event){ 100, 9, 9, STR("\xc3"), false });
	TRACE_ADD(&trace, RECORD_TASK_FORK,
		  (struct task_fork_event){ 400, 10, 10, 7, 7 });
	notes = trace_rows(&trace);
	text = unit_notes_text(&notes);
	for (size_t i = 0; text[i];) {
		size_t length = text_utf8_length(text + i, strlen(text + i));

		if (length == 0)
			fail_msg("invalid UTF-8 in\n%s", text);
		i += length;
	}
	HAS(text, "name='b\\xfe'");
}

#define NO_EXTRAS                                                                  \
	" addr=0 callchain_id=- weight=0 data_src=0 hw_transaction=0 phys_addr=0 " \
	"cgroup_id=0 data_page_bytes=0 code_page_bytes=0 stack_bytes=0 aux_bytes=0\n"

UNIT_TEST(samples)
{
	static const int64_t ids[] = { 10, 11 };
	static const uint64_t values[] = { 5, UINT64_MAX };
	struct trace trace = { NULL, 0, 0 };
	struct unit_notes notes;

	trace_begin_group(&trace, 1);
	TRACE_ADD(&trace, RECORD_SAMPLED,
		  (struct sampled_event){ .pid = 7,
					  .tid = 8,
					  .row = { .ts_ns = 100,
						   .counter_id = 10,
						   .period = 1000,
						   .ip = INT64_MAX },
					  .value_counter_ids = ids,
					  .values = values,
					  .count = 2 });
	TRACE_ADD(&trace, RECORD_SAMPLED,
		  (struct sampled_event){ .row = { .ts_ns = 110,
						   .cpu = 3,
						   .counter_id = 11,
						   .period = INT_NONE,
						   .ip = -1 } });
	TRACE_ADD(&trace, RECORD_SAMPLED,
		  (struct sampled_event){ .pid = INT_NONE,
					  .tid = INT_NONE,
					  .row = { .ts_ns = INT_NONE,
						   .cpu = INT_NONE,
						   .counter_id = 11 } });
	notes = trace_rows(&trace);
	assert_string_equal(
		unit_notes_of(&notes, "sample"),
		"sample sample_id=1 ts_ns=100 cpu=0 thread_id=1 counter_id=10 "
		"period=1000 mode=0 ip=9223372036854775807" NO_EXTRAS
		"sample sample_id=2 ts_ns=110 cpu=3 thread_id=3 counter_id=11 "
		"period=- mode=0 ip=-1" NO_EXTRAS
		"sample sample_id=3 ts_ns=- cpu=- thread_id=- counter_id=11 "
		"period=0 mode=0 ip=0" NO_EXTRAS);
	assert_string_equal(unit_notes_of(&notes, "sample_value"),
			    "sample_value sample_id=1 counter_id=10 value=5\n"
			    "sample_value sample_id=1 counter_id=11 value=-1\n");
}

/* Branches, registers and the call chain get the sample's id; a chain has one row. */
UNIT_TEST(sample_parts)
{
	static const uint64_t chain[] = { (uint64_t)-128, 0x10 };
	static const struct sample_branch_row branches[] = { { -1, 0, 1, 2, 3 },
							     { -1, 1, 4, 5, 6 } };
	const struct sample_register_row reg = { -1, STR("user"), 7, INT64_MIN };
	struct trace trace = { NULL, 0, 0 };
	struct unit_notes notes;

	trace_begin_group(&trace, 1);
	for (int i = 0; i < 2; i++)
		TRACE_ADD(
			&trace, RECORD_SAMPLED,
			(struct sampled_event){ .pid = 7,
						.tid = 7,
						.row = { .ts_ns = 100, .counter_id = 10 },
						.chain = chain,
						.chain_count = 2,
						.branches = branches,
						.branch_count = i ? 2 : 0,
						.registers = &reg,
						.register_count = i ? 1 : 0 });
	notes = trace_rows(&trace);
	assert_string_equal(unit_notes_of(&notes, "callchain"),
			    "callchain callchain_id=1 trace_id=1 depth=2 "
			    "frames='[\"kernel\",\"0x10\"]'\n");
	assert_string_equal(
		unit_notes_of(&notes, "sample_branch"),
		"sample_branch sample_id=2 position=0 from_ip=1 to_ip=2 flags=3\n"
		"sample_branch sample_id=2 position=1 from_ip=4 to_ip=5 flags=6\n");
	assert_string_equal(unit_notes_of(&notes, "sample_register"),
			    "sample_register sample_id=2 at='user' number=7 "
			    "value=-9223372036854775808\n");
	assert_string_equal(unit_notes_of(&notes, "sample_summary"),
			    "sample_summary trace_id=1 thread_id=1 counter_id=10 "
			    "samples=2 events=0\n");
}
