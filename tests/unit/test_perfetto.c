/*
 * test_perfetto.c - lib/output/perfetto: slices.c and tasks.c, without a trace around
 * them, and reads and SWITCH records in a whole one.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "output/outputs.h"
#include "output/perfetto/slices.h"
#include "output/perfetto/tasks.h"
#include "unit.h"

/* --- slices --- */

struct slicing {
	struct slices slices;
	struct error error;
};

static void open_slices(struct slicing *s)
{
	assert_int_equal(slices_open(&s->slices, &s->error), ST_OK);
}

static void close_slices(struct slicing *s)
{
	slices_close(&s->slices);
}

UNIT_FIXTURE(struct slicing, open_slices, close_slices);

/* The process may open no more files. */
UNIT_TEST(no_temporary_file)
{
	struct error error = { .status = ST_OK };
	struct rlimit limit, before;
	struct slices slices;
	int lowest = dup(0);

	close(lowest);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	limit = before;
	limit.rlim_cur = (rlim_t)lowest;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_int_equal(slices_open(&slices, &error), ST_IO);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	assert_string_equal(error.text,
			    "cannot create a temporary file: Too many open files");
	slices_close(&slices);
}

static void end(struct slicing *s, int64_t cpu, int64_t ts, int64_t on_cpu,
		int64_t thread, int64_t state)
{
	const struct slice_end slice = { .cpu = cpu,
					 .ts_ns = ts,
					 .on_cpu_ns = on_cpu,
					 .thread_id = thread,
					 .prev_state = state };

	assert_int_equal(slices_add(&s->slices, &slice), ST_OK);
}

/* The thread was read, and keeps the CPU. */
static void stay(struct slicing *s, int64_t ts, int64_t on_cpu, int64_t thread)
{
	const struct slice_end slice = {
		.ts_ns = ts, .on_cpu_ns = on_cpu, .thread_id = thread, .stays = true
	};

	assert_int_equal(slices_add(&s->slices, &slice), ST_OK);
}

/* All starts, as "CPU:time thread state; ". */
static const char *starts(struct slicing *s)
{
	static char text[2048];
	struct slice_start start;
	enum status status;
	size_t at = 0;

	assert_int_equal(slices_finish(&s->slices), ST_OK);
	text[0] = '\0';
	while ((status = slices_next(&s->slices, &start)) == ST_OK)
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%d:%lld %lld %d; ",
				       (int)start.cpu, (long long)start.ts_ns,
				       (long long)start.thread_id, (int)start.prev_state);
	assert_int_equal(status, ST_END);
	return text;
}

/*
 * One after another: each start has the state of who left.  The first thread of a CPU
 * follows idle, or Perfetto would drop its slice.
 */
UNIT_CASE(slices_in_a_row, struct slicing *s)
{
	end(s, 0, 100, 40, 7, 1);
	end(s, 0, 150, 50, 8, 2);
	assert_string_equal(starts(s), "0:60 0 0; 0:60 7 0; 0:100 8 1; 0:150 0 2; ");
}

/* Between proven times the thread is unknown; an interval without one has no length. */
UNIT_CASE(slices_with_gaps, struct slicing *s)
{
	end(s, 0, 100, 40, 7, 1);
	end(s, 0, 200, 30, 8, 0);
	end(s, 0, 300, INT_NONE, 9, 0);
	assert_string_equal(starts(s), "0:60 0 0; 0:60 7 0; 0:100 0 1; 0:170 8 0; "
				       "0:200 0 0; "
				       "0:300 9 0; 0:300 0 0; ");
}

/* More time than there was since the last end is cut; before 0 nothing begins. */
UNIT_CASE(slices_too_long, struct slicing *s)
{
	end(s, 0, 100, 101, 7, 0);
	end(s, 0, 150, 90, 8, 0);
	assert_string_equal(starts(s), "0:100 7 0; 0:100 8 0; 0:150 0 0; ");
}

