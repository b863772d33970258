/* test_sampling.c - lib/attribution/sampling.h: sums of samples, time on CPUs. */
#include "attribution/sampling.h"

#include <stdlib.h>
#include <string.h>

#include "unit.h"

/* --- the report as text --- */

struct report {
	struct unit_notes notes;
	struct sink sink;
};

static enum status put(void *context, enum record_kind kind, const void *row)
{
	struct report *report = context;

	return sink_put(&report->sink, &(struct record){ .kind = kind, .data = row });
}

static void assert_report(struct sampling *sampling, const char *expected)
{
	struct report report;

	report.sink = unit_noting_sink(&report.notes);
	assert_int_equal(sampling_report(sampling, put, &report), ST_OK);
	assert_string_equal(unit_notes_text(&report.notes), expected);
}

static void setup(struct sampling *sampling)
{
	sampling_begin(sampling, 9, INT64_MIN, INT64_MAX);
}

UNIT_FIXTURE(struct sampling, setup, sampling_end);

/* --- samples --- */

static void add(struct sampling *sampling, int64_t ts_ns, int64_t cpu, int64_t thread_id,
		int64_t counter_id, int64_t period)
{
	sampling_add(sampling, &(struct sample_row){ .ts_ns = ts_ns,
						     .cpu = cpu,
						     .thread_id = thread_id,
						     .counter_id = counter_id,
						     .period = period });
}

UNIT_CASE(nothing, struct sampling *sampling)
{
	assert_report(sampling, "");
	sampling_end(sampling);
	assert_report(sampling, "");
}

/* A window without an end has all times; one with an end not that one. */
UNIT_CASE(last_time, struct sampling *sampling)
{
	add(sampling, INT64_MAX, 0, 1, 2, 5);
	assert_report(sampling, "sample_summary trace_id=9 thread_id=1 counter_id=2 "
				"samples=1 events=5\n"
				"sample_cpu_summary trace_id=9 cpu=0 counter_id=2 "
				"samples=1 events=5\n");
	sampling_end(sampling);
	sampling_begin(sampling, 9, 0, 100);
	add(sampling, 100, 0, 1, INT_NONE, 5);
	assert_report(sampling, "");
	/* Of the others only which events had some, and whether with periods. */
	add(sampling, 100, 0, 1, 2, 5);
	add(sampling, 101, 0, 1, 3, INT_NONE);
	add(sampling, 102, 1, 2, 2, INT_NONE);
	assert_report(sampling, "sample_cpu_summary trace_id=9 cpu=- counter_id=2 "
				"samples=0 events=1\n"
				"sample_cpu_summary trace_id=9 cpu=- counter_id=3 "
				"samples=0 events=0\n");
}

/* By thread and by CPU, in the order in which they came first. */
UNIT_CASE(sums, struct sampling *sampling)
{
	add(sampling, 10, 1, 5, 2, 100);
	add(sampling, 11, 0, 4, 2, 7);
	add(sampling, 12, 0, 5, 2, 30);
	add(sampling, 13, 1, 5, 3, 1);
	add(sampling, 14, 1, 5, 2, INT_NONE); /* unknown: a sample, but of how many? */
	add(sampling, 15, 1, 5, INT_NONE, 1000000); /* of no known counter: nowhere */
	assert_report(sampling,
		      "sample_summary trace_id=9 thread_id=5 counter_id=2 samples=3 "
		      "events=130\n"
		      "sample_summary trace_id=9 thread_id=4 counter_id=2 samples=1 "
		      "events=7\n"
		      "sample_summary trace_id=9 thread_id=5 counter_id=3 samples=1 "
		      "events=1\n"
		      "sample_cpu_summary trace_id=9 cpu=1 counter_id=2 samples=2 "
		      "events=100\n"
		      "sample_cpu_summary trace_id=9 cpu=0 counter_id=2 samples=2 "
		      "events=37\n"
		      "sample_cpu_summary trace_id=9 cpu=1 counter_id=3 samples=1 "
		      "events=1\n");
	sampling_end(sampling);
	/* An end releases all sums. */
	assert_report(sampling, "");
}

/* Unknown threads and CPUs are NULL, and not thread or CPU 0. */
UNIT_CASE(unknown, struct sampling *sampling)
{
	add(sampling, 10, INT_NONE, INT_NONE, 2, 1);
	add(sampling, 10, 0, 0, 2, 2);
	add(sampling, INT_NONE, INT_NONE, INT_NONE, 2, 4); /* and so is a time */
	assert_report(sampling,
		      "sample_summary trace_id=9 thread_id=- counter_id=2 samples=2 "
		      "events=5\n"
		      "sample_summary trace_id=9 thread_id=0 counter_id=2 samples=1 "
		      "events=2\n"
		      "sample_cpu_summary trace_id=9 cpu=- counter_id=2 samples=2 "
		      "events=5\n"
		      "sample_cpu_summary trace_id=9 cpu=0 counter_id=2 samples=1 "
		      "events=2\n");
}

