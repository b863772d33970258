/*
 * test_verdicts.c - lib/audit: verdicts by intervals, by checks of the recorder and by
 * the kernel's books.
 */
#include "audit/verdicts.h"

#include <stdlib.h>
#include <string.h>

#include "unit.h"

#define FIRST 11 /* ids of counters and groups of this trace */
#define CYCLES 1
#define INSTRUCTIONS 2
#define SLOTS 3

struct fixture {
	struct verdicts verdicts;
	struct findings findings;
	char rows[4000]; /* "11 plausible -\n" of each counter, then books */
};

static void add_counter(struct fixture *f, int64_t slot, const char *event)
{
	const struct counter_row row = {
		.counter_id = FIRST + slot,
		.group_id = FIRST,
		.slot = slot,
		.name = str_of(event),
		.event = str_of(event),
		.type = INT64_MIN,
		.config = INT64_MIN,
	};

	verdicts_counter(&f->verdicts, &row);
}

static void begin(struct fixture *f, const char *scope, const char *cycles,
		  const char *instructions)
{
	const struct counter_group_row group = {
		.group_id = FIRST,
		.counters = SLOTS,
		.scope = str_of(scope),
	};

	verdicts_end(&f->verdicts);
	findings_release(&f->findings);
	memset(&f->findings, 0, sizeof(f->findings));
	f->rows[0] = '\0';
	verdicts_begin(&f->verdicts, FIRST, FIRST);
	verdicts_group(&f->verdicts, &group);
	add_counter(f, 0, "sched:sched_switch");
	add_counter(f, CYCLES, cycles);
	add_counter(f, INSTRUCTIONS, instructions);
}

static void setup(struct fixture *f)
{
	begin(f, "cpu", "cycles", "instructions");
}

static void teardown(struct fixture *f)
{
	verdicts_end(&f->verdicts);
	findings_release(&f->findings);
}

UNIT_FIXTURE(struct fixture, setup, teardown);

static void interval(struct fixture *f, enum charge_status status, int64_t on_cpu_ns,
		     int64_t cycles, int64_t instructions)
{
	const int64_t deltas[SLOTS] = { 1, cycles, instructions };
	const struct context_switch_row row = {
		.cpu = 2,
		.group_id = FIRST,
		.status = status,
		.on_cpu_ns = on_cpu_ns,
		.running_ns = INT_NONE,
	};

	verdicts_interval(&f->verdicts, &row, deltas, SLOTS, false);
}

static void check(struct fixture *f, const char *what, int64_t cpu, int64_t slot,
		  int64_t least, int64_t most, int64_t found, const char *verdict)
{
	const struct audit_check_row row = {
		.what = str_of(what),
		.cpu = cpu,
		.counter_id = slot == INT_NONE ? INT_NONE : FIRST + slot,
		.least = least,
		.most = most,
		.found = found,
		.verdict = verdict ? str_of(verdict) : STR_NONE,
		.note = STR("it counted nothing"),
	};

	(void)verdicts_check(&f->verdicts, &row, 0, &f->findings);
}

static enum status keep(void *context, enum record_kind kind, const void *row)
{
	struct fixture *f = context;
	size_t used = strlen(f->rows), room = sizeof(f->rows) - used;
	const struct counter_audit_row *audit = row;
	const struct audit_check_row *book = row;

	if (kind == RECORD_counter_audit)
		snprintf(f->rows + used, room, "%lld %.*s: %.*s\n",
			 (long long)audit->counter_id, (int)audit->verdict.len,
			 audit->verdict.ptr, (int)audit->reason.len,
			 audit->reason.ptr ? audit->reason.ptr : "");
	else
		snprintf(f->rows + used, room, "%.*s %lld %.*s\n", (int)book->what.len,
			 book->what.ptr, (long long)book->found, (int)book->verdict.len,
			 book->verdict.ptr ? book->verdict.ptr : "");
	return ST_OK;
}

