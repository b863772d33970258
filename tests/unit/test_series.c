/* test_series.c - lib/report/series.h: sums of each interval, whatever its keys. */
#include "report/series.h"
#include "report/series_spool.h"
#include "unit.h"

static const int64_t one = 1;

/* As lib/report/series.c mixes them: interval 1 of a group has the key of interval 0. */
#define OF_INTERVAL UINT64_C(0xd6e8feb86659fd93)
#define OF_GROUP UINT64_C(0xa0761d6478bd642f)

static uint64_t inverse(uint64_t odd)
{
	uint64_t result = 1;

	for (int i = 0; i < 6; i++)
		result *= 2 - odd * result;
	for (int i = 0; i < 6; i++)
		result *= 2 - odd * result;
	return result;
}

static void add(struct series *series, int64_t group_id, int64_t ts_ns)
{
	const struct context_switch_row row = { .ts_ns = ts_ns,
						.cpu = 3,
						.group_id = group_id,
						.prev_thread_id = 5,
						.status = CHARGE_CHAIN,
						.running_ns = INT_NONE };

	assert_true(series_add(series,
			       &(struct record){ .kind = RECORD_context_switch,
						 .data = &row,
						 .deltas = &one,
						 .slots = 1 },
			       false));
}

static void add_of(struct series *series, int64_t thread_id, int64_t ts_ns,
		   enum charge_status status)
{
	const struct context_switch_row row = { .ts_ns = ts_ns,
						.group_id = 1,
						.prev_thread_id = thread_id,
						.status = status,
						.on_cpu_ns = 7,
						.running_ns = INT_NONE };

	assert_true(series_add(series,
			       &(struct record){ .kind = RECORD_context_switch,
						 .data = &row,
						 .deltas = &one,
						 .slots = 1 },
			       false));
}

UNIT_TEST(colliding_keys)
{
	const enum cut_by cuts[] = { BY_CPU, BY_PROCESS };

	for (size_t i = 0; i < COUNT(cuts); i++) {
		static struct series series;
		int64_t first = 1;
		int64_t second =
			(int64_t)((uint64_t)first - OF_INTERVAL * inverse(OF_GROUP));

		assert_true(series_begin(&series, cuts[i], 0, 20, 10));
		add(&series, first, 5);
		add(&series, second, 15);
		add(&series, second, 15);
		for (int64_t k = 0; k < 2; k++) {
			const struct series_interval *in = &series.intervals[k];
			int64_t group_id = k ? second : first;

			assert_non_null(in->statuses);
			assert_null(in->statuses->next);
			assert_true(in->statuses->summary.group_id == group_id);
			assert_int_equal(in->statuses->summary.switches, k + 1);
			if (cuts[i] != BY_CPU) {
				assert_true(in->threads->book.summary.group_id ==
					    group_id);
				continue;
			}
			assert_null(in->cpus->next);
			assert_true(in->cpus->group_id == group_id);
			assert_int_equal(in->cpus->cpu.summary.switches, k + 1);
		}
		series_end(&series);
	}
}

/* The same group again: the books found last are those of another interval. */
UNIT_TEST(intervals)
{
	static struct series series;

	assert_true(series_begin(&series, BY_PROCESS, 0, 1000, 10));
	for (int64_t ts_ns = 0; ts_ns < 1000; ts_ns += 5)
		add(&series, 1, ts_ns);
	for (int64_t ts_ns = 0; ts_ns < 1000; ts_ns += 10)
		add(&series, 1, ts_ns);
	for (size_t i = 0; i < 100; i++) {
		assert_null(series.intervals[i].threads->next);
		assert_int_equal(
			series.intervals[i].threads->book.summary.unproven_switches, 3);
		assert_int_equal(series.intervals[i].statuses->values[0], 3);
	}
	series_end(&series);
}