/* A second group's row of the same switch, and one from before it. */
UNIT_CASE(slices_again, struct slicing *s)
{
	end(s, 0, 100, 40, 7, 1);
	end(s, 0, 100, 40, 8, 2);
	end(s, 0, 90, 10, 9, 3);
	assert_string_equal(starts(s), "0:60 0 0; 0:60 7 0; 0:100 0 1; ");
}

static void end_of_group(struct slicing *s, int64_t group_id, int64_t cpu, int64_t ts)
{
	const struct slice_end slice = { .group_id = group_id,
					 .cpu = cpu,
					 .ts_ns = ts,
					 .on_cpu_ns = 10,
					 .thread_id =
						 group_id == INT_NONE ? 99 : group_id };

	assert_int_equal(slices_add(&s->slices, &slice), ST_OK);
}

/* A CPU is that of the group with most switches; of equals that of the first. */
UNIT_CASE(slices_of_groups, struct slicing *s)
{
	end_of_group(s, INT_NONE, 0, 90);
	end_of_group(s, 3, 0, 100);
	end_of_group(s, 2, 0, 104);
	end_of_group(s, 2, 0, 200);
	end_of_group(s, 4, 1, 100);
	end_of_group(s, 5, 1, 100);
	end_of_group(s, INT_NONE, 2, 100);
	assert_string_equal(starts(s), "0:94 0 0; 0:94 2 0; 0:104 0 0; 0:190 2 0; "
				       "1:90 0 0; 1:90 4 0; 0:200 0 0; 1:100 0 0; ");
}

/* With a group the bill has no time from SWITCH records, on other CPUs either. */
UNIT_CASE(slices_beside_records, struct slicing *s)
{
	end_of_group(s, INT_NONE, 2, 90);
	end_of_group(s, 3, 0, 100);
	assert_string_equal(starts(s), "0:90 0 0; 0:90 3 0; 0:100 0 0; ");
}

/* SWITCH records are all there is. */
UNIT_CASE(slices_of_records, struct slicing *s)
{
	end_of_group(s, INT_NONE, 0, 100);
	end_of_group(s, INT_NONE, 0, 200);
	assert_string_equal(starts(s), "0:90 0 0; 0:90 99 0; 0:100 0 0; 0:190 99 0; "
				       "0:200 0 0; ");
}

/* Reads in between do not cut the slice of a thread that stays. */
UNIT_CASE(slices_that_stay, struct slicing *s)
{
	stay(s, 100, 40, 7);
	stay(s, 200, 100, 7);
	end(s, 0, 250, 50, 7, 1);
	end(s, 0, 300, 50, 7, 1); /* it left and came back */
	assert_string_equal(starts(s), "0:60 0 0; 0:60 7 0; 0:250 7 1; 0:300 0 1; ");
}

/* The first read of a CPU has no time before it: the thread's slice begins there. */
UNIT_CASE(slices_from_a_read, struct slicing *s)
{
	stay(s, 100, 0, 7);
	end(s, 0, 250, 150, 7, 1);
	assert_string_equal(starts(s), "0:100 0 0; 0:100 7 0; 0:250 0 1; ");
}

UNIT_CASE(slices_of_cpus, struct slicing *s)
{
	end(s, 3, 100, 40, 7, 1);
	end(s, 1, 50, 10, 8, -1);
	end(s, 3, 120, 20, 9, 4096);
	assert_string_equal(starts(s), "3:60 0 0; 3:60 7 0; 1:40 0 0; 1:40 8 0; "
				       "3:100 9 1; 3:120 0 0; "
				       "1:50 0 0; ");
}

static void keep_warning(void *context, const char *text)
{
	snprintf(context, 200, "%s", text);
}

/*
 * From where time goes back until it reaches the last end again, intervals are counted,
 * but for those of a group that is left out.
 */
