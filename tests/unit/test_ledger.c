/* test_ledger.c - lib/attribution/ledger.h: sums that wrap, and balance. */
#include "attribution/ledger.h"

#include <stdlib.h>
#include <string.h>

#include "unit.h"

struct fixture {
	struct ledger ledger;
	struct unit_notes notes;
	struct sink sink;
};

/* Group 1 with two counters, 11 and 12; thread 1 is idle, 2 and 3 are process 20. */
static void open_ledger(struct fixture *f, int64_t from_ns, int64_t to_ns,
			const char *scope)
{
	memset(f, 0, sizeof(*f));
	f->sink = unit_noting_sink(&f->notes);
	f->ledger.from_ns = from_ns;
	f->ledger.to_ns = to_ns;
	ledger_begin(&f->ledger, 7, 1);
	ledger_group(&f->ledger, &(struct counter_group_row){ .group_id = 1,
							      .counters = 2,
							      .scope = str_of(scope) });
	for (int64_t slot = 0; slot < 2; slot++)
		ledger_counter(&f->ledger, &(struct counter_row){ .counter_id = 11 + slot,
								  .group_id = 1,
								  .slot = slot });
	ledger_thread(&f->ledger, 1, 10, true);
	ledger_thread(&f->ledger, 2, 20, false);
	ledger_thread(&f->ledger, 3, 20, false);
}

static void setup(struct fixture *f)
{
	open_ledger(f, INT64_MIN, INT64_MAX, "cpu");
}

static void teardown(struct fixture *f)
{
	ledger_end(&f->ledger);
}

UNIT_FIXTURE(struct fixture, setup, teardown);

static enum status note(void *context, enum record_kind kind, const void *row)
{
	struct fixture *f = context;

	return sink_put(&f->sink, &(struct record){ .kind = kind, .data = row });
}

/* A switch of group 1 on CPU 0, both deltas the same. */
static void add(struct fixture *f, int64_t ts, int64_t thread_id,
		enum charge_status status, int64_t delta, int64_t value)
{
	const int64_t deltas[2] = { delta, delta }, values[2] = { value, value };

	ledger_add(&f->ledger,
		   &(struct context_switch_row){
			   .ts_ns = ts,
			   .cpu = 0,
			   .group_id = 1,
			   .prev_thread_id = thread_id,
			   .next_thread_id = INT_NONE,
			   .status = status,
			   .on_cpu_ns = status == CHARGE_BASELINE ? 0 : 10,
			   .running_ns = INT_NONE },
		   ledger_is_idle(&f->ledger, thread_id), 0, deltas, values, 2);
}

static void base(struct fixture *f, int64_t counter_id, int64_t first, int64_t last)
{
	ledger_base(&f->ledger, &(struct counter_base_row){ counter_id, 0, INT_NONE, 0,
							    first, 0, last });
}

static void assert_lines(struct fixture *f, const char *table, const char *expected)
{
	const char *lines = unit_notes_of(&f->notes, table);

	assert_string_equal(lines, expected);
}

/* --- what goes where --- */

UNIT_CASE(statuses, struct fixture *f)
{
	add(f, 100, 2, CHARGE_BASELINE, 0, 1000);
	add(f, 110, 2, CHARGE_CHARGED, 1, 1001);
	add(f, 120, 1, CHARGE_CHARGED, 2, 1003);
	add(f, 130, 3, CHARGE_WITH_IDLE, 4, 1007);
	for (int s = CHARGE_LOST; s <= CHARGE_NO_THREAD; s++)
		add(f, 140, 2, (enum charge_status)s, 8, 0);
	add(f, 150, INT_NONE, CHARGE_NO_THREAD, 16, 0);
	base(f, 11, 1000, 2000);
	base(f, 12, -1, INT64_MAX);
	assert_int_equal(ledger_report(&f->ledger, note, f), ST_OK);
	assert_lines(
		f, "cpu_charge",
		"cpu_charge cpu=0 counter_id=11 first_value=1000 last_value=2000 "
		"charged=1 "
		"interrupts=0 with_idle=4 idle=2 unattributed=72\n"
		"cpu_charge cpu=0 counter_id=12 first_value=-1 "
		"last_value=9223372036854775807 charged=1 interrupts=0 with_idle=4 idle=2 "
		"unattributed=72\n");
	assert_lines(
		f, "cpu_summary",
		"cpu_summary trace_id=7 cpu=0 group_id=1 switches=12 all_switches=12 "
		"on_cpu_ns=110 idle_ns=10 unattributed_ns=80 running_ns=- first_ns=100 "
		"last_ns=150 reads=0 interrupts_ns=0\n");
	assert_lines(
		f, "process_charge",
		"process_charge process_id=10 counter_id=11 charged=2 interrupts=0 with_idle=0 "
		"unproven=0\n"
		"process_charge process_id=10 counter_id=12 charged=2 interrupts=0 with_idle=0 "
		"unproven=0\n"
		"process_charge process_id=20 counter_id=11 charged=1 interrupts=0 with_idle=4 "
		"unproven=56\n"
		"process_charge process_id=20 counter_id=12 charged=1 interrupts=0 with_idle=4 "
		"unproven=56\n");
	assert_lines(f, "process_summary",
		     "process_summary process_id=10 group_id=1 threads=1 switches=1 "
		     "on_cpu_ns=10 "
		     "with_idle_switches=0 timeless_switches=0 unproven_switches=0 "
		     "unproven_ns=0 running_ns=- reads=0 interrupts_ns=0\n"
		     "process_summary process_id=20 group_id=1 threads=2 switches=3 "
		     "on_cpu_ns=20 "
		     "with_idle_switches=1 timeless_switches=0 unproven_switches=7 "
		     "unproven_ns=70 running_ns=- reads=0 interrupts_ns=0\n");
}

