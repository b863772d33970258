/* test_attribution.c - from events to rows, through the whole stage. */
#include "attribution/attribution.h"

#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "readers/readers.h"
#include "rows.h"
#include "writers/writers.h"

/* --- a trace: a list of events that own what they point to --- */

struct trace {
	struct record *records;
	size_t count, room;
};

static void *add(struct trace *trace, enum record_kind kind, const void *event,
		 size_t size)
{
	void *copy = malloc(size);

	memcpy(copy, event, size);
	if (trace->count == trace->room) {
		trace->room = trace->room ? 2 * trace->room : 64;
		trace->records =
			realloc(trace->records, trace->room * sizeof(struct record));
	}
	trace->records[trace->count] = (struct record){ .kind = kind,
							.offset = 0x1000 + trace->count,
							.data = copy };
	trace->count++;
	return copy;
}
#define ADD(trace, kind, ...) add((trace), (kind), &(__VA_ARGS__), sizeof(__VA_ARGS__))

static void free_trace(struct trace *trace)
{
	for (size_t i = 0; i < trace->count; i++) {
		if (trace->records[i].kind == RECORD_SWITCH) {
			const struct switch_event *event = trace->records[i].data;

			free((void *)(uintptr_t)event->values);
		}
		free((void *)(uintptr_t)trace->records[i].data);
	}
	free(trace->records);
	*trace = (struct trace){ NULL, 0, 0 };
}

/* Group `group` with two counters; counters are numbered 10 * group, ... */
static void begin_group(struct trace *trace, int64_t group)
{
	ADD(trace, RECORD_counter_group,
	    (struct counter_group_row){ group, 0, STR("leader"), 2, STR("cpu"),
					STR("no") });
	for (int64_t slot = 0; slot < 2; slot++)
		ADD(trace, RECORD_counter,
		    (struct counter_row){ .counter_id = 10 * group + slot,
					  .group_id = group,
					  .slot = slot,
					  .name = slot ? STR("cycles") : STR("leader"),
					  .event = STR("e"),
					  .unit = STR_NONE,
					  .source = STR("test") });
}

static void add_switch(struct trace *trace, int64_t ts, int64_t cpu, int64_t prev,
		       int64_t next, uint64_t leader, uint64_t value)
{
	struct switch_event *event = ADD(trace, RECORD_SWITCH,
					 (struct switch_event){ .ts_ns = ts,
								.cpu = cpu,
								.stream = cpu,
								.group_id = 1,
								.prev_tid = prev,
								.next_tid = next,
								.prev_state = 0,
								.sample_pid = prev,
								.sample_tid = prev,
								.enabled_ns = INT_NONE,
								.running_ns = INT_NONE,
								.leader_lost = INT_NONE,
								.count = 2 });
	uint64_t *values = malloc(2 * sizeof(*values));

	values[0] = leader;
	values[1] = value;
	event->values = values;
}

static void end_trace(struct trace *trace)
{
	ADD(trace, RECORD_trace,
	    (struct trace_row){ .format = STR("test"), .status = STR("complete") });
}

/* Runs the trace into these sinks; what it came to. */
static enum status run(const struct trace *trace, struct sink *sinks, size_t sink_count)
{
	static const struct attribution_hooks no_hooks;
	struct unit_play play = { trace->records, trace->count, 0, ST_OK };
	struct reader reader = unit_player(&play);
	struct attribution attribution;
	enum status status;

	attribution_init(&attribution, sinks, sink_count);
	status = attribution_run(&attribution, &reader, &no_hooks);
	attribution_release(&attribution);
	return status;
}

/* --- one small trace, all of its rows --- */

static void make_small(struct trace *trace)
{
	ADD(trace, RECORD_header_fact,
	    (struct header_fact_row){ 0, STR("HOSTNAME"), STR("lab") });
	ADD(trace, RECORD_TASK_COMM,
	    (struct task_comm_event){ 0, 7, 7, STR("shell"), false });
	begin_group(trace, 1);
	add_switch(trace, 100, 0, 7, 8, 1, 1000);
	ADD(trace, RECORD_TASK_FORK, (struct task_fork_event){ 90, 8, 8, 7, 7 });
	ADD(trace, RECORD_TASK_COMM,
	    (struct task_comm_event){ 110, 8, 8, STR("job"), true });
	ADD(trace, RECORD_THROTTLED, (struct throttled_event){ 111, 1, 11, true });
	ADD(trace, RECORD_SWITCH_IN,
	    (struct switch_in_event){ 105, 0, 8, true, INT_NONE });
	ADD(trace, RECORD_TASK_EXIT, (struct task_exit_event){ 190, 0, 8, 8 });
	ADD(trace, RECORD_TASK_EXITING, (struct task_exit_event){ 190, 0, 8, 8 });
	add_switch(trace, 200, 0, 8, 0, 2, 1500);
	add_switch(trace, 300, 0, 7, 0, 3, 1600);
	ADD(trace, RECORD_LOSS, (struct loss_event){ 310, 0, 10, 3, STR("LOST") });
	add_switch(trace, 400, 0, 0, 7, 4, 1700);
	end_trace(trace);
}

