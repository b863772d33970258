/*
 * test_recorder.c - tools/capture/linux/recorder/recorder.c on mock rings: the last
 * round, what it counts, losses, and rings whose owner has ended.
 */
#include "capture/linux/recorder/recorder.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/formats.h"
#include "made_counters.h"
#include "unit.h"

#define RING_BYTES 4096u

static const char *const names[] = { "task-clock" };
static char *const words[] = { (char *)(uintptr_t) "perftab-capture", NULL };

struct mock_ring {
	struct perf_event_mmap_page page;
	_Alignas(8) uint8_t data[RING_BYTES];
};

struct fixture {
	struct made_counters made;
	struct mock_ring mocks[MADE_CPUS];
	struct ring rings[MADE_CPUS];
	struct pollfd polled[MADE_CPUS + RECORDER_POLLED_MORE];
	struct iovec pieces[2 * MADE_CPUS + 1];
	struct recorder recorder;
	struct perf_writer writer;
	struct bytes memory;
	struct error error;
	char warned[1000];
};

static void warn(void *context, const char *text)
{
	struct fixture *f = context;
	size_t used = strlen(f->warned);

	snprintf(f->warned + used, sizeof(f->warned) - used, "%s\n", text);
}

/* As recorder_open() and recorder_begin() leave it. */
static void setup(struct fixture *f)
{
	struct recorder *r = &f->recorder;

	made_counters_init(&f->made, names, COUNT(names));
	*r = (struct recorder){ .options = { .warn = warn, .context = f },
				.cpus = f->made.counters.request.cpus,
				.whole_cpus = true,
				.counters = f->made.counters,
				.ring_bytes = RING_BYTES,
				.rings = f->rings,
				.polled = f->polled,
				.pieces = f->pieces,
				.error = &f->error };
	r->workload.gate = r->workload.news = -1;
	for (size_t cpu = 0; cpu < MADE_CPUS; cpu++) {
		f->rings[cpu] = (struct ring){ &f->mocks[cpu].page, f->mocks[cpu].data,
					       RING_BYTES, 0, 0 };
		f->polled[cpu] = (struct pollfd){ .fd = -1, .events = POLLIN };
	}
	assert_int_equal(trace_facts_read(&r->facts, &r->counters, words, &f->error),
			 ST_OK);
	perf_writer_open_memory(&f->writer, &f->memory, &f->error);
	assert_int_equal(perf_writer_begin(&f->writer, &r->facts.written), ST_OK);
}

static void teardown(struct fixture *f)
{
	perf_writer_close(&f->writer);
	bytes_release(&f->memory);
	bytes_release(&f->recorder.kept);
	bytes_release(&f->recorder.gone);
	trace_facts_release(&f->recorder.facts);
	made_counters_free(&f->made);
}

UNIT_FIXTURE(struct fixture, setup, teardown);

/* --- what the kernel writes --- */

static void write_record(struct fixture *f, size_t cpu, uint32_t type,
			 const uint64_t *fields, size_t count)
{
	struct mock_ring *mock = &f->mocks[cpu];
	const struct perf_event_header header = { .type = type,
						  .size = (uint16_t)(8 + 8 * count) };

	memcpy(mock->data + mock->page.data_head % RING_BYTES, &header, sizeof(header));
	mock->page.data_head += 8;
	for (size_t i = 0; i < count; i++) {
		memcpy(mock->data + mock->page.data_head % RING_BYTES, &fields[i], 8);
		mock->page.data_head += 8;
	}
}
#define WRITE(f, cpu, type, ...)                                                        \
	write_record((f), (cpu), PERF_RECORD_##type, (const uint64_t[]){ __VA_ARGS__ }, \
		     sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t))

/* A switch of the software leader: its samples have an address. */
static void write_switch(struct fixture *f, size_t cpu, uint64_t ts_ns)
{
	WRITE(f, cpu, SAMPLE, made_id(0, cpu), 0xadd4e55, UINT64_C(7) << 32 | 7, ts_ns,
	      cpu, 2, ts_ns, ts_ns, 1, made_id(0, cpu), 5, made_id(1, cpu));
}

