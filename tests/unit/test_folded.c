/*
 * test_folded.c - lib/output/folded: stacks as lines and as a document of speedscope, and
 * what they weigh.
 */
#include <string.h>

#include "output/folded/folded.h"
#include "output/outputs.h"
#include "unit.h"

enum { CYCLES = 11, CLOCK = 13 };

struct fixture {
	struct sink sink;
	const char *path;
};

static void setup(struct fixture *f)
{
	unit_directory();
	f->path = unit_path("out");
}

UNIT_FIXTURE(struct fixture, setup, UNIT_NOTHING);

static void open_sink(struct fixture *f, const struct sink_ops *ops, const char *counter)
{
	const struct sink_options options = { .path = f->path,
					      .overwrite = true,
					      .counter = counter };

	assert_int_equal(sink_open(&f->sink, ops, &options), ST_OK);
}

static enum status put(struct fixture *f, enum record_kind kind, const void *row)
{
	return sink_put(&f->sink, &(struct record){ .kind = kind, .data = row });
}
#define PUT(f, table, ...)                                                               \
	assert_int_equal(put((f), RECORD_##table, &(struct table##_row){ __VA_ARGS__ }), \
			 ST_OK)

static void put_task(struct fixture *f, int64_t id, const char *process,
		     const char *thread)
{
	PUT(f, process, .process_id = 10 * id, .pid = 100 * id, .name = str_of(process));
	PUT(f, thread, .thread_id = id, .process_id = 10 * id, .tid = 100 * id,
	    .idle_cpu = INT_NONE, .name = str_of(thread));
}

static void put_sample(struct fixture *f, int64_t thread_id, int64_t counter_id,
		       int64_t period)
{
	PUT(f, sample, .ts_ns = 100, .thread_id = thread_id, .counter_id = counter_id,
	    .period = period, .mode = 2, .ip = INT_NONE, .callchain_id = INT_NONE);
}

static void put_switch(struct fixture *f, int64_t id, int64_t ts, int64_t prev,
		       int64_t next, int64_t on_cpu_ns, int64_t delta)
{
	const struct context_switch_row row = { .switch_id = id,
						.ts_ns = ts,
						.group_id = 1,
						.prev_thread_id = prev,
						.next_thread_id = next,
						.status = CHARGE_CHARGED,
						.on_cpu_ns = on_cpu_ns };

	assert_int_equal(sink_put(&f->sink,
				  &(struct record){ .kind = RECORD_context_switch,
						    .data = &row,
						    .deltas = &delta,
						    .slots = 1 }),
			 ST_OK);
}

static void put_group(struct fixture *f)
{
	PUT(f, counter, .counter_id = CYCLES, .group_id = 1, .slot = 0,
	    .name = STR("cycles"));
}

/* The end of a trace, then of the output; the file. */
static const char *finish(struct fixture *f)
{
	PUT(f, trace, .trace_id = 1, .path = STR("a \"b\".data"));
	assert_int_equal(sink_finish(&f->sink), ST_OK);
	sink_close(&f->sink);
	return unit_read_file(f->path, NULL);
}

/* --- lines --- */

/* Sorted; equal ones are added up; what would end a frame or a line is escaped. */
UNIT_CASE(lines, struct fixture *f)
{
	open_sink(f, &folded_writer, NULL);
	put_task(f, 1, "z; z", "a\\b");
	put_task(f, 2, "b\303\244r", "x\ny\377");
	put_task(f, 3, "b\303\244r", "x\ny\377");
	put_sample(f, 1, CLOCK, 5);
	put_sample(f, 2, CLOCK, 6);
	put_sample(f, 3, CLOCK, 7);
	put_sample(f, INT_NONE, CLOCK, 1);
	assert_string_equal(finish(f), "(unattributed) 1\n"
				       "b\303\244r;x\\x0ay\\xff 13\n"
				       "z\\x3b\\x20z;a\\x5cb 5\n");
}

/* Sorted as texts: a frame ends before a name that goes on, and ';' is after '!'. */
UNIT_CASE(order, struct fixture *f)
{
	static const char *const tasks[][2] = {
		{ "x", "y" },  { "x", "" },   { "x!", "y" },   { "x=", "y" },
		{ "x", "y!" }, { "x", "yy" }, { "\377", "y" }, { "x", "\303\244" },
	};
	struct stack_name *name;
	struct folded *folded;

	open_sink(f, &folded_writer, NULL);
	for (size_t i = 0; i < COUNT(tasks); i++) {
		put_task(f, (int64_t)i + 1, tasks[i][0], tasks[i][1]);
		put_sample(f, (int64_t)i + 1, CLOCK, 1 << i);
	}
	/* Stacks that end where others go on. */
	PUT(f, callchain, .callchain_id = 5,
	    .frames = STR("[\"user\",\"0x10\",\"0x20\"]"));
	for (int64_t id = 1; id <= 3; id += 2)
		PUT(f, sample, .ts_ns = 100, .thread_id = id, .counter_id = CLOCK,
		    .period = 1000, .mode = 2, .ip = INT_NONE, .callchain_id = 5);
	folded = f->sink.state;
	name = stacks_intern_name(&folded->stacks, STR("x"));
	assert_ptr_equal(stacks_intern_name(&folded->stacks, STR("x")), name);
	assert_string_equal(finish(f), "\\xff;y 64\n"
				       "x!;y 4\n"
				       "x!;y;0x20;0x10 1000\n"
				       "x;:200 2\n"
				       "x;y 1\n"
				       "x;y! 16\n"
				       "x;y;0x20;0x10 1000\n"
				       "x;yy 32\n"
				       "x;\303\244 128\n"
				       "x=;y 8\n");
}

/*
 * 32 stacks of 64 frames at different addresses, all in one function: their texts would
 * need 8 MiB, their tree needs one name.
 */
UNIT_CASE(deep_stacks_with_long_names, struct fixture *f)
{
	static char symbol[4000], frames[64 * 8 + 16];
	struct folded *folded;
	const char *text;
	size_t size;

	memset(symbol, 'f', sizeof(symbol));
	open_sink(f, &folded_writer, NULL);
	put_task(f, 1, "p", "t");
	folded = f->sink.state;
	folded->stacks.bytes = STACKS_BYTES_MAX - ((size_t)1 << 20);
	for (int64_t i = 0; i < 96; i++)
		PUT(f, frame_symbol, .process_id = 10, .address = 0x100 + i,
		    .to_ns = INT_NONE, .symbol = { symbol, sizeof(symbol) });
	for (int i = 0; i < 32; i++) {
		size_t at = (size_t)snprintf(frames, sizeof(frames), "[\"user\"");

		for (int k = 0; k < 64; k++)
			at += (size_t)snprintf(frames + at, sizeof(frames) - at,
					       ",\"0x%x\"", 0x100U + (unsigned)(i + k));
		(void)snprintf(frames + at, sizeof(frames) - at, "]");
		PUT(f, callchain, .callchain_id = i, .frames = str_of(frames));
		PUT(f, sample, .ts_ns = 100, .thread_id = 1, .counter_id = CLOCK,
		    .period = 10, .mode = 2, .ip = INT_NONE, .callchain_id = i);
	}
	text = finish(f);
	size = strlen(text);
	assert_int_equal(size, strlen("p;t 320\n") + 64 * (1 + sizeof(symbol)));
	assert_memory_equal(text, "p;t;ff", 6);
	assert_string_equal(text + size - 6, "f 320\n");
}

/* The maximum has a message of its own. */
UNIT_CASE(more_than_the_maximum, struct fixture *f)
{
	struct folded *folded;

	open_sink(f, &folded_writer, NULL);
	put_task(f, 1, "p", "t");
	folded = f->sink.state;
	folded->stacks.bytes = STACKS_BYTES_MAX - 1;
	assert_int_equal(put(f, RECORD_thread,
			     &(struct thread_row){ .thread_id = 2, .process_id = 10 }),
			 ST_LIMIT);
	assert_string_equal(
		f->sink.error.text,
		"the stacks of a trace, their names and lines need more than 1 GiB");
	sink_close(&f->sink);
}

/* The same where the output is made. */
UNIT_CASE(more_than_the_maximum_of_lines, struct fixture *f)
{
	static const struct sink_ops *const outputs[] = { &folded_writer,
							  &speedscope_writer };

	for (size_t i = 0; i < COUNT(outputs); i++) {
		struct folded *folded;

		open_sink(f, outputs[i], NULL);
		put_task(f, 1, "p", "t");
		put_sample(f, 1, CLOCK, 5);
		folded = f->sink.state;
		folded->stacks.bytes = STACKS_BYTES_MAX - 1;
		assert_int_equal(put(f, RECORD_trace,
				     &(struct trace_row){ .trace_id = 1 }),
				 ST_LIMIT);
		HAS(f->sink.error.text, "need more than 1 GiB");
		sink_close(&f->sink);
	}
}

/* A line counts as well: a small tree can have long ones. */
UNIT_CASE(more_than_the_maximum_of_long_lines, struct fixture *f)
{
	char name[2001];
	struct folded *folded;

	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	for (size_t left = 1000; left <= 4000; left += 3000) {
		open_sink(f, &folded_writer, NULL);
		put_task(f, 1, name, "t");
		put_sample(f, 1, CLOCK, 5);
		folded = f->sink.state;
		/* Names of frames are copied before the lines are made. */
		folded->stacks.bytes = STACKS_BYTES_MAX - sizeof(name) - left;
		assert_int_equal(put(f, RECORD_trace,
				     &(struct trace_row){ .trace_id = 1 }),
				 left < 2000 ? ST_LIMIT : ST_OK);
		sink_close(&f->sink);
	}
}

/* Weights are those of the event that cost most. */
UNIT_CASE(the_heaviest_event, struct fixture *f)
{
	open_sink(f, &folded_writer, NULL);
	put_task(f, 1, "p", "t");
	put_sample(f, 1, CLOCK, 5);
	put_sample(f, 1, CLOCK + 1, 700);
	put_sample(f, 1, CLOCK, 5);
	assert_string_equal(finish(f), "p;t 700\n");
}

/* Of events without periods, the one with most samples. */
UNIT_CASE(the_most_frequent_event, struct fixture *f)
{
	open_sink(f, &folded_writer, NULL);
	put_task(f, 1, "p", "t");
	put_sample(f, 1, CLOCK, 0);
	put_sample(f, 1, CLOCK + 1, 0);
	put_sample(f, 1, CLOCK + 1, 0);
	assert_string_equal(finish(f), "p;t 2\n");
}

static const char *of_switches(struct fixture *f, const char *counter, bool has_chain)
{
	open_sink(f, &folded_writer, counter);
	put_task(f, 1, "p", "t");
	put_task(f, 2, "q", "u");
	put_group(f);
	put_switch(f, 1, 100, 1, 2, 40, 7);
	if (has_chain)
		PUT(f, switch_callchain, .switch_id = 1, .callchain_id = 5);
	put_switch(f, 2, 160, 2, 1, 60, 8);
	return finish(f);
}

UNIT_CASE(what_is_weighed, struct fixture *f)
{
	assert_string_equal(of_switches(f, NULL, false), "p;t 7\nq;u 8\n");
	assert_string_equal(of_switches(f, "cycles", true), "p;t 7\nq;u 8\n");
	assert_string_equal(of_switches(f, "on_cpu_ns", false), "p;t 40\nq;u 60\n");
	assert_string_equal(of_switches(f, "off_cpu_ns", false), "p;t 60\n");
	/* Chains of switches say where a thread waited. */
	assert_string_equal(of_switches(f, NULL, true), "p;t 60\n");
}

UNIT_CASE(no_such_counter, struct fixture *f)
{
	open_sink(f, &folded_writer, "cycle");
	put_group(f);
	assert_int_equal(put(f, RECORD_trace, &(struct trace_row){ .trace_id = 1 }),
			 ST_UNSUPPORTED);
	assert_string_equal(f->sink.error.text, "no counter 'cycle'; there are cycles, "
						"on_cpu_ns and off_cpu_ns");
	sink_close(&f->sink);
	assert_false(unit_exists(f->path));
}

/* What is not above 0 has no place in a picture. */
UNIT_CASE(weights_below_zero, struct fixture *f)
{
	open_sink(f, &folded_writer, "cycles");
	put_task(f, 1, "p", "t");
	put_task(f, 2, "q", "u");
	put_group(f);
	put_switch(f, 1, 100, 1, 2, 40, -7);
	put_switch(f, 2, 160, 2, 1, 60, 8);
	assert_string_equal(finish(f), "q;u 8\n");
}

/* Stacks of each trace follow those of the one before. */
UNIT_CASE(two_traces, struct fixture *f)
{
	open_sink(f, &folded_writer, NULL);
	put_task(f, 1, "p", "t");
	put_sample(f, 1, CLOCK, 5);
	PUT(f, trace, .trace_id = 1);
	put_task(f, 1, "o", "t");
	put_sample(f, 1, CLOCK, 6);
	assert_string_equal(finish(f), "p;t 5\no;t 6\n");
}

/* --- speedscope --- */

UNIT_CASE(a_document, struct fixture *f)
{
	open_sink(f, &speedscope_writer, NULL);
	put_task(f, 1, "p\"", "t\n");
	put_task(f, 2, "q", "t\n");
	PUT(f, counter, .counter_id = CLOCK, .group_id = INT_NONE, .name = STR("clock"),
	    .unit = STR("ns"));
	put_sample(f, 1, CLOCK, 5);
	put_sample(f, 2, CLOCK, 6);
	assert_string_equal(
		finish(f),
		"{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n"
		"\"exporter\":\"perftab\",\"name\":\"a \\u0022b\\u0022.data\",\n"
		"\"shared\":{\"frames\":[\n"
		"{\"name\":\"p\\u0022\"},\n{\"name\":\"t\\u000a\"},\n{\"name\":\"q\"}]},\n"
		"\"profiles\":[{\"type\":\"sampled\",\"name\":\"clock\",\"unit\":\"nanoseconds\","
		"\"startValue\":0,\"endValue\":11,\n"
		"\"samples\":[\n[0,1],\n[2,1]],\n\"weights\":[5,6]}]}\n");
}

UNIT_CASE(one_trace_a_document, struct fixture *f)
{
	open_sink(f, &speedscope_writer, NULL);
	PUT(f, trace, .trace_id = 1);
	assert_int_equal(put(f, RECORD_trace, &(struct trace_row){ .trace_id = 2 }),
			 ST_UNSUPPORTED);
	HAS(f->sink.error.text,
	    "a document of speedscope holds one trace: give one input");
	sink_close(&f->sink);
}

/* --- where it goes --- */

static int to_stdout(void *context)
{
	struct fixture *f = context;

	f->path = "-";
	open_sink(f, &folded_writer, NULL);
	put_task(f, 1, "p", "t");
	for (int64_t i = 0; i < 20000; i++)
		PUT(f, sample, .ts_ns = 100, .thread_id = 1, .counter_id = CLOCK,
		    .period = 1, .mode = 2, .ip = i % 40, .callchain_id = INT_NONE);
	PUT(f, trace, .trace_id = 1);
	assert_int_equal(sink_finish(&f->sink), ST_OK);
	sink_close(&f->sink);
	return 0;
}

UNIT_CASE(standard_output, struct fixture *f)
{
	struct unit_output output;

	unit_capture(to_stdout, f, &output);
	assert_int_equal(output.status, 0);
	HAS(output.out, "p;t;0x0 500\n", "p;t;0x27 500\n");
}