UNIT_CASE(slices_back, struct slicing *s)
{
	char text[200] = "";
	const struct sink_options options = { .warn = keep_warning, .context = text };

	end(s, 0, 100, 40, 7, 1);
	end(s, 0, 90, 10, 8, 1);
	end(s, 0, 100, 10, 9, 1);
	end(s, 0, 120, 20, 7, 1);
	end(s, 0, 120, 20, 7, 1); /* the same switch */
	end(s, 1, 50, 10, 7, 1);
	end(s, 1, 40, 10, 7, 1);
	end_of_group(s, 5, 0, 90);
	end_of_group(s, 5, 0, 50);
	assert_string_equal(starts(s), "0:60 0 0; 0:60 7 0; 0:100 7 1; 1:40 0 0; "
				       "1:40 7 0; 0:120 0 1; 1:50 0 1; ");
	slices_warn(&s->slices, &options, STR("x"));
	assert_string_equal(
		text, "x: the time of a CPU went back: 3 of its intervals are left out");
}

/* More than the buffer holds come back from the file, in order. */
UNIT_CASE(slices_in_the_file, struct slicing *s)
{
	const int64_t count = 2 * SLICES_BUFFERED + 100;
	struct slice_start start;

	for (int64_t i = 1; i <= count; i++)
		end(s, 0, 10 * i, 10, i, 0);
	assert_int_equal(slices_finish(&s->slices), ST_OK);
	for (int64_t i = 0; i <= count; i++) {
		assert_int_equal(slices_next(&s->slices, &start), ST_OK);
		assert_int_equal(start.thread_id, i); /* idle, then the first */
		assert_int_equal(start.ts_ns, i ? 10 * (i - 1) : 0);
	}
	assert_int_equal(slices_next(&s->slices, &start), ST_OK);
	assert_int_equal(start.thread_id, 0);
	assert_int_equal(slices_next(&s->slices, &start), ST_END);
}

/* --- tasks --- */

static void add_process(struct tasks *tasks, int64_t id, int64_t pid, int64_t parent,
			const char *name)
{
	assert_true(tasks_add_process(
		tasks, &(struct process_row){ .process_id = id,
					      .pid = pid,
					      .parent_pid = parent,
					      .name = name ? str_of(name) : STR_NONE }));
}

static void add_thread(struct tasks *tasks, int64_t id, int64_t process, int64_t tid,
		       int64_t start, const char *name)
{
	assert_true(tasks_add_thread(
		tasks, &(struct thread_row){ .thread_id = id,
					     .process_id = process,
					     .tid = tid,
					     .idle_cpu = INT_NONE,
					     .start_ns = start,
					     .name = name ? str_of(name) : STR_NONE }));
}

/* A number of variable length. */
static uint64_t number(const uint8_t **at)
{
	uint64_t value = 0;
	int shift = 0;

	do
		value |= (uint64_t)(**at & 0x7f) << shift;
	while (shift += 7, *(*at)++ & 0x80);
	return value;
}

/* "field=value " of numbers and texts, "field{ ... } " of the messages in `messages`. */
static size_t print(char *to, size_t room, const uint8_t *at, const uint8_t *end,
		    const char *messages)
{
	size_t used = 0;

	while (at < end) {
		uint64_t key = number(&at), value = number(&at);
		char field[24];

		snprintf(field, sizeof(field), " %d ", (int)(key >> 3));
		if ((key & 7) == 0) {
			used += (size_t)snprintf(to + used, room - used, "%d=%lld ",
						 (int)(key >> 3), (long long)value);
			continue;
		}
		if (!strstr(messages, field)) {
			used += (size_t)snprintf(to + used, room - used, "%d=%.*s ",
						 (int)(key >> 3), (int)value,
						 (const char *)at);
		} else {
			used += (size_t)snprintf(to + used, room - used, "%d{ ",
						 (int)(key >> 3));
			used += print(to + used, room - used, at, at + value,
				      strchr(messages, '|') + 1);
			used += (size_t)snprintf(to + used, room - used, "} ");
		}
		at += value;
	}
	return used;
}

