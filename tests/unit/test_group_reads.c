/*
 * test_group_reads.c - tools/capture/linux/recorder/group_reads.h: which reads between
 * switches are proven, and which thread they name.
 */
#include "capture/linux/recorder/group_reads.h"

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "made_counters.h"
#include "unit.h"

#define NEAR_NS 1000000u
#define NOT_KNOWN UINT32_MAX

/* One counter and its leader; CPU 0 alone has what a read(2) returns, one by one. */
struct fixture {
	struct made_counters counters;
	struct group_reads reads;
	struct bytes made;
	int ends[2];
	uint64_t enabled;
};

static void setup(struct fixture *f)
{
	static const char *const names[] = { "task-clock" };

	assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM, 0, f->ends), 0);
	made_counters_init(&f->counters, names, 1);
	f->counters.counters.events[0].fds[0] = f->ends[0];
	f->counters.counters.events[0].fds[1] = -1;
	f->enabled = 100;
	assert_true(group_reads_open(&f->reads, &f->counters.counters, getpid()));
}

static void teardown(struct fixture *f)
{
	group_reads_close(&f->reads);
	made_counters_free(&f->counters);
	bytes_release(&f->made);
	close(f->ends[0]);
	close(f->ends[1]);
}

UNIT_FIXTURE(struct fixture, setup, teardown);

/* A record of the ring of CPU 0. */
static bool on_record(struct fixture *f, const uint64_t *words, size_t count,
		      uint32_t type)
{
	static _Alignas(8) uint8_t data[256];
	const struct ring ring = { .data = data, .size = sizeof(data) };
	const struct perf_event_header header = { .type = type,
						  .size = (uint16_t)(8 + 8 * count) };

	memcpy(data, &header, sizeof(header));
	memcpy(data + 8, words, 8 * count);
	return group_reads_on_record(&f->reads, 0, &ring, 0, &header);
}

static void switched(struct fixture *f, uint64_t time_ns)
{
	const uint64_t words[] = { 0, 0, time_ns };

	assert_true(on_record(f, words, COUNT(words), PERF_RECORD_SWITCH_CPU_WIDE));
}

/* The tracker samples the clock: identifier, ip, thread, time. */
static void witnessed(struct fixture *f, uint32_t pid, uint32_t tid, uint64_t time_ns)
{
	const uint64_t words[] = { f->counters.counters.events[2].ids[0], 0,
				   (uint64_t)tid << 32 | pid, time_ns };

	assert_false(on_record(f, words, COUNT(words), PERF_RECORD_SAMPLE));
}

/* When it was read: nr, enabled, running, then {value, id} of each. */
static uint64_t read_now(struct fixture *f)
{
	const uint64_t values[] = { 2,	f->enabled,   f->enabled, 5, made_id(0, 0),
				    50, made_id(1, 0) };

	assert_int_equal(write(f->ends[1], values, sizeof(values)), sizeof(values));
	group_reads_make(&f->reads, true);
	return group_reads_last_ns(&f->reads, 0);
}

/* The same after some time that the group counted. */
static uint64_t read_later(struct fixture *f)
{
	f->enabled++;
	return read_now(f);
}

/* The thread that the only new record names; NOT_KNOWN - 1: there is none. */
static uint32_t put(struct fixture *f)
{
	uint32_t tid;

	f->made.size = 0;
	group_reads_put(&f->reads, &f->made);
	assert_false(f->made.failed);
	if (!f->made.size)
		return NOT_KNOWN - 1;
	memcpy(&tid, f->made.data + 12, sizeof(tid));
	return tid;
}
#define NO_RECORD (NOT_KNOWN - 1)

/* A switch near a read may be on either side of it. */
UNIT_TEST(near_switches)
{
	static const struct {
		int line;
		int64_t before, after; /* 0: none */
		uint32_t tid;
	} rows[] = {
		{ ROW, NEAR_NS + 1, 0, NOT_KNOWN },
		{ ROW, NEAR_NS, 0, NO_RECORD },
		{ ROW, 1, 0, NO_RECORD },
		{ ROW, 0, 0, NO_RECORD }, /* nothing is known of the CPU */
		{ ROW, NEAR_NS + 1, NEAR_NS + 1, NOT_KNOWN },
		{ ROW, NEAR_NS + 1, NEAR_NS, NO_RECORD },
		{ ROW, NEAR_NS + 1, 1, NO_RECORD },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct fixture *f = unit_alloc(sizeof(*f));
		uint64_t now;

		setup(f);
		now = read_now(f);
		if (rows[i].before)
			switched(f, now - (uint64_t)rows[i].before);
		if (rows[i].after)
			switched(f, now + (uint64_t)rows[i].after);
		ROW_INT(&rows[i], put(f), rows[i].tid);
		ROW_INT(&rows[i], put(f), NO_RECORD);
		teardown(f);
	}
}

/* A witness names the thread, if no switch came later. */
UNIT_CASE(witnesses, struct fixture *f)
{
	uint64_t now = read_now(f);

	switched(f, now - 3 * NEAR_NS);
	witnessed(f, 70, 71, now - 2 * NEAR_NS);
	assert_int_equal(put(f), 71);
	now = read_later(f);
	witnessed(f, 80, 81, now - 5 * NEAR_NS);
	switched(f, now - 4 * NEAR_NS);
	assert_int_equal(put(f), NOT_KNOWN);
}

/* What was learned after a read is of the next one. */
UNIT_CASE(after_a_read, struct fixture *f)
{
	uint64_t first = read_now(f), now;

	witnessed(f, 70, 71, first - 2 * NEAR_NS);
	switched(f, first + 1);
	assert_int_equal(put(f), NO_RECORD);
	do {
		now = read_later(f);
	} while (now <= first + 1 + NEAR_NS);
	assert_int_equal(put(f), NOT_KNOWN);
}

