/* test_cut.c - lib/report/cut.h: parents, what descends from a process, names. */
#include "report/bill.h"

#include "totals_play.h"
#include "unit.h"

#define PROCESS(id, number, parent, start, text)                                         \
	PUT(process, id, 1, number, parent, start, INT_NONE, { text, sizeof(text) - 1 }, \
	    { NULL, 0 }),                                                                \
		PUT(thread, id, id, number, INT_NONE, INT_NONE, start, INT_NONE,         \
		    { text, sizeof(text) - 1 })
#define COST(id, value)                                                    \
	PUT(thread_summary, .thread_id = id, .group_id = 1, .switches = 1, \
	    .on_cpu_ns = 10, .running_ns = INT_NONE),                      \
		PUT(thread_charge, .thread_id = id, .counter_id = 2, .charged = value)

/*
 * 10 "sh" started 20 three times: 21 "cc" is of the second one, "make", which began
 * with it, 22 "ld" of the third.  30 and 31 have the same name.
 */
static const struct row family[] = {
	PUT(counter_group, 1, 1, { "l1", 2 }, 2, { "cpu", 3 }, { "no", 2 }),
	PUT(counter, .counter_id = 1, .trace_id = 1, .group_id = 1, .slot = 0,
	    .name = { "l1", 2 }, .event = { "l1", 2 }, .period = INT_NONE),
	PUT(counter, .counter_id = 2, .trace_id = 1, .group_id = 1, .slot = 1,
	    .name = { "a", 1 }, .event = { "a", 1 }, .period = INT_NONE),
	PROCESS(1, 10, INT_NONE, INT_NONE, "sh"),
	PROCESS(8, 20, 10, 50, "make0"),
	PROCESS(2, 20, 10, 100, "make"),
	PROCESS(3, 21, 20, 100, "cc"),
	PROCESS(4, 20, 10, 200, "make2"),
	PROCESS(5, 22, 20, 250, "ld"),
	PROCESS(6, 30, INT_NONE, 300, "work"),
	PROCESS(7, 31, 1, 300, "work"),
	PUT(cpu_summary, .trace_id = 1, .group_id = 1, .switches = 7, .all_switches = 7),
	COST(1, 1),
	COST(2, 10),
	COST(3, 100),
	COST(4, 1000),
	COST(5, 10000),
	COST(6, 3),
	COST(7, 4),
};

static struct cut_filter below(int64_t pid)
{
	return (struct cut_filter){ NULL, INT_NONE, INT_NONE, pid, false };
}

static const struct view_line *find(const struct bill *bill, enum line_kind kind,
				    const char *name)
{
	for (size_t i = 0; i < bill->view.line_count; i++) {
		const struct view_line *line = bill->view.lines[i];

		if (line->kind == kind &&
		    (!name || str_equal(line->texts[CUT_PROCESS], str_of(name))))
			return line;
	}
	fail_msg("no line of %s", name ? name : "that kind");
	return NULL;
}

static void make(struct bill *bill, const struct totals *totals, enum cut_by by,
		 int64_t root)
{
	const struct cut_filter filter = below(root);

	assert_true(bill_make(bill, totals, by, (struct bill_rule){ 0 }, &filter));
}

static void check_tree(const struct totals *totals)
{
	struct bill bill;
	const struct view_line *sh, *make_line, *again;

	make(&bill, totals, BY_TREE, INT_NONE);
	sh = find(&bill, LINE_TASK, "sh");
	make_line = find(&bill, LINE_TASK, "make");
	again = find(&bill, LINE_TASK, "make2");
	assert_null(view_parent(sh));
	assert_ptr_equal(view_parent(make_line), sh);
	assert_ptr_equal(view_parent(again), sh);
	assert_ptr_equal(view_parent(find(&bill, LINE_TASK, "cc")), make_line);
	assert_ptr_equal(view_parent(find(&bill, LINE_TASK, "ld")), again);
	bill_release(&bill);
}

UNIT_TEST(parents)
{
	assert_int_equal(totals_play(family, COUNT(family), INT64_MIN, check_tree),
			 ST_OK);
}