static const char *report(struct fixture *f, int64_t switches)
{
	assert_int_equal(
		verdicts_report(&f->verdicts, 1, switches, &f->findings, keep, f), ST_OK);
	return f->rows;
}

static int64_t contradicted(const struct fixture *f)
{
	return f->findings.of[FINDING_CONTRADICTED].count;
}

/* --- intervals --- */

/* Nothing was tested: plausible, without a reason. */
UNIT_CASE(nothing, struct fixture *f)
{
	HAS(report(f, 0), "11 plausible: \n", "12 plausible: \n", "13 plausible: \n");
	assert_int_equal(contradicted(f), 0);
}

static const struct {
	int line;
	const char *scope, *cycles, *instructions;
	enum charge_status status;
	int64_t on_cpu_ns, c, i;
	bool is_bad;
} pairs[] = {
	{ ROW, "cpu", "cycles", "instructions", CHARGE_CHARGED, 1000, 10000, 81000,
	  false },
	{ ROW, "cpu", "cycles", "instructions", CHARGE_CHARGED, 1000, 10000, 81001,
	  true },
	{ ROW, "task", "cycles", "instructions", CHARGE_CHARGED, 0, 10000, 81001, true },
	{ ROW, "cpu", "cycles:u", "instructions:u", CHARGE_CHARGED, 1000, 0, 1001, true },
	/* Of other modes, or cores, they are not a pair. */
	{ ROW, "cpu", "cycles:u", "instructions", CHARGE_CHARGED, 1000, 0, 90000, false },
	{ ROW, "cpu", "cpu_atom/cycles/", "cpu_core/instructions/", CHARGE_CHARGED, 1000,
	  0, 90000, false },
	/* Nothing is proven of these intervals. */
	{ ROW, "cpu", "cycles", "instructions", CHARGE_LOST, 1000, 0, 90000, false },
	{ ROW, "cpu", "cycles", "instructions", CHARGE_WITH_IDLE, 1000, 0, 90000, false },
	{ ROW, "cpu", "TotalCycles", "InstructionRetired", CHARGE_CHARGED, 1000, 0, 90000,
	  true },
};

UNIT_CASE(instructions_a_cycle, struct fixture *f)
{
	for (size_t k = 0; k < COUNT(pairs); k++) {
		begin(f, pairs[k].scope, pairs[k].cycles, pairs[k].instructions);
		interval(f, pairs[k].status, pairs[k].on_cpu_ns, pairs[k].c, pairs[k].i);
		interval(f, CHARGE_CHARGED, 1000, 1000, 1000);
		report(f, 0);
		ROW_INT(&pairs[k], contradicted(f), pairs[k].is_bad ? 2 : 0);
		if (pairs[k].is_bad)
			ROW_HAS(&pairs[k], f->rows,
				"12 contradicted: more than 8 instructions a cycle, in 1 "
				"intervals\n",
				"13 contradicted: more than 8");
	}
}

/* 1 GHz, 2 % and 20 us: 1 ms is at most 1,040,000 cycles. */
UNIT_CASE(highest_frequency, struct fixture *f)
{
	for (int more = 0; more < 2; more++) {
		begin(f, "cpu", "cycles", "instructions");
		check(f, "max_khz", 2, INT_NONE, INT_NONE, INT_NONE, 1000000, NULL);
		interval(f, CHARGE_CHARGED, 1000000, 1040000 + more, 1000);
		report(f, 0);
		assert_int_equal(contradicted(f), more);
	}
	HAS(f->rows,
	    "12 contradicted: more cycles than the highest frequency of the CPU");
	/* Without it, no frequency is too high. */
	setup(f);
	interval(f, CHARGE_CHARGED, 1000, INT64_MAX / 20, 1000);
	report(f, 0);
	assert_int_equal(contradicted(f), 0);
}

