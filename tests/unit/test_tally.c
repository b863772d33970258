/* test_tally.c - lib/report: rows of samples and of perf stat, and the lines of both. */
#include <stdlib.h>

#include "report/counts.h"
#include "report/estimate.h"
#include "totals_play.h"
#include "unit.h"

static const struct cut_filter all = { NULL, INT_NONE, INT_NONE, INT_NONE, false };

/*
 * Counters as readers declare them: after the records, grouped ones before the others.
 */
#define TASKS                                                                         \
	PUT(process, 1, 1, 70, INT_NONE, 0, 0, { "p", 1 }, { NULL, 0 }),              \
		PUT(process, 2, 1, 0, INT_NONE, 0, 0, { "swapper", 7 }, { NULL, 0 }), \
		PUT(thread, 1, 1, 70, INT_NONE, INT_NONE, 0, 0, { "p", 1 }),          \
		PUT(thread, 2, 1, 71, INT_NONE, INT_NONE, 0, 0, { "q", 1 }),          \
		PUT(thread, 3, 2, 0, INT_NONE, 0, 0, 0, { "swapper/0", 9 })
#define COUNTER(id, group, name)                                                 \
	PUT(counter, id, 1, group, (group) == INT_NONE ? INT_NONE : 0,           \
	    { name, sizeof(name) - 1 }, { name, sizeof(name) - 1 }, { NULL, 0 }, \
	    { NULL, 0 }, 0, 0, INT_NONE)

/* --- samples --- */

static const struct row samples[] = {
	PUT(lost, 1, 5, 0, { "LOST_SAMPLES", 12 }, 3, 4),
	PUT(lost, 1, 50, 0, { "LOST_SAMPLES", 12 }, 3, 6),
	PUT(lost, 1, INT_NONE, 0, { "LOST_SAMPLES", 12 }, INT_NONE, 1),
	PUT(lost, 1, 50, 0, { "LOST_SAMPLES", 12 }, 1, 100), /* of a group: the bill's */
	PUT(lost, 1, 50, 0, { "LOST", 4 }, 3, 7),
	PUT(counter_group, 1, 1, { "l", 1 }, 1, { "cpu", 3 }, { "no", 2 }),
	COUNTER(1, 1, "l"),
	COUNTER(3, INT_NONE, "b"),
	COUNTER(2, INT_NONE, "a"),
	COUNTER(4, INT_NONE, "dummy"),
	TASKS,
	PUT(sample_summary, 1, 1, 3, 2, 200),
	PUT(sample_summary, 1, INT_NONE, 3, 1, 100),
	PUT(sample_summary, 1, 2, 2, 5, 0),
	PUT(sample_summary, 1, 3, 3, 1, 900),
	PUT(sample_summary, 1, 1, 1, 9, 9), /* of a group */
	PUT(sample_cpu_summary, 1, INT_NONE, 3, 4, 1200),
	PUT(sample_cpu_summary, 1, 1, 2, 5, 0),
	PUT(on_cpu_summary, 1, 0, 2, 30), /* the bill says it: there is a group */
};

static const int64_t *line_of(const struct view *view, size_t line)
{
	return view->lines[line]->numbers;
}

static void check_sums(const struct estimate *e)
{
	assert_int_equal(e->view.total->numbers[ESTIMATE_SAMPLES], 9);
	assert_int_equal(e->view.total->numbers[e->sums + 1], 1200);
}