/* A switch of the tracepoint: none, but the thread's numbers after its counters. */
static void write_traced(struct fixture *f, size_t cpu, uint64_t ts_ns)
{
	WRITE(f, cpu, SAMPLE, made_id(0, cpu), UINT64_C(7) << 32 | 7, ts_ns, cpu, 2,
	      ts_ns, ts_ns, 1, made_id(0, cpu), 5, made_id(1, cpu), 0);
}

static size_t count_switches(const struct fixture *f)
{
	struct reader reader;
	struct record record;
	enum status status;
	size_t count = 0;

	assert_int_equal(reader_open_memory(&reader, f->memory.data, f->memory.size, NULL,
					    trace_formats),
			 ST_OK);
	while ((status = reader_next(&reader, &record)) == ST_OK)
		count += record.kind == RECORD_SWITCH;
	assert_int_equal(status, ST_END);
	assert_false(findings_damaged(&reader.findings));
	reader_close(&reader);
	return count;
}

/* --- tests --- */

/* Switches that come after the last round are written by the end. */
UNIT_CASE(last_round, struct fixture *f)
{
	const struct recorder_stats *stats = &f->recorder.stats;

	write_switch(f, 0, 1000);
	assert_int_equal(recorder_round(&f->recorder, &f->writer), ST_OK);
	assert_int_equal(stats->rounds, 1);
	write_switch(f, 1, 1500);
	write_switch(f, 0, 2000);
	assert_int_equal(recorder_end(&f->recorder, &f->writer), ST_OK);
	assert_int_equal(stats->samples, 3);
	assert_int_equal(stats->records, 3);
	assert_int_equal(stats->rounds, 2);
	for (size_t cpu = 0; cpu < MADE_CPUS; cpu++)
		assert_int_equal(f->mocks[cpu].page.data_tail,
				 f->mocks[cpu].page.data_head);
	assert_int_equal(count_switches(f), 3);
}

/* Nothing new: nothing is written. */
UNIT_CASE(empty_round, struct fixture *f)
{
	uint64_t before = f->writer.written;

	assert_int_equal(recorder_round(&f->recorder, &f->writer), ST_OK);
	assert_int_equal(f->recorder.stats.rounds, 0);
	assert_int_equal(f->writer.written, before);
}

/* The first and last time of all samples, in any order of the CPUs, by either leader. */
UNIT_TEST(times)
{
	struct fixture *f = *state;
	const struct perf_write_facts *facts = &f->recorder.facts.written;

	write_switch(f, 0, 3000);
	write_switch(f, 0, 9000);
	write_switch(f, 1, 2000);
	write_switch(f, 1, 4000);
	assert_int_equal(recorder_end(&f->recorder, &f->writer), ST_OK);
	assert_int_equal(facts->first_ns, 2000);
	assert_int_equal(facts->last_ns, 9000);
	f->recorder.stats = (struct recorder_stats){ .records = 0 };
	f->recorder.counters.tracepoint_leads = true;
	write_traced(f, 0, 30000);
	write_traced(f, 1, 20000);
	assert_int_equal(recorder_end(&f->recorder, &f->writer), ST_OK);
	assert_int_equal(facts->first_ns, 20000);
	assert_int_equal(facts->last_ns, 30000);
}

/* Records that say how much was lost. */
UNIT_CASE(losses_in_rings, struct fixture *f)
{
	WRITE(f, 0, LOST, made_id(0, 0), 5);
	WRITE(f, 1, LOST_SAMPLES, 3);
	write_switch(f, 1, 1000);
	WRITE(f, 1, LOST, made_id(0, 1), 1);
	assert_int_equal(recorder_end(&f->recorder, &f->writer), ST_OK);
	assert_int_equal(f->recorder.stats.lost, 9);
	assert_int_equal(f->recorder.stats.samples, 1);
	recorder_report_losses(&f->recorder);
	HAS(f->warned, "9 records were lost", "raise -m (now 4 KiB a CPU)");
}

/* perftab-analyze --live has no -m, and writes to no disk. */
UNIT_CASE(losses_live, struct fixture *f)
{
	f->recorder.options.is_live = true;
	WRITE(f, 0, LOST, made_id(0, 0), 5);
	write_switch(f, 1, 1000);
	assert_int_equal(recorder_end(&f->recorder, &f->writer), ST_OK);
	recorder_report_losses(&f->recorder);
	HAS(f->warned, "5 records were lost, the rings were full: count fewer events, "
		       "or run fewer programs beside it");
	assert_null(strstr(f->warned, "-m"));
}