static const char *const small_rows[] = {
	"header_fact trace_id=1 key='HOSTNAME' value='lab'",
	"comm trace_id=1 ts_ns=0 thread_id=1 name='shell' is_exec=0",
	"counter_group group_id=1 trace_id=1 leader='leader' counters=2 scope='cpu' "
	"has_times='no'",
	"counter counter_id=10 trace_id=1 group_id=1 slot=0 name='leader' event='e' unit=- "
	"source='test' type=0 config=0 period=0",
	"counter counter_id=11 trace_id=1 group_id=1 slot=1 name='cycles' event='e' unit=- "
	"source='test' type=0 config=0 period=0",
	"context_switch switch_id=1 ts_ns=100 cpu=0 group_id=1 prev_thread_id=1 "
	"next_thread_id=2 prev_state=0 status=0 on_cpu_ns=0 running_ns=- | 0,0",
	"fork trace_id=1 ts_ns=90 thread_id=2 parent_thread_id=1",
	"comm trace_id=1 ts_ns=110 thread_id=2 name='job' is_exec=1",
	"throttle trace_id=1 ts_ns=111 cpu=1 counter_id=11 throttled=1",
	"exit trace_id=1 ts_ns=190 thread_id=2",
	"context_switch switch_id=2 ts_ns=200 cpu=0 group_id=1 prev_thread_id=2 "
	"next_thread_id=3 prev_state=0 status=1 on_cpu_ns=95 running_ns=- | 1,500",
	"context_switch switch_id=3 ts_ns=300 cpu=0 group_id=1 prev_thread_id=1 "
	"next_thread_id=3 prev_state=0 status=2 on_cpu_ns=0 running_ns=- | 1,100",
	"lost trace_id=1 ts_ns=310 cpu=0 record='LOST' counter_id=10 events=3",
	"context_switch switch_id=4 ts_ns=400 cpu=0 group_id=1 prev_thread_id=3 "
	"next_thread_id=1 prev_state=0 status=3 on_cpu_ns=100 running_ns=- | 1,100",
	"counter_base counter_id=10 cpu=0 thread_id=- first_ns=100 first_value=1 last_ns=400 "
	"last_value=4",
	"counter_base counter_id=11 cpu=0 thread_id=- first_ns=100 first_value=1000 "
	"last_ns=400 last_value=1700",
	"process process_id=1 trace_id=1 pid=7 parent_pid=- start_ns=- end_ns=- name='shell' "
	"command=-",
	"process process_id=2 trace_id=1 pid=8 parent_pid=7 start_ns=90 end_ns=190 name='job' "
	"command=-",
	"process process_id=3 trace_id=1 pid=0 parent_pid=- start_ns=- end_ns=- "
	"name='swapper' command=-",
	"thread thread_id=1 process_id=1 tid=7 recorder_tid=- idle_cpu=- start_ns=- end_ns=- "
	"name='shell'",
	"thread thread_id=2 process_id=2 tid=8 recorder_tid=- idle_cpu=- start_ns=90 "
	"end_ns=190 name='job'",
	"thread thread_id=3 process_id=3 tid=0 recorder_tid=- idle_cpu=0 start_ns=- end_ns=- "
	"name='swapper/0'",
	"cpu_charge cpu=0 counter_id=11 first_value=1000 last_value=1700 charged=500 "
	"with_idle=100 idle=0 unattributed=100",
	"process_charge process_id=2 counter_id=11 charged=500 with_idle=0 unproven=0",
	"process_charge process_id=1 counter_id=11 charged=0 with_idle=100 unproven=0",
	"process_charge process_id=3 counter_id=11 charged=0 with_idle=0 unproven=100",
	"trace trace_id=1 path=- format='test' status='complete' bytes=0 first_ns=0 last_ns=0 "
	"clock=- wall_offset_ns=0 host=- os_release=- arch=- cpu_count=0 cpu_model=- "
	"recorder=- command=-",
};