/* Those of threads are there, also after the books of a trace began. */
UNIT_CASE(no_process_sums, struct fixture *f)
{
	f->ledger.no_process_sums = true;
	ledger_end(&f->ledger);
	ledger_group(&f->ledger,
		     &(struct counter_group_row){ .group_id = 1, .scope = STR("cpu") });
	ledger_thread(&f->ledger, 2, 20, false);
	ledger_add(&f->ledger,
		   &(struct context_switch_row){
			   .group_id = 1, .prev_thread_id = 2, .status = CHARGE_CHARGED },
		   false, 0, NULL, NULL, 0);
	assert_int_equal(ledger_report(&f->ledger, note, f), ST_OK);
	assert_non_null(
		strstr(unit_notes_of(&f->notes, "thread_summary"), "switches=1 "));
	assert_string_equal(unit_notes_of(&f->notes, "process_summary"), "");
}

UNIT_CASE(threads, struct fixture *f)
{
	add(f, 100, 3, CHARGE_BASELINE, 0, 0);
	add(f, 110, 3, CHARGE_CHARGED, 5, 5);
	add(f, 120, 2, CHARGE_CHAIN, 6, 11);
	assert_int_equal(ledger_report(&f->ledger, note, f), ST_OK);
	assert_lines(f, "thread_summary",
		     "thread_summary thread_id=2 group_id=1 switches=0 on_cpu_ns=0 "
		     "with_idle_switches=0 timeless_switches=0 unproven_switches=1 "
		     "unproven_ns=10 running_ns=- reads=0 interrupts_ns=0\n"
		     "thread_summary thread_id=3 group_id=1 switches=2 on_cpu_ns=10 "
		     "with_idle_switches=0 timeless_switches=0 unproven_switches=0 "
		     "unproven_ns=0 running_ns=- reads=0 interrupts_ns=0\n");
	/* Only a thread with something proven counts as one. */
	assert_lines(f, "process_summary",
		     "process_summary process_id=20 group_id=1 threads=1 switches=2 "
		     "on_cpu_ns=10 "
		     "with_idle_switches=0 timeless_switches=0 unproven_switches=1 "
		     "unproven_ns=10 running_ns=- reads=0 interrupts_ns=0\n");
	assert_lines(
		f, "status_summary",
		"status_summary group_id=1 status=0 switches=1 on_cpu_ns=0 reads=0\n"
		"status_summary group_id=1 status=1 switches=1 on_cpu_ns=10 reads=0\n"
		"status_summary group_id=1 status=8 switches=1 on_cpu_ns=10 reads=0\n");
	assert_lines(f, "status_charge",
		     "status_charge counter_id=11 status=0 value=0\n"
		     "status_charge counter_id=12 status=0 value=0\n"
		     "status_charge counter_id=11 status=1 value=5\n"
		     "status_charge counter_id=12 status=1 value=5\n"
		     "status_charge counter_id=11 status=8 value=6\n"
		     "status_charge counter_id=12 status=8 value=6\n");
}

