/* test_bill.c - lib/report/bill.h: the lines of a bill of several groups, and ties. */
#include "report/bill.h"
#include "report/check.h"

#include "totals_play.h"
#include "unit.h"

static const struct cut_filter all = { NULL, INT_NONE, INT_NONE, INT_NONE, false };

/* Group 1 reads counters 1 (its leader) to 3, group 2 counter 4 (its leader) and 5. */
#define GROUPS                                                                        \
	PUT(counter_group, 1, 1, { "l1", 2 }, 3, { "cpu", 3 }, { "no", 2 }),          \
		PUT(counter_group, 2, 1, { "l2", 2 }, 2, { "cpu", 3 }, { "no", 2 }),  \
		COUNTER(1, 1, 0, "l1"), COUNTER(2, 1, 1, "a"), COUNTER(3, 1, 2, "b"), \
		COUNTER(4, 2, 0, "l2"), COUNTER(5, 2, 1, "c")
#define COUNTER(id, group, at, text)                                                 \
	PUT(counter, .counter_id = id, .trace_id = 1, .group_id = group, .slot = at, \
	    .name = { text, sizeof(text) - 1 }, .event = { text, sizeof(text) - 1 }, \
	    .period = INT_NONE)
#define TASKS                                                                \
	PUT(process, 1, 1, 70, INT_NONE, 0, 0, { "p", 1 }, { NULL, 0 }),     \
		PUT(thread, 1, 1, 70, INT_NONE, INT_NONE, 0, 0, { "p", 1 }), \
		PUT(thread, 2, 1, 71, INT_NONE, INT_NONE, 0, 0, { "q", 1 })
/* Thread, group: switches, time; with idle; unproven switches, time. */
#define BOOK(who, group, n, ns, shared, unproven_n, unproven_time)              \
	PUT(thread_summary, .thread_id = who, .group_id = group, .switches = n, \
	    .on_cpu_ns = ns, .with_idle_switches = shared,                      \
	    .unproven_switches = unproven_n, .unproven_ns = unproven_time,      \
	    .running_ns = INT_NONE)
#define CHARGE(who, counter, proven, shared, unproven_value)                           \
	PUT(thread_charge, .thread_id = who, .counter_id = counter, .charged = proven, \
	    .with_idle = shared, .unproven = unproven_value)
#define CPU(group, n)                                                     \
	PUT(cpu_summary, .trace_id = 1, .group_id = group, .switches = n, \
	    .all_switches = (n) + 1)
#define STATUS(group, s, n, ns)                                            \
	PUT(status_summary, .group_id = group, .status = s, .switches = n, \
	    .on_cpu_ns = ns)
#define STATUS_VALUE(counter, s, v) \
	PUT(status_charge, .counter_id = counter, .status = s, .value = v)

/* --- two groups --- */

/* Group 2 saw more switches: counts of no group in particular are those it saw. */
static const struct row two_groups[] = {
	GROUPS,
	TASKS,
	BOOK(1, 1, 5, 500, 1, 2, 20),
	CHARGE(1, 2, 50, 7, 11),
	BOOK(1, 2, 8, 800, 2, 3, 40),
	CHARGE(1, 5, 80, 9, 13),
	BOOK(2, 1, 1, 100, 0, 1, 5),
	CHARGE(2, 2, 3, 0, 4),
	CPU(1, 9),
	CPU(2, 12),
	STATUS(2, CHARGE_WITH_IDLE, 2, 77), /* not unattributed */
	STATUS_VALUE(5, CHARGE_WITH_IDLE, 9),
	STATUS(1, CHARGE_CHAIN, 4, 32),
	STATUS_VALUE(2, CHARGE_CHAIN, 18),
	STATUS(2, CHARGE_CHAIN, 2, 25),
	STATUS_VALUE(5, CHARGE_CHAIN, 10),
	STATUS(2, CHARGE_LOST, 2, 19),
	STATUS_VALUE(5, CHARGE_LOST, 5),
};

