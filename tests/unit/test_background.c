/*
 * test_background.c - lib/base/background.h: jobs of one caller come one after the other,
 * on any thread, and two callers may share a thread.
 */
#include "base/background.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

#include "unit.h"

#define JOBS 200

/* What the jobs of one caller saw. */
struct log {
	pthread_t by[JOBS];
	int order[JOBS];
	int count;
	bool is_in; /* one is running; two at once would be wrong */
	bool overlapped;
};

struct note {
	struct log *log;
	int number;
};

static void note_one(void *context)
{
	struct note *note = context;
	struct log *log = note->log;

	log->overlapped |= log->is_in;
	log->is_in = true;
	sched_yield();
	log->by[log->count] = pthread_self();
	log->order[log->count++] = note->number;
	log->is_in = false;
}

/* A job that goes on until the gate opens. */
struct gate {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool is_begun, may_end;
};

static void hold(void *context)
{
	struct gate *gate = context;

	pthread_mutex_lock(&gate->lock);
	gate->is_begun = true;
	pthread_cond_broadcast(&gate->changed);
	while (!gate->may_end)
		pthread_cond_wait(&gate->changed, &gate->lock);
	pthread_mutex_unlock(&gate->lock);
}

static void wait_for_begin(struct gate *gate)
{
	pthread_mutex_lock(&gate->lock);
	while (!gate->is_begun)
		pthread_cond_wait(&gate->changed, &gate->lock);
	pthread_mutex_unlock(&gate->lock);
}

static void let_end(struct gate *gate)
{
	pthread_mutex_lock(&gate->lock);
	gate->may_end = true;
	pthread_cond_broadcast(&gate->changed);
	pthread_mutex_unlock(&gate->lock);
}

static void run_all(struct background *b, struct note *notes, struct log *log)
{
	for (int i = 0; i < JOBS; i++) {
		notes[i] = (struct note){ log, i };
		background_run(b, note_one, &notes[i]);
	}
}

static void check_order(const struct log *log)
{
	assert_int_equal(log->count, JOBS);
	assert_false(log->overlapped);
	for (int i = 0; i < JOBS; i++)
		assert_int_equal(log->order[i], i);
}

/* More of them than may wait at once, so that this thread has to help. */
UNIT_TEST(order)
{
	static const size_t threads[] = { 0, 2, 3, 100 };

	for (size_t i = 0; i < COUNT(threads); i++) {
		struct background *b;
		struct log log = { .count = 0 };
		struct note notes[JOBS];

		background_set_threads(threads[i]);
		b = background_start(BACKGROUND_WORKS);
		assert_non_null(b);
		run_all(b, notes, &log);
		background_wait(b, 0);
		check_order(&log);
		background_stop(b);
	}
	background_set_threads(0);
}

/* Then the caller does it. */
UNIT_TEST(one_thread)
{
	background_set_threads(1);
	assert_null(background_start(BACKGROUND_READS));
	background_set_threads(0);
}

UNIT_TEST(two_callers)
{
	struct log logs[2] = { { .count = 0 }, { .count = 0 } };
	struct note notes[2][JOBS];
	struct background *reads, *works;

	background_set_threads(2);
	reads = background_start(BACKGROUND_READS);
	works = background_start(BACKGROUND_WORKS);

	assert_non_null(reads);
	assert_non_null(works);
	for (int i = 0; i < JOBS; i++) {
		notes[0][i] = (struct note){ &logs[0], i };
		notes[1][i] = (struct note){ &logs[1], i };
		background_run(reads, note_one, &notes[0][i]);
		background_run(works, note_one, &notes[1][i]);
	}
	/* Either may go first. */
	background_stop(reads);
	check_order(&logs[0]);
	background_stop(works);
	check_order(&logs[1]);
	background_set_threads(0);
}

/* The one thread beside this is busy, so the job waited for runs here. */
UNIT_TEST(helps)
{
	struct gate gate = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false,
			     false };
	struct log log = { .count = 0 };
	struct note note = { &log, 0 };
	struct background *works, *reads;

	background_set_threads(2);
	works = background_start(BACKGROUND_WORKS);
	reads = background_start(BACKGROUND_READS);

	background_run(works, hold, &gate);
	wait_for_begin(&gate);
	background_run(reads, note_one, &note);
	background_wait(reads, 0);
	assert_int_equal(log.count, 1);
	assert_true(pthread_equal(log.by[0], pthread_self()));
	let_end(&gate);
	background_stop(works);
	background_stop(reads);
	background_set_threads(0);
}

/* A job that goes on until the other one that it asks for is over, or so many ms. */
struct needs {
	struct background *others;
	int most_ms;
	atomic_bool is_begun, is_done;
	pthread_t by;
};

static void note_other(void *context)
{
	struct needs *needs = context;

	needs->by = pthread_self();
	atomic_store(&needs->is_done, true);
}