/* What is shared with idle counts apart, and so do those of it that have no time. */
UNIT_TEST(timeless)
{
	static struct series series;
	const struct thread_summary_row *sums;

	assert_true(series_begin(&series, BY_PROCESS, 0, 20, 10));
	for (int64_t on_cpu_ns = 0; on_cpu_ns < 3; on_cpu_ns++) {
		const struct context_switch_row row = { .switch_id = 1,
							.ts_ns = 5,
							.group_id = 1,
							.prev_thread_id = 5,
							.status = CHARGE_WITH_IDLE,
							.on_cpu_ns = on_cpu_ns,
							.running_ns = INT_NONE };

		assert_true(series_add(&series,
				       &(struct record){ .kind = RECORD_context_switch,
							 .data = &row,
							 .deltas = &one,
							 .slots = 1 },
				       false));
	}
	sums = &series.intervals[0].threads->book.summary;
	assert_int_equal(sums->switches, 3);
	assert_int_equal(sums->with_idle_switches, 3);
	assert_int_equal(sums->timeless_switches, 1);
	assert_int_equal(sums->on_cpu_ns, 3);
	series_end(&series);
}

/* From the beginning, up to and without the end. */
UNIT_TEST(ends)
{
	static const struct {
		int line;
		int64_t ts_ns, number; /* -1: in none */
	} rows[] = {
		{ ROW, 99, -1 }, { ROW, 100, 0 },  { ROW, 109, 0 },  { ROW, 110, 1 },
		{ ROW, 119, 1 }, { ROW, 120, -1 }, { ROW, 129, -1 }, { ROW, 130, -1 }
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		static struct series series;
		bool done = false;
		size_t number = SIZE_MAX;
		const struct series_interval *found;

		assert_true(series_begin(&series, BY_PROCESS, 100, 120, 10));
		assert_int_equal(series.interval_count, 2);
		found = series_interval_at(&series, rows[i].ts_ns, &number, &done);
		ROW_TRUE(&rows[i], done);
		ROW_INT(&rows[i], found != NULL, rows[i].number >= 0);
		if (found)
			ROW_INT(&rows[i], number, rows[i].number);
		series_end(&series);
	}
}

static const struct {
	int line;
	int64_t length, interval, wanted, count;
} coarser[] = {
	{ ROW, 100, 1, 2, 50 },
	{ ROW, 50, 1, 1, 50 },
	{ ROW, 51, 1, 2, 26 },
	{ ROW, 1000, 7, 21, 48 },
	{ ROW, 10, INT64_MAX, INT64_MAX, 1 },
};

UNIT_TEST(coarsen)
{
	for (size_t i = 0; i < COUNT(coarser); i++) {
		static struct series series;

		assert_true(series_begin(&series, BY_PROCESS, 0, coarser[i].length,
					 coarser[i].interval));
		series_coarsen(&series, 50);
		ROW_INT(&coarser[i], series.interval_ns, coarser[i].wanted);
		ROW_INT(&coarser[i], series.interval_count, coarser[i].count);
		series_end(&series);
	}
}

/* More books than fit in memory: what comes from the temporary file is the same. */
UNIT_TEST(spooled)
{
	enum { INTERVALS = 200, THREADS = 400 };
	static struct series series;
	bool was_spooled;

	assert_true(series_begin(&series, BY_PROCESS, 0, INTERVALS, 1));
	for (int64_t round = 0; round < 3; round++)
		for (int64_t i = 0; i < INTERVALS; i++)
			for (int64_t thread = 1; thread <= THREADS; thread++)
				add_of(&series, thread, i, CHARGE_CHARGED);
	was_spooled = series.spool != NULL;
	assert_true(was_spooled);
	assert_true(series.bytes <= SERIES_MEMORY_MAX + 4096);
	for (size_t i = INTERVALS; i-- > 0;) {
		const struct series_interval *in = series_spool_read(&series, i);
		int64_t thread = THREADS; /* the one added last comes first */

		assert_non_null(in);
		for (const struct series_thread *t = in->threads; t; t = t->next) {
			assert_int_equal(t->thread_id, thread--);
			assert_int_equal(t->book.summary.switches, 3);
			assert_int_equal(t->book.summary.on_cpu_ns, 3 * 7);
			assert_int_equal(t->book.summary.running_ns, INT_NONE);
			assert_int_equal(t->book.charged[0], 3);
			assert_int_equal(t->book.unproven[0], 0);
		}
		assert_int_equal(thread, 0);
		assert_null(in->statuses->next);
		assert_int_equal(in->statuses->summary.switches, 3 * THREADS);
		assert_int_equal(in->statuses->values[0], 3 * THREADS);
	}
	series_end(&series);
}

