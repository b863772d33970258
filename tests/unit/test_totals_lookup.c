/* test_totals_lookup.c - crafted totals cost no more than their size. */
#include <stdlib.h>
#include <time.h>

#include "report/bill.h"
#include "report/totals_lookup.h"
#include "totals_play.h"
#include "unit.h"

#define FEW 2000
#define TIMES 10
/* Linear is 10, quadratic 100. */
#define GROWTH_MAX 40

static struct totals_sink *begin(struct sink *sink)
{
	assert_int_equal(sink_open(sink, &totals_sink_ops, NULL), ST_OK);
	return sink->state;
}

static void put(struct sink *sink, enum record_kind kind, const void *row)
{
	assert_int_equal(sink_put(sink, &(struct record){ .kind = kind, .data = row }),
			 ST_OK);
}

static void put_groups(struct sink *sink, int64_t count)
{
	for (int64_t i = 1; i <= count; i++)
		put(sink, RECORD_counter_group,
		    &(struct counter_group_row){ .trace_id = 1,
						 .group_id = i,
						 .counters = 1,
						 .scope = STR("cpu") });
	for (int64_t i = count; i > 0; i--)
		put(sink, RECORD_counter,
		    &(struct counter_row){ .trace_id = 1,
					   .counter_id = i,
					   .group_id = i,
					   .slot = 0,
					   .name = STR("cycles"),
					   .event = STR("cycles") });
	put(sink, RECORD_process,
	    &(struct process_row){ .process_id = 1, .trace_id = 1, .pid = 70 });
	put(sink, RECORD_thread,
	    &(struct thread_row){
		    .thread_id = 1, .process_id = 1, .tid = 70, .idle_cpu = INT_NONE });
}

/* A thread with a book of each group, whose charges come in another order. */
static void put_books(struct sink *sink, int64_t count)
{
	put_groups(sink, count);
	for (int64_t i = 1; i <= count; i++)
		put(sink, RECORD_thread_summary,
		    &(struct thread_summary_row){ .thread_id = 1,
						  .group_id = i,
						  .switches = 1,
						  .running_ns = INT_NONE });
	for (int64_t i = 0; i < count; i++)
		put(sink, RECORD_thread_charge,
		    &(struct thread_charge_row){ .thread_id = 1,
						 .counter_id = i * 7 % count + 1,
						 .charged = 1 });
}

static void put_cpus(struct sink *sink, int64_t count)
{
	put_groups(sink, 1);
	for (int64_t i = 0; i < count; i++)
		put(sink, RECORD_cpu_summary,
		    &(struct cpu_summary_row){ .trace_id = 1, .cpu = i, .group_id = 1 });
	for (int64_t i = 0; i < count; i++)
		put(sink, RECORD_cpu_charge,
		    &(struct cpu_charge_row){ .cpu = i * 7 % count, .counter_id = 1 });
}

static void put_interrupts(struct sink *sink, int64_t count)
{
	put_groups(sink, 1);
	put(sink, RECORD_interrupt,
	    &(struct interrupt_row){
		    .interrupt_id = 1, .trace_id = 1, .kind = STR("irq") });
	for (int64_t i = 0; i < count; i++)
		put(sink, RECORD_interrupt_summary,
		    &(struct interrupt_summary_row){
			    .interrupt_id = 1, .cpu = i, .thread_id = 1, .group_id = 1 });
	for (int64_t i = 0; i < count; i++)
		put(sink, RECORD_interrupt_charge,
		    &(struct interrupt_charge_row){ .interrupt_id = 1,
						    .cpu = i * 7 % count,
						    .thread_id = 1,
						    .counter_id = 1 });
}

static enum status make_bill(void *context, struct sink *sink, struct totals *totals)
{
	const struct cut_filter all = { .pid = INT_NONE,
					.tid = INT_NONE,
					.root = INT_NONE };
	struct bill bill;

	(void)context;
	(void)sink;
	assert_true(bill_make(&bill, totals, BY_PROCESS, (struct bill_rule){ 0 }, &all));
	bill_release(&bill);
	return ST_OK;
}

