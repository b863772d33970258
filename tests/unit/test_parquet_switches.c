/*
 * test_parquet_switches.c - the rows of `switch` in a Parquet tree, whether they come in
 * runs or one by one: what nearly all rows have alike changes at any place of a group.
 */
#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "output/outputs.h"
#include "output/parquet/file.h"
#include "reader.h"
#include "unit.h"

enum { COUNTERS = 2, THREADS = 5 };

#define WALL_NS 1000 /* UTC less the trace's clock */

struct made {
	struct sink sink;
	FILE *text; /* the rows that the file must have */
	int64_t ts_ns;
	int64_t far; /* how far ids of threads are from 1 */
};

static void put(struct made *made, enum record_kind kind, const void *row)
{
	assert_int_equal(sink_put(&made->sink,
				  &(struct record){ .kind = kind, .data = row }),
			 ST_OK);
}

static void begin(struct made *made, const char *folder)
{
	static const struct str names[COUNTERS] = { STR("cycles"), STR("misses") };
	struct counter_group_row group = {
		.group_id = 1, .trace_id = 1, .leader = names[0], .counters = COUNTERS
	};

	assert_int_equal(sink_open(&made->sink, &parquet_writer,
				   &(struct sink_options){ .path = folder }),
			 ST_OK);
	put(made, RECORD_counter_group, &group);
	for (int64_t i = 0; i < COUNTERS; i++) {
		struct counter_row counter = { .counter_id = i + 1,
					       .trace_id = 1,
					       .group_id = 1,
					       .slot = i,
					       .name = names[i],
					       .event = names[i] };

		put(made, RECORD_counter, &counter);
	}
	for (int64_t i = 1; i <= THREADS; i++) {
		struct process_row process = {
			.process_id = i, .trace_id = 1, .pid = 100 + i, .name = STR("p")
		};
		struct thread_row thread = { .thread_id = made->far + i,
					     .process_id = i,
					     .tid = 200 + i,
					     .idle_cpu = INT_NONE,
					     .name = STR("t") };

		put(made, RECORD_process, &process);
		put(made, RECORD_thread, &thread);
	}
}

static void print_number(FILE *to, int64_t number)
{
	if (number != INT_NONE)
		fprintf(to, "%lld", (long long)number);
	fputc('|', to);
}

static void print_row(struct made *made, const struct context_switch_row *row,
		      const int64_t *deltas, size_t slots)
{
	const struct charge_status_words *words = &charge_status_words[row->status];

	fprintf(made->text, "%lld|%lld|p|%lld|t|%lld|t|%lld|%lld|%s|%s|",
		(long long)row->ts_ns, (long long)row->cpu,
		(long long)(row->prev_thread_id - made->far + 100),
		(long long)(row->prev_thread_id - made->far + 200),
		(long long)(row->next_thread_id - made->far + 200),
		(long long)row->prev_state, words->name, words->reason);
	print_number(made->text, row->on_cpu_ns);
	print_number(made->text, row->running_ns);
	for (size_t i = 0; i < COUNTERS; i++) {
		if (i < slots)
			fprintf(made->text, "%lld", (long long)deltas[i]);
		fputc(i + 1 < COUNTERS ? '|' : '\n', made->text);
	}
}

/* One row that is not part of a run. */
static void put_short_row(struct made *made, int64_t status, int64_t running_ns,
			  size_t slots)
{
	const struct context_switch_row row = {
		.ts_ns = made->ts_ns += 7,
		.cpu = 3,
		.group_id = 1,
		.prev_thread_id = made->far + 1 + made->ts_ns % THREADS,
		.next_thread_id = made->far + 2,
		.prev_state = 1,
		.status = status,
		.on_cpu_ns = 6,
		.running_ns = running_ns,
		.detail_id = INT_NONE,
	};
	const int64_t deltas[COUNTERS] = { made->ts_ns, -1 };
	const struct record record = { .kind = RECORD_context_switch,
				       .data = &row,
				       .deltas = deltas,
				       .slots = slots };

	assert_int_equal(sink_put(&made->sink, &record), ST_OK);
	print_row(made, &row, deltas, slots);
}

static void put_row(struct made *made, int64_t status, int64_t running_ns)
{
	put_short_row(made, status, running_ns, COUNTERS);
}

static void put_run(struct made *made, size_t count, bool has_running)
{
	static struct run run;
	const struct run_rows rows = { &run, 1, count + 1, 1, 1 };

	run = (struct run){ .common = { .cpu = 1, .count = COUNTERS, .group_id = 1 },
			    .count = count,
			    .has_running = has_running };
	for (size_t at = 1; at <= count; at++) {
		run.ts_ns[at] = made->ts_ns += 5;
		run.prev_thread_id[at] = made->far + 1 + (int64_t)at % THREADS;
		run.next_thread_id[at] = made->far + 1 + (int64_t)(at + 1) % THREADS;
		run.prev_state[at] = (int64_t)at % 3;
		run.on_cpu_ns[at] = 5;
		run.ran_ns[at] = has_running ? 4 : INT_NONE;
		for (size_t i = 0; i < COUNTERS; i++)
			run.deltas[at * COUNTERS + i] = (int64_t)(at * 10 + i);
	}
	assert_int_equal(sink_put_run(&made->sink, &rows), ST_OK);
	for (size_t at = 1; at <= count; at++) {
		struct context_switch_row row = run_to_row(&run, at, 1);

		if (!has_running)
			row.running_ns = INT_NONE;
		print_row(made, &row, run.deltas + at * COUNTERS, COUNTERS);
	}
}