static void test_small(void **state)
{
	struct trace trace = { NULL, 0, 0 };
	struct unit_notes notes;
	struct sink sink = unit_noting_sink(&notes);

	(void)state;
	make_small(&trace);
	assert_int_equal(run(&trace, &sink, 1), ST_OK);
	for (size_t i = 0; i < COUNT(small_rows); i++) {
		char line[512];

		snprintf(line, sizeof(line), "%s\n", small_rows[i]);
		if (!strstr(unit_notes_text(&notes), line))
			fail_msg("there is no row '%s' in\n%s", small_rows[i],
				 unit_notes_text(&notes));
	}
	unit_notes_free(&notes);
	free_trace(&trace);
}

/* --- single things --- */

/* Every row goes to every sink, and the first that fails ends it. */
static void test_sinks(void **state)
{
	struct trace trace = { NULL, 0, 0 };
	struct unit_notes notes[2];
	struct sink sinks[2] = { unit_noting_sink(&notes[0]),
				 unit_noting_sink(&notes[1]) };

	(void)state;
	make_small(&trace);
	assert_int_equal(run(&trace, sinks, 2), ST_OK);
	assert_string_equal(unit_notes_text(&notes[0]), unit_notes_text(&notes[1]));
	notes[1].fail_at = RECORD_thread;
	assert_int_equal(run(&trace, sinks, 2), ST_IO);
	assert_int_equal(sinks[0].error.status, ST_OK);
	assert_string_equal(sinks[1].error.text, "told to fail");
	for (int i = 0; i < 2; i++)
		unit_notes_free(&notes[i]);
	free_trace(&trace);
}

static void count_finding(void *context, const struct finding_row *row)
{
	int *count = context;

	assert_true(row->count > 0);
	++*count;
}

/* A reader that fails in the middle; findings go to the hook as well as to the sinks. */
static void test_reader_and_hook(void **state)
{
	struct trace trace = { NULL, 0, 0 };
	struct unit_notes notes;
	struct sink sink = unit_noting_sink(&notes);
	int findings = 0;
	const struct attribution_hooks hooks = { .finding = count_finding,
						 .context = &findings };
	struct attribution attribution;
	struct unit_play play;
	struct reader reader;

	(void)state;
	make_small(&trace);
	attribution_init(&attribution, &sink, 1);
	play = (struct unit_play){ trace.records, trace.count, 0, ST_OK };
	reader = unit_player(&play);
	assert_int_equal(attribution_run(&attribution, &reader, &hooks), ST_OK);
	assert_true(findings >= 3); /* first and last interval, with idle, lost */
	play = (struct unit_play){ trace.records, 10, 0, ST_CORRUPT };
	reader = unit_player(&play);
	assert_int_equal(attribution_run(&attribution, &reader, &hooks), ST_CORRUPT);
	attribution_release(&attribution);
	unit_notes_free(&notes);
	free_trace(&trace);
}

/* Ids go on from trace to trace: nothing in one output has the same twice. */
static void test_two_traces(void **state)
{
	static const struct attribution_hooks no_hooks;
	char *dir = unit_directory();
	const struct sink_options options = { .path = unit_path(dir, "two.db") };
	struct trace trace = { NULL, 0, 0 };
	struct attribution attribution;
	struct sink sink;
	sqlite3 *db;
	char *answer;

	(void)state;
	make_small(&trace);
	assert_int_equal(sink_open(&sink, &sqlite_writer, &options), ST_OK);
	attribution_init(&attribution, &sink, 1);
	for (int i = 0; i < 2; i++) {
		struct unit_play play = { trace.records, trace.count, 0, ST_OK };
		struct reader reader = unit_player(&play);

		assert_int_equal(attribution_run(&attribution, &reader, &no_hooks),
				 ST_OK);
	}
	attribution_release(&attribution);
	assert_int_equal(sink_finish(&sink), ST_OK);
	sink_close(&sink);
	db = rows_open_database(options.path);
	answer = rows_ask(
		db, "SELECT (SELECT count(*) FROM trace) || ' ' || (SELECT count(*) FROM "
		    "thread) || ' ' || (SELECT max(group_id) FROM counter_group) || ' ' "
		    "|| (SELECT count(*) FROM pragma_foreign_key_check)");
	assert_string_equal(answer, "2 6 2 0");
	free(answer);
	answer = rows_ask(
		db, "SELECT group_concat(x, ';') FROM (SELECT trace_id || process || "
		    "cycles AS x FROM process_bill ORDER BY trace_id, process)");
	assert_string_equal(answer, "1(unattributed)100;1job500;1shell100;"
				    "2(unattributed)100;2job500;2shell100");
	free(answer);
	sqlite3_close(db);
	free_trace(&trace);
	unit_remove(dir);
}