/* A with_idle interval whose time is not known adds 0, and is counted. */
UNIT_CASE(timeless, struct fixture *f)
{
	const int64_t zero[2] = { 0, 0 };
	struct context_switch_row row = { .group_id = 1,
					  .prev_thread_id = 2,
					  .running_ns = 3,
					  .status = CHARGE_WITH_IDLE };

	ledger_add(&f->ledger, &row, false, 0, zero, zero, 2);
	row.on_cpu_ns = 4;
	ledger_add(&f->ledger, &row, false, 0, zero, zero, 2);
	assert_int_equal(ledger_report(&f->ledger, note, f), ST_OK);
	assert_lines(f, "thread_summary",
		     "thread_summary thread_id=2 group_id=1 switches=2 on_cpu_ns=4 "
		     "with_idle_switches=2 timeless_switches=1 unproven_switches=0 "
		     "unproven_ns=0 running_ns=6 reads=0 interrupts_ns=0\n");
}

/* A read ends an interval as a switch does, but is none; charged includes idle. */
UNIT_CASE(reads, struct fixture *f)
{
	static const enum charge_status statuses[] = { CHARGE_BASELINE,
						       CHARGE_WITH_IDLE };

	for (int64_t i = 0; i < 2; i++) {
		const int64_t deltas[2] = { 4 * i, 4 * i }, values[2] = { 0, 0 };

		ledger_add(&f->ledger,
			   &(struct context_switch_row){ .switch_id = INT_NONE,
							 .ts_ns = 90 + i,
							 .group_id = 1,
							 .prev_thread_id = 2,
							 .status = statuses[i],
							 .running_ns = INT_NONE },
			   false, 0, deltas, values, 2);
	}
	add(f, 100, 1, CHARGE_CHARGED, 2, 0);
	add(f, 110, 2, CHARGE_CHARGED, 1, 0);
	assert_int_equal(ledger_report(&f->ledger, note, f), ST_OK);
	HAS(unit_notes_of(&f->notes, "thread_summary"),
	    "thread_summary thread_id=2 group_id=1 switches=1 on_cpu_ns=10 "
	    "with_idle_switches=0 timeless_switches=0 unproven_switches=0 "
	    "unproven_ns=0 running_ns=- reads=1 interrupts_ns=0\n");
	assert_lines(f, "cpu_summary",
		     "cpu_summary trace_id=7 cpu=0 group_id=1 switches=2 all_switches=2 "
		     "on_cpu_ns=20 idle_ns=10 unattributed_ns=0 running_ns=- first_ns=90 "
		     "last_ns=110 reads=2 interrupts_ns=0\n");
	HAS(unit_notes_of(&f->notes, "status_charge"),
	    "status_charge counter_id=11 status=1 value=3\n",
	    "status_charge counter_id=11 status=2 value=4\n");
	HAS(unit_notes_of(&f->notes, "process_summary"),
	    "process_id=20 group_id=1 threads=1 switches=1 ",
	    " reads=1 interrupts_ns=0\n");
}

/* A process whose threads were only read has as many threads. */
UNIT_CASE(read_threads, struct fixture *f)
{
	const int64_t one[2] = { 1, 1 };

	for (int64_t thread = 2; thread <= 3; thread++)
		ledger_add(&f->ledger,
			   &(struct context_switch_row){ .switch_id = INT_NONE,
							 .group_id = 1,
							 .prev_thread_id = thread,
							 .status = CHARGE_CHARGED,
							 .running_ns = INT_NONE },
			   false, 0, one, one, 2);
	assert_int_equal(ledger_report(&f->ledger, note, f), ST_OK);
	HAS(unit_notes_of(&f->notes, "process_summary"),
	    "process_id=20 group_id=1 threads=2 switches=0 ",
	    " reads=2 interrupts_ns=0\n");
}