static const struct view_line *find_line(const struct bill *bill, enum line_kind kind)
{
	for (size_t i = 0; i < bill->view.line_count; i++)
		if (bill->view.lines[i]->kind == kind)
			return bill->view.lines[i];
	fail_msg("no line of kind %d", kind);
	return NULL;
}

static int64_t value(const struct bill *bill, enum line_kind kind, size_t counter)
{
	return find_line(bill, kind)->numbers[bill->values + counter];
}

static int64_t number(const struct bill *bill, enum line_kind kind, size_t cell)
{
	return find_line(bill, kind)->numbers[cell];
}

static void check_separate(const struct totals *totals)
{
	struct bill bill;

	assert_ptr_equal(totals->reference, &totals->groups[1]);
	assert_int_equal(totals->groups[0].all_switches, 10);
	assert_int_equal(totals->groups[1].all_switches, 13);
	assert_true(bill_make(&bill, totals, BY_PROCESS, (struct bill_rule){ 0 }, &all));
	assert_int_equal(number(&bill, LINE_TASK, CUT_SWITCHES), 6);
	assert_int_equal(number(&bill, LINE_TASK, CUT_ON_CPU), 800);
	assert_int_equal(number(&bill, LINE_TASK, bill.group_switches), 5);
	assert_int_equal(value(&bill, LINE_TASK, 1), 53);
	assert_int_equal(value(&bill, LINE_TASK, 4), 80);
	assert_int_equal(number(&bill, LINE_WITH_IDLE, CUT_SWITCHES), 2);
	assert_int_equal(value(&bill, LINE_WITH_IDLE, 1), 7);
	assert_int_equal(value(&bill, LINE_WITH_IDLE, 4), 9);
	assert_int_equal(number(&bill, LINE_UNATTRIBUTED, CUT_SWITCHES), 4);
	assert_int_equal(number(&bill, LINE_UNATTRIBUTED, CUT_ON_CPU), 44);
	assert_int_equal(value(&bill, LINE_UNATTRIBUTED, 1), 18);
	assert_int_equal(value(&bill, LINE_UNATTRIBUTED, 4), 15);
	bill_release(&bill);
}

/* What threads get is subtracted where it was: time and switches of the reference. */
static void check_to_threads(const struct totals *totals)
{
	struct bill bill;

	assert_true(bill_make(&bill, totals, BY_PROCESS,
			      (struct bill_rule){ .unproven_to_threads = true }, &all));
	assert_int_equal(number(&bill, LINE_TASK, CUT_SWITCHES), 11);
	assert_int_equal(number(&bill, LINE_TASK, CUT_ON_CPU), 840);
	assert_int_equal(value(&bill, LINE_TASK, 1), 50 + 7 + 11 + 3 + 4);
	assert_int_equal(value(&bill, LINE_TASK, 4), 80 + 9 + 13);
	assert_int_equal(number(&bill, LINE_UNATTRIBUTED, CUT_SWITCHES), 1);
	assert_int_equal(number(&bill, LINE_UNATTRIBUTED, CUT_ON_CPU), 4);
	assert_int_equal(number(&bill, LINE_UNATTRIBUTED, bill.group_switches), 1);
	assert_int_equal(value(&bill, LINE_UNATTRIBUTED, 1), 3);
	assert_int_equal(value(&bill, LINE_UNATTRIBUTED, 4), 2);
	assert_int_equal(bill.view.total->numbers[bill.values + 1], 78);
	bill_release(&bill);
}

UNIT_TEST(two_groups)
{
	assert_int_equal(totals_play(two_groups, COUNT(two_groups), INT64_MIN,
				     check_separate),
			 ST_OK);
	assert_int_equal(totals_play(two_groups, COUNT(two_groups), INT64_MIN,
				     check_to_threads),
			 ST_OK);
}