/* However late it stands in the file, a name in a row is valid UTF-8. */
static void test_names_are_valid(void **state)
{
	struct trace trace = { NULL, 0, 0 };
	struct unit_notes notes;
	struct sink sink = unit_noting_sink(&notes);
	const char *text;

	(void)state;
	ADD(&trace, RECORD_TASK_COMM,
	    (struct task_comm_event){ 300, 7, 7, STR("a\xff"), false });
	ADD(&trace, RECORD_TASK_COMM,
	    (struct task_comm_event){ 100, 7, 7, STR("b\xfe"), false });
	ADD(&trace, RECORD_TASK_COMM,
	    (struct task_comm_event){ 100, 9, 9, STR("\xc3"), false });
	ADD(&trace, RECORD_TASK_FORK, (struct task_fork_event){ 400, 10, 10, 7, 7 });
	end_trace(&trace);
	assert_int_equal(run(&trace, &sink, 1), ST_OK);
	text = unit_notes_text(&notes);
	for (size_t i = 0; text[i];) {
		size_t length = text_utf8_length(text + i, strlen(text + i));

		if (length == 0)
			fail_msg("invalid UTF-8 in\n%s", text);
		i += length;
	}
	assert_non_null(strstr(text, "name='b\\xfe'"));
	unit_notes_free(&notes);
	free_trace(&trace);
}

static void test_samples(void **state)
{
	static const int64_t ids[] = { 10, 11 };
	static const uint64_t values[] = { 5, UINT64_MAX };
	struct trace trace = { NULL, 0, 0 };
	struct unit_notes notes;
	struct sink sink = unit_noting_sink(&notes);
	char *lines;

	(void)state;
	begin_group(&trace, 1);
	ADD(&trace, RECORD_SAMPLED,
	    (struct sampled_event){ 100, 0, 7, 8, 10, 1000, INT64_MAX, ids, values, 2 });
	ADD(&trace, RECORD_SAMPLED,
	    (struct sampled_event){ 110, 3, 0, 0, 11, INT_NONE, -1, NULL, NULL, 0 });
	ADD(&trace, RECORD_SAMPLED,
	    (struct sampled_event){ INT_NONE, INT_NONE, INT_NONE, INT_NONE, 11, 0, 0,
				    NULL, NULL, 0 });
	end_trace(&trace);
	assert_int_equal(run(&trace, &sink, 1), ST_OK);
	lines = unit_notes_of(&notes, "sample");
	assert_string_equal(
		lines, "sample sample_id=1 ts_ns=100 cpu=0 thread_id=1 counter_id=10 "
		       "period=1000 ip=9223372036854775807\n"
		       "sample sample_id=2 ts_ns=110 cpu=3 thread_id=3 counter_id=11 "
		       "period=- ip=-1\n"
		       "sample sample_id=3 ts_ns=- cpu=- thread_id=- counter_id=11 "
		       "period=0 ip=0\n");
	free(lines);
	lines = unit_notes_of(&notes, "sample_value");
	assert_string_equal(lines, "sample_value sample_id=1 counter_id=10 value=5\n"
				   "sample_value sample_id=1 counter_id=11 value=-1\n");
	free(lines);
	unit_notes_free(&notes);
	free_trace(&trace);
}