static void check_samples(const struct totals *totals)
{
	struct estimate e;

	assert_true(estimate_any(totals));
	assert_int_equal(totals->tally.column_count, 2);
	assert_int_equal(totals->tally.lost_samples, 11);
	assert_int_equal(totals->tally.lost_records, 7);
	for (int by = BY_PROCESS; by <= BY_TREE; by++) {
		assert_true(estimate_make(&e, totals, (enum cut_by)by, &all));
		assert_false(e.is_timed);
		ASSERT_STR(e.events[0]->row.name, "a");
		ASSERT_STR(e.events[1]->row.name, "b");
		assert_int_equal(e.events[1]->lost_samples, 10);
		assert_false(estimate_has_periods(&e, 0));
		assert_true(estimate_has_periods(&e, 1));
		assert_int_equal(e.heaviest, 1);
		check_sums(&e);
		assert_true(view_sort(&e.view, "b"));
		assert_false(view_sort(&e.view, "dummy"));
		estimate_release(&e);
	}
	assert_true(estimate_make(&e, totals, BY_PROCESS, &all));
	assert_true(view_sort(&e.view, NULL));
	assert_int_equal(e.view.line_count, 4);
	assert_int_equal(line_of(&e.view, 0)[CUT_PID], 70);
	assert_int_equal(line_of(&e.view, 0)[CUT_THREADS], 2);
	assert_int_equal(line_of(&e.view, 0)[ESTIMATE_SAMPLES], 7);
	assert_int_equal(e.view.lines[1]->kind, LINE_IDLE);
	assert_int_equal(line_of(&e.view, 1)[e.sums + 1], 900);
	assert_int_equal(e.view.lines[2]->kind, LINE_WITH_IDLE);
	assert_true(e.view.lines[2]->is_csv_only);
	assert_int_equal(line_of(&e.view, 2)[e.sums + 1], 0);
	assert_int_equal(e.view.lines[3]->kind, LINE_UNATTRIBUTED);
	assert_int_equal(line_of(&e.view, 3)[e.sums + 1], 100);
	estimate_release(&e);
}

static void check_window(const struct totals *totals)
{
	assert_int_equal(totals->tally.lost_samples, 7);
	assert_int_equal(totals->tally.lost_records, 7);
}

UNIT_TEST(samples)
{
	assert_int_equal(totals_play(samples, COUNT(samples), INT64_MIN, check_samples),
			 ST_OK);
	assert_int_equal(totals_play(samples, COUNT(samples), 10, check_window), ST_OK);
}

/* Events that have samples outside of the window alone have columns, too. */
static const struct row outside[] = {
	COUNTER(2, INT_NONE, "a"),
	COUNTER(3, INT_NONE, "b"),
	COUNTER(4, INT_NONE, "none"),
	TASKS,
	PUT(sample_cpu_summary, 1, INT_NONE, 2, 0, 0),
	PUT(sample_cpu_summary, 1, INT_NONE, 3, 0, 1),
};

static void check_outside(const struct totals *totals)
{
	struct estimate e;

	assert_null(totals->tally.by_cpu);
	assert_int_equal(totals->tally.column_count, 2);
	for (int by = BY_PROCESS; by <= BY_TREE; by++) {
		assert_true(estimate_make(&e, totals, (enum cut_by)by, &all));
		assert_false(estimate_has_periods(&e, 0));
		assert_true(estimate_has_periods(&e, 1));
		assert_int_equal(e.view.total->numbers[ESTIMATE_SAMPLES], 0);
		assert_int_equal(e.view.total->numbers[e.sums + 1], 0);
		estimate_release(&e);
	}
}

UNIT_TEST(outside)
{
	assert_int_equal(totals_play(outside, COUNT(outside), INT64_MIN, check_outside),
			 ST_OK);
}

/* Of two events whose samples stand for as much, the first one sorts. */
static const struct row ties[] = {
	COUNTER(2, INT_NONE, "a"),
	COUNTER(3, INT_NONE, "b"),
	TASKS,
	PUT(sample_summary, 1, 1, 2, 2, 300),
	PUT(sample_summary, 1, 2, 3, 1, 300),
};

static void check_ties(const struct totals *totals)
{
	struct estimate e;

	assert_true(estimate_make(&e, totals, BY_PROCESS, &all));
	assert_int_equal(e.event_count, 2);
	assert_int_equal(e.heaviest, 0);
	estimate_release(&e);
}

