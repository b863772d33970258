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
	return (struct cut_filter){ NULL, INT_NONE, INT_NONE, pid };
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
	assert_null(sh->parent);
	assert_ptr_equal(make_line->parent, sh);
	assert_ptr_equal(again->parent, sh);
	assert_ptr_equal(find(&bill, LINE_TASK, "cc")->parent, make_line);
	assert_ptr_equal(find(&bill, LINE_TASK, "ld")->parent, again);
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
