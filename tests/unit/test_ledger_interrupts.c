/*
 * test_ledger_interrupts.c - what lib/attribution/ledger.h charges to interrupts, and to
 * the thread that runs one of its own.
 */
#include "attribution/ledger.h"
#include "unit.h"

enum { DISK = 4, OWN = 5 }; /* an irq, and a softirq that a thread runs itself */

struct fixture {
	struct ledger ledger;
	struct unit_notes notes;
	struct sink sink;
};

/* Group 1 with the counter 11; thread 2 is process 20. */
static void setup(struct fixture *f)
{
	f->sink = unit_noting_sink(&f->notes);
	f->ledger.from_ns = INT64_MIN;
	f->ledger.to_ns = INT64_MAX;
	ledger_begin(&f->ledger, 7, 1);
	ledger_group(&f->ledger, &(struct counter_group_row){ .group_id = 1,
							      .counters = 1,
							      .scope = STR("cpu") });
	ledger_counter(&f->ledger,
		       &(struct counter_row){ .counter_id = 11, .group_id = 1 });
	ledger_thread(&f->ledger, 1, 10, true);
	ledger_thread(&f->ledger, 2, 20, false);
	ledger_thread(&f->ledger, 3, 20, false);
	ledger_interrupt(&f->ledger, &(struct interrupt_row){ .interrupt_id = DISK,
							      .kind = STR("irq"),
							      .vector = 25,
							      .name = STR("disk") });
	ledger_interrupt(&f->ledger, &(struct interrupt_row){ .interrupt_id = OWN,
							      .kind = STR("softirq"),
							      .vector = 3,
							      .in_thread = 1 });
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

static bool add_on(struct fixture *f, int64_t cpu, int64_t thread_id,
		   int64_t interrupt_id, bool has_ended, enum charge_status status,
		   int64_t ns, int64_t delta)
{
	return ledger_add_read(&f->ledger,
			       &(struct context_switch_row){ .switch_id = INT_NONE,
							     .cpu = cpu,
							     .group_id = 1,
							     .prev_thread_id = thread_id,
							     .status = status,
							     .on_cpu_ns = ns,
							     .running_ns = INT_NONE },
			       interrupt_id, has_ended, false, 0, &delta, &delta, 1);
}

static bool add(struct fixture *f, int64_t thread_id, int64_t interrupt_id,
		bool has_ended, int64_t ns, int64_t delta)
{
	return add_on(f, 0, thread_id, interrupt_id, has_ended, CHARGE_CHARGED, ns,
		      delta);
}

static const char *report(struct fixture *f, const char *table)
{
	assert_int_equal(ledger_report(&f->ledger, note, f), ST_OK);
	return unit_notes_of(&f->notes, table);
}

/* Two segments of one interrupt and one of another: only ends are counted. */
UNIT_CASE(segments_and_ends, struct fixture *f)
{
	assert_true(add(f, 2, DISK, false, 30, 5));
	assert_true(add(f, 2, DISK, true, 20, 2));
	assert_true(add(f, 3, DISK, true, 1, 1));
	assert_string_equal(
		report(f, "interrupt_summary"),
		"interrupt_summary interrupt_id=4 group_id=1 cpu=0 thread_id=2 "
		"status='charged' interrupts=1 time_ns=50\n"
		"interrupt_summary interrupt_id=4 group_id=1 cpu=0 thread_id=3 "
		"status='charged' interrupts=1 time_ns=1\n");
	assert_string_equal(unit_notes_of(&f->notes, "interrupt_charge"),
			    "interrupt_charge interrupt_id=4 kind='irq' vector=25 cpu=0 "
			    "thread_id=2 counter_id=11 status='charged' charged=7\n"
			    "interrupt_charge interrupt_id=4 kind='irq' vector=25 cpu=0 "
			    "thread_id=3 counter_id=11 status='charged' charged=1\n");
	/* Neither the thread nor the CPU is charged what the interrupt is. */
	HAS(unit_notes_of(&f->notes, "cpu_charge"), "charged=0 interrupts=8 with_idle=0");
	HAS(unit_notes_of(&f->notes, "process_charge"),
	    "charged=0 interrupts=8 with_idle=0");
	HAS(unit_notes_of(&f->notes, "thread_summary"), "thread_id=2", "interrupts_ns=50",
	    "interrupts_ns=1\n");
}

/* A softirq that a thread runs is the thread's, and has a book as well. */
UNIT_CASE(of_a_thread, struct fixture *f)
{
	assert_false(add(f, 2, OWN, true, 30, 5));
	HAS(report(f, "interrupt_charge"), "interrupt_id=5",
	    "status='charged' charged=5\n");
	HAS(unit_notes_of(&f->notes, "cpu_charge"), "charged=5 interrupts=0 with_idle=0");
	HAS(unit_notes_of(&f->notes, "thread_summary"), "on_cpu_ns=30",
	    "interrupts_ns=0\n");
}

/* Without an interrupt, with one that is not known, and where nothing is proven. */
UNIT_CASE(of_none, struct fixture *f)
{
	assert_false(add(f, 2, INT_NONE, false, 30, 5));
	assert_false(add(f, 2, 99, true, 30, 5));
	assert_false(add_on(f, 0, 2, DISK, true, CHARGE_LOST, 30, 5));
	assert_string_equal(report(f, "interrupt_summary"), "");
	HAS(unit_notes_of(&f->notes, "cpu_charge"), "charged=10 interrupts=0 with_idle=0",
	    "unattributed=5\n");
}

/* Each CPU has its own books; a time that is not known is not added. */
UNIT_CASE(of_cpus, struct fixture *f)
{
	for (int64_t cpu = 0; cpu < 3; cpu++)
		assert_true(add_on(f, cpu, 2, DISK, true, CHARGE_CHARGED,
				   cpu == 1 ? INT_NONE : 10, cpu + 1));
	assert_true(add_on(f, 2, 2, DISK, true, CHARGE_CHARGED, 10, 10));
	assert_string_equal(
		report(f, "interrupt_summary"),
		"interrupt_summary interrupt_id=4 group_id=1 cpu=0 thread_id=2 "
		"status='charged' interrupts=1 time_ns=10\n"
		"interrupt_summary interrupt_id=4 group_id=1 cpu=1 thread_id=2 "
		"status='charged' interrupts=1 time_ns=0\n"
		"interrupt_summary interrupt_id=4 group_id=1 cpu=2 thread_id=2 "
		"status='charged' interrupts=2 time_ns=20\n");
	HAS(unit_notes_of(&f->notes, "interrupt_charge"),
	    "cpu=0 thread_id=2 counter_id=11 "
	    "status='charged' charged=1\n",
	    "cpu=2 thread_id=2 counter_id=11 status='charged' charged=13\n");
}

/* Many threads in one interrupt: their books are found again. */
UNIT_CASE(of_many_threads, struct fixture *f)
{
	size_t books = 0;

	for (int64_t thread = 4; thread < 500; thread++)
		ledger_thread(&f->ledger, thread, 20, false);
	for (int64_t round = 0; round < 2; round++)
		for (int64_t thread = 2; thread < 500; thread++)
			assert_true(add(f, thread, DISK, true, 1, thread));
	for (const struct interrupt_book *b = f->ledger.interrupts; b;
	     b = b->next, books++) {
		assert_int_equal(b->summary.thread_id, 2 + books);
		assert_int_equal(b->summary.interrupts, 2);
		assert_int_equal(b->charged[0], 2 * b->summary.thread_id);
	}
	assert_int_equal(books, 498);
}

/* A live trace's next interval has the same kinds, and empty books. */
UNIT_CASE(in_the_next_interval, struct fixture *f)
{
	assert_true(add(f, 2, DISK, true, 30, 5));
	ledger_restart(&f->ledger);
	assert_null(f->ledger.interrupts);
	ledger_thread(&f->ledger, 2, 20, false);
	assert_true(add(f, 2, DISK, true, 1, 2));
	assert_false(add(f, 2, OWN, true, 1, 2));
	assert_string_equal(
		report(f, "interrupt_charge"),
		"interrupt_charge interrupt_id=4 kind='irq' vector=25 cpu=0 "
		"thread_id=2 counter_id=11 status='charged' charged=2\n"
		"interrupt_charge interrupt_id=5 kind='softirq' vector=3 cpu=0 "
		"thread_id=2 counter_id=11 status='charged' charged=2\n");
}