/* A thread of which nothing is proven has a line only where the rule gives it some. */
static const struct row unproven[] = {
	GROUPS,
	TASKS,
	BOOK(1, 1, 0, 0, 0, 2, 20),
	CHARGE(1, 2, 0, 0, 11),
	CPU(1, 2),
	STATUS(1, CHARGE_CHAIN, 2, 20),
	STATUS_VALUE(2, CHARGE_CHAIN, 11),
};

static void check_unproven(const struct totals *totals)
{
	struct bill bill;

	assert_true(bill_make(&bill, totals, BY_PROCESS, (struct bill_rule){ 0 }, &all));
	for (size_t i = 0; i < bill.view.line_count; i++)
		assert_int_not_equal(bill.view.lines[i]->kind, LINE_TASK);
	bill_release(&bill);
	assert_true(bill_make(&bill, totals, BY_PROCESS,
			      (struct bill_rule){ .unproven_to_threads = true }, &all));
	assert_int_equal(number(&bill, LINE_TASK, CUT_SWITCHES), 2);
	assert_int_equal(value(&bill, LINE_TASK, 1), 11);
	assert_int_equal(value(&bill, LINE_UNATTRIBUTED, 1), 0);
	bill_release(&bill);
}

UNIT_TEST(unproven_alone)
{
	assert_int_equal(
		totals_play(unproven, COUNT(unproven), INT64_MIN, check_unproven), ST_OK);
}

/* Idle that no switch proves has its line all the same. */
static const struct row idle[] = {
	GROUPS,
	TASKS,
	PUT(process, 2, 1, 0, INT_NONE, 0, 0, { "swapper", 7 }, { NULL, 0 }),
	PUT(thread, 3, 2, 0, INT_NONE, 0, 0, 0, { "swapper/0", 9 }),
	BOOK(1, 1, 5, 500, 0, 0, 0),
	BOOK(3, 1, 0, 0, 0, 2, 20),
	CHARGE(3, 2, 0, 0, 11),
	CPU(1, 7),
};

static void check_idle(const struct totals *totals)
{
	struct bill bill;

	assert_true(bill_make(&bill, totals, BY_PROCESS, (struct bill_rule){ 0 }, &all));
	ASSERT_STR(find_line(&bill, LINE_IDLE)->texts[0], "(idle)");
	assert_int_equal(number(&bill, LINE_IDLE, CUT_SWITCHES), 0);
	bill_release(&bill);
	assert_true(bill_make(&bill, totals, BY_THREAD, (struct bill_rule){ 0 }, &all));
	ASSERT_STR(find_line(&bill, LINE_IDLE)->texts[0], "(idle)");
	bill_release(&bill);
}

UNIT_TEST(idle_unproven)
{
	assert_int_equal(totals_play(idle, COUNT(idle), INT64_MIN, check_idle), ST_OK);
}

/* --- the balance --- */

/* The rise of a counter, and its parts, one of which is what each row is about. */
#define CHARGED(counter, ...) \
	PUT(cpu_charge, .counter_id = counter, .first_value = 10, __VA_ARGS__)

static const struct row books[] = {
	GROUPS,
	TASKS,
	CPU(1, 3),
	CHARGED(1, .last_value = 13, .charged = 2, .idle = 1),
	CHARGED(2, .last_value = 30, .charged = 5, .with_idle = 4, .unattributed = 11),
	CHARGED(3, .last_value = 30, .charged = 20, .unattributed = 1),
	CPU(2, 3),
	CHARGED(4, .last_value = 12, .idle = 2),
	CHARGED(5, .last_value = 12, .charged = 1),
};

static void check_books(const struct totals *totals)
{
	struct check check;

	assert_true(check_make(&check, totals));
	assert_int_equal(check.view.line_count, 5);
	assert_int_equal(check.unbalanced, 2);
	check_release(&check);
}

