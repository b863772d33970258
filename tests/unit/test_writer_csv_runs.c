/* test_writer_csv_runs.c - lines of runs, numbers of all widths, against snprintf(). */
#include <stdlib.h>
#include <string.h>

#include "output/outputs.h"
#include "rows.h"

#define SLOTS 4	    /* more than 64 bytes in some lines */
#define THREAD 9999 /* the only one with a name */
#define TEXT_BYTES ((size_t)1 << 20)

static const int64_t widths[] = {
	0,
	1,
	9,
	10,
	99,
	100,
	999,
	1000,
	9999,
	10000,
	99999,
	100000,
	9999999,
	10000000,
	99999999,
	100000000,
	999999999,
	4294967295,
	4294967296,
	4294967296 + 5,
	9999999999999999,
	INT64_C(1) << 53,
	(INT64_C(1) << 53) + 1,
	INT64_MAX - 1,
	INT64_MAX,
};

static int64_t width(size_t i)
{
	return widths[i % COUNT(widths)];
}

/* Numbers that may be negative too: those of deltas. */
static int64_t signed_width(size_t i)
{
	int64_t number = width(i / 2);

	return i % 2 == 0 ? number : number == INT64_MAX ? INT64_MIN : -number;
}

static size_t put(char *to, int64_t number)
{
	return number == INT_NONE ? (size_t)sprintf(to, ",")
				  : (size_t)sprintf(to, "%lld,", (long long)number);
}

static size_t put_deltas(char *to, const int64_t *deltas)
{
	size_t at = 0;

	for (size_t i = 0; i < SLOTS; i++)
		at += (size_t)sprintf(to + at, "%lld%c", (long long)deltas[i],
				      i + 1 < SLOTS ? ',' : '\n');
	return at;
}

/* A line of context_switch.csv. */
static size_t put_numbers(char *to, const struct context_switch_row *row,
			  const int64_t *deltas)
{
	int64_t fields[sizeof(*row) / sizeof(int64_t)];
	size_t at = 0;

	memcpy(fields, row, sizeof(fields));
	for (size_t i = 0; i < COUNT(fields); i++)
		at += put(to + at, fields[i]);
	return at + put_deltas(to + at, deltas);
}

/* A line of context_switch_named.csv, of a thread without a process. */
static size_t put_names(char *to, const struct context_switch_row *row,
			const int64_t *deltas)
{
	size_t at = put(to, row->switch_id);

	at += (size_t)sprintf(to + at, "1,");
	at += put(to + at, row->ts_ns);
	at += put(to + at, row->cpu);
	at += (size_t)sprintf(to + at, "1,,,");
	at += row->prev_thread_id == THREAD ? (size_t)sprintf(to + at, "\"t\",7,")
					    : (size_t)sprintf(to + at, ",,");
	at += row->next_thread_id == THREAD ? (size_t)sprintf(to + at, "\"t\",7,")
					    : (size_t)sprintf(to + at, ",,");
	at += put(to + at, row->prev_state);
	at += (size_t)sprintf(to + at, "\"%s\",\"%s\",",
			      charge_status_words[row->status].name,
			      charge_status_words[row->status].reason);
	at += put(to + at, row->on_cpu_ns);
	at += put(to + at, row->running_ns);
	return at + put_deltas(to + at, deltas);
}

struct texts {
	char *numbers, *names;
	size_t numbers_at, names_at;
};

static void fill_run(struct run *run, size_t first, int64_t ts)
{
	for (size_t at = 1; at < RUN_PLACES; at++) {
		size_t i = first + at;

		run->ts_ns[at] = ts + (int64_t)at * 3;
		run->prev_thread_id[at] = i % 2 ? THREAD : width(i);
		run->next_thread_id[at] = i % 3 ? width(i / 3) : INT_NONE;
		run->prev_state[at] = signed_width(i * 7) | 1;
		run->on_cpu_ns[at] = width(i * 5);
		run->ran_ns[at] = i % 5 ? width(i * 3) : INT_NONE;
		run->detail_id[at] = i % 7 ? width(i) : INT_NONE;
		for (size_t slot = 0; slot < SLOTS; slot++)
			run->deltas[at * SLOTS + slot] = signed_width(i * SLOTS + slot);
	}
}