UNIT_TEST(ties)
{
	assert_int_equal(totals_play(ties, COUNT(ties), INT64_MIN, check_ties), ST_OK);
}

/* --- samples by control group --- */

/* Of thread 1 some are of two groups and some of none; of thread 2 all are of one. */
static const struct row by_cgroup[] = {
	COUNTER(2, INT_NONE, "a"),
	COUNTER(3, INT_NONE, "b"),
	TASKS,
	PUT(cgroup, 1, 0, 7, { "/seven", 6 }),
	PUT(sample_summary, 1, 1, 2, 10, 1000),
	PUT(sample_summary, 1, 1, 3, 4, 40),
	PUT(sample_summary, 1, 2, 2, 3, 30),
	PUT(sample_summary, 1, INT_NONE, 2, 6, 600),
	PUT(sample_cgroup_summary, 1, 7, 1, 2, 5, 500),
	PUT(sample_cgroup_summary, 1, 7, 1, 3, 4, 40),
	PUT(sample_cgroup_summary, 1, 8, 1, 2, 2, 200),
	PUT(sample_cgroup_summary, 1, 7, 2, 2, 3, 30),
	PUT(sample_cgroup_summary, 1, 7, INT_NONE, 2, 1, 100),
};

static void check_cgroups(const struct totals *totals)
{
	/* Control group: threads, samples of a and b, what those of a stand for. */
	static const struct {
		int line;
		const char *cgroup;
		int64_t threads, a, b, sum;
	} lines[] = { { ROW, "/seven", 2, 8, 4, 530 },
		      { ROW, "(unknown)", 1, 3, 0, 300 },
		      { ROW, ":8", 1, 2, 0, 200 } };
	struct estimate e;

	assert_true(estimate_make(&e, totals, BY_CGROUP, &all));
	assert_true(view_sort(&e.view, "a"));
	for (size_t i = 0; i < COUNT(lines); i++) {
		const int64_t *found = line_of(&e.view, i);

		ROW_INT(&lines[i], e.view.lines[i]->kind, LINE_TASK);
		ROW_STR(&lines[i], e.view.lines[i]->texts[CUT_PROCESS], lines[i].cgroup);
		ROW_INT(&lines[i], found[CUT_THREADS], lines[i].threads);
		ROW_INT(&lines[i], found[ESTIMATE_EVENT_SAMPLES], lines[i].a);
		ROW_INT(&lines[i], found[ESTIMATE_EVENT_SAMPLES + 1], lines[i].b);
		ROW_INT(&lines[i], found[e.sums], lines[i].sum);
	}
	/* Those of no known thread are of no control group either. */
	for (size_t i = COUNT(lines); i < e.view.line_count; i++)
		assert_int_equal(line_of(&e.view, i)[ESTIMATE_SAMPLES],
				 e.view.lines[i]->kind == LINE_UNATTRIBUTED ? 6 : 0);
	assert_int_equal(e.view.total->numbers[ESTIMATE_SAMPLES], 23);
	assert_int_equal(e.view.total->numbers[e.sums], 1630);
	estimate_release(&e);
}

UNIT_TEST(cgroups)
{
	assert_int_equal(totals_play(by_cgroup, COUNT(by_cgroup), INT64_MIN,
				     check_cgroups),
			 ST_OK);
}

/* --- time on a CPU, without samples --- */

static const struct row switches[] = {
	TASKS,
	PUT(on_cpu_summary, 1, 0, 2, 30),
	PUT(on_cpu_summary, 1, 1, 1, 12),
	PUT(on_cpu_summary, 3, 0, 4, 500),
};