UNIT_TEST(balance)
{
	assert_int_equal(totals_play(books, COUNT(books), INT64_MIN, check_books), ST_OK);
}

/* --- ties --- */

/* Both groups saw as many switches, counters a, b and c counted as much. */
static const struct row ties[] = {
	GROUPS,
	TASKS,
	BOOK(2, 1, 3, 1, 0, 0, 0),
	CHARGE(2, 2, 40, 0, 0),
	CHARGE(2, 3, 40, 0, 0),
	BOOK(1, 1, 3, 1, 0, 0, 0),
	CHARGE(1, 2, 40, 0, 0),
	CHARGE(1, 3, 40, 0, 0),
	BOOK(1, 2, 6, 2, 0, 0, 0),
	CHARGE(1, 5, 80, 0, 0),
	CPU(1, 6),
	CPU(2, 6),
};

static void check_ties(const struct totals *totals)
{
	struct bill bill;

	assert_ptr_equal(totals->reference, &totals->groups[0]);
	assert_true(bill_make(&bill, totals, BY_THREAD, (struct bill_rule){ 0 }, &all));
	assert_int_equal(bill.heaviest, 1);
	assert_true(view_sort(&bill.view, NULL));
	assert_int_equal(bill.view.lines[0]->numbers[CUT_TID], 70);
	assert_int_equal(bill.view.lines[1]->numbers[CUT_TID], 71);
	bill_release(&bill);
}

UNIT_TEST(ties)
{
	assert_int_equal(totals_play(ties, COUNT(ties), INT64_MIN, check_ties), ST_OK);
}

/* A leader counts switches: it is never the heaviest counter. */
static const struct row light[] = {
	PUT(counter_group, 1, 1, { "l1", 2 }, 1, { "cpu", 3 }, { "no", 2 }),
	COUNTER(1, 1, 0, "l1"),
	TASKS,
	BOOK(1, 1, 3, 1, 0, 0, 0),
	CHARGE(1, 1, 3, 0, 0),
	CPU(1, 3),
};

static void check_light(const struct totals *totals)
{
	struct bill bill;

	assert_true(bill_make(&bill, totals, BY_THREAD, (struct bill_rule){ 0 }, &all));
	assert_int_equal(bill.heaviest, SIZE_MAX);
	bill_release(&bill);
}

UNIT_TEST(leader_alone)
{
	assert_int_equal(totals_play(light, COUNT(light), INT64_MIN, check_light), ST_OK);
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
	{ ROW, STATUS_VALUE(2, CHARGE_STATUSES, 1) },
	{ ROW, STATUS_VALUE(2, -1, 1) },
	{ ROW, STATUS_VALUE(2, INT64_MIN, 1) },
	{ ROW, STATUS_VALUE(99, CHARGE_LOST, 1) },
	{ ROW, STATUS(1, CHARGE_STATUSES, 1, 1) },
	{ ROW, STATUS(1, -1, 1, 1) },
	{ ROW, STATUS(3, CHARGE_LOST, 1, 1) },
	{ ROW, BOOK(3, 1, 1, 1, 1, 1, 1) },
	{ ROW, BOOK(1, 3, 1, 1, 1, 1, 1) },
	{ ROW, CHARGE(1, 9, 1, 1, 1) },
	{ ROW, CHARGE(1, 2, 1, 1, 1) }, /* of a thread without a book */
	{ ROW, CPU(3, 1) },
	{ ROW, PUT(cpu_charge, .cpu = 0, .counter_id = 2) }, /* of a CPU without one */
};

UNIT_TEST(misfits)
{
	struct row rows[] = { GROUPS, TASKS, { 0 } };

	for (size_t i = 0; i < COUNT(misfits); i++) {
		rows[COUNT(rows) - 1] = misfits[i].row;
		ROW_INT(&misfits[i],
			totals_play(rows, COUNT(rows), INT64_MIN, check_nothing),
			ST_CORRUPT);
	}
}