static double seconds(void (*rows)(struct sink *sink, int64_t count), int64_t count)
{
	clock_t from = clock();
	struct sink sink;

	begin(&sink)->done = make_bill;
	rows(&sink, count);
	put(&sink, RECORD_trace, &(struct trace_row){ .trace_id = 1 });
	sink_close(&sink);
	return (double)(clock() - from) / CLOCKS_PER_SEC;
}

static void grows_with_its_rows(void (*rows)(struct sink *sink, int64_t count))
{
	double few = seconds(rows, FEW), many = seconds(rows, (int64_t)FEW * TIMES);

	if (many > GROWTH_MAX * few + 0.2)
		fail_msg("%d rows: %.3f s, %d times as many: %.3f s", FEW, few, TIMES,
			 many);
}

UNIT_TEST(books)
{
	grows_with_its_rows(put_books);
}

UNIT_TEST(cpus)
{
	grows_with_its_rows(put_cpus);
}

UNIT_TEST(interrupts)
{
	grows_with_its_rows(put_interrupts);
}

/* --- what is twice in a database --- */

#define TASK                                                                 \
	PUT(counter_group, .trace_id = 1, .group_id = 1, .counters = 1),     \
		PUT(counter, .trace_id = 1, .counter_id = 1, .group_id = 1), \
		PUT(process, .process_id = 1, .trace_id = 1, .pid = 7),      \
		PUT(thread, .thread_id = 1, .process_id = 1, .tid = 7,       \
		    .idle_cpu = INT_NONE),                                   \
		PUT(interrupt, .interrupt_id = 1, .trace_id = 1, .kind = { "irq", 3 })

static const struct {
	int line;
	struct row row;
} twice[] = {
	{ ROW, PUT(thread_summary, .thread_id = 1, .group_id = 1) },
	{ ROW, PUT(cpu_summary, .trace_id = 1, .group_id = 1, .cpu = 3) },
	{ ROW, PUT(interrupt_summary, .interrupt_id = 1, .group_id = 1, .cpu = 3) },
};

static void inspect_nothing(const struct totals *totals)
{
	(void)totals;
}

UNIT_TEST(twice)
{
	for (size_t i = 0; i < COUNT(twice); i++) {
		const struct row rows[] = { TASK, twice[i].row, twice[i].row };

		ROW_INT(&twice[i],
			totals_play(rows, COUNT(rows) - 1, INT64_MIN, inspect_nothing),
			ST_OK);
		ROW_INT(&twice[i],
			totals_play(rows, COUNT(rows), INT64_MIN, inspect_nothing),
			ST_CORRUPT);
	}
}

/* --- groups on different CPUs add up --- */

#define GROUP(id) PUT(counter_group, .trace_id = 1, .group_id = id, .counters = 0)
#define ON_CPU(group, number, n) \
	PUT(cpu_summary, .trace_id = 1, .group_id = group, .cpu = number, .switches = n)

static void check_references(const struct totals *totals)
{
	const bool wanted[] = { false, true, true, false, false };

	for (size_t i = 0; i < COUNT(wanted); i++)
		assert_int_equal(totals->groups[i].is_reference, wanted[i]);
	assert_ptr_equal(totals->reference, &totals->groups[1]);
	assert_int_equal(totals->switches, 90 + 30);
}

UNIT_TEST(references)
{
	/* 1 is where 2 is as well; 3 is alone; 4 saw nothing; 5 is where 1 was. */
	const struct row rows[] = {
		GROUP(1),	 GROUP(2),	   GROUP(3),	    GROUP(4),
		GROUP(5),	 ON_CPU(1, 0, 20), ON_CPU(1, 7, 3), ON_CPU(2, 0, 90),
		ON_CPU(2, 5, 0), ON_CPU(3, 5, 30), ON_CPU(4, 9, 0), ON_CPU(5, 7, 1),
	};

	assert_int_equal(totals_play(rows, COUNT(rows), INT64_MIN, check_references),
			 ST_OK);
}