static void need_other(void *context)
{
	struct needs *needs = context;

	atomic_store(&needs->is_begun, true);
	background_run(needs->others, note_other, needs);
	for (int i = 0; i < needs->most_ms && !atomic_load(&needs->is_done); i++)
		usleep(1000);
}

/* False: a thread that waits for such a job does none of this kind meanwhile. */
static bool is_done_meanwhile(enum background_kind kind, int most_ms)
{
	struct needs needs = { .most_ms = most_ms };
	struct background *works;
	bool is_done;

	background_set_threads(2);
	works = background_start(BACKGROUND_WORKS);
	needs.others = background_start(kind);
	background_run(works, need_other, &needs);
	while (!atomic_load(&needs.is_begun))
		sched_yield();
	background_wait(works, 0);
	is_done = atomic_load(&needs.is_done) && pthread_equal(needs.by, pthread_self());
	background_stop(works);
	background_stop(needs.others);
	background_set_threads(0);
	return is_done;
}

/* A thread that waits for a job does what that one asks for, unless that is long. */
UNIT_TEST(meanwhile)
{
	assert_true(is_done_meanwhile(BACKGROUND_READS, 10000));
	assert_true(is_done_meanwhile(BACKGROUND_SHORT, 10000));
	assert_false(is_done_meanwhile(BACKGROUND_WORKS, 20));
}

/* Counts jobs, and notes whose was the first one. */
struct turns {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	int count, first;
};

struct turn {
	struct turns *turns;
	int client;
};

static void note_turn(void *context)
{
	const struct turn *turn = context;
	struct turns *turns = turn->turns;

	pthread_mutex_lock(&turns->lock);
	if (turns->count++ == 0)
		turns->first = turn->client;
	pthread_cond_broadcast(&turns->changed);
	pthread_mutex_unlock(&turns->lock);
}

static void wait_for_turns(struct turns *turns, int count)
{
	pthread_mutex_lock(&turns->lock);
	while (turns->count < count)
		pthread_cond_wait(&turns->changed, &turns->lock);
	pthread_mutex_unlock(&turns->lock);
}

/* Two clients wait for the one thread, `queued` first: whose job runs first. */
static int first_of(const enum background_kind kinds[2], int queued)
{
	struct gate gate = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false,
			     false };
	struct turns turns = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0,
			       -1 };
	struct turn list[2] = { { &turns, 0 }, { &turns, 1 } };
	struct background *holds, *clients[2];

	background_set_threads(2);
	holds = background_start(BACKGROUND_WORKS);
	for (int i = 0; i < 2; i++)
		clients[i] = background_start(kinds[i]);
	background_run(holds, hold, &gate);
	wait_for_begin(&gate);
	for (int i = 0; i < 2; i++)
		background_run(clients[queued ^ i], note_turn, &list[queued ^ i]);
	let_end(&gate);
	wait_for_turns(&turns, 2);
	for (int i = 0; i < 2; i++)
		background_stop(clients[i]);
	background_stop(holds);
	background_set_threads(0);
	return turns.first;
}

/* Reading comes last, whichever was there first; of one kind, what was queued first. */
UNIT_TEST(turns)
{
	static const enum background_kind kinds[] = { BACKGROUND_WORKS, BACKGROUND_SHORT,
						      BACKGROUND_READS };

	for (size_t i = 0; i < COUNT(kinds); i++)
		for (size_t j = 0; j < COUNT(kinds); j++)
			for (int queued = 0; queued < 2; queued++)
				assert_int_equal(
					first_of((enum background_kind[]){ kinds[i],
									   kinds[j] },
						 queued),
					i == j ? queued : i > j);
}

/* Each has a thread, if there may be two: one may hold while the other goes on. */
UNIT_TEST(same_kind)
{
	struct gate gates[2] = {
		{ PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false, false },
		{ PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false, false },
	};
	struct background *first, *second;

	background_set_threads(3);
	first = background_start(BACKGROUND_WORKS);
	second = background_start(BACKGROUND_WORKS);

	background_run(first, hold, &gates[0]);
	background_run(second, hold, &gates[1]);
	wait_for_begin(&gates[0]);
	wait_for_begin(&gates[1]);
	let_end(&gates[0]);
	let_end(&gates[1]);
	background_stop(first);
	background_stop(second);
	background_set_threads(0);
}

/* Waiting until some are left returns while the last one is still going on. */
UNIT_TEST(left)
{
	struct gate gate = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false,
			     false };
	struct log log = { .count = 0 };
	struct note note = { &log, 0 };
	struct background *b = background_start(BACKGROUND_WORKS);

	background_run(b, note_one, &note);
	background_run(b, hold, &gate);
	background_wait(b, 1);
	assert_int_equal(log.count, 1);
	let_end(&gate);
	background_stop(b);
	background_stop(NULL);
}