/* Periods come from files: sums wrap, they do not overflow. */
UNIT_CASE(wrap, struct sampling *sampling)
{
	add(sampling, 10, 0, 1, 2, INT64_MAX);
	add(sampling, 10, 0, 1, 2, INT64_MAX);
	add(sampling, 10, 0, 1, 2, 3);
	assert_report(sampling, "sample_summary trace_id=9 thread_id=1 counter_id=2 "
				"samples=3 events=1\n"
				"sample_cpu_summary trace_id=9 cpu=0 counter_id=2 "
				"samples=3 events=1\n");
}

static const struct {
	int line;
	int64_t from_ns, to_ns, ts_ns;
	bool counts;
} windows[] = {
	{ ROW, 100, 200, 99, false },	   { ROW, 100, 200, 100, true },
	{ ROW, 100, 200, 199, true },	   { ROW, 100, 200, 200, false },
	{ ROW, INT64_MIN, 200, -5, true }, { ROW, 100, INT64_MAX, INT64_MAX - 1, true },
};

UNIT_TEST(windows)
{
	for (size_t i = 0; i < COUNT(windows); i++) {
		struct sampling sampling;
		struct switch_record_row row = { .cpu = 0,
						 .thread_id = 1,
						 .ts_ns = windows[i].ts_ns,
						 .is_out = 1,
						 .on_cpu_ns = 50 };

		sampling_begin(&sampling, 9, windows[i].from_ns, windows[i].to_ns);
		add(&sampling, windows[i].ts_ns, 0, 1, 2, 3);
		ROW_INT(&windows[i], sampling.thread_totals != NULL, windows[i].counts);
		ROW_INT(&windows[i], sampling.cpu_totals != NULL, windows[i].counts);
		sampling_add_on_cpu(&sampling, &row);
		ROW_INT(&windows[i], sampling.on_cpu_totals != NULL, windows[i].counts);
		sampling_end(&sampling);
	}
}

/* A report that cannot be stored ends at once. */
UNIT_CASE(report_fails, struct sampling *sampling)
{
	static const enum record_kind kinds[] = { RECORD_sample_summary,
						  RECORD_sample_cpu_summary,
						  RECORD_on_cpu_summary };
	struct switch_record_row row = { .thread_id = 1, .is_out = 1 };

	add(sampling, 10, 0, 1, 2, 3);
	sampling_add_on_cpu(sampling, &row);
	for (size_t i = 0; i < COUNT(kinds); i++) {
		struct report report;

		report.sink = unit_noting_sink(&report.notes);
		report.notes.fail_at = kinds[i];
		assert_int_equal(sampling_report(sampling, put, &report), ST_IO);
		LACKS(unit_notes_text(&report.notes), tables[kinds[i]].name);
	}
}

/* --- time on CPUs --- */

/*
 * What comes, "in TIME CPU THREAD", "out TIME CPU THREAD [NANOSECONDS]" (the time that it
 * must have, or none) or "loss TIME CPU"; - is unknown.  Then "THREAD CPU SWITCHES
 * NANOSECONDS" of each sum.
 */
static const struct {
	int line;
	const char *what, *steps, *sums;
} switches[] = {
	{ ROW, "in and out", "in 100 2 7; out 130 2 7 30", "7 2 1 30" },
	{ ROW, "in and out at once", "in 100 2 7; out 100 2 7 0", "7 2 1 0" },
	{ ROW, "twice, and another in between",
	  "in 100 0 7; out 130 0 7 30; in 130 0 8; out 135 0 8 5; in 140 0 7; out 142 0 7 2",
	  "7 0 2 32; 8 0 1 5" },
	{ ROW, "one thread on two CPUs, file order across them",
	  "in 100 1 7; in 105 0 8; out 130 1 7 30; in 131 2 7; out 125 0 8 20; out 135 2 7 4",
	  "7 1 1 30; 8 0 1 20; 7 2 1 4" },
	{ ROW, "the switch-in is missing", "out 130 0 7", "7 0 1 0" },
	{ ROW, "two outs: the second is of no known time",
	  "in 100 0 7; out 130 0 7 30; out 140 0 7", "7 0 2 30" },
	{ ROW, "the switch-out is missing: the next one begins anew",
	  "in 100 0 7; in 120 0 8; out 125 0 8 5", "8 0 1 5" },
	{ ROW, "another goes than came", "in 100 0 7; out 120 0 8; out 125 0 7",
	  "8 0 1 0; 7 0 1 0" },
	{ ROW, "on another CPU than it came", "in 100 0 7; out 120 1 7", "7 1 1 0" },
	{ ROW, "losses of the CPU in between",
	  "in 100 0 7; loss 110 0; out 120 0 7; in 130 0 7; out 140 0 7 10", "7 0 2 10" },
	{ ROW, "losses of another CPU, and of one that was never seen",
	  "in 100 0 7; loss 110 1; loss 110 70000; out 120 0 7 20", "7 0 1 20" },
	{ ROW, "losses at an unknown place",
	  "in 100 0 7; in 100 3 8; loss 110 -; out 120 0 7; out 120 3 8",
	  "7 0 1 0; 8 3 1 0" },
	{ ROW, "an unknown thread", "in 100 0 -; out 120 0 -", "" },
	{ ROW, "a CPU that is not recorded: the thread is followed",
	  "in 100 - 7; in 105 - 8; out 120 - 7 20; out 130 - 7", "7 - 2 20" },
	{ ROW, "losses of a CPU where it may have been",
	  "in 100 - 7; loss 110 3; out 120 - 7; in 130 - 7; out 140 - 7 10", "7 - 2 10" },
	{ ROW, "an impossible CPU",
	  "in 100 65536 7; out 120 65536 7; in 100 -1 7; out 120 -1 7", "" },
	{ ROW, "the last CPU there can be", "in 100 65535 7; out 120 65535 7 20",
	  "7 65535 1 20" },
	{ ROW, "time goes back", "in 100 0 7; out 99 0 7", "7 0 1 0" },
	{ ROW, "very long",
	  "in 0 0 7; out 9223372036854775806 0 7 9223372036854775806; in 0 0 7; out 3 0 7 3",
	  "7 0 2 -9223372036854775807" },
};

