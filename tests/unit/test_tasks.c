/* test_tasks.c - tools/capture/linux/recorder/tasks.h, on a /proc that the test makes. */
#include "capture/linux/recorder/tasks.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "made_counters.h"
#include "unit.h"

#define ARMED_TICKS 500
#define RECORDS_MAX 64

struct fixture {
	struct made_counters made;
	struct bytes bytes;
};

/* What a record says; a COMM has a name, a FORK none. */
struct seen {
	int64_t pid, tid, parent_pid, parent_tid;
	uint64_t time_ns;
	char comm[64];
};

static void setup(struct fixture *f)
{
	unit_directory();
	made_counters_init(&f->made, NULL, 0);
}

static void teardown(struct fixture *f)
{
	made_counters_free(&f->made);
	bytes_release(&f->bytes);
}

UNIT_FIXTURE(struct fixture, setup, teardown);

/* The task's stat, whatever it holds; NULL: it ended after its folder was listed. */
static void make_task(int pid, int tid, const char *stat)
{
	char name[64];

	snprintf(name, sizeof(name), "%d/task/%d", pid, tid);
	unit_folder(name);
	snprintf(name, sizeof(name), "%d/task/%d/stat", pid, tid);
	if (stat)
		unit_write_file(unit_path(name), stat, strlen(stat));
}

/* As the kernel writes it, of a task that began `ticks` after boot. */
static const char *stat_of(int tid, const char *comm, int parent,
			   unsigned long long ticks)
{
	static char text[512];

	snprintf(text, sizeof(text),
		 "%d (%s) S %d 7 7 0 -1 4194560 100 0 0 0 5 6 0 0 20 0 1 0 %llu 1000 20 "
		 "18446744073709551615 1 1 0 0 0 0 0\n",
		 tid, comm, parent, ticks);
	return text;
}

static uint64_t tick_ns(void)
{
	return 1000000000u / (uint64_t)sysconf(_SC_CLK_TCK);
}

static int64_t get(const uint8_t *at, size_t bytes)
{
	int32_t narrow;
	int64_t wide;

	if (bytes == 4)
		memcpy(&narrow, at, 4);
	else
		memcpy(&wide, at, 8);
	return bytes == 4 ? narrow : wide;
}

/* The next record at *at, which moves after it. */
static struct seen next_record(const struct fixture *f, size_t *at, uint32_t type)
{
	const uint8_t *record = f->bytes.data + *at;
	struct perf_event_header header;
	struct seen seen = { 0 };
	const uint8_t *trailer;

	assert_true(*at + sizeof(header) <= f->bytes.size);
	memcpy(&header, record, sizeof(header));
	assert_int_equal(header.type, type);
	assert_int_equal(header.size % 8, 0);
	assert_true(*at + header.size <= f->bytes.size);
	seen.pid = get(record + 8, 4);
	if (type == PERF_RECORD_FORK) {
		seen.parent_pid = get(record + 12, 4);
		seen.tid = get(record + 16, 4);
		seen.parent_tid = get(record + 20, 4);
	} else {
		seen.tid = get(record + 12, 4);
		snprintf(seen.comm, sizeof(seen.comm), "%s", (const char *)record + 16);
	}
	/* After it as after every record: TID, TIME, CPU, IDENTIFIER. */
	trailer = record + header.size - 32;
	assert_int_equal(get(trailer, 4), seen.pid);
	assert_int_equal(get(trailer + 4, 4), seen.tid);
	seen.time_ns = (uint64_t)get(trailer + 8, 8);
	assert_int_equal(get(trailer + 24, 8), made_id(1, 0));
	*at += header.size;
	return seen;
}

/* All records: a FORK and a COMM of each task; returns how many tasks. */
static size_t read_all(const struct fixture *f, struct seen *comms, struct seen *forks)
{
	size_t at = 0, count = 0;

	while (at < f->bytes.size) {
		assert_true(count < RECORDS_MAX);
		forks[count] = next_record(f, &at, PERF_RECORD_FORK);
		comms[count] = next_record(f, &at, PERF_RECORD_COMM);
		assert_int_equal(forks[count].tid, comms[count].tid);
		assert_int_equal(forks[count].pid, comms[count].pid);
		assert_int_equal(forks[count].time_ns, 0);
		count++;
	}
	return count;
}

static const struct seen *find(const struct seen *seen, size_t count, int tid)
{
	for (size_t i = 0; i < count; i++)
		if (seen[i].tid == tid)
			return &seen[i];
	fail_msg("no record of task %d", tid);
	return NULL;
}

/* Names hold anything that fits: whatever is between the first ( and the last ). */
static const struct {
	int line;
	const char *comm, *shown;
} names[] = {
	{ ROW, "bash", "bash" },
	{ ROW, "", "" },
	{ ROW, "(sd-pam)", "(sd-pam)" },
	{ ROW, "a) S 99 (b", "a) S 99 (b" },
	{ ROW, "))))((((", "))))((((" },
	{ ROW, "two\nlines", "two\nlines" },
	{ ROW, " spaces ", " spaces " },
	{ ROW, "kworker/u8:1-writeback_of_a_long_", "kworker/u8:1-writeback_of_a_long_" },
	{ ROW, "0123456789012345678901234567890123456789012345678901234567890123456789",
	  "012345678901234567890123456789012345678901234567890123456789012" },
};