/* --- a wild trace --- */

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* Three CPUs, six threads, every kind of trouble; no value is 2^63 (see below). */
static void make_wild(struct trace *trace, uint64_t seed, size_t switches)
{
	uint64_t random = seed, leader[3] = { 0 }, value[3] = { 0 };
	int64_t on_cpu[3] = { 0 }, ts = 1000;

	begin_group(trace, 1);
	for (size_t i = 0; i < switches; i++) {
		int64_t cpu = (int64_t)(next_random(&random) % 3);
		uint64_t trouble = next_random(&random) % 32;
		int64_t next = (int64_t)(next_random(&random) % 6);
		int64_t prev = trouble == 1 ? 9 : on_cpu[cpu];

		ts += (int64_t)(next_random(&random) % 1000);
		if (trouble == 2)
			ADD(trace, RECORD_LOSS,
			    (struct loss_event){ ts, cpu, INT_NONE, 5, STR("LOST") });
		if (trouble == 3)
			ADD(trace, RECORD_THROTTLED,
			    (struct throttled_event){ ts, INT_NONE, INT_NONE, true });
		if (trouble == 4)
			ADD(trace, RECORD_SWITCH_IN,
			    (struct switch_in_event){ ts, cpu, prev, true, INT_NONE });
		leader[cpu] += trouble == 5 ? 3 : 1;
		value[cpu] += trouble == 6 ? next_random(&random) | 1
					   : next_random(&random) % 100000;
		add_switch(trace, ts, cpu, prev, next, leader[cpu], value[cpu]);
		on_cpu[cpu] = next;
	}
	end_trace(trace);
}

static void assert_nothing(sqlite3 *db, const char *what, const char *sql)
{
	char *answer = rows_ask(db, sql);

	if (strcmp(answer, "0") != 0)
		fail_msg("%s: %s rows", what, answer);
	free(answer);
}

/* The books balance in every view of them; SQLite adds without wrapping, so in halves. */
static void assert_balanced(sqlite3 *db)
{
	assert_nothing(db, "foreign keys",
		       "SELECT count(*) FROM pragma_foreign_key_check");
	assert_nothing(
		db, "cpu_charge does not balance",
		"WITH h AS (SELECT (last_value & 0xffffffff) - (first_value & 0xffffffff)"
		" - (charged & 0xffffffff) - (with_idle & 0xffffffff)"
		" - (idle & 0xffffffff) - (unattributed & 0xffffffff) AS low,"
		" (last_value >> 32) - (first_value >> 32) - (charged >> 32)"
		" - (with_idle >> 32) - (idle >> 32) - (unattributed >> 32) AS high"
		" FROM cpu_charge)"
		"SELECT count(*) FROM h WHERE ((high << 32) + low) <> 0");
	assert_nothing(
		db, "processes and CPUs disagree",
		"WITH p AS (SELECT counter_id, sum(charged & 0xffffffff) AS c,"
		" sum(with_idle & 0xffffffff) AS w FROM process_charge GROUP BY 1),"
		"c AS (SELECT counter_id, sum((charged & 0xffffffff) + (idle & 0xffffffff))"
		" AS c, sum(with_idle & 0xffffffff) AS w FROM cpu_charge GROUP BY 1)"
		"SELECT count(*) FROM p JOIN c USING (counter_id)"
		" WHERE (p.c - c.c) & 0xffffffff OR (p.w - c.w) & 0xffffffff");
	assert_nothing(
		db, "rows and books disagree",
		"WITH r AS (SELECT cpu, sum(delta_1 & 0xffffffff) AS d FROM context_switch"
		" GROUP BY cpu), b AS (SELECT cpu, last_value - first_value AS d FROM"
		" cpu_charge WHERE counter_id = 11)"
		"SELECT count(*) FROM r JOIN b USING (cpu) WHERE (r.d - b.d) & 0xffffffff");
	assert_nothing(db, "switches are not all there",
		       "SELECT (SELECT sum(switches) FROM cpu_summary) -"
		       " (SELECT count(*) FROM context_switch)");
	assert_nothing(db, "statuses do not add up",
		       "SELECT (SELECT sum(switches) FROM status_summary) -"
		       " (SELECT count(*) FROM context_switch)");
	assert_nothing(db, "no times by status",
		       "SELECT (SELECT sum(on_cpu_ns) FROM status_summary) -"
		       " (SELECT sum(on_cpu_ns) FROM cpu_summary)");
}

static void write_database(const struct trace *trace, const char *path)
{
	const struct sink_options options = { .path = path, .overwrite = true };
	struct sink sink;

	assert_int_equal(sink_open(&sink, &sqlite_writer, &options), ST_OK);
	if (run(trace, &sink, 1) != ST_OK || sink_finish(&sink) != ST_OK)
		fail_msg("%s", sink.error.text);
	sink_close(&sink);
}

static void test_wild(void **state)
{
	char *dir = unit_directory();

	(void)state;
	for (uint64_t seed = 1; seed <= 5; seed++) {
		struct trace trace = { NULL, 0, 0 };
		sqlite3 *db;

		make_wild(&trace, seed * 7919, 3000);
		write_database(&trace, unit_path(dir, "wild.db"));
		db = rows_open_database(unit_path(dir, "wild.db"));
		assert_balanced(db);
		sqlite3_close(db);
		free_trace(&trace);
	}
	unit_remove(dir);
}