static void check_switches(const struct totals *totals)
{
	struct estimate e;

	assert_true(estimate_any(totals));
	assert_true(estimate_make(&e, totals, BY_THREAD, &all));
	assert_true(view_sort(&e.view, NULL));
	assert_true(e.is_timed);
	assert_int_equal(e.event_count, 0);
	assert_int_equal(e.view.line_count, 4);
	assert_int_equal(line_of(&e.view, 0)[CUT_SWITCHES], 3);
	assert_int_equal(line_of(&e.view, 0)[CUT_ON_CPU], 42);
	assert_int_equal(line_of(&e.view, 1)[CUT_CPU], 0);
	assert_true(e.view.lines[2]->is_csv_only);
	assert_true(e.view.lines[3]->is_csv_only);
	assert_int_equal(e.view.total->numbers[CUT_ON_CPU], 542);
	estimate_release(&e);
}

UNIT_TEST(switches)
{
	assert_int_equal(
		totals_play(switches, COUNT(switches), INT64_MIN, check_switches), ST_OK);
}

/* --- perf stat --- */

static const struct row counted[] = {
	PUT(stat, 1, 1, 2, 0, 0, 10, 100, 100),
	PUT(stat, 1, 1, 2, 1, 0, 11, 100, 50),
	PUT(stat_round, 1, 1, { "interval", 8 }, 1000),
	PUT(stat, 1, 2, 2, 0, 0, 30, 300, 300), /* since the start, not since round 1 */
	PUT(stat, 1, 2, 2, 1, 0, 33, 300, 200),
	PUT(stat, 1, 2, 2, 1, 1, 0, 300, 0), /* never on the PMU */
	PUT(stat, 1, 2, 1, INT_NONE, 0, 0, 300, 0),
	PUT(stat, 1, 2, 9, 0, 0, 5, 1, 1), /* of a counter that never comes */
	PUT(stat, 1, 2, INT_NONE, 0, 0, 5, 1, 1),
	PUT(stat_round, 1, 2, { "final", 5 }, 2000),
	COUNTER(2, INT_NONE, "b"),
	COUNTER(1, INT_NONE, "a"),
	COUNTER(3, INT_NONE, "not supported"),
};

/* The number that a column of CSV or JSON shows. */
static int64_t number(const struct view *view, size_t line, const char *name)
{
	for (size_t i = 0; i < view->column_count; i++)
		if (view->columns[i].forms & VIEW_JSON &&
		    str_equal(view->columns[i].name, str_of(name)))
			return line_of(view, line)[view->columns[i].cell];
	fail_msg("no column %s", name);
	return 0;
}

static void check_counts(const struct totals *totals)
{
	struct counts counts;
	const struct view *view = &counts.view;

	assert_false(estimate_any(totals));
	assert_int_equal(totals->tally.stat_count, 4);
	assert_int_equal(totals->tally.stat_rounds, 2);
	assert_int_equal(totals->tally.stat_ns, 2000);
	assert_true(counts_make(&counts, totals, false));
	assert_true(view_sort(&counts.view, NULL));
	assert_int_equal(view->line_count, 3);
	assert_int_equal(number(view, 2, "estimate"), INT_NONE);
	ASSERT_STR(view->lines[0]->texts[0], "a");
	assert_int_equal(number(view, 0, "estimate"), INT_NONE);
	assert_int_equal(number(view, 1, "counted"), 63);
	assert_int_equal(number(view, 1, "enabled_ns"), 900);
	assert_int_equal(number(view, 1, "running_ns"), 500);
	assert_int_equal(number(view, 1, "estimate"), 30 + 49); /* 33 * 300 / 200 */
	assert_int_equal(number(view, 1, "scaled"), 1);
	assert_int_equal(counts.never_counted, 2);
	counts_release(&counts);
	assert_true(counts_make(&counts, totals, true));
	assert_true(view_sort(&counts.view, "estimate"));
	assert_false(view_sort(&counts.view, "b"));
	assert_int_equal(view->line_count, 3);
	assert_int_equal(number(view, 0, "cpu"), 1);
	assert_int_equal(number(view, 1, "cpu"), 0);
	assert_int_equal(number(view, 1, "scaled"), 0);
	counts_release(&counts);
}

