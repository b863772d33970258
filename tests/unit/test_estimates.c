/* test_estimates.c - lib/attribution/estimates.h: interrupts of which only times are
 * known.
 */
#include "attribution/estimates.h"

#include "unit.h"

#define SLOTS 2

struct fixture {
	struct ledger ledger;
	struct estimates estimates;
	struct interrupt_row disk, timer;
};

static void setup(struct fixture *f)
{
	f->disk = (struct interrupt_row){ .interrupt_id = 1,
					  .kind = STR("isr"),
					  .vector = 3 };
	f->timer = (struct interrupt_row){ .interrupt_id = 2,
					   .kind = STR("dpc"),
					   .vector = INT_NONE };
	ledger_begin(&f->ledger, 7, 1);
	ledger_group(&f->ledger, &(struct counter_group_row){ .group_id = 1,
							      .counters = SLOTS,
							      .scope = STR("cpu") });
}

static void teardown(struct fixture *f)
{
	estimates_release(&f->estimates);
	ledger_end(&f->ledger);
}

UNIT_FIXTURE(struct fixture, setup, teardown);

static void add(struct fixture *f, const struct interrupt_row *what, int64_t cpu,
		int64_t begin_ns, int64_t end_ns)
{
	estimates_add(&f->estimates,
		      &(struct interrupted_event){
			      .ts_ns = end_ns, .begin_ns = begin_ns, .cpu = cpu },
		      what);
}

/* A switch of thread 5 after 1000 ns, in which the counters rose by 400 and -80. */
static void settle(struct fixture *f, int64_t cpu, enum charge_status status,
		   int64_t length_ns)
{
	static const int64_t deltas[SLOTS] = { 400, -80 };

	estimates_settle(&f->estimates, &f->ledger,
			 &(struct context_switch_row){ .cpu = cpu,
						       .group_id = 1,
						       .prev_thread_id = 5,
						       .status = status,
						       .on_cpu_ns = length_ns },
			 deltas, SLOTS);
}

/* The books, in the order of their first interrupts; that there is no other one. */
static void assert_book(const struct interrupt_book *book, int64_t id, int64_t cpu,
			int64_t count, int64_t time_ns, int64_t charged)
{
	assert_non_null(book);
	assert_int_equal(book->summary.interrupt_id, id);
	assert_int_equal(book->summary.cpu, cpu);
	assert_int_equal(book->summary.thread_id, 5);
	assert_int_equal(book->summary.interrupts, count);
	assert_int_equal(book->summary.time_ns, time_ns);
	assert_int_equal(book->charged[0], charged);
	ASSERT_STR(book->summary.status, "estimated");
}

/* One within another has its own time, and the outer one what is left of its. */
UNIT_CASE(nested, struct fixture *f)
{
	const struct interrupt_book *first;

	add(f, &f->timer, 0, 150, 170);
	add(f, &f->timer, 0, 180, 190);
	add(f, &f->disk, 0, 100, 200); /* both are in it */
	add(f, &f->disk, 0, 300, 350);
	settle(f, 0, CHARGE_CHARGED, 1000);
	first = f->ledger.interrupts;
	assert_book(first, 2, 0, 2, 30, 12);
	assert_int_equal(first->charged[1], -2);
	assert_book(first->next, 1, 0, 2, 120, 48);
	assert_int_equal(first->next->charged[1], -9);
	assert_null(first->next->next);
	/* They are settled: nothing of them is in the next interval. */
	settle(f, 0, CHARGE_CHARGED, 1000);
	assert_book(first, 2, 0, 2, 30, 12);
	/* One that began before the switch is in an interval of its own. */
	add(f, &f->disk, 0, 340, 360);
	settle(f, 0, CHARGE_CHARGED, 1000);
	assert_book(first->next, 1, 0, 3, 140, 56);
}

/* A share of no more than all of it, and of nothing that is not proven. */
UNIT_CASE(shares, struct fixture *f)
{
	const struct interrupt_book *book;

	add(f, &f->disk, 0, 0, 5000);
	settle(f, 0, CHARGE_CHARGED, 1000);
	book = f->ledger.interrupts;
	assert_book(book, 1, 0, 1, 5000, 400);
	add(f, &f->disk, 0, 5000, 5100);
	settle(f, 0, CHARGE_LOST, 1000);
	assert_book(book, 1, 0, 2, 5100, 400);
	add(f, &f->disk, 0, 6000, 6100);
	settle(f, 0, CHARGE_CHARGED, 0);
	assert_book(book, 1, 0, 3, 5200, 400);
}

/* Times of a damaged trace may be any: sums of them wrap. */
UNIT_CASE(wrapped, struct fixture *f)
{
	add(f, &f->timer, 0, INT64_MIN + 1, INT64_MAX);
	add(f, &f->timer, 0, 0, INT64_MAX);
	add(f, &f->disk, 0, 0, INT64_MAX);
	add(f, &f->timer, 0, 1, INT64_MAX);
	settle(f, 0, CHARGE_CHARGED, 1000);
	assert_book(f->ledger.interrupts, 2, 0, 3, -5, -2);
	assert_book(f->ledger.interrupts->next, 1, 0, 1, 0, 0);
}

/* Each CPU has its own; a number beyond all CPUs is skipped. */
UNIT_CASE(cpus, struct fixture *f)
{
	const struct interrupt_book *book;

	add(f, &f->disk, 40, 0, 100);
	add(f, &f->disk, 2, 0, 300);
	add(f, &f->disk, -1, 0, 100);
	add(f, &f->disk, CPU_MAX, 0, 100);
	assert_false(f->estimates.out_of_memory);
	settle(f, 1, CHARGE_CHARGED, 1000);
	settle(f, -1, CHARGE_CHARGED, 1000);
	settle(f, CPU_MAX, CHARGE_CHARGED, 1000);
	assert_null(f->ledger.interrupts);
	settle(f, 2, CHARGE_CHARGED, 1000);
	settle(f, 40, CHARGE_CHARGED, 1000);
	book = f->ledger.interrupts;
	assert_book(book, 1, 2, 1, 300, 120);
	assert_book(book->next, 1, 40, 1, 100, 40);
	assert_null(book->next->next);
}

/* More spans than are kept: the oldest no longer shorten the one around them. */
UNIT_CASE(many, struct fixture *f)
{
	const struct interrupt_book *book;

	for (int64_t i = 0; i < ESTIMATE_SPANS + 4; i++)
		add(f, &f->timer, 0, 100 * i, 100 * i + 10);
	add(f, &f->disk, 0, 0, 10000);
	settle(f, 0, CHARGE_CHARGED, 100000);
	book = f->ledger.interrupts;
	assert_book(book, 2, 0, ESTIMATE_SPANS + 4, 10 * (ESTIMATE_SPANS + 4), 0);
	assert_book(book->next, 1, 0, 1, 10000 - 10 * ESTIMATE_SPANS, 39);
}

/* More kinds than there is room for at first. */
UNIT_CASE(kinds, struct fixture *f)
{
	struct interrupt_row kinds[20];
	const struct interrupt_book *book;

	for (int64_t i = 0; i < 20; i++) {
		kinds[i] = f->disk;
		kinds[i].interrupt_id = i + 1;
		add(f, &kinds[i], 0, 100 * i, 100 * i + i);
	}
	settle(f, 0, CHARGE_CHARGED, 400);
	book = f->ledger.interrupts;
	for (int64_t i = 0; i < 20; i++, book = book->next)
		assert_book(book, i + 1, 0, 1, i, i);
	assert_null(book);
}