static void put_run(struct sink *sink, const struct run_rows *rows, struct texts *texts)
{
	assert_int_equal(sink_put_run(sink, rows), ST_OK);
	for (size_t at = rows->from; at < rows->to; at++) {
		struct context_switch_row row = run_rows_get(rows, at);
		const int64_t *deltas = rows->run->deltas + at * SLOTS;

		texts->numbers_at +=
			put_numbers(texts->numbers + texts->numbers_at, &row, deltas);
		texts->names_at +=
			put_names(texts->names + texts->names_at, &row, deltas);
	}
}

/* Where ids and times get a digit more, and where the parts that lines share end. */
static const struct {
	int line;
	int64_t id, ts;
} firsts[] = {
	{ ROW, 1, 0 },
	{ ROW, 8, 5 },
	{ ROW, 995, 99999900 },
	{ ROW, 9990, 100000000 },
	{ ROW, 99999, 999999800 },
	{ ROW, 99999950, 999999999900 },
	{ ROW, 999999990, 12345678901234 },
	{ ROW, (INT64_C(1) << 53) - 9, 999999999999999990 },
	{ ROW, INT64_MAX - 2000, INT64_MAX - 2000 },
	{ ROW, 100000000, 7 }, /* an earlier time */
};

static void put_runs(struct sink *sink, struct texts *texts)
{
	static struct run run;

	for (size_t i = 0; i < COUNT(firsts); i++)
		for (size_t kind = 0; kind < 8; kind++) {
			size_t from = 1 + kind, to = from + 1 + i * kind;
			struct run_rows rows = { .run = &run,
						 .from = from,
						 .to = to < RUN_PLACES ? to : RUN_PLACES,
						 .first_id = firsts[i].id,
						 .group_id = 1 };

			run.common.cpu = (int32_t)width(i + kind) & INT32_MAX;
			run.common.count = SLOTS;
			run.count = RUN_SWITCHES_MAX;
			run.has_running = kind & 1;
			run.has_details = kind & 2;
			fill_run(&run, i * 11 + kind, firsts[i].ts);
			if (kind & 4)
				run.ts_ns[from] = width(i * kind);
			put_run(sink, &rows, texts);
		}
}

static void assert_file(const char *table, const char *expected)
{
	char path[64];
	size_t size;

	snprintf(path, sizeof(path), "runs/%s.csv", table);
	assert_string_equal(unit_read_file(unit_path(path), &size), expected);
}

UNIT_TEST(numbers_of_all_widths)
{
	const struct sink_options options = { .path = unit_path("runs") };
	struct texts texts = { unit_alloc(TEXT_BYTES), unit_alloc(TEXT_BYTES), 0, 0 };
	struct rows rows = { NULL, 0, 0 };
	struct sink sink;

	texts.numbers_at = (size_t)sprintf(
		texts.numbers,
		"switch_id,ts_ns,cpu,group_id,prev_thread_id,next_thread_id,prev_state,"
		"status,on_cpu_ns,running_ns,detail_id,delta_0,delta_1,delta_2,delta_3\n");
	texts.names_at = (size_t)sprintf(
		texts.names,
		"switch_id,trace_id,ts_ns,cpu,group_id,process,pid,thread,tid,"
		"next_thread,next_tid,prev_state,status,reason,on_cpu_ns,running_ns,"
		"sched:sched_switch,cycles,\"a \"\"b\"\", c\",status#\n");
	rows_add_group(&rows, 1, SLOTS);
	rows_add(&rows, RECORD_thread,
		 &(struct thread_row){ .thread_id = THREAD,
				       .process_id = 1,
				       .tid = 7,
				       .name = STR("t") });
	assert_int_equal(sink_open(&sink, &csv_writer, &options), ST_OK);
	for (size_t i = 0; i < rows.count; i++)
		assert_int_equal(sink_put(&sink, &rows.records[i]), ST_OK);
	put_runs(&sink, &texts);
	assert_int_equal(sink_finish(&sink), ST_OK);
	sink_close(&sink);
	assert_file("context_switch", texts.numbers);
	assert_file("context_switch_named", texts.names);
}
