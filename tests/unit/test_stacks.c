/*
 * test_stacks.c - lib/output/folded/stacks.h: which stack what a trace's rows cost is
 * added to, and what its frames are called.
 */
#include <stdlib.h>
#include <string.h>

#include "output/folded/stacks.h"
#include "unit.h"

enum {
	CYCLES = 11,
	MISSES = 12,
	CLOCK = 13
};				       /* two of a group, and one that was sampled */
enum { SHELL = 2, CAT = 3, IDLE = 1 }; /* threads; their processes are 20, 30 and 10 */

struct fixture {
	struct stacks stacks;
	char text[1024];
};

static void on_row(struct fixture *f, enum record_kind kind, const void *row)
{
	stacks_on_row(&f->stacks, &(struct record){ .kind = kind, .data = row });
	assert_false(f->stacks.failed);
}
#define ON(f, table, ...) \
	on_row((f), RECORD_##table, &(struct table##_row){ __VA_ARGS__ })

static void setup(struct fixture *f)
{
	stacks_begin(&f->stacks);
	ON(f, counter, .counter_id = CYCLES, .group_id = 1, .slot = 0,
	   .name = STR("cycles"));
	ON(f, counter, .counter_id = MISSES, .group_id = 1, .slot = 1,
	   .name = STR("misses"));
	ON(f, process, .process_id = 10, .pid = 0, .name = STR("swapper"));
	ON(f, process, .process_id = 20, .pid = 200, .name = STR("sh"));
	ON(f, process, .process_id = 30, .pid = 300);
	ON(f, thread, .thread_id = IDLE, .process_id = 10, .tid = 0, .idle_cpu = 0);
	ON(f, thread, .thread_id = SHELL, .process_id = 20, .tid = 201,
	   .idle_cpu = INT_NONE, .name = STR("worker"));
	ON(f, thread, .thread_id = CAT, .process_id = 30, .tid = 301,
	   .idle_cpu = INT_NONE);
}

static void teardown(struct fixture *f)
{
	stacks_release(&f->stacks);
}

UNIT_FIXTURE(struct fixture, setup, teardown);

/* "sh;worker;main 5\n" of each stack that has a weight, in the order they came. */
static void assert_stacks(struct fixture *f, int64_t counter_id, const char *expected)
{
	struct frame_list frames = { .count = 0 };
	size_t at = 0;

	f->text[0] = '\0';
	for (const struct stack *s = f->stacks.first; s; s = s->next) {
		int64_t weight = stack_weight(&f->stacks, s, counter_id);

		if (weight == 0)
			continue;
		assert_true(stacks_list_frames(&f->stacks, s, &frames));
		for (size_t i = 0; i < frames.count; i++)
			at += (size_t)snprintf(f->text + at, sizeof(f->text) - at,
					       "%s%.*s", i ? ";" : "",
					       (int)frames.names[i]->text.len,
					       frames.names[i]->text.ptr);
		at += (size_t)snprintf(f->text + at, sizeof(f->text) - at, " %lld\n",
				       (long long)weight);
	}
	free(frames.names);
	assert_string_equal(f->text, expected);
}

static void sample(struct fixture *f, int64_t thread_id, int64_t period, int64_t mode,
		   int64_t ip, int64_t callchain_id)
{
	ON(f, sample, .ts_ns = 100, .thread_id = thread_id, .counter_id = CLOCK,
	   .period = period, .mode = mode, .ip = ip, .callchain_id = callchain_id);
}

static void switched(struct fixture *f, int64_t id, int64_t ts, int64_t prev,
		     int64_t next, int64_t status, int64_t on_cpu_ns, int64_t cycles)
{
	const int64_t deltas[2] = { cycles, 10 * cycles };
	const struct context_switch_row row = { .switch_id = id,
						.ts_ns = ts,
						.group_id = 1,
						.prev_thread_id = prev,
						.next_thread_id = next,
						.status = status,
						.on_cpu_ns = on_cpu_ns };

	stacks_on_row(&f->stacks, &(struct record){ .kind = RECORD_context_switch,
						    .data = &row,
						    .deltas = deltas,
						    .slots = 2 });
}

/* --- samples --- */

UNIT_CASE(samples_add_their_periods, struct fixture *f)
{
	sample(f, SHELL, 5, 2, 0x1000, INT_NONE);
	sample(f, SHELL, 7, 2, 0x1000, INT_NONE);
	sample(f, SHELL, 1, 2, 0x1001, INT_NONE);
	sample(f, CAT, 2, 2, 0x1000, INT_NONE);
	sample(f, INT_NONE, 3, 2, 0x1000, INT_NONE);
	sample(f, SHELL, 4, 3, 0x1000,
	       INT_NONE); /* in a guest: its addresses are others */
	assert_stacks(f, CLOCK,
		      "sh;worker;0x1000 12\nsh;worker;0x1001 1\n:300;:301;0x1000 2\n"
		      "(unattributed);0x1000 3\nsh;worker 4\n");
	ON(f, counter, .counter_id = CLOCK, .group_id = INT_NONE, .name = STR("clock"));
	assert_int_equal(f->stacks.counters->next->next->samples, 6);
	assert_int_equal(f->stacks.counters->next->next->value, 22);
}

/* Where no sample has a period, each counts as one. */
UNIT_CASE(samples_without_periods_are_counted, struct fixture *f)
{
	sample(f, SHELL, INT_NONE, 2, INT_NONE, INT_NONE);
	sample(f, SHELL, 0, 2, INT_NONE, INT_NONE);
	assert_stacks(f, CLOCK, "sh;worker 2\n");
	sample(f, CAT, 9, 2, INT_NONE, INT_NONE);
	assert_stacks(f, CLOCK, ":300;:301 9\n");
}

/* The same number is another address in the kernel. */
UNIT_CASE(functions_have_names, struct fixture *f)
{
	ON(f, frame_symbol, .process_id = 20, .address = 0x1000, .from_ns = 50,
	   .to_ns = 100, .module = STR("/bin/old"), .symbol = STR("before"));
	ON(f, frame_symbol, .process_id = 20, .address = 0x1000, .from_ns = 100,
	   .to_ns = INT_NONE, .module = STR("/bin/new"), .symbol = STR("now"));
	ON(f, frame_symbol, .process_id = 20, .address = 0x1000, .from_ns = 101,
	   .to_ns = INT_NONE, .module = STR("/bin/late"), .symbol = STR("after"));
	ON(f, frame_symbol, .process_id = 20, .address = 0x2000, .from_ns = INT_NONE,
	   .to_ns = INT_NONE, .module = STR("C:\\dir\\a.dll"), .module_offset = 0x12);
	ON(f, frame_symbol, .process_id = INT_NONE, .address = 0x1000,
	   .from_ns = INT_NONE, .to_ns = INT_NONE, .symbol = STR("do_idle"));
	ON(f, frame_symbol, .process_id = 20, .address = 0x3000, .from_ns = INT_NONE,
	   .to_ns = INT_NONE, .module_offset = 1);
	sample(f, SHELL, 1, 2, 0x1000, INT_NONE);
	sample(f, SHELL, 2, 2, 0x2000, INT_NONE);
	sample(f, SHELL, 3, 1, 0x1000, INT_NONE);
	sample(f, SHELL, 4, 2, 0x3000, INT_NONE);
	sample(f, CAT, 5, 2, 0x1000, INT_NONE);
	assert_stacks(f, CLOCK,
		      "sh;worker;now 1\nsh;worker;a.dll+0x12 2\nsh;worker;do_idle 3\n"
		      "sh;worker;?+0x1 4\n:300;:301;0x1000 5\n");
}

/* --- call chains --- */

UNIT_CASE(chains_begin_with_the_outermost_frame, struct fixture *f)
{
	ON(f, callchain, .callchain_id = 1,
	   .frames = STR("[\"kernel\",\"0x10\",\"0x11\",\"user\",\"0x10\",\"0x13\"]"));
	ON(f, frame_symbol, .process_id = INT_NONE, .address = 0x10, .from_ns = INT_NONE,
	   .to_ns = INT_NONE, .symbol = STR("tick"));
	ON(f, frame_symbol, .process_id = 20, .address = 0x10, .from_ns = INT_NONE,
	   .to_ns = INT_NONE, .symbol = STR("loop"));
	sample(f, SHELL, 6, 1, 0x10, 1);
	sample(f, SHELL, 6, 1, 0x10, 99); /* a chain that is missing */
	assert_stacks(f, CLOCK, "sh;worker;0x13;loop;0x11;tick 6\nsh;worker 6\n");
}

/* The user part comes later, when the thread returns from the kernel. */
UNIT_CASE(chains_in_two_parts, struct fixture *f)
{
	ON(f, callchain, .callchain_id = 1,
	   .frames = STR("[\"kernel\",\"0x10\",\"user deferred\",\"0x77\"]"));
	ON(f, callchain, .callchain_id = 2,
	   .frames = STR("[\"user\",\"0x20\",\"0x21\"]"));
	ON(f, callchain, .callchain_id = 3,
	   .frames = STR("[\"kernel\",\"0x10\",\"user deferred\",\"0x78\"]"));
	ON(f, callchain_deferred, .thread_id = SHELL, .cookie = 0x77, .callchain_id = 2);
	ON(f, callchain_deferred, .thread_id = CAT, .cookie = 0x78, .callchain_id = 3);
	sample(f, SHELL, 1, 1, 0x10, 1);
	sample(f, CAT, 2, 1, 0x10, 1); /* the cookie is another thread's */
	sample(f, CAT, 3, 1, 0x10, 3); /* which leads to itself */
	assert_stacks(f, CLOCK,
		      "sh;worker;0x21;0x20;0x10 1\n:300;:301;0x10 2\n:300;:301;0x10 3\n");
}

/* --- switches --- */

UNIT_CASE(switches_charge_their_thread, struct fixture *f)
{
	switched(f, 1, 100, SHELL, CAT, CHARGE_CHARGED, 40, 7);
	switched(f, 2, 150, CAT, IDLE, CHARGE_WITH_IDLE, 50, 8);
	switched(f, 3, 180, IDLE, SHELL, CHARGE_CHARGED, 30, 1);
	switched(f, 4, 200, SHELL, CAT, CHARGE_LOST, 20, 9);
	switched(f, 5, 230, INT_NONE, IDLE, CHARGE_CHARGED, INT_NONE, 2);
	stacks_settle(&f->stacks);
	assert_stacks(f, CYCLES,
		      "sh;worker 7\n(with idle) 8\n(idle) 1\n(unattributed) 11\n");
	assert_stacks(f, MISSES,
		      "sh;worker 70\n(with idle) 80\n(idle) 10\n(unattributed) 110\n");
	assert_stacks(f, WEIGHT_ON_CPU, "sh;worker 40\n(idle) 30\n");
	/* From 100 to 180, and from 150 to 200; idle is not waiting. */
	assert_stacks(f, WEIGHT_OFF_CPU, "sh;worker 80\n:300;:301 50\n");
	assert_false(f->stacks.has_switch_chains);
}

/* The chain of a switch is where its thread left the CPU; one of another is not. */
UNIT_CASE(switches_have_chains, struct fixture *f)
{
	ON(f, callchain, .callchain_id = 1, .frames = STR("[\"kernel\",\"0x10\"]"));
	ON(f, callchain, .callchain_id = 2, .frames = STR("[\"kernel\",\"0x20\"]"));
	switched(f, 1, 100, SHELL, CAT, CHARGE_CHARGED, 40, 7);
	ON(f, switch_callchain, .switch_id = 1, .callchain_id = 1);
	ON(f, switch_callchain, .switch_id = 9, .callchain_id = 2);
	switched(f, 2, 150, CAT, SHELL, CHARGE_LOST, 50, 8);
	ON(f, switch_callchain, .switch_id = 2, .callchain_id = 2);
	/* The sample of the next switch is lost; its SWITCH record is not. */
	ON(f, switch_record, .ts_ns = 400, .thread_id = CAT, .is_out = 1);
	ON(f, switch_record, .ts_ns = 500, .thread_id = CAT, .is_out = 0);
	stacks_settle(&f->stacks);
	assert_true(f->stacks.has_switch_chains);
	assert_stacks(f, CYCLES, "sh;worker;0x10 7\n(unattributed) 8\n");
	assert_stacks(f, WEIGHT_OFF_CPU, "sh;worker;0x10 50\n:300;:301;0x20 350\n");
}

/*
 * A read while a thread keeps its CPU; one in an interrupt is not the thread's, but
 * for a softirq that it runs itself.
 */
UNIT_CASE(reads_charge_as_switches_do, struct fixture *f)
{
	ON(f, interrupt, .interrupt_id = 6);
	ON(f, interrupt, .interrupt_id = 7, .in_thread = 1);
	ON(f, group_read, .read_id = 1, .ts_ns = 10, .thread_id = SHELL,
	   .status = CHARGE_CHARGED, .on_cpu_ns = 4, .interrupt_id = INT_NONE);
	ON(f, group_read_value, .read_id = 1, .counter_id = CYCLES, .delta = 3);
	ON(f, group_read, .read_id = 2, .ts_ns = 20, .thread_id = SHELL,
	   .status = CHARGE_CHARGED, .on_cpu_ns = 5, .interrupt_id = 6);
	ON(f, group_read_value, .read_id = 2, .counter_id = CYCLES, .delta = 30);
	ON(f, group_read, .read_id = 3, .ts_ns = 30, .thread_id = SHELL,
	   .status = CHARGE_CHARGED, .on_cpu_ns = INT_NONE, .interrupt_id = INT_NONE);
	ON(f, group_read_value, .read_id = 3, .counter_id = CYCLES, .delta = 300);
	ON(f, group_read, .read_id = 4, .ts_ns = 40, .thread_id = SHELL,
	   .status = CHARGE_CHARGED, .on_cpu_ns = 50, .interrupt_id = 7);
	ON(f, group_read_value, .read_id = 4, .counter_id = CYCLES, .delta = 3000);
	ON(f, group_read, .read_id = 5, .ts_ns = 50, .thread_id = SHELL,
	   .status = CHARGE_CHAIN, .on_cpu_ns = 500, .interrupt_id = 6);
	ON(f, group_read_value, .read_id = 5, .counter_id = CYCLES, .delta = 30000);
	stacks_settle(&f->stacks);
	assert_stacks(f, CYCLES,
		      "sh;worker 3303\n(interrupts) 30\n(unattributed) 30000\n");
	assert_stacks(f, WEIGHT_ON_CPU, "sh;worker 54\n");
}

static void read_on_cpu(struct fixture *f, int64_t group_id, int64_t on_cpu_ns)
{
	ON(f, group_read, .ts_ns = 10, .thread_id = SHELL, .group_id = group_id,
	   .status = CHARGE_CHARGED, .on_cpu_ns = on_cpu_ns, .interrupt_id = INT_NONE);
}

/*
 * Groups on one CPU see the same time: that of the one with the most switches counts, of
 * equals the first; those on other CPUs add up.
 */
UNIT_CASE(groups_on_a_cpu_count_its_time_once, struct fixture *f)
{
	const struct cpu_summary_row seen[] = {
		{ .cpu = 0, .group_id = 1, .switches = 4 },
		{ .cpu = 0, .group_id = 2, .switches = 5 },
		{ .cpu = 1, .group_id = 1, .switches = 4 },
		{ .cpu = 2, .group_id = 4, .switches = 2 },
		{ .cpu = 2, .group_id = 3, .switches = 2 },
		{ .cpu = 3, .group_id = 5, .switches = 0 },
	};

	for (int64_t group = 1, ns = 1; group <= 5; group++, ns *= 10)
		read_on_cpu(f, group, ns);
	for (size_t i = 0; i < sizeof(seen) / sizeof(*seen); i++)
		on_row(f, RECORD_cpu_summary, &seen[i]);
	stacks_settle(&f->stacks);
	/* Group 1 saw most in all. */
	assert_stacks(f, WEIGHT_ON_CPU, "sh;worker 101\n");
}

/* More threads and stacks than maps and lists have room for at first. */
UNIT_CASE(many_stacks, struct fixture *f)
{
	int64_t all = 0;
	size_t count = 0;

	for (int64_t round = 0; round < 2; round++)
		for (int64_t i = 0; i < 1000; i++)
			sample(f, SHELL, i, 2, 0x1000 + i, INT_NONE);
	for (const struct stack *s = f->stacks.first; s; s = s->next, count++)
		all += stack_weight(&f->stacks, s, CLOCK);
	assert_int_equal(count, 1000);
	assert_int_equal(all, 999 * 1000);
}