/* Without the columns `trace` and `ts_utc_ns`; the caller frees it. */
static char *read_rows(const char *folder)
{
	char pattern[4096], *text = NULL, *rest;
	const char *path = pattern;
	size_t size, text_size = 0;
	FILE *to = open_memstream(&text, &text_size);
	uint8_t *data;
	glob_t found;

	snprintf(pattern, sizeof(pattern), "%s/switch/*/*/*/*.parquet", folder);
	assert_int_equal(glob(path, 0, NULL, &found), 0);
	assert_int_equal(found.gl_pathc, 1);
	data = (uint8_t *)unit_read_file(found.gl_pathv[0], &size);
	assert_null(parquet_print(to, data, size));
	fclose(to);
	globfree(&found);
	rest = strchr(text, '\n') + 1;
	memmove(text, rest, strlen(rest) + 1);
	return text;
}

/* "trace|ts|utc|..." becomes "ts|...", if the times are right. */
static void drop_columns(char *text)
{
	char *to = text;

	for (char *line = text, *end; *line; line = end + 1) {
		char *ts = strchr(line, '|') + 1, *utc = strchr(ts, '|') + 1;
		char *rest = strchr(utc, '|') + 1;

		assert_int_equal(strtoll(utc, NULL, 10), strtoll(ts, NULL, 10) + WALL_NS);
		end = strchr(line, '\n');
		memmove(to, ts, (size_t)(utc - ts));
		to += utc - ts;
		memmove(to, rest, (size_t)(end + 1 - rest));
		to += end + 1 - rest;
	}
	*to = '\0';
}

static void finish(struct made *made, const char *folder, char **expected)
{
	const struct trace_row trace = { .trace_id = 1,
					 .path = STR("made"),
					 .host = STR("h"),
					 .wall_offset_ns = WALL_NS };
	char *got;

	put(made, RECORD_trace, &trace);
	assert_int_equal(sink_finish(&made->sink), ST_OK);
	sink_close(&made->sink);
	fclose(made->text);
	got = read_rows(folder);
	drop_columns(got);
	assert_string_equal(got, *expected);
	free(got);
	free(*expected);
}

/* The first row with another status, or with a running time, is anywhere. */
UNIT_TEST(other_values_come_late)
{
	static const size_t usual[] = { 0, 1, 100, RUN_SWITCHES_MAX };

	for (size_t i = 0; i < COUNT(usual); i++)
		for (int which = 0; which < 4; which++) {
			const char *folder = unit_below(unit_directory(), "tree");
			char *expected = NULL;
			size_t size = 0;
			struct made made = { .text = open_memstream(&expected, &size) };

			begin(&made, folder);
			if (usual[i])
				put_run(&made, usual[i], false);
			if (which == 0)
				put_row(&made, CHARGE_BASELINE, INT_NONE);
			else if (which == 1)
				put_row(&made, CHARGE_CHARGED, 5);
			else if (which == 2)
				put_run(&made, 9, true);
			put_run(&made, 20, false);
			finish(&made, folder, &expected);
		}
}

/* Times of many seconds, and ids of threads of each width, near and far. */
UNIT_TEST(wide_numbers)
{
	static const int64_t far[] = { 0, 1000, 65000, 1000000000, INT64_C(1) << 40 };

	for (size_t i = 0; i < 2 * COUNT(far); i++) {
		const char *folder = unit_below(unit_directory(), "tree");
		char *expected = NULL;
		size_t size = 0;
		struct made made = { .text = open_memstream(&expected, &size),
				     .far = far[i / 2] };

		begin(&made, folder);
		put_row(&made, CHARGE_BASELINE, INT_NONE);
		put_run(&made, 50, false);
		made.ts_ns += i % 2 ? INT64_C(20000000000) : 70000;
		put_run(&made, 50, false);
		finish(&made, folder, &expected);
	}
}

/* Rows with fewer counters than their group has. */
UNIT_TEST(counters_missing)
{
	const char *folder = unit_below(unit_directory(), "tree");
	char *expected = NULL;
	size_t size = 0;
	struct made made = { .text = open_memstream(&expected, &size) };

	begin(&made, folder);
	put_run(&made, 9, false);
	put_short_row(&made, CHARGE_CHARGED, INT_NONE, 1);
	put_row(&made, CHARGE_CHARGED, INT_NONE);
	put_short_row(&made, CHARGE_CHARGED, INT_NONE, 0);
	put_run(&made, 9, false);
	finish(&made, folder, &expected);
}

/* What a group has unlike others ends with it. */
UNIT_TEST(groups_begin_anew)
{
	const char *folder = unit_below(unit_directory(), "tree");
	char *expected = NULL;
	size_t size = 0;
	struct made made = { .text = open_memstream(&expected, &size) };

	begin(&made, folder);
	put_row(&made, CHARGE_BASELINE, 3);
	for (size_t rows = 0; rows < PARQUET_GROUP_ROWS; rows += 100)
		put_run(&made, 100, false);
	put_row(&made, CHARGE_BASELINE, INT_NONE);
	put_run(&made, 100, true);
	finish(&made, folder, &expected);
}