/* The sums of a process begin at zero, whatever the one before it had. */
UNIT_CASE(next_process, struct fixture *f)
{
	const int64_t one[2] = { 1, 1 };

	ledger_thread(&f->ledger, 4, 30, false);
	add(f, 100, 2, CHARGE_BASELINE, 0, 0);
	add(f, 110, 2, CHARGE_LOST, 8, 0);
	add(f, 120, 3, CHARGE_WITH_IDLE, 4, 0);
	ledger_add(&f->ledger,
		   &(struct context_switch_row){ .switch_id = INT_NONE,
						 .ts_ns = 125,
						 .group_id = 1,
						 .prev_thread_id = 3,
						 .status = CHARGE_CHARGED,
						 .running_ns = INT_NONE },
		   false, 0, one, one, 2);
	add(f, 130, 4, CHARGE_CHARGED, 1, 0);
	assert_int_equal(ledger_report(&f->ledger, note, f), ST_OK);
	HAS(unit_notes_of(&f->notes, "process_summary"),
	    "process_id=20 group_id=1 threads=2 switches=2 on_cpu_ns=10 "
	    "with_idle_switches=1 timeless_switches=0 unproven_switches=1 "
	    "unproven_ns=10 running_ns=- reads=1 interrupts_ns=0\n",
	    "process_id=30 group_id=1 threads=1 switches=1 on_cpu_ns=10 "
	    "with_idle_switches=0 timeless_switches=0 unproven_switches=0 "
	    "unproven_ns=0 running_ns=- reads=0 interrupts_ns=0\n");
	HAS(unit_notes_of(&f->notes, "process_charge"),
	    "process_id=30 counter_id=11 charged=1 interrupts=0 with_idle=0 unproven=0\n");
}

/* --- conservation --- */

/* last - first = charged + with_idle + idle + unattributed, modulo 2^64. */
static enum status check_balance(void *context, enum record_kind kind, const void *row)
{
	const struct cpu_charge_row *charge = row;
	int *seen = context;
	uint64_t sum;

	if (kind != RECORD_cpu_charge)
		return ST_OK;
	sum = (uint64_t)charge->charged + (uint64_t)charge->with_idle +
	      (uint64_t)charge->idle + (uint64_t)charge->unattributed;
	assert_int_equal((uint64_t)charge->last_value - (uint64_t)charge->first_value,
			 sum);
	++*seen;
	return ST_OK;
}

/* Deltas as wild as they can be, in whole traces and in windows of them. */
UNIT_TEST(conservation)
{
	static const int64_t windows[][2] = { { INT64_MIN, INT64_MAX },
					      { 200, 800 },
					      { INT64_MIN, 500 },
					      { 999, INT64_MAX } };

	for (size_t w = 0; w < COUNT(windows); w++) {
		struct fixture f;
		uint64_t random = 88172645463325252u, value = random;
		uint64_t first = value;
		int seen = 0;

		open_ledger(&f, windows[w][0], windows[w][1], "cpu");
		for (int64_t ts = 0; ts < 1000; ts++) {
			uint64_t delta;

			random ^= random << 13;
			random ^= random >> 7;
			random ^= random << 17;
			delta = ts ? random : 0;
			value += delta;
			add(&f, ts, (int64_t)(random % 4),
			    ts ? (enum charge_status)(1 +
						      random / 7 % (CHARGE_STATUSES - 1))
			       : CHARGE_BASELINE,
			    (int64_t)delta, (int64_t)value);
		}
		if (w == 0)
			for (int64_t counter = 11; counter <= 12; counter++)
				base(&f, counter, (int64_t)first, (int64_t)value);
		assert_int_equal(ledger_report(&f.ledger, check_balance, &seen), ST_OK);
		assert_int_equal(seen, 2);
		ledger_end(&f.ledger);
	}
}

/* The largest time there is belongs to the whole trace as well. */
UNIT_CASE(last_nanosecond, struct fixture *f)
{
	int seen = 0;

	add(f, 0, 2, CHARGE_BASELINE, 0, 100);
	add(f, INT64_MAX, 2, CHARGE_CHARGED, 5, 105);
	base(f, 11, 100, 105);
	base(f, 12, 100, 105);
	assert_int_equal(ledger_report(&f->ledger, check_balance, &seen), ST_OK);
	assert_int_equal(seen, 2);
}

/* --- windows --- */

UNIT_CASE(window, struct fixture *f)
{
	ledger_end(&f->ledger);
	open_ledger(f, 110, 120, "cpu");
	for (int64_t ts = 100; ts < 130; ts += 5)
		add(f, ts, 2, CHARGE_CHARGED, 1, ts);
	assert_int_equal(ledger_report(&f->ledger, note, f), ST_OK);
	/* From is inside, to is not. */
	assert_lines(
		f, "cpu_charge",
		"cpu_charge cpu=0 counter_id=11 first_value=109 last_value=115 charged=2 "
		"interrupts=0 with_idle=0 idle=0 unattributed=0\n"
		"cpu_charge cpu=0 counter_id=12 first_value=109 last_value=115 charged=2 "
		"interrupts=0 with_idle=0 idle=0 unattributed=0\n");
}