/* The counters of a task may have run longer than from switch to switch. */
UNIT_TEST(time_of_tasks)
{
	static const struct {
		int line;
		const char *scope;
		int64_t running_ns;
		const char *verdict;
	} rows[] = {
		{ ROW, "task", 1000000, "12 plausible: " },
		{ ROW, "task", INT_NONE, "12 contradicted: " },
		{ ROW, "cpu", 1000000, "12 contradicted: " },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		const int64_t deltas[SLOTS] = { 1, 900000, 900000 };
		const struct context_switch_row row = { .cpu = 2,
							.group_id = FIRST,
							.status = CHARGE_CHARGED,
							.on_cpu_ns = 10000,
							.running_ns =
								rows[i].running_ns };
		struct fixture *f = unit_alloc(sizeof(*f));

		begin(f, rows[i].scope, "cycles", "instructions");
		check(f, "max_khz", 2, INT_NONE, INT_NONE, INT_NONE, 1000000, NULL);
		verdicts_interval(&f->verdicts, &row, deltas, SLOTS, false);
		ROW_HAS(&rows[i], report(f, 0), rows[i].verdict);
		teardown(f);
	}
}

/* 395 instructions in 3.5 seconds, which the kernel calls counted. */
UNIT_CASE(hardly_any, struct fixture *f)
{
	for (int i = 0; i < 5; i++)
		interval(f, CHARGE_CHARGED, 700000000, 1000000000, 79);
	report(f, 0);
	HAS(f->rows, "12 plausible",
	    "13 contradicted: time: it counted 395 while threads had CPU 2 for 3500 ms");
	HAS(f->findings.of[FINDING_CONTRADICTED].text,
	    "instructions is contradicted by time: it counted 395");
	/* Of one mode that may be. */
	begin(f, "cpu", "cycles", "instructions:u");
	interval(f, CHARGE_CHARGED, 3500000000, 1000000000, 395);
	report(f, 0);
	assert_int_equal(contradicted(f), 0);
	/* And in so short a time it says nothing. */
	setup(f);
	interval(f, CHARGE_CHARGED, 9999999, 1000000000, 395);
	report(f, 0);
	assert_int_equal(contradicted(f), 0);
}

/* A processor of 1 MHz, which is slower than any, has 10,000 cycles in 10 ms. */
UNIT_CASE(slowest_processor, struct fixture *f)
{
	interval(f, CHARGE_CHARGED, 10000000, 10000, 10000);
	HAS(report(f, 0), "12 plausible: nothing that was tested is against it");
	assert_int_equal(contradicted(f), 0);
	setup(f);
	interval(f, CHARGE_CHARGED, 10000000, 9999, 10000);
	HAS(report(f, 0),
	    "12 contradicted: time: it counted 9,999 while threads had CPU 2 for 10 ms");
	assert_int_equal(contradicted(f), 1);
}

/* The reason is the rule that was broken first, in the intervals that broke it. */
UNIT_CASE(two_rules, struct fixture *f)
{
	check(f, "max_khz", 2, INT_NONE, INT_NONE, INT_NONE, 1000000, NULL);
	interval(f, CHARGE_CHARGED, 1000000, 1040001, 1000);
	for (int i = 0; i < 3; i++)
		interval(f, CHARGE_CHARGED, 1000000, 10000, 81001);
	interval(f, CHARGE_CHARGED, 1000000, 1040001, 1000);
	HAS(report(f, 0),
	    "12 contradicted: more cycles than the highest frequency of the CPU gives, "
	    "in 2 intervals\n",
	    "13 contradicted: more than 8 instructions a cycle, in 3 intervals\n");
}

/* --- runs --- */

static unsigned int below(unsigned int limit, uint64_t *seed)
{
	*seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (unsigned int)(*seed >> 33) % limit;
}