/* Below 10, and none of those without a parent, or with one that is not known. */
static void check_below(const struct totals *totals)
{
	struct bill bill;

	make(&bill, totals, BY_PROCESS, 10);
	assert_int_equal(bill.matches, 4);
	assert_int_equal(find(&bill, LINE_TASK, "ld")->numbers[bill.values + 1], 10000);
	assert_int_equal(find(&bill, LINE_OTHERS, NULL)->numbers[bill.values + 1],
			 1 + 3 + 4);
	bill_release(&bill);
	make(&bill, totals, BY_PROCESS, 99);
	assert_int_equal(bill.matches, 0);
	bill_release(&bill);
}

UNIT_TEST(descendants)
{
	assert_int_equal(totals_play(family, COUNT(family), INT64_MIN, check_below),
			 ST_OK);
}

/*
 * 10 is the recorder.  40 "stale" and 41 "older" were there before it, with its pid and
 * that of 20, "build", as their parents'; 42 "cc" is of the build, and so is 43 "as" of
 * 42.  Later 42 is "other", whose child is 44.  45 began before any 46 did.
 */
static const struct row reused[] = {
	PUT(counter_group, 1, 1, { "l1", 2 }, 2, { "cpu", 3 }, { "no", 2 }),
	PUT(counter, .counter_id = 1, .trace_id = 1, .group_id = 1, .slot = 0,
	    .name = { "l1", 2 }, .event = { "l1", 2 }, .period = INT_NONE),
	PUT(counter, .counter_id = 2, .trace_id = 1, .group_id = 1, .slot = 1,
	    .name = { "a", 1 }, .event = { "a", 1 }, .period = INT_NONE),
	PROCESS(1, 10, INT_NONE, INT_NONE, "perftab"),
	PROCESS(2, 40, 10, INT_NONE, "stale"),
	PROCESS(3, 41, 20, INT_NONE, "older"),
	PROCESS(4, 20, 10, 100, "build"),
	PROCESS(5, 42, 20, 110, "cc"),
	PROCESS(6, 43, 42, 120, "as"),
	PROCESS(7, 42, 40, 130, "other"),
	PROCESS(8, 44, 42, 140, "foreign"),
	PROCESS(9, 45, 46, 150, "orphan"),
	PROCESS(10, 46, 20, 160, "ld"),
	PUT(cpu_summary, .trace_id = 1, .group_id = 1, .switches = 9, .all_switches = 9),
	COST(2, 1),
	COST(3, 10),
	COST(4, 100),
	COST(5, 1000),
	COST(6, 10000),
	COST(7, 100000),
	COST(8, 1000000),
	COST(9, 10000000),
	COST(10, 100000000),
};

static void check_recorder(const struct totals *totals)
{
	struct cut_filter filter = below(10);
	struct bill bill;
	int64_t others;

	filter.root_is_recorder = true;
	assert_true(
		bill_make(&bill, totals, BY_PROCESS, (struct bill_rule){ 0 }, &filter));
	assert_int_equal(bill.matches, 4);
	others = find(&bill, LINE_OTHERS, NULL)->numbers[bill.values + 1];
	assert_int_equal(others, 11100011);
	bill_release(&bill);
	/* A recorder that started the command before it recorded. */
	make(&bill, totals, BY_PROCESS, 10);
	assert_int_equal(bill.matches, 9);
	bill_release(&bill);
}

UNIT_TEST(numbers_of_ended_parents)
{
	assert_int_equal(totals_play(reused, COUNT(reused), INT64_MIN, check_recorder),
			 ST_OK);
}

/* Two processes of a name are one line, which has no pid; idle is always there. */
static void check_names(const struct totals *totals)
{
	struct bill bill;
	const struct view_line *work;

	make(&bill, totals, BY_COMM, INT_NONE);
	work = find(&bill, LINE_TASK, "work");
	assert_int_equal(work->numbers[bill.values + 1], 7);
	assert_int_equal(work->numbers[CUT_PROCESSES], 2);
	assert_int_equal(work->numbers[CUT_PID], INT_NONE);
	assert_int_equal(find(&bill, LINE_TASK, "sh")->numbers[CUT_PID], INT_NONE);
	assert_int_equal(find(&bill, LINE_IDLE, NULL)->numbers[CUT_THREADS], 0);
	bill_release(&bill);
}

UNIT_TEST(names)
{
	assert_int_equal(totals_play(family, COUNT(family), INT64_MIN, check_names),
			 ST_OK);
}