/* Samples and time on CPUs likewise; those of a control group are the thread's, too. */
UNIT_TEST(spooled_samples)
{
	enum { INTERVALS = 200, THREADS = 600 };
	static struct series series;

	assert_true(series_begin(&series, BY_CGROUP, 0, INTERVALS, 1));
	for (int64_t round = 0; round < 3; round++)
		for (int64_t at = 0; at < INTERVALS * THREADS; at++)
			assert_true(series_add_sample(
				&series,
				&(struct sample_row){
					.ts_ns = at / THREADS,
					.counter_id = 1,
					.thread_id = 1 + at % THREADS,
					.cgroup_id = round == 2 ? INT_NONE : 9,
					.period = round == 1 ? INT_NONE : 100 }));
	for (int64_t at = 0; at < INTERVALS * THREADS; at++)
		assert_true(series_add_on_cpu(
			&series,
			&(struct switch_record_row){ .ts_ns = at / THREADS,
						     .thread_id = 1 + at % THREADS,
						     .on_cpu_ns = 7 }));
	assert_true(series.spool != NULL);
	for (size_t i = 0; i < INTERVALS; i++) {
		const struct series_interval *in = series_spool_read(&series, i);
		size_t of_cgroup = 0, of_thread = 0, timed = 0;

		assert_non_null(in);
		for (const struct series_samples *s = in->samples; s; s = s->next) {
			of_cgroup += s->cgroup_id == 9;
			of_thread += s->cgroup_id == 0;
			assert_int_equal(s->counter_id, 1);
			assert_int_equal(s->samples, s->cgroup_id ? 2 : 3);
			assert_int_equal(s->events, s->cgroup_id ? 100 : 200);
		}
		for (const struct series_samples *s = in->on_cpu; s; s = s->next, timed++)
			assert_int_equal(s->events, 7);
		assert_int_equal(timed, THREADS);
		assert_int_equal(of_cgroup, THREADS);
		assert_int_equal(of_thread, THREADS);
	}
	series_end(&series);
}

static void add_of_cpu(struct series *series, int64_t cpu, int64_t ts_ns,
		       enum charge_status status, bool in_interrupt)
{
	const int64_t deltas[] = { cpu, 1 };
	const struct context_switch_row row = { .switch_id = 1,
						.ts_ns = ts_ns,
						.cpu = cpu,
						.group_id = 1,
						.prev_thread_id = 5,
						.status = status,
						.on_cpu_ns = 7,
						.running_ns =
							in_interrupt ? INT_NONE : 3 };

	assert_true(series_add(series,
			       &(struct record){ .kind = RECORD_context_switch,
						 .data = &row,
						 .deltas = deltas,
						 .slots = 2 },
			       in_interrupt));
}

/* Likewise by CPU: what is charged, of interrupts and shared with idle stays apart. */
UNIT_TEST(spooled_cpus)
{
	enum { INTERVALS = 100, CPUS = 400 };
	static struct series series;

	assert_true(series_begin(&series, BY_CPU, 0, INTERVALS, 1));
	for (int round = 0; round < 4; round++)
		for (int64_t i = 0; i < INTERVALS; i++)
			for (int64_t cpu = 0; cpu < CPUS; cpu++)
				add_of_cpu(&series, cpu, i,
					   round == 1 ? CHARGE_WITH_IDLE : CHARGE_CHARGED,
					   round == 2);
	assert_true(series.spool != NULL);
	for (size_t i = 0; i < INTERVALS; i++) {
		const struct series_interval *in = series_spool_read(&series, i);
		int64_t cpu = CPUS;

		assert_non_null(in);
		for (const struct series_cpu *c = in->cpus; c; c = c->next) {
			const struct cpu_charge_row *charges = c->cpu.charges;

			assert_int_equal(c->cpu.summary.cpu, --cpu);
			assert_int_equal(c->group_id, 1);
			assert_int_equal(c->cpu.summary.switches, 4);
			assert_int_equal(c->cpu.summary.reads, 0);
			assert_int_equal(c->cpu.summary.on_cpu_ns, 4 * 7);
			assert_int_equal(c->cpu.summary.running_ns, 3 * 3);
			assert_int_equal(charges[0].charged, 2 * cpu);
			assert_int_equal(charges[0].interrupts, cpu);
			assert_int_equal(charges[0].with_idle, cpu);
			assert_int_equal(charges[1].charged, 2);
			assert_int_equal(charges[1].interrupts, 1);
			assert_int_equal(charges[1].with_idle, 1);
		}
		assert_int_equal(cpu, 0);
		assert_null(in->threads);
	}
	series_end(&series);
}
