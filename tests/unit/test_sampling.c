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

static void begin(struct sampling *sampling)
{
	sampling_begin(sampling, 9, INT64_MIN, INT64_MAX);
}

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

UNIT_TEST(nothing)
{
	struct sampling sampling;

	begin(&sampling);
	assert_report(&sampling, "");
	sampling_end(&sampling);
	sampling_end(&sampling);
}

/* By thread and by CPU, in the order in which they came first. */
UNIT_TEST(sums)
{
	struct sampling sampling;

	begin(&sampling);
	add(&sampling, 10, 1, 5, 2, 100);
	add(&sampling, 11, 0, 4, 2, 7);
	add(&sampling, 12, 0, 5, 2, 30);
	add(&sampling, 13, 1, 5, 3, 1);
	add(&sampling, 14, 1, 5, 2, INT_NONE); /* unknown: a sample, but of how many? */
	add(&sampling, 15, 1, 5, INT_NONE, 1000000); /* of no known counter: nowhere */
	assert_report(&sampling,
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
	sampling_end(&sampling);
	/* An end releases all sums. */
	assert_report(&sampling, "");
}

/* Unknown threads and CPUs are NULL, and not thread or CPU 0. */
UNIT_TEST(unknown)
{
	struct sampling sampling;

	begin(&sampling);
	add(&sampling, 10, INT_NONE, INT_NONE, 2, 1);
	add(&sampling, 10, 0, 0, 2, 2);
	add(&sampling, INT_NONE, INT_NONE, INT_NONE, 2, 4); /* and so is a time */
	assert_report(&sampling,
		      "sample_summary trace_id=9 thread_id=- counter_id=2 samples=2 "
		      "events=5\n"
		      "sample_summary trace_id=9 thread_id=0 counter_id=2 samples=1 "
		      "events=2\n"
		      "sample_cpu_summary trace_id=9 cpu=- counter_id=2 samples=2 "
		      "events=5\n"
		      "sample_cpu_summary trace_id=9 cpu=0 counter_id=2 samples=1 "
		      "events=2\n");
	sampling_end(&sampling);
}

/* Periods come from files: sums wrap, they do not overflow. */
UNIT_TEST(wrap)
{
	struct sampling sampling;

	begin(&sampling);
	add(&sampling, 10, 0, 1, 2, INT64_MAX);
	add(&sampling, 10, 0, 1, 2, INT64_MAX);
	add(&sampling, 10, 0, 1, 2, 3);
	assert_report(&sampling, "sample_summary trace_id=9 thread_id=1 counter_id=2 "
				 "samples=3 events=1\n"
				 "sample_cpu_summary trace_id=9 cpu=0 counter_id=2 "
				 "samples=3 events=1\n");
	sampling_end(&sampling);
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
UNIT_TEST(report_fails)
{
	static const enum record_kind kinds[] = { RECORD_sample_summary,
						  RECORD_sample_cpu_summary,
						  RECORD_on_cpu_summary };
	struct switch_record_row row = { .thread_id = 1, .is_out = 1 };
	struct sampling sampling;

	begin(&sampling);
	add(&sampling, 10, 0, 1, 2, 3);
	sampling_add_on_cpu(&sampling, &row);
	for (size_t i = 0; i < COUNT(kinds); i++) {
		struct report report;

		report.sink = unit_noting_sink(&report.notes);
		report.notes.fail_at = kinds[i];
		assert_int_equal(sampling_report(&sampling, put, &report), ST_IO);
		assert_null(
			strstr(unit_notes_text(&report.notes), tables[kinds[i]].name));
	}
	sampling_end(&sampling);
}

/* --- time on CPUs --- */

#define NONE INT_NONE

/* One switch record, and the time that it must have; LOSS: records were lost instead. */
struct step {
	enum { END, IN, OUT, LOSS } what;
	int64_t ts_ns, cpu, thread_id, on_cpu_ns;
};

static const struct {
	int line;
	const char *what;
	struct step steps[8];
	const char *report;
} switches[] = {
	{ ROW,
	  "in and out",
	  { { IN, 100, 2, 7, NONE }, { OUT, 130, 2, 7, 30 } },
	  "on_cpu_summary thread_id=7 cpu=2 switches=1 on_cpu_ns=30\n" },
	{ ROW,
	  "in and out at once",
	  { { IN, 100, 2, 7, NONE }, { OUT, 100, 2, 7, 0 } },
	  "on_cpu_summary thread_id=7 cpu=2 switches=1 on_cpu_ns=0\n" },
	{ ROW,
	  "twice, and another in between",
	  { { IN, 100, 0, 7, NONE },
	    { OUT, 130, 0, 7, 30 },
	    { IN, 130, 0, 8, NONE },
	    { OUT, 135, 0, 8, 5 },
	    { IN, 140, 0, 7, NONE },
	    { OUT, 142, 0, 7, 2 } },
	  "on_cpu_summary thread_id=7 cpu=0 switches=2 on_cpu_ns=32\n"
	  "on_cpu_summary thread_id=8 cpu=0 switches=1 on_cpu_ns=5\n" },
	{ ROW,
	  "one thread on two CPUs, file order across them",
	  { { IN, 100, 1, 7, NONE },
	    { IN, 105, 0, 8, NONE },
	    { OUT, 130, 1, 7, 30 },
	    { IN, 131, 2, 7, NONE },
	    { OUT, 125, 0, 8, 20 },
	    { OUT, 135, 2, 7, 4 } },
	  "on_cpu_summary thread_id=7 cpu=1 switches=1 on_cpu_ns=30\n"
	  "on_cpu_summary thread_id=8 cpu=0 switches=1 on_cpu_ns=20\n"
	  "on_cpu_summary thread_id=7 cpu=2 switches=1 on_cpu_ns=4\n" },
	{ ROW,
	  "the switch-in is missing",
	  { { OUT, 130, 0, 7, NONE } },
	  "on_cpu_summary thread_id=7 cpu=0 switches=1 on_cpu_ns=0\n" },
	{ ROW,
	  "two outs: the second is of no known time",
	  { { IN, 100, 0, 7, NONE }, { OUT, 130, 0, 7, 30 }, { OUT, 140, 0, 7, NONE } },
	  "on_cpu_summary thread_id=7 cpu=0 switches=2 on_cpu_ns=30\n" },
	{ ROW,
	  "the switch-out is missing: the next one begins anew",
	  { { IN, 100, 0, 7, NONE }, { IN, 120, 0, 8, NONE }, { OUT, 125, 0, 8, 5 } },
	  "on_cpu_summary thread_id=8 cpu=0 switches=1 on_cpu_ns=5\n" },
	{ ROW,
	  "another goes than came",
	  { { IN, 100, 0, 7, NONE }, { OUT, 120, 0, 8, NONE }, { OUT, 125, 0, 7, NONE } },
	  "on_cpu_summary thread_id=8 cpu=0 switches=1 on_cpu_ns=0\n"
	  "on_cpu_summary thread_id=7 cpu=0 switches=1 on_cpu_ns=0\n" },
	{ ROW,
	  "on another CPU than it came",
	  { { IN, 100, 0, 7, NONE }, { OUT, 120, 1, 7, NONE } },
	  "on_cpu_summary thread_id=7 cpu=1 switches=1 on_cpu_ns=0\n" },
	{ ROW,
	  "losses of the CPU in between",
	  { { IN, 100, 0, 7, NONE },
	    { LOSS, 110, 0, NONE, NONE },
	    { OUT, 120, 0, 7, NONE },
	    { IN, 130, 0, 7, NONE },
	    { OUT, 140, 0, 7, 10 } },
	  "on_cpu_summary thread_id=7 cpu=0 switches=2 on_cpu_ns=10\n" },
	{ ROW,
	  "losses of another CPU, and of one that was never seen",
	  { { IN, 100, 0, 7, NONE },
	    { LOSS, 110, 1, NONE, NONE },
	    { LOSS, 110, 70000, NONE, NONE },
	    { OUT, 120, 0, 7, 20 } },
	  "on_cpu_summary thread_id=7 cpu=0 switches=1 on_cpu_ns=20\n" },
	{ ROW,
	  "losses at an unknown place",
	  { { IN, 100, 0, 7, NONE },
	    { IN, 100, 3, 8, NONE },
	    { LOSS, 110, NONE, NONE, NONE },
	    { OUT, 120, 0, 7, NONE },
	    { OUT, 120, 3, 8, NONE } },
	  "on_cpu_summary thread_id=7 cpu=0 switches=1 on_cpu_ns=0\n"
	  "on_cpu_summary thread_id=8 cpu=3 switches=1 on_cpu_ns=0\n" },
	{ ROW,
	  "an unknown thread",
	  { { IN, 100, 0, NONE, NONE }, { OUT, 120, 0, NONE, NONE } },
	  "" },
	{ ROW,
	  "a CPU that is not recorded: the thread is followed",
	  { { IN, 100, NONE, 7, NONE },
	    { IN, 105, NONE, 8, NONE },
	    { OUT, 120, NONE, 7, 20 },
	    { OUT, 130, NONE, 7, NONE } },
	  "on_cpu_summary thread_id=7 cpu=- switches=2 on_cpu_ns=20\n" },
	{ ROW,
	  "an impossible CPU",
	  { { IN, 100, CPU_MAX, 7, NONE },
	    { OUT, 120, CPU_MAX, 7, NONE },
	    { IN, 100, -1, 7, NONE },
	    { OUT, 120, -1, 7, NONE } },
	  "" },
	{ ROW,
	  "the last CPU there can be",
	  { { IN, 100, CPU_MAX - 1, 7, NONE }, { OUT, 120, CPU_MAX - 1, 7, 20 } },
	  "on_cpu_summary thread_id=7 cpu=65535 switches=1 on_cpu_ns=20\n" },
	{ ROW,
	  "time goes back",
	  { { IN, 100, 0, 7, NONE }, { OUT, 99, 0, 7, NONE } },
	  "on_cpu_summary thread_id=7 cpu=0 switches=1 on_cpu_ns=0\n" },
	{ ROW,
	  "very long",
	  { { IN, 0, 0, 7, NONE },
	    { OUT, INT64_MAX - 1, 0, 7, INT64_MAX - 1 },
	    { IN, 0, 0, 7, NONE },
	    { OUT, 3, 0, 7, 3 } },
	  "on_cpu_summary thread_id=7 cpu=0 switches=2 on_cpu_ns=-9223372036854775807\n" },
};

/* Reports what the row is called as well as its line. */
static void run_switches(size_t i)
{
	struct sampling sampling;

	begin(&sampling);
	for (const struct step *step = switches[i].steps; step->what != END; step++) {
		struct switch_record_row row = { .ts_ns = step->ts_ns,
						 .cpu = step->cpu,
						 .thread_id = step->thread_id,
						 .is_out = step->what == OUT,
						 .on_cpu_ns = 12345 };

		if (step->what == LOSS) {
			sampling_lost(&sampling, step->cpu);
			continue;
		}
		sampling_switch(&sampling, &row);
		ROW_INT(&switches[i], row.on_cpu_ns, step->on_cpu_ns);
	}
	assert_report(&sampling, switches[i].report);
	sampling_end(&sampling);
}

UNIT_TEST(switches)
{
	for (size_t i = 0; i < COUNT(switches); i++)
		run_switches(i);
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

		begin(&sampling);
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
UNIT_TEST(stored_without_cpu)
{
	struct switch_record_row row = {
		.ts_ns = 10, .cpu = 0, .thread_id = 7, .is_out = 1, .on_cpu_ns = 5
	};
	struct sampling sampling;

	begin(&sampling);
	sampling_add_on_cpu(&sampling, &row);
	row.cpu = INT_NONE;
	row.on_cpu_ns = INT_NONE;
	sampling_add_on_cpu(&sampling, &row);
	assert_report(&sampling,
		      "on_cpu_summary thread_id=7 cpu=0 switches=1 on_cpu_ns=5\n"
		      "on_cpu_summary thread_id=7 cpu=- switches=1 on_cpu_ns=0\n");
	sampling_end(&sampling);
}