UNIT_CASE(names, struct fixture *f)
{
	struct seen comms[RECORDS_MAX], forks[RECORDS_MAX];
	size_t count;

	for (size_t i = 0; i < COUNT(names); i++)
		make_task((int)i + 10, (int)i + 10,
			  stat_of((int)i + 10, names[i].comm, 5, 100));
	tasks_write(&f->bytes, unit_path(""), &f->made.counters, 0,
		    ARMED_TICKS * tick_ns());
	count = read_all(f, comms, forks);
	assert_int_equal(count, COUNT(names));
	for (size_t i = 0; i < COUNT(names); i++) {
		const struct seen *comm = find(comms, count, (int)i + 10);

		ROW_TEXT(&names[i], comm->comm, names[i].shown);
		ROW_INT(&names[i], comm->time_ns != 0, 1);
		ROW_INT(&names[i], find(forks, count, (int)i + 10)->parent_pid, 5);
	}
}

/* A thread's parent is its process; that of the main thread is who forked it. */
UNIT_CASE(threads, struct fixture *f)
{
	struct seen comms[RECORDS_MAX], forks[RECORDS_MAX];
	const struct seen *fork;
	size_t count;

	make_task(20, 20, stat_of(20, "main", 1, 100));
	make_task(20, 21, stat_of(21, "worker", 1, 110));
	make_task(30, 30, stat_of(30, "other", 20, 120));
	unit_folder("not-a-number");
	unit_folder("self");
	tasks_write(&f->bytes, unit_path(""), &f->made.counters, 0,
		    ARMED_TICKS * tick_ns());
	count = read_all(f, comms, forks);
	assert_int_equal(count, 3);
	fork = find(forks, count, 21);
	assert_int_equal(fork->pid, 20);
	assert_int_equal(fork->parent_pid, 20);
	assert_int_equal(fork->parent_tid, 20);
	assert_string_equal(find(comms, count, 21)->comm, "worker");
	fork = find(forks, count, 30);
	assert_int_equal(fork->pid, 30);
	assert_int_equal(fork->parent_pid, 20);
	/* Only one process, with its threads. */
	f->bytes.size = 0;
	tasks_write(&f->bytes, unit_path(""), &f->made.counters, 20,
		    ARMED_TICKS * tick_ns());
	assert_int_equal(read_all(f, comms, forks), 2);
	f->bytes.size = 0;
	tasks_write(&f->bytes, unit_path(""), &f->made.counters, 99,
		    ARMED_TICKS * tick_ns());
	assert_int_equal(f->bytes.size, 0);
}

/* The kernel reports tasks that began once the tracker was armed. */
UNIT_CASE(beginnings, struct fixture *f)
{
	struct seen comms[RECORDS_MAX], forks[RECORDS_MAX];
	size_t count;

	make_task(40, 40, stat_of(40, "before", 1, ARMED_TICKS - 1));
	make_task(41, 41, stat_of(41, "same-tick", 1, ARMED_TICKS));
	make_task(42, 42, stat_of(42, "after", 1, ARMED_TICKS + 1));
	tasks_write(&f->bytes, unit_path(""), &f->made.counters, 0,
		    ARMED_TICKS * tick_ns());
	count = read_all(f, comms, forks);
	assert_int_equal(count, 2);
	(void)find(comms, count, 40);
	(void)find(comms, count, 41);
}

/* Ended while they were looked at, or no stat that one knows: no record, no crash. */
static const struct {
	int line;
	const char *stat;
} vanished[] = {
	{ ROW, NULL },
	{ ROW, "" },
	{ ROW, "50" },
	{ ROW, "50 (" },
	{ ROW, "50 )name( S 1" },
	{ ROW, "50 (name)" },
	{ ROW, "50 (name) " },
	{ ROW, "50 (name) S 1 2 3\n" },
};

UNIT_CASE(vanished, struct fixture *f)
{
	struct seen comms[RECORDS_MAX], forks[RECORDS_MAX];

	for (size_t i = 0; i < COUNT(vanished); i++)
		make_task(50 + (int)i, 50 + (int)i, vanished[i].stat);
	unit_folder("70"); /* without its folder of threads */
	make_task(71, 71, stat_of(71, "stays", 1, 1));
	tasks_write(&f->bytes, unit_path(""), &f->made.counters, 0,
		    ARMED_TICKS * tick_ns());
	assert_int_equal(read_all(f, comms, forks), 1);
	assert_int_equal(comms[0].tid, 71);
	f->bytes.size = 0;
	tasks_write(&f->bytes, unit_path("nowhere"), &f->made.counters, 0, 1);
	assert_int_equal(f->bytes.size, 0);
}

UNIT_TEST(tasks_of)
{
	struct error error = { .status = ST_OK };
	pid_t *tids;
	size_t count, sum = 0;

	for (int tid = 80; tid < 120; tid++)
		make_task(80, tid, NULL);
	assert_int_equal(tasks_of(unit_path(""), 80, &tids, &count, &error), ST_OK);
	assert_int_equal(count, 40);
	for (size_t i = 0; i < count; i++)
		sum += (size_t)tids[i];
	assert_int_equal(sum, 40 * 80 + 39 * 40 / 2);
	free(tids);
	assert_int_equal(tasks_of(unit_path(""), 81, &tids, &count, &error),
			 ST_UNSUPPORTED);
	assert_string_equal(error.text, "there is no process 81");
	/* Not 80, whose lower 32 bits it has. */
	error.status = ST_OK;
	assert_int_equal(tasks_of(unit_path(""), ((int64_t)1 << 32) + 80, &tids, &count,
				  &error),
			 ST_UNSUPPORTED);
	assert_string_equal(error.text, "there is no process 4294967376");
	assert_null(tids);
	assert_int_equal(count, 0);
}