/* What task_tracks_write() writes; the messages of each level down to the task's own. */
static const char *written(struct tasks *tasks, int64_t first_ns)
{
	static char text[4096];
	struct error error = { ST_OK, 0, "" };
	struct packets packets = { .fd = -1, .error = &error };

	assert_int_equal(task_tracks_write(tasks, &packets, first_ns), ST_OK);
	text[0] = '\0';
	print(text, sizeof(text), packets.bytes.data,
	      packets.bytes.data + packets.bytes.size, " 1 | 1  2 | 1  2 | 235 |");
	packets_release(&packets);
	tasks_release(tasks);
	return text;
}

UNIT_TEST(task_tree)
{
	struct tasks tasks = { .first = NULL };

	add_process(&tasks, 1, 500, 4, "a.exe");
	add_thread(&tasks, 11, 1, 501, INT_NONE, "worker");
	add_thread(&tasks, 12, 1, 500, INT_NONE, NULL);
	assert_int_equal(tasks_find(&tasks, 11)->tid, 501);
	assert_null(tasks_find(&tasks, 13));
	assert_string_equal(written(&tasks, 90),
			    "1{ 8=90 10=1 2{ 1{ 1=500 2=4 3=a.exe } 2{ 1=500 3=500 } } } "
			    "1{ 8=90 10=1 2{ 1{ 1=500 2=4 3=a.exe } "
			    "2{ 1=501 2=worker 3=500 } } } ");
}

/* The second one with a number comes as the kernel's event of a new task. */
UNIT_TEST(task_reused)
{
	struct tasks tasks = { .first = NULL };

	add_process(&tasks, 1, 500, 4, "a.exe");
	add_process(&tasks, 2, 500, 6, "b.exe");
	add_thread(&tasks, 12, 2, 500, 200, "b.exe");
	add_thread(&tasks, 11, 1, 500, INT_NONE, "a.exe");
	assert_string_equal(
		written(&tasks, 90),
		"1{ 8=90 10=1 2{ 1{ 1=500 2=4 3=a.exe } "
		"2{ 1=500 2=a.exe 3=500 } } } "
		"1{ 8=200 10=1 1{ 1=0 2{ 1=200 2=6 235{ 1=500 2=b.exe 3=0 } } } } "
		"1{ 8=200 10=1 2{ 1{ 1=500 2=6 3=b.exe } "
		"2{ 1=500 2=b.exe 3=500 } } } ");
}

/*
 * All threads of the second process with a pid begin with it or later, whether or not the
 * first one's main thread was seen, or came first.
 */
UNIT_TEST(task_of_reused_process)
{
	struct tasks tasks = { .first = NULL };

	assert_true(
		tasks_add_process(&tasks, &(struct process_row){ .process_id = 2,
								 .pid = 500,
								 .parent_pid = 6,
								 .start_ns = 200,
								 .name = STR("b.exe") }));
	add_process(&tasks, 1, 500, 4, "a.exe");
	add_thread(&tasks, 11, 1, 501, INT_NONE, NULL);
	add_thread(&tasks, 12, 2, 502, 300, "b");
	add_thread(&tasks, 13, 2, 500, INT_NONE, "b.exe");
	assert_string_equal(
		written(&tasks, 90),
		"1{ 8=200 10=1 1{ 1=0 2{ 1=200 2=6 235{ 1=500 2=b.exe 3=0 } } } } "
		"1{ 8=200 10=1 2{ 1{ 1=500 2=6 3=b.exe } 2{ 1=500 2=b.exe 3=500 } } } "
		"1{ 8=90 10=1 2{ 1{ 1=500 2=4 3=a.exe } 2{ 1=501 3=500 } } } "
		"1{ 8=300 10=1 1{ 1=0 2{ 1=300 2=500 235{ 1=502 2=b 3=65536 } } } } "
		"1{ 8=300 10=1 2{ 1{ 1=500 2=6 3=b.exe } 2{ 1=502 2=b 3=500 } } } ");
}