UNIT_CASE(no_losses, struct fixture *f)
{
	write_switch(f, 1, 1000);
	assert_int_equal(recorder_end(&f->recorder, &f->writer), ST_OK);
	recorder_report_losses(&f->recorder);
	assert_string_equal(f->warned, "");
}

/* One read of the leader of CPU 0; the other CPU's fails. */
static void read_leader(struct fixture *f, uint64_t lost, uint64_t enabled,
			uint64_t running)
{
	const uint64_t group[] = { 2,	 enabled, running,	 1, made_id(0, 0),
				   lost, 1,	  made_id(1, 0), 0 };
	int fd;

	unit_write_file(unit_path("leader"), group, sizeof(group));
	fd = open(unit_path("leader"), O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	f->recorder.counters.supports.lost = true;
	f->recorder.counters.events[0].fds[0] = fd;
	*f->warned = '\0';
	recorder_report_losses(&f->recorder);
	close(fd);
}

/* What only the kernel's counters show: losses, and groups that waited. */
UNIT_CASE(losses_in_counters, struct fixture *f)
{
	read_leader(f, 7, 1000, 1000);
	HAS(f->warned, "7 records were lost");
	LACKS(f->warned, "turns", "PMU");
	/* Both count the same ones: the larger number. */
	f->recorder.stats.lost = 9;
	read_leader(f, 7, 1000, 1000);
	HAS(f->warned, "9 records were lost");
	f->recorder.stats.lost = 0;
	read_leader(f, 0, 1000, 250);
	HAS(f->warned, "was counting 25 % of the time");
	LACKS(f->warned, "lost");
	read_leader(f, 0, 1000, 0);
	HAS(f->warned, "a group never got onto the PMU");
	read_leader(f, 0, 0, 0);
	assert_string_equal(f->warned, "");
	/* A group that follows tasks waits wherever its task is not. */
	f->recorder.whole_cpus = false;
	read_leader(f, 0, 1000, 250);
	assert_string_equal(f->warned, "");
	read_leader(f, 0, 1000, 0);
	assert_string_equal(f->warned, "");
}

#define OFFLINE "offline\t1\t-\t-\t-\t-\t-\t-\n"

/* A read of counters whose CPU went offline has no bytes. */
UNIT_CASE(offline, struct fixture *f)
{
	int fd;

	unit_write_file(unit_path("gone"), "", 0);
	fd = open(unit_path("gone"), O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	f->recorder.counters.events[0].fds[1] = fd;
	recorder_report_losses(&f->recorder);
	HAS(f->warned, "CPU 1 went offline, and its counters with it");
	/* The trace says so too. */
	assert_int_equal(recorder_end(&f->recorder, &f->writer), ST_OK);
	close(fd);
	assert_non_null(memmem(f->memory.data, f->memory.size, OFFLINE, strlen(OFFLINE)));
}

/* A ring whose owner has ended is no longer polled; it would wake us for ever. */
UNIT_CASE(ended_owner, struct fixture *f)
{
	int ended[2], open_pipe[2];

	assert_int_equal(pipe(ended), 0);
	assert_int_equal(pipe(open_pipe), 0);
	close(ended[1]);
	f->polled[0].fd = ended[0];
	f->polled[1].fd = open_pipe[0];
	write_switch(f, 0, 1000);
	assert_int_equal(recorder_step(&f->recorder, &f->writer, 0), ST_OK);
	assert_int_equal(f->polled[0].fd, -1);
	assert_int_equal(f->polled[1].fd, open_pipe[0]);
	/* What it holds still goes out. */
	assert_int_equal(f->recorder.stats.samples, 1);
	write_switch(f, 0, 2000);
	assert_int_equal(recorder_step(&f->recorder, &f->writer, 0), ST_OK);
	assert_int_equal(f->recorder.stats.samples, 2);
	close(ended[0]);
	close(open_pipe[0]);
	close(open_pipe[1]);
}