/* Most intervals break no rule, some have no time, and idle has CPU 2 at times. */
static void fill_run(struct run *run, size_t count, size_t streams, uint64_t *seed)
{
	run->common = (struct switch_event){ .cpu = 2, .count = SLOTS };
	run->count = count;
	run->stream_count = streams;
	for (size_t i = 0; i < streams; i++)
		run->streams[i].cpu = 2 + (int64_t)i;
	for (size_t at = 1; at <= count; at++) {
		int64_t *deltas = run->deltas + at * SLOTS;
		int64_t on_cpu_ns = (int64_t)below(3000000, seed) - 1000;

		run->stream_at[at] =
			(uint8_t)(streams ? below((unsigned int)streams, seed) : 0);
		run->prev_tid[at] = (int32_t)below(3, seed);
		run->on_cpu_ns[at] = below(8, seed) ? on_cpu_ns : 0;
		deltas[0] = 1;
		deltas[CYCLES] = below(16, seed) ? on_cpu_ns / 2 : 2 * on_cpu_ns;
		deltas[INSTRUCTIONS] = (below(16, seed) ? 2 : 20) * deltas[CYCLES];
	}
}

/* Each interval of a run by itself says the same, and the same rule comes first. */
static void compare_runs(const char *scope, const char *cycles, size_t streams)
{
	struct fixture *rows = unit_alloc(sizeof(*rows));
	struct fixture *runs = unit_alloc(sizeof(*runs));
	struct run *run = unit_alloc(sizeof(*run));
	uint64_t seed = 1;

	for (int round = 0; round < 200; round++) {
		begin(rows, scope, cycles, "instructions");
		begin(runs, scope, cycles, "instructions");
		if (round % 2) {
			check(rows, "max_khz", 2, INT_NONE, INT_NONE, INT_NONE, 1000000,
			      NULL);
			check(runs, "max_khz", 2, INT_NONE, INT_NONE, INT_NONE, 1000000,
			      NULL);
		}
		for (int i = 0; i < round % 8; i++) {
			size_t from = 1, to = 2 + below(7, &seed);

			fill_run(run, to, streams, &seed);
			verdicts_run(&runs->verdicts, run, FIRST, from, to);
			for (size_t at = from; at < to; at++) {
				const struct context_switch_row row =
					run_to_row(run, at, FIRST);

				verdicts_interval(&rows->verdicts, &row,
						  run->deltas + at * SLOTS, SLOTS,
						  run->prev_tid[at] == 0);
			}
		}
		report(rows, 0);
		assert_string_equal(report(runs, 0), rows->rows);
	}
	teardown(rows);
	teardown(runs);
}

UNIT_CASE(runs, struct fixture *f)
{
	(void)f;
	compare_runs("cpu", "cycles", 0);
	compare_runs("cpu", "cycles:u", 0);
	compare_runs("cpu", "cycles", 2);
	compare_runs("task", "cycles", 0);
}

/* Of another group, or of another number of counters: they are not judged. */
UNIT_CASE(runs_of_others, struct fixture *f)
{
	struct run *run = unit_alloc(sizeof(*run));
	uint64_t seed = 1;

	fill_run(run, 8, 0, &seed);
	verdicts_run(&f->verdicts, run, FIRST + 1, 1, 8);
	run->common.count = SLOTS - 1;
	verdicts_run(&f->verdicts, run, FIRST, 1, 8);
	HAS(report(f, 0), "11 plausible: \n", "12 plausible: \n", "13 plausible: \n");
}

/* --- checks of the recorder --- */

/* A refused group makes less of its own counters, and of no others. */
UNIT_CASE(refused_elsewhere, struct fixture *f)
{
	const struct counter_group_row group = {
		.group_id = FIRST + 1,
		.counters = 1,
		.scope = STR("cpu"),
	};
	const struct counter_row leader = {
		.counter_id = FIRST + SLOTS,
		.group_id = FIRST + 1,
		.name = STR("cycles"),
		.event = STR("cycles"),
		.type = INT64_MIN,
		.config = INT64_MIN,
	};

	verdicts_group(&f->verdicts, &group);
	verdicts_counter(&f->verdicts, &leader);
	check(f, "loop", 0, INSTRUCTIONS, 98, 102, 100, "proven");
	check(f, "loop", 0, SLOTS, 98, 102, 100, "proven");
	check(f, "untested", 1, SLOTS, INT_NONE, INT_NONE, INT_NONE, NULL);
	HAS(report(f, 0), "13 proven: known work on each CPU\n",
	    "14 plausible: known work, not on all CPUs\n");
}