/* Numbers that are none, and idle, which has no task. */
UNIT_TEST(task_numbers)
{
	struct tasks tasks = { .first = NULL };
	const struct thread_row idle = { .thread_id = 3, .process_id = 1, .idle_cpu = 0 };

	add_process(&tasks, 1, INT_NONE, INT_NONE, NULL);
	assert_true(tasks_add_thread(&tasks, &idle));
	add_thread(&tasks, 7, 1, -1, INT_NONE, NULL);
	assert_int_equal(tasks.count, 1);
	assert_null(tasks_find(&tasks, 3));
	assert_string_equal(written(&tasks, 90), "1{ 8=90 10=1 2{ 1{ 1=1073741825 } "
						 "2{ 1=1073741831 3=1073741825 } } } ");
}

/* --- reads between switches, in a whole trace --- */

static void put(struct sink *sink, enum record_kind kind, const void *row)
{
	assert_int_equal(sink_put(sink, &(struct record){ .kind = kind, .data = row }),
			 ST_OK);
}
#define PUT(sink, table, ...) \
	put((sink), RECORD_##table, &(struct table##_row){ __VA_ARGS__ })

static void put_read(struct sink *sink, int64_t ts, int64_t cpu, int64_t status,
		     int64_t on_cpu, int64_t interrupt_id, int64_t delta)
{
	PUT(sink, group_read, .ts_ns = ts, .cpu = cpu, .group_id = 1, .thread_id = 11,
	    .status = status, .on_cpu_ns = on_cpu, .interrupt_id = interrupt_id);
	PUT(sink, group_read_value, .counter_id = 5, .delta = delta);
}

static void put_trace(struct sink *sink)
{
	const int64_t delta = 1000;
	const struct context_switch_row row = { .ts_ns = 200,
						.group_id = 1,
						.prev_thread_id = 11,
						.status = CHARGE_CHARGED,
						.on_cpu_ns = 50 };

	PUT(sink, counter, .counter_id = 5, .group_id = 1, .slot = 0, .name = STR("c"));
	PUT(sink, process, .process_id = 1, .pid = 500, .name = STR("p"));
	PUT(sink, thread, .thread_id = 11, .process_id = 1, .tid = 501,
	    .idle_cpu = INT_NONE, .name = STR("t"));
	put_read(sink, 100, 0, CHARGE_CHARGED, 40, INT_NONE, 1);
	put_read(sink, 150, 0, CHARGE_CHARGED, 50, INT_NONE, 20);
	assert_int_equal(sink_put(sink, &(struct record){ .kind = RECORD_context_switch,
							  .data = &row,
							  .deltas = &delta,
							  .slots = 1 }),
			 ST_OK);
	PUT(sink, interrupt, .interrupt_id = 8, .in_thread = 1);
	PUT(sink, interrupt, .interrupt_id = 9);
	put_read(sink, 240, 0, CHARGE_CHARGED, 40, 8, 0);   /* its own softirq */
	put_read(sink, 300, 0, CHARGE_CHARGED, 10, 9, 300); /* of an interrupt */
	put_read(sink, 400, 0, CHARGE_CHAIN, 10, INT_NONE, 0);
	put_read(sink, 500, INT_NONE, CHARGE_CHARGED, 10, INT_NONE, 9000); /* nowhere */
	PUT(sink, trace, .trace_id = 1, .wall_offset_ns = INT_NONE);
}

/* The content of the first such field of a message, whose end moves; NULL: none. */
static const uint8_t *inside(const uint8_t *at, const uint8_t **end, unsigned int field)
{
	while (at && at < *end) {
		uint64_t key = number(&at), value = number(&at);

		if ((key & 7) == 0)
			continue;
		if (key >> 3 == field) {
			*end = at + value;
			return at;
		}
		at += value;
	}
	return NULL;
}

static int64_t number_in(const uint8_t *at, const uint8_t *end, unsigned int field)
{
	while (at < end) {
		uint64_t key = number(&at), value = number(&at);

		if (key == (uint64_t)field << 3)
			return (int64_t)value;
		at += key & 7 ? value : 0;
	}
	return -1;
}

/* Numbers of a packed field of the switches of a CPU, " 1 2 3" in all. */
static void print_packed(char *to, size_t room, const uint8_t *at, const uint8_t *end,
			 unsigned int field)
{
	at = inside(at, &end, field);
	assert_non_null(at);
	while (at < end) {
		size_t used = strlen(to);

		snprintf(to + used, room - used, " %lld", (long long)number(&at));
	}
}

struct written {
	char switches[200], values[200];
};

/* Times and threads of the switches, and values of counters, that `put` leads to. */
static void write_trace(struct written *written, void (*put_rows)(struct sink *sink))
{
	const uint8_t *at, *end;
	struct sink sink;
	size_t size;

	*written = (struct written){ .switches = "" };
	unit_directory();
	assert_int_equal(sink_open(&sink, &perfetto_writer,
				   &(struct sink_options){ .path = unit_path("trace"),
							   .overwrite = true }),
			 ST_OK);
	put_rows(&sink);
	assert_int_equal(sink_finish(&sink), ST_OK);
	sink_close(&sink);
	at = (const uint8_t *)unit_read_file(unit_path("trace"), &size);
	for (end = at + size; at < end;) {
		const uint8_t *next = end, *packet = inside(at, &next, TRACE_PACKET);
		const uint8_t *in = next,
			      *sched = inside(packet, &in, PACKET_FTRACE_EVENTS);
		char *values = written->values;

		sched = inside(sched, &in, BUNDLE_COMPACT_SCHED);
		if (sched) {
			print_packed(written->switches, sizeof(written->switches), sched,
				     in, SCHED_TIMESTAMP);
			strcat(written->switches, " |");
			print_packed(written->switches, sizeof(written->switches), sched,
				     in, SCHED_NEXT_PID);
		}
		in = next;
		sched = inside(packet, &in, PACKET_TRACK_EVENT);
		if (sched)
			snprintf(values + strlen(values),
				 sizeof(written->values) - strlen(values), " %lld=%lld",
				 (long long)number_in(packet, next, PACKET_TIMESTAMP),
				 (long long)number_in(sched, in, TRACK_EVENT_VALUE));
		at = next;
	}
}

/* A thread that is read keeps its CPU; what it counted adds to the counter's track. */
UNIT_TEST(reads)
{
	struct written written;

	write_trace(&written, put_trace);
	/* Times are differences; the last two intervals have no known beginning. */
	assert_string_equal(written.switches,
			    " 60 0 140 40 60 0 100 0 | 0 501 501 0 501 0 501 0");
	assert_string_equal(written.values, " 100=1321 1048676=0");
}

static void put_record(struct sink *sink, int64_t ts, int64_t cpu, int64_t on_cpu)
{
	PUT(sink, switch_record, .ts_ns = ts, .cpu = cpu, .thread_id = 11, .is_out = 1,
	    .on_cpu_ns = on_cpu);
}

static void put_records(struct sink *sink)
{
	PUT(sink, process, .process_id = 1, .pid = 500, .name = STR("p"));
	PUT(sink, thread, .thread_id = 11, .process_id = 1, .tid = 501,
	    .idle_cpu = INT_NONE, .name = STR("t"));
	put_record(sink, 100, 0, 40);
	put_record(sink, 150, 0, INT_NONE);
	put_record(sink, 160, INT_NONE, 10);
	put_record(sink, 200, 0, 30);
	PUT(sink, trace, .trace_id = 1, .wall_offset_ns = INT_NONE);
}

static void put_records_and_reads(struct sink *sink)
{
	put_record(sink, 90, 0, 20);
	put_trace(sink);
	put_record(sink, 600, 0, 20);
}

/* SWITCH records are switches where no group was read, and only there. */
UNIT_TEST(switch_records)
{
	struct written written;

	write_trace(&written, put_records);
	assert_string_equal(written.switches, " 60 0 40 70 30 | 0 501 0 501 0");
	write_trace(&written, put_records_and_reads);
	assert_string_equal(written.switches,
			    " 60 0 140 40 60 0 100 0 | 0 501 501 0 501 0 501 0");
}