UNIT_TEST(counts)
{
	assert_int_equal(totals_play(counted, COUNT(counted), INT64_MIN, check_counts),
			 ST_OK);
}

/* Hardware events, whatever their names; those that took turns by their estimates. */
#define HARDWARE(id, config)                                                         \
	PUT(counter, id, 1, INT_NONE, INT_NONE, { "x", 1 }, { "x", 1 }, { NULL, 0 }, \
	    { NULL, 0 }, 0, config, INT_NONE)
static const struct row ratios[] = {
	PUT(stat, 1, 1, 1, 0, 0, 30, 300, 300),
	PUT(stat, 1, 1, 1, 1, 0, 10, 300, 300),
	PUT(stat, 1, 1, 2, 0, 0, 30, 300, 300),
	PUT(stat, 1, 1, 2, 1, 0, 10, 300, 60),
	PUT(stat, 1, 1, 4, 0, 0, 0, 300, 0), /* never on the PMU */
	PUT(stat, 1, 1, 5, 0, 0, 7, 300, 300),
	HARDWARE(1, 0), /* cycles */
	HARDWARE(2, 1), /* instructions */
	HARDWARE(3, 3), /* cache-misses, without counts */
	HARDWARE(4, 4), /* branches */
	HARDWARE(5, 5), /* branch-misses */
};

static void check_ratios(const struct totals *totals)
{
	struct counts counts;
	double value = 0;

	assert_true(counts_make(&counts, totals, true));
	assert_int_equal(counts.use_count, 3);
	assert_string_equal(counts.uses[0].name, "IPC");
	assert_true(counts_ratio(&counts, 0, &value) && value == 2);
	assert_string_equal(counts.uses[1].name, "branch-miss-rate");
	assert_false(counts_ratio(&counts, 1, &value));
	assert_string_equal(counts.uses[2].name, "branch-MPKI");
	assert_true(counts_ratio(&counts, 2, &value) && value == 87.5);
	counts_release(&counts);
}

UNIT_TEST(ratios)
{
	assert_int_equal(totals_play(ratios, COUNT(ratios), INT64_MIN, check_ratios),
			 ST_OK);
}

/* --- rows that do not fit the others, from a changed database --- */

static void check_nothing(const struct totals *totals)
{
	(void)totals;
}

static const struct {
	int line;
	struct row row;
} misfits[] = {
	{ ROW, PUT(sample_summary, 1, 99, 2, 1, 1) },
	{ ROW, PUT(sample_summary, 1, 1, 99, 1, 1) },
	{ ROW, PUT(sample_summary, 1, 1, INT_NONE, 1, 1) },
	{ ROW, PUT(sample_cpu_summary, 1, 0, 99, 1, 1) },
	{ ROW, PUT(on_cpu_summary, 99, 0, 1, 1) },
	{ ROW, PUT(on_cpu_summary, INT_NONE, 0, 1, 1) },
	{ ROW, PUT(stat, 1, 1, 2, -1, 0, 1, 1, 1) },
	{ ROW, PUT(stat, 1, 1, 2, INT64_MAX, 0, 1, 1, 1) },
	{ ROW, PUT(stat, 1, 1, 2, 0, -1, 1, 1, 1) },
	{ ROW, PUT(stat, 1, 1, 2, 0, INT64_MAX, 1, 1, 1) },
};

UNIT_TEST(misfits)
{
	struct row rows[] = { COUNTER(2, INT_NONE, "b"), TASKS, { 0 } };

	for (size_t i = 0; i < COUNT(misfits); i++) {
		rows[COUNT(rows) - 1] = misfits[i].row;
		ROW_INT(&misfits[i],
			totals_play(rows, COUNT(rows), INT64_MIN, check_nothing),
			ST_CORRUPT);
	}
}