UNIT_CASE(known_work, struct fixture *f)
{
	for (int64_t cpu = 0; cpu < 2; cpu++) {
		check(f, "loop", cpu, INSTRUCTIONS, 98, 102, 100, "proven");
		check(f, "loop", cpu, CYCLES, 10, INT_NONE, 100, "plausible");
	}
	HAS(report(f, 0), "12 plausible: nothing that was tested is against it",
	    "13 proven: known work on each CPU");
	/* A CPU that was not free: less than proven. */
	setup(f);
	check(f, "loop", 0, INSTRUCTIONS, 98, 102, 100, "proven");
	check(f, "untested", 1, INT_NONE, INT_NONE, INT_NONE, INT_NONE, NULL);
	HAS(report(f, 0), "13 plausible: known work, not on all CPUs");
	/* The group of that leader likewise. */
	setup(f);
	check(f, "loop", 0, INSTRUCTIONS, 98, 102, 100, "proven");
	check(f, "untested", 1, 0, INT_NONE, INT_NONE, INT_NONE, NULL);
	HAS(report(f, 0), "13 plausible: known work, not on all CPUs");
	/* One lie is enough. */
	setup(f);
	check(f, "loop", 0, INSTRUCTIONS, 98, 102, 100, "proven");
	check(f, "loop", 1, INSTRUCTIONS, 98000, INT_NONE, 0, "contradicted");
	HAS(report(f, 0),
	    "13 contradicted: known work on CPU 1: it counted nothing, 0 where 98,000 to "
	    "any number are right");
	assert_int_equal(contradicted(f), 1);
}

UNIT_CASE(others, struct fixture *f)
{
	check(f, "placed", 0, INT_NONE, INT_NONE, 6, 6, NULL);
	assert_int_equal(f->findings.of[FINDING_HELD_COUNTERS].count, 0);
	check(f, "placed", 1, INT_NONE, INT_NONE, 6, 4, NULL);
	HAS(f->findings.of[FINDING_HELD_COUNTERS].text,
	    "CPU 1: 4 of 6 counters of the PMU were free");
	report(f, 0);
	assert_int_equal(contradicted(f), 0);
}

/* --- the kernel's books --- */

static const struct {
	int line;
	int64_t least, switches;
	bool is_short;
} books[] = {
	{ ROW, 16030, 16030, false }, { ROW, 16030, 15950, false },
	{ ROW, 16030, 15949, true },  { ROW, 16030, 8060, true },
	{ ROW, 60, 10, false },	      { ROW, 60, 9, true },
	{ ROW, 100, 1000, false },
};

UNIT_CASE(switches, struct fixture *f)
{
	for (size_t i = 0; i < COUNT(books); i++) {
		setup(f);
		check(f, "ctxt", INT_NONE, INT_NONE, books[i].least, books[i].least + 5,
		      INT_NONE, NULL);
		check(f, "softirqs", INT_NONE, INT_NONE, 900, 900, INT_NONE, NULL);
		report(f, books[i].switches);
		ROW_INT(&books[i], f->findings.of[FINDING_KERNEL_BOOKS].count,
			books[i].is_short);
		ROW_HAS(&books[i], f->rows,
			books[i].is_short ? " contradicted\n" : " plausible\n",
			"softirqs -9223372036854775808 \n");
	}
	setup(f);
	check(f, "softirqs", INT_NONE, INT_NONE, 900, 900, INT_NONE, NULL);
	for (int i = 0; i < 500; i++)
		verdicts_interrupt(&f->verdicts, STR("softirq"));
	HAS(report(f, 0), "softirqs 500 contradicted\n");
	HAS(f->findings.of[FINDING_KERNEL_BOOKS].text,
	    "softirqs: the kernel counted 900, the recording has 500");
}
