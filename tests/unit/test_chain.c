/* test_chain.c - lib/attribution/chain.h: what an interval proves, rule by rule. */
#include "attribution/chain.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "unit.h"

enum what { DONE, RAW, PLAIN, READ, IN, OUT, EXITS, LOSS, THROTTLE };

/*
 * One event, and for switches what must come of it.  Stream and CPU are 0 unless given.
 * For times and lost samples 0 stands for "not recorded".
 */
struct step {
	int line;
	enum what what;
	int64_t ts, prev, next; /* PLAIN: prev is the sample's tid; IN: the thread */
	uint64_t leader, value; /* cumulative */
	enum charge_status status;
	int64_t on_cpu_ns;
	int64_t cpu, stream;
	int64_t enabled, running, lost;
	int64_t own; /* the sample's tid where it is not prev's */
	int64_t who; /* tid charged where it is not prev's; -9: no thread */
	bool per_task, on_one_cpu, is_final, rotates;
	bool log, unread, suspect; /* ETW's */
};

#define STEPS 12
struct script {
	const char *name;
	struct step steps[STEPS];
};

/* clang-format off */
#define SWITCH(at, out, in, l, v, verdict, time, ...)                              \
	{ ROW, .what = RAW, .ts = at, .prev = out, .next = in, .leader = l,        \
	  .value = v, .status = CHARGE_##verdict, .on_cpu_ns = time, __VA_ARGS__ }
#define SAMPLE(at, tid, l, v, verdict, time, ...)                                  \
	{ ROW, .what = PLAIN, .ts = at, .prev = tid, .leader = l, .value = v,      \
	  .status = CHARGE_##verdict, .on_cpu_ns = time, __VA_ARGS__ }
#define READS(at, tid, l, v, verdict, time, ...)                                   \
	{ ROW, .what = READ, .ts = at, .prev = tid, .leader = l, .value = v,       \
	  .status = CHARGE_##verdict, .on_cpu_ns = time, __VA_ARGS__ }
#define EVENT(kind, at, tid, in, ...)                                              \
	{ ROW, .what = kind, .ts = at, .prev = tid, .next = in, __VA_ARGS__ }

#define LOG .log = true
static const struct script scripts[] = {
#include "chain_scripts.def"
};
/* clang-format on */

/* --- running them --- */

struct world {
	struct chains chains;
	struct identity identity;
	struct findings findings;
	int64_t reached[CHARGE_STATUSES];
};

static void open_world(struct world *world)
{
	identity_begin(&world->identity);
	chains_begin(&world->chains);
}

static void close_world(struct world *world)
{
	chains_end(&world->chains);
	identity_end(&world->identity);
}

static int64_t tid_of(const struct identity *identity, int64_t thread_id)
{
	for (size_t i = 0; i < identity->listed; i++)
		if (identity_at(identity, i)->thread_id == thread_id)
			return thread_tid(identity_at(identity, i));
	return -9;
}

static int64_t or_none(int64_t value)
{
	return value ? value : INT_NONE;
}

static struct switch_event event_of(const struct step *step, const uint64_t *values)
{
	return (struct switch_event){
		.ts_ns = step->ts,
		.cpu = step->cpu,
		.stream = step->stream,
		.group_id = step->stream + 1,
		.prev_tid = step->what == RAW ? step->prev : INT_NONE,
		.next_tid = step->what == RAW ? step->next : INT_NONE,
		.prev_state = INT_NONE,
		.per_task = step->per_task,
		.on_one_cpu = step->on_one_cpu,
		.is_final = step->is_final,
		.never_rotated = !step->rotates && !step->per_task,
		.every_switch = step->log,
		.unread = step->unread,
		.suspect = step->suspect,
		.is_read = step->what == READ,
		.sample_pid = step->prev,
		.sample_tid = step->own ? step->own : step->prev,
		.enabled_ns = or_none(step->enabled),
		.running_ns = or_none(step->running),
		.leader_lost = or_none(step->lost),
		.values = values,
		.count = 2,
	};
}

static void run_switch(struct world *world, const struct step *step)
{
	const uint64_t values[2] = { step->leader, step->value };
	const struct switch_event event = event_of(step, values);
	struct context_switch_row row;
	int64_t who = step->who ? step->who : step->prev;

	ROW_TRUE(step, (step->what == READ ? chain_read : chain_switch)(
			       &world->chains, &world->identity, &world->findings, &event,
			       0x40, 5, &row));
	ROW_TEXT(step, charge_status_words[row.status].words,
		 charge_status_words[step->status].words);
	ROW_INT(step, row.on_cpu_ns, step->on_cpu_ns);
	ROW_INT(step, tid_of(&world->identity, row.prev_thread_id), who);
	ROW_INT(step, world->chains.idle, who == 0);
	ROW_INT(step, row.ts_ns, step->ts);
	ROW_INT(step, row.cpu, step->cpu);
	ROW_INT(step, row.group_id, 5);
	if (step->what == RAW)
		ROW_INT(step, tid_of(&world->identity, row.next_thread_id), step->next);
	else if (step->what == PLAIN)
		ROW_INT(step, row.next_thread_id, INT_NONE);
	ROW_INT(step, row.switch_id == INT_NONE, step->what == READ);
	/* Nothing is unknown before a recorder's own first read. */
	world->reached[row.status] += step->what != READ || row.status != CHARGE_BASELINE;
}

static void run_step(struct world *world, const struct step *step)
{
	switch (step->what) {
	case RAW:
	case PLAIN:
	case READ:
		run_switch(world, step);
		break;
	case IN:
	case OUT:
		chain_switch_in(&world->chains,
				&(struct switch_in_event){ step->ts, step->cpu,
							   step->prev, step->what == IN,
							   false, step->next });
		break;
	case EXITS:
		chain_exit(&world->chains,
			   &(struct task_exit_event){ step->ts, step->cpu, step->prev,
						      step->prev });
		break;
	case LOSS:
		chain_loss(&world->chains, &(struct loss_event){ .cpu = step->cpu });
		break;
	case THROTTLE:
		chain_throttled(&world->chains,
				&(struct throttled_event){ .cpu = step->cpu });
		break;
	case DONE:
		break;
	}
}

/* Every script, and together they reach every status there is. */
UNIT_TEST(scripts)
{
	struct world *world = calloc(1, sizeof(*world));

	for (size_t i = 0; i < COUNT(scripts); i++) {
		open_world(world);
		for (size_t k = 0; k < STEPS; k++)
			run_step(world, &scripts[i].steps[k]);
		assert_false(world->chains.out_of_memory);
		close_world(world);
	}
	for (int s = 0; s < CHARGE_STATUSES; s++)
		if (world->reached[s] == 0 && s != CHARGE_EDGES) /* test_chain_edge.c */
			fail_msg("no script reaches status %d, %s", s,
				 charge_status_words[s].words);
	/* Each is reported, except the expected statuses. */
	assert_int_equal(world->findings.of[FINDING_FIRST_INTERVAL].count,
			 world->reached[CHARGE_BASELINE]);
	assert_int_equal(world->findings.of[FINDING_WITH_IDLE].count,
			 world->reached[CHARGE_WITH_IDLE]);
	assert_int_equal(world->findings.of[FINDING_LOST_WINDOW].count,
			 world->reached[CHARGE_LOST]);
	assert_int_equal(world->findings.of[FINDING_THROTTLED].count,
			 world->reached[CHARGE_THROTTLE]);
	assert_int_equal(world->findings.of[FINDING_DECREASE].count,
			 world->reached[CHARGE_DECREASE]);
	assert_int_equal(world->findings.of[FINDING_LEADER_JUMP].count,
			 world->reached[CHARGE_LEADER]);
	assert_int_equal(world->findings.of[FINDING_MULTIPLEXED].count,
			 world->reached[CHARGE_MULTIPLEXED]);
	assert_int_equal(world->findings.of[FINDING_CHAIN_GAP].count,
			 world->reached[CHARGE_CHAIN]);
	assert_int_equal(world->findings.of[FINDING_NO_THREAD].count,
			 world->reached[CHARGE_NO_THREAD]);
	assert_int_equal(world->findings.of[FINDING_UNREAD].count,
			 world->reached[CHARGE_UNREAD]);
	assert_int_equal(world->findings.of[FINDING_AFTER_UNREAD].count,
			 world->reached[CHARGE_AFTER_UNREAD]);
	assert_int_equal(world->findings.of[FINDING_SUSPECT].count,
			 world->reached[CHARGE_SUSPECT]);
	assert_int_equal(world->findings.of[FINDING_TIME_BACK].count, 1);
	assert_true(world->findings.of[FINDING_EXITED_TID].count >= 6);
	assert_int_equal(world->findings.of[FINDING_NAMESPACE].count, 1);
	free(world);
}

/* --- single things --- */

static bool feed(struct world *world, const struct switch_event *event,
		 struct context_switch_row *row)
{
	return chain_switch(&world->chains, &world->identity, &world->findings, event,
			    0x40, event->group_id, row);
}

/* What does not fit is dropped, and reported. */
UNIT_TEST(dropped)
{
	struct world *world = calloc(1, sizeof(*world));
	const uint64_t values[2] = { 1, 2 };
	const struct step step = { .ts = 100, .prev = 1, .next = 2, .what = RAW };
	struct switch_event event = event_of(&step, values);
	struct context_switch_row row;

	open_world(world);
	event.cpu = CPU_MAX;
	assert_false(feed(world, &event, &row));
	event.cpu = -1;
	assert_false(feed(world, &event, &row));
	event.cpu = INT_NONE;
	assert_false(feed(world, &event, &row));
	assert_int_equal(world->findings.of[FINDING_BAD_CPU].count, 3);
	event.cpu = CPU_MAX - 1;
	assert_true(feed(world, &event, &row));
	event.count = 1;
	assert_false(feed(world, &event, &row));
	event.count = 2;
	event.stream = STREAMS_MAX;
	assert_false(feed(world, &event, &row));
	event.stream = -1;
	assert_false(feed(world, &event, &row));
	event.stream = 1;
	event.count = GROUP_COUNTERS_MAX + 1;
	assert_false(feed(world, &event, &row));
	assert_int_equal(world->findings.of[FINDING_GROUP_READ].count, 4);
	/* Records with an invalid CPU. */
	chain_switch_in(&world->chains, &(struct switch_in_event){ .cpu = CPU_MAX });
	chain_exit(&world->chains, &(struct task_exit_event){ .cpu = -1 });
	chain_loss(&world->chains, &(struct loss_event){ .cpu = INT64_MAX });
	chain_throttled(&world->chains, &(struct throttled_event){ .cpu = -1 });
	close_world(world);
	free(world);
}

/* A group without counters: only times and threads are known. */
UNIT_TEST(no_counters)
{
	struct world *world = calloc(1, sizeof(*world));
	const struct step first = { .ts = 100, .prev = 1, .next = 2, .what = RAW };
	const struct step second = { .ts = 250, .prev = 2, .next = 1, .what = RAW };
	struct switch_event event = event_of(&first, NULL);
	struct context_switch_row row;

	open_world(world);
	event.count = 0;
	assert_true(feed(world, &event, &row));
	event = event_of(&second, NULL);
	event.count = 0;
	assert_true(feed(world, &event, &row));
	assert_int_equal(row.status, CHARGE_CHARGED);
	assert_int_equal(row.on_cpu_ns, 150);
	close_world(world);
	free(world);
}

/* Deltas and running_ns of the interval just judged. */
UNIT_TEST(deltas)
{
	struct world *world = calloc(1, sizeof(*world));
	const uint64_t before[2] = { 5, UINT64_MAX };
	const uint64_t after[2] = { 6, 9 };
	struct step step = {
		.ts = 100, .prev = 1, .next = 2, .what = RAW, .enabled = 10, .running = 10
	};
	struct switch_event event = event_of(&step, before);
	struct context_switch_row row;

	open_world(world);
	assert_true(feed(world, &event, &row));
	assert_int_equal(world->chains.deltas[0], 0);
	assert_int_equal(world->chains.deltas[1], 0);
	assert_int_equal(row.running_ns, INT_NONE);
	step.ts = 200;
	step.enabled = step.running = 90;
	event = event_of(&step, after);
	assert_true(feed(world, &event, &row));
	assert_int_equal(world->chains.deltas[0], 1);
	assert_int_equal(world->chains.deltas[1],
			 10); /* wraps, and is reported as a decrease */
	assert_int_equal(row.status, CHARGE_DECREASE);
	assert_int_equal(row.running_ns, 80);
	close_world(world);
	free(world);
}

/* The tracepoint's numbers and the sample's are two spaces: both are kept. */
UNIT_TEST(namespace)
{
	struct world *world = calloc(1, sizeof(*world));
	const uint64_t values[2] = { 1, 1 };
	const struct step step = {
		.ts = 100, .prev = 1007, .next = 1008, .what = RAW, .own = 7
	};
	struct switch_event event = event_of(&step, values);
	struct context_switch_row row;
	const struct thread *thread;

	open_world(world);
	event.sample_pid = 7;
	event.prev_comm = STR("inside\0\0\0\0\0\0\0\0\0\0");
	assert_true(feed(world, &event, &row));
	assert_true(world->identity.spaces_differ);
	thread = identity_at(&world->identity, 0);
	assert_int_equal(thread_tid(thread), 1007);
	assert_int_equal(thread_more(thread)->recorder_tid, 7);
	assert_int_equal(thread_more(thread)->recorder_pid, 7);
	ASSERT_STR(thread_name(thread), "inside");
	assert_int_equal(world->findings.of[FINDING_NAMESPACE].count, 1);
	close_world(world);
	free(world);
}

/* The kernel samples the last switch of an exiting thread with tid -1. */
UNIT_TEST(exiting_threads)
{
	struct world *world = calloc(1, sizeof(*world));
	const uint64_t values[2] = { 1, 1 };
	const struct step raw = {
		.ts = 100, .prev = 7, .next = 8, .what = RAW, .own = -1
	};
	struct switch_event event = event_of(&raw, values);
	struct context_switch_row row;

	open_world(world);
	assert_true(feed(world, &event, &row));
	assert_int_equal(tid_of(&world->identity, row.prev_thread_id), 7);
	assert_int_equal(world->findings.of[FINDING_EXITED_TID].count, 1);
	assert_int_equal(world->findings.of[FINDING_NAMESPACE].count, 0);
	close_world(world);
	free(world);
}

/* prev_state says that the thread is gone: its number is free from then on. */
UNIT_TEST(gone)
{
	struct world *world = calloc(1, sizeof(*world));
	const uint64_t values[2][2] = { { 1, 1 }, { 2, 2 } };
	const struct step first = { .ts = 100, .prev = 7, .next = 1, .what = RAW };
	const struct step second = { .ts = 200, .prev = 1, .next = 7, .what = RAW };
	struct switch_event event = event_of(&first, values[0]);
	struct context_switch_row row;
	int64_t old_thread;

	open_world(world);
	event.prev_exited = true;
	assert_true(feed(world, &event, &row));
	old_thread = row.prev_thread_id;
	event = event_of(&second, values[1]);
	assert_true(feed(world, &event, &row));
	assert_int_equal(tid_of(&world->identity, row.next_thread_id), 7);
	assert_int_not_equal(row.next_thread_id, old_thread);
	close_world(world);
	free(world);
}

/* Times that are 2^63 apart: no time, no sum may come out as "unknown". */
UNIT_TEST(times_wrap)
{
	struct world *world = calloc(1, sizeof(*world));
	const uint64_t values[2][2] = { { 1, 1 }, { 2, 2 } };
	const struct step first = {
		.ts = -(INT64_C(1) << 62), .prev = 1, .next = 2, .what = RAW
	};
	const struct step second = {
		.ts = INT64_C(1) << 62, .prev = 2, .next = 1, .what = RAW
	};
	struct switch_event event = event_of(&first, values[0]);
	struct context_switch_row row;

	open_world(world);
	assert_true(feed(world, &event, &row));
	event = event_of(&second, values[1]);
	assert_true(feed(world, &event, &row));
	/* The column is NOT NULL: with this value the row cannot be stored. */
	assert_int_not_equal(row.on_cpu_ns, INT_NONE);
	close_world(world);
	free(world);
}

/* In a recorder's PID namespace 0 is not idle's number alone. */
UNIT_TEST(witness_outside)
{
	static const struct step steps[] = {
		SAMPLE(100, 1, 1, 10, BASELINE, 0),
		EVENT(OUT, 101, 1, 0),
		EVENT(IN, 160, 2, 0),
		SAMPLE(200, 2, 3, 25, LEADER, 100),
		EVENT(OUT, 201, 2, 3),
		EVENT(IN, 202, 3, 2),
		SAMPLE(300, 3, 5, 25, CHARGED, 98),
	};
	struct world *world = calloc(1, sizeof(*world));

	open_world(world);
	world->identity.has_outside = true;
	for (size_t i = 0; i < COUNT(steps); i++)
		run_step(world, &steps[i]);
	close_world(world);
	free(world);
}

/* The thread of a tracepoint that is never seen leaving, more than once. */
static void leave_unseen(struct world *world, int64_t tid, size_t times, int64_t *at)
{
	static int64_t leader;

	for (size_t i = 0; i < times; i++, *at += 100) {
		const struct step in = { .what = RAW, .ts = *at, .prev = 1, .next = tid };
		const struct step out = {
			.what = RAW, .ts = *at + 50, .prev = 2, .next = 1
		};
		uint64_t values[2] = { (uint64_t)++leader, 1 };
		struct switch_event event = event_of(&in, values);
		struct context_switch_row row;

		event.next_comm = STR("caf\xc3\xa9-\xe6\x97\xa5\xe6\x9c\xac\xe6\x97\xa5");
		assert_true(feed(world, &event, &row));
		values[0] = (uint64_t)++leader;
		event = event_of(&out, values);
		assert_true(feed(world, &event, &row));
		assert_true(row.status == CHARGE_CHAIN);
	}
}

UNIT_TEST(never_left)
{
	struct world *world = calloc(1, sizeof(*world));
	const char *text = world->findings.of[FINDING_NEVER_LEFT].text;
	int64_t at = 1000;

	open_world(world);
	leave_unseen(world, 70, 1, &at); /* by chance */
	chain_report_unseen(&world->chains, &world->identity, &world->findings);
	assert_int_equal(world->findings.of[FINDING_NEVER_LEFT].count, 0);
	leave_unseen(world, 71, 2, &at);
	leave_unseen(world, 72, 5, &at);
	chain_report_unseen(&world->chains, &world->identity, &world->findings);
	assert_int_equal(world->findings.of[FINDING_NEVER_LEFT].count, 7);
	ASSERT_STR(
		str_of(text),
		"unattributed intervals after threads never seen switched out: caf\xc3\xa9-\xe6\x97\xa5\xe6\x9c\xac\xe6\x97\xa5, tid 72: 5, "
		"caf\xc3\xa9-\xe6\x97\xa5\xe6\x9c\xac\xe6\x97\xa5, tid 71: 2");
	/* More than are named; the text holds whole characters. */
	memset(&world->findings.of[FINDING_NEVER_LEFT], 0,
	       sizeof(world->findings.of[FINDING_NEVER_LEFT]));
	for (int64_t tid = 73; tid < 80; tid++)
		leave_unseen(world, tid, 3, &at);
	chain_report_unseen(&world->chains, &world->identity, &world->findings);
	assert_int_equal(world->findings.of[FINDING_NEVER_LEFT].count, 28);
	assert_non_null(strstr(text, "tid 72: 5"));
	assert_true(text_is_valid(str_of(text)));
	close_world(world);
	free(world);
}

/* Without a tracepoint SWITCH records show who came. */
UNIT_TEST(never_left_recorded)
{
	static const struct step steps[] = {
		SAMPLE(100, 1, 1, 10, BASELINE, 0),
		EVENT(OUT, 101, 1, 75),
		EVENT(IN, 150, 2, 75),
		SAMPLE(200, 2, 3, 25, LEADER, 100),
		EVENT(OUT, 201, 2, 75),
		EVENT(IN, 250, 1, 75),
		SAMPLE(300, 1, 4, 25, CHAIN, 100),
		EVENT(OUT, 301, 1, 2), /* others leave in time, or samples are lost */
		SAMPLE(400, 2, 7, 25, LEADER, 100),
		EVENT(OUT, 401, 2, 3),
		SAMPLE(500, 1, 9, 25, LEADER, 100),
	};
	struct world *world = calloc(1, sizeof(*world));

	open_world(world);
	for (size_t i = 0; i < COUNT(steps); i++)
		run_step(world, &steps[i]);
	chain_report_unseen(&world->chains, &world->identity, &world->findings);
	assert_int_equal(world->findings.of[FINDING_NEVER_LEFT].count, 2);
	ASSERT_STR(str_of(world->findings.of[FINDING_NEVER_LEFT].text),
		   "unattributed intervals after threads never seen switched out: "
		   "tid 75: 2");
	close_world(world);
	free(world);
}