/* A switch without values says nothing about the first value of a window. */
UNIT_CASE(window_begins_unread, struct fixture *f)
{
	ledger_end(&f->ledger);
	open_ledger(f, 110, 120, "cpu");
	add(f, 110, 2, CHARGE_UNREAD, 0, 0);
	add(f, 115, 2, CHARGE_AFTER_UNREAD, 3, 112);
	assert_int_equal(ledger_report(&f->ledger, note, f), ST_OK);
	assert_lines(
		f, "cpu_charge",
		"cpu_charge cpu=0 counter_id=11 first_value=109 last_value=112 charged=0 interrupts=0 "
		"with_idle=0 idle=0 unattributed=3\n"
		"cpu_charge cpu=0 counter_id=12 first_value=109 last_value=112 charged=0 interrupts=0 "
		"with_idle=0 idle=0 unattributed=3\n");
}

/* What fits no group, no status, no CPU is left out: rows may come from any database. */
UNIT_CASE(misfits, struct fixture *f)
{
	const int64_t one[2] = { 1, 1 };
	const struct context_switch_row good = { .group_id = 1,
						 .prev_thread_id = 2,
						 .status = CHARGE_CHARGED };
	struct context_switch_row row = good;

	row.group_id = 2;
	ledger_add(&f->ledger, &row, false, 0, one, one, 2);
	row.group_id = INT64_MIN;
	ledger_add(&f->ledger, &row, false, 0, one, one, 2);
	ledger_add(&f->ledger, &good, false, 0, one, one, 1);
	row = good;
	row.status = CHARGE_STATUSES;
	ledger_add(&f->ledger, &row, false, 0, one, one, 2);
	row.status = -1;
	ledger_add(&f->ledger, &row, false, 0, one, one, 2);
	ledger_group(&f->ledger,
		     &(struct counter_group_row){ .group_id = 2, .counters = INT64_MAX });
	ledger_group(&f->ledger,
		     &(struct counter_group_row){ .group_id = 2, .counters = -1 });
	ledger_counter(&f->ledger, &(struct counter_row){ 13, 7, 1, 2, STR_NONE, STR_NONE,
							  STR_NONE, STR_NONE, 0, 0, 0 });
	ledger_thread(&f->ledger, INT64_MAX, 1, true);
	ledger_thread(&f->ledger, -1, 1, true);
	assert_false(ledger_is_idle(&f->ledger, INT64_MAX));
	assert_false(ledger_is_idle(&f->ledger, INT_NONE));
	base(f, 99, 1, 2);
	assert_int_equal(ledger_report(&f->ledger, note, f), ST_OK);
	assert_string_equal(unit_notes_text(&f->notes), "");
	assert_null(ledger_find_group(&f->ledger, 2));
	assert_null(ledger_find_group(&f->ledger, 0));
	assert_false(f->ledger.out_of_memory);
}

/* Invalid CPUs: the thread and the status have it, no CPU does. */
UNIT_TEST(impossible_cpus)
{
	static const int64_t cpus[] = { -1, CPU_MAX, INT64_MAX, INT64_MIN };
	struct fixture *f = *state;
	const int64_t one[2] = { 1, 1 };

	for (size_t i = 0; i < COUNT(cpus); i++)
		ledger_add(&f->ledger,
			   &(struct context_switch_row){ .group_id = 1,
							 .cpu = cpus[i],
							 .prev_thread_id = 2,
							 .status = CHARGE_CHARGED },
			   false, 0, one, one, 2);
	assert_int_equal(ledger_report(&f->ledger, note, f), ST_OK);
	assert_lines(f, "cpu_summary", "");
	assert_lines(
		f, "status_summary",
		"status_summary group_id=1 status=1 switches=4 on_cpu_ns=0 reads=0\n");
}

/* --- groups that follow a thread --- */

/*
 * It moves from CPU to CPU; all it counts is on its first one, so that it balances.
 */
UNIT_CASE(per_task, struct fixture *f)
{
	const int64_t zero[2] = { 0, 0 }, five[2] = { 5, 5 };
	struct context_switch_row row = {
		.group_id = 1, .cpu = 3, .prev_thread_id = 2, .running_ns = INT_NONE
	};

	ledger_end(&f->ledger);
	open_ledger(f, INT64_MIN, INT64_MAX, "task");
	ledger_add(&f->ledger, &row, false, 0, zero, five, 2);
	row.cpu = 1;
	row.status = CHARGE_CHARGED;
	ledger_add(&f->ledger, &row, false, 0, five, five, 2);
	for (int64_t counter = 11; counter <= 12; counter++)
		ledger_base(&f->ledger,
			    &(struct counter_base_row){ counter, 1, 2, 0, 5, 0, 10 });
	assert_int_equal(ledger_report(&f->ledger, note, f), ST_OK);
	assert_lines(
		f, "cpu_charge",
		"cpu_charge cpu=3 counter_id=11 first_value=5 last_value=10 charged=5 "
		"interrupts=0 with_idle=0 idle=0 unattributed=0\n"
		"cpu_charge cpu=3 counter_id=12 first_value=5 last_value=10 charged=5 "
		"interrupts=0 with_idle=0 idle=0 unattributed=0\n");
}