static void run_step(struct sampling *sampling, size_t i, const char *step)
{
	char kind[8], words[4][24] = { "-", "-", "-", "-" };
	int64_t numbers[4];
	struct switch_record_row row;

	sscanf(step, "%7s %23s %23s %23s %23s", kind, words[0], words[1], words[2],
	       words[3]);
	for (size_t k = 0; k < COUNT(words); k++)
		numbers[k] =
			strcmp(words[k], "-") ? strtoll(words[k], NULL, 10) : INT_NONE;
	if (strcmp(kind, "loss") == 0) {
		sampling_lost(sampling, numbers[1]);
		return;
	}
	row = (struct switch_record_row){ .ts_ns = numbers[0],
					  .cpu = numbers[1],
					  .thread_id = numbers[2],
					  .is_out = strcmp(kind, "out") == 0,
					  .on_cpu_ns = 12345 };
	sampling_switch(sampling, &row);
	ROW_INT(&switches[i], row.on_cpu_ns, numbers[3]);
}

UNIT_TEST(switches)
{
	for (size_t i = 0; i < COUNT(switches); i++) {
		char *steps = unit_keep(strdup(switches[i].steps));
		char *sums = unit_keep(strdup(switches[i].sums));
		char expected[512] = "", word[4][24];
		size_t at = 0;
		struct sampling sampling;

		setup(&sampling);
		for (char *step = strtok(steps, ";"); step; step = strtok(NULL, ";"))
			run_step(&sampling, i, step);
		for (char *sum = strtok(sums, ";"); sum; sum = strtok(NULL, ";")) {
			sscanf(sum, "%23s %23s %23s %23s", word[0], word[1], word[2],
			       word[3]);
			at += (size_t)snprintf(
				expected + at, sizeof(expected) - at,
				"on_cpu_summary thread_id=%s cpu=%s switches=%s on_cpu_ns=%s\n",
				word[0], word[1], word[2], word[3]);
		}
		assert_report(&sampling, expected);
		sampling_end(&sampling);
	}
}

/* Without times there is no time on a CPU: unknown is not 0, and no large number. */
UNIT_TEST(timeless)
{
	static const int64_t times[][2] = { { INT_NONE, INT_NONE }, { INT_NONE, 100 } };

	for (size_t i = 0; i < COUNT(times); i++) {
		struct switch_record_row in = { .ts_ns = times[i][0], .thread_id = 7 };
		struct switch_record_row out = { .ts_ns = times[i][1],
						 .thread_id = 7,
						 .is_out = 1 };
		struct sampling sampling;

		setup(&sampling);
		sampling_switch(&sampling, &in);
		sampling_switch(&sampling, &out);
		sampling_end(&sampling);
		assert_int_equal(out.on_cpu_ns, INT_NONE);
	}
}

/*
 * Rows that were stored add up to what they added up to when they were made: a CPU that
 * is not known is none, and not CPU 0.
 */
UNIT_CASE(stored_without_cpu, struct sampling *sampling)
{
	struct switch_record_row row = {
		.ts_ns = 10, .cpu = 0, .thread_id = 7, .is_out = 1, .on_cpu_ns = 5
	};

	sampling_add_on_cpu(sampling, &row);
	row.cpu = INT_NONE;
	row.on_cpu_ns = INT_NONE;
	sampling_add_on_cpu(sampling, &row);
	assert_report(sampling,
		      "on_cpu_summary thread_id=7 cpu=0 switches=1 on_cpu_ns=5\n"
		      "on_cpu_summary thread_id=7 cpu=- switches=1 on_cpu_ns=0\n");
}