/* Its values are in the record: identifiers, and the thread again in the trailer. */
UNIT_CASE(records, struct fixture *f)
{
	uint64_t now = read_now(f), words[14];

	switched(f, now - 3 * NEAR_NS);
	witnessed(f, 70, 71, now - 2 * NEAR_NS);
	assert_int_equal(put(f), 71);
	assert_int_equal(f->made.size, sizeof(words) - 8);
	memcpy(words, f->made.data, f->made.size);
	assert_int_equal((uint32_t)words[0], PERF_RECORD_READ);
	assert_int_equal(words[0] >> 48, f->made.size);
	assert_true(words[1] == (UINT64_C(71) << 32 | 70));
	assert_int_equal(words[2], 2);
	assert_int_equal(words[3], 100);
	assert_int_equal(words[5], 5);
	assert_int_equal(words[6], made_id(0, 0));
	assert_int_equal(words[7], 50);
	assert_true(words[9] == words[1]);
	assert_true(words[10] == now);
	assert_int_equal(words[11], 0);
	assert_int_equal(words[12], made_id(0, 0));
}

/* A group whose time enabled is constant has stopped: its CPU went offline. */
UNIT_CASE(stopped, struct fixture *f)
{
	uint64_t now = read_now(f);

	switched(f, now - 3 * NEAR_NS);
	assert_int_equal(put(f), NOT_KNOWN);
	(void)read_now(f);
	assert_int_equal(put(f), NO_RECORD);
	(void)read_later(f);
	assert_int_equal(put(f), NOT_KNOWN);
}

/* --- tasks --- */

#define TASK 70

static pid_t tasks[] = { TASK };

static struct fixture *task_fixture(void)
{
	struct fixture *f = unit_alloc(sizeof(*f));

	setup(f);
	group_reads_close(&f->reads);
	f->counters.counters.supports.inherit = true;
	f->counters.counters.request.tids = tasks;
	f->counters.counters.request.tid_count = COUNT(tasks);
	assert_true(group_reads_open(&f->reads, &f->counters.counters, TASK));
	return f;
}

static void forked(struct fixture *f, uint64_t time_ns)
{
	const uint64_t words[] = { 0, 0, time_ns };

	assert_true(on_record(f, words, COUNT(words), PERF_RECORD_FORK));
}

/* A child ends: the times and counts of its group. */
static void ended(struct fixture *f, uint64_t id, uint64_t time_ns)
{
	const uint64_t words[] = { 0, 2,       30, 20, 1, id, 10, made_id(1, 0),
				   0, time_ns, 0,  id };

	assert_true(on_record(f, words, COUNT(words), PERF_RECORD_READ));
}

static uint64_t made_word(const struct fixture *f, size_t at)
{
	uint64_t word;

	memcpy(&word, f->made.data + 8 * at, sizeof(word));
	return word;
}

static pid_t missing(const struct fixture *f)
{
	uint64_t length_ns;

	return group_reads_missing(&f->reads, &length_ns);
}

UNIT_TEST(tasks_begin_at_zero)
{
	struct fixture *f = task_fixture();

	group_reads_arm(&f->reads, &f->made);
	assert_true(made_word(f, 1) == ((uint64_t)TASK << 32 | TASK));
	assert_int_equal(made_word(f, 3), 0);
	assert_int_equal(made_word(f, 5), 0);
	assert_int_equal(made_word(f, 6), made_id(0, 0));
	teardown(f);
}

/* A read of a task has the counts of its children: they are subtracted when they end. */
UNIT_TEST(children)
{
	struct fixture *f = task_fixture();
	uint64_t now;

	f->enabled = 1000;
	now = read_now(f);
	forked(f, now - 9 * NEAR_NS);
	assert_int_equal(put(f), NO_RECORD); /* it has not ended */
	assert_int_equal(missing(f), TASK);
	now = read_later(f);
	ended(f, 12345, now - 9 * NEAR_NS); /* of another group */
	assert_int_equal(put(f), NO_RECORD);
	now = read_later(f);
	ended(f, made_id(0, 0), now - NEAR_NS / 2); /* or after the read? */
	assert_int_equal(put(f), NO_RECORD);
	now += NEAR_NS;
	while (read_later(f) <= now)
		;
	assert_int_equal(put(f), TASK);
	assert_int_equal(missing(f), 0);
	assert_int_equal(made_word(f, 3), f->enabled - 30);
	assert_int_equal(made_word(f, 4), f->enabled - 20);
	assert_int_equal(made_word(f, 5), 5 - 1);
	assert_int_equal(made_word(f, 7), 50 - 10);
	forked(f, now); /* one more */
	(void)read_later(f);
	assert_int_equal(put(f), NO_RECORD);
	teardown(f);
}

/* Values of a moment that a switch followed may be of either side of it. */
UNIT_TEST(switches_of_tasks)
{
	struct fixture *f = task_fixture();
	uint64_t now = read_now(f);
	uint64_t words[] = { made_id(0, 0), 0, 0, now + 1 };

	assert_true(on_record(f, words, COUNT(words), PERF_RECORD_SAMPLE));
	assert_int_equal(put(f), NO_RECORD);
	assert_int_equal(missing(f), TASK);
	words[3] = read_later(f) - 1;
	assert_true(on_record(f, words, COUNT(words), PERF_RECORD_SAMPLE));
	assert_int_equal(put(f), TASK);
	teardown(f);
}