/* --- two roads, one answer --- */

static const char *const totals[] = {
	"thread_summary", "thread_charge",  "cpu_summary",
	"cpu_charge",	  "status_summary", "status_charge"
};

/* Totals from the trace, as stored, and worked out anew from the stored switches. */
static void test_two_roads(void **state)
{
	static const struct attribution_hooks no_hooks;
	char *dir = unit_directory();
	const char *path = unit_path(dir, "roads.db");
	struct trace trace = { NULL, 0, 0 };
	struct unit_notes notes[3];
	struct sink sinks[3];

	(void)state;
	make_wild(&trace, 12345, 2000);
	write_database(&trace, path);
	for (int i = 0; i < 3; i++)
		sinks[i] = unit_noting_sink(&notes[i]);
	assert_int_equal(run(&trace, &sinks[0], 1), ST_OK);
	for (int wants = 0; wants < 2; wants++) {
		const struct reader_options options = { .want_switches = wants };
		struct attribution attribution;
		struct reader reader;

		assert_int_equal(reader_open(&reader, path, &options, all_formats),
				 ST_OK);
		attribution_init(&attribution, &sinks[1 + wants], 1);
		if (attribution_run(&attribution, &reader, &no_hooks) != ST_OK)
			fail_msg("%s", reader.error.text);
		attribution_release(&attribution);
		reader_close(&reader);
	}
	for (size_t t = 0; t < COUNT(totals); t++) {
		char *from[3];

		for (int i = 0; i < 3; i++)
			from[i] = unit_notes_of(&notes[i], totals[t]);
		assert_true(strlen(from[0]) > 0);
		assert_string_equal(from[0], from[1]);
		assert_string_equal(from[0], from[2]);
		for (int i = 0; i < 3; i++)
			free(from[i]);
	}
	for (int i = 0; i < 3; i++)
		unit_notes_free(&notes[i]);
	free_trace(&trace);
	unit_remove(dir);
}

/* --- numbers at the edge, which the columns that are NOT NULL must take --- */

static void assert_can_be_written(const struct trace *trace)
{
	char *dir = unit_directory();
	const struct sink_options options = { .path = unit_path(dir, "edge.db") };
	struct sink sink;
	enum status status;

	assert_int_equal(sink_open(&sink, &sqlite_writer, &options), ST_OK);
	status = run(trace, &sink, 1);
	if (status == ST_OK)
		status = sink_finish(&sink);
	sink_close(&sink);
	unit_remove(dir);
	if (status != ST_OK)
		fail_msg("%s", sink.error.text);
}

/* A counter may stand at 2^63, and rise by it: the pattern that INT_NONE has in a row. */
static void test_value_of_int_none(void **state)
{
	struct trace trace = { NULL, 0, 0 };

	(void)state;
	begin_group(&trace, 1);
	add_switch(&trace, 100, 0, 7, 8, 1, UINT64_C(1) << 63);
	add_switch(&trace, 200, 0, 8, 7, 2, (UINT64_C(1) << 63) + 1);
	add_switch(&trace, 300, 0, 7, 8, 3, 1);
	end_trace(&trace);
	assert_can_be_written(&trace);
	free_trace(&trace);
}

/* Two intervals, the first as long as there can be: their sum wraps to the same pattern.
 */
static void test_time_of_int_none(void **state)
{
	const int64_t quarter = INT64_C(1) << 62;
	struct trace trace = { NULL, 0, 0 };

	(void)state;
	begin_group(&trace, 1);
	add_switch(&trace, -quarter, 0, 8, 7, 1, 1);
	add_switch(&trace, quarter - 1, 0, 7, 7, 2, 2);
	add_switch(&trace, quarter, 0, 7, 7, 3, 3);
	end_trace(&trace);
	assert_can_be_written(&trace);
	free_trace(&trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_small),
		cmocka_unit_test(test_sinks),
		cmocka_unit_test(test_reader_and_hook),
		cmocka_unit_test(test_two_traces),
		cmocka_unit_test(test_names_are_valid),
		cmocka_unit_test(test_samples),
		cmocka_unit_test(test_wild),
		cmocka_unit_test(test_two_roads),
		cmocka_unit_test(test_value_of_int_none),
		cmocka_unit_test(test_time_of_int_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