/* Two threads at home on one CPU: their first and last values add up. */
UNIT_CASE(per_task_neighbours, struct fixture *f)
{
	const int64_t deltas[2] = { 5, 5 }, values[2] = { 0, 0 };

	ledger_end(&f->ledger);
	open_ledger(f, INT64_MIN, INT64_MAX, "task");
	for (int64_t thread = 2; thread <= 3; thread++) {
		struct context_switch_row row = { .group_id = 1,
						  .cpu = 3,
						  .prev_thread_id = thread,
						  .status = CHARGE_CHARGED,
						  .running_ns = INT_NONE };
		int64_t first = thread == 2 ? 5 : 7;

		ledger_add(&f->ledger, &row, false, 0, deltas, values, 2);
		for (int64_t counter = 11; counter <= 12; counter++)
			ledger_base(&f->ledger,
				    &(struct counter_base_row){ counter, 3, thread, 0,
								first, 0, first + 5 });
	}
	assert_int_equal(ledger_report(&f->ledger, note, f), ST_OK);
	assert_lines(
		f, "cpu_charge",
		"cpu_charge cpu=3 counter_id=11 first_value=12 last_value=22 charged=10 interrupts=0 "
		"with_idle=0 idle=0 unattributed=0\n"
		"cpu_charge cpu=3 counter_id=12 first_value=12 last_value=22 charged=10 interrupts=0 "
		"with_idle=0 idle=0 unattributed=0\n");
}

/* The next interval of a live report: the group still follows its tasks. */
UNIT_CASE(per_task_restart, struct fixture *f)
{
	const int64_t five[2] = { 5, 5 };
	struct context_switch_row row = { .group_id = 1,
					  .cpu = 3,
					  .prev_thread_id = 2,
					  .status = CHARGE_CHARGED,
					  .running_ns = INT_NONE };

	ledger_end(&f->ledger);
	open_ledger(f, INT64_MIN, INT64_MAX, "task");
	ledger_add(&f->ledger, &row, false, 0, five, five, 2);
	ledger_restart(&f->ledger);
	ledger_thread(&f->ledger, 2, 20, false);
	ledger_add(&f->ledger, &row, false, 0, five, five, 2);
	row.cpu = 1;
	ledger_add(&f->ledger, &row, false, 0, five, five, 2);
	assert_int_equal(ledger_report(&f->ledger, note, f), ST_OK);
	assert_lines(f, "cpu_summary",
		     "cpu_summary trace_id=7 cpu=3 group_id=1 switches=2 all_switches=2 "
		     "on_cpu_ns=0 idle_ns=0 unattributed_ns=0 running_ns=- first_ns=0 "
		     "last_ns=0 reads=0 interrupts_ns=0\n");
}

UNIT_CASE(failing_output, struct fixture *f)
{
	add(f, 100, 2, CHARGE_BASELINE, 0, 0);
	f->notes.fail_at = RECORD_thread_charge;
	assert_int_equal(ledger_report(&f->ledger, note, f), ST_IO);
	assert_lines(f, "process_summary", "");
}

/* The second switch of such a thread on an invalid CPU (a hostile database). */
UNIT_CASE(per_task_impossible_cpu, struct fixture *f)
{
	const int64_t zero[2] = { 0, 0 };
	struct context_switch_row row = { .group_id = 1, .cpu = 0, .prev_thread_id = 2 };

	ledger_end(&f->ledger);
	open_ledger(f, INT64_MIN, INT64_MAX, "task");
	ledger_group(&f->ledger, &(struct counter_group_row){ 2, 7, STR("l"), 0,
							      STR("cpu"), STR("no") });
	ledger_add(&f->ledger, &row, false, 0, zero, zero, 2);
	row.cpu = -1;
	ledger_add(&f->ledger, &row, false, 0, zero, zero, 2);
	assert_int_equal(ledger_report(&f->ledger, note, f), ST_OK);
}
