/*
 * test_perf_write.c - lib/formats/perf/write.h and write_parts.h: a trace of
 * made-up counters is read back with this project's own reader.
 */
#include "formats/perf/write.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/linux/recorder/trace_facts.h"
#include "formats/formats.h"
#include "made_counters.h"
#include "unit.h"

#define COUNTERS 2 /* beside the leader */
#define ROUNDS 3
#define SWITCHES 10 /* a round and CPU */
#define SAMPLE_BYTES (72 + 16 * (COUNTERS + 1))
#define TABLE_BYTES_MAX (PERF_WRITE_FEATURES * 16)
#define TEXT_MAX 200

static const char *const names[COUNTERS] = { "task-clock", "page-faults:u" };
static char *const words[] = { (char *)(uintptr_t) "perftab-capture",
			       (char *)(uintptr_t) "perf", (char *)(uintptr_t) "a b\n",
			       NULL };

struct fixture {
	const char *path;
	struct made_counters made;
	struct trace_facts facts;
	struct perf_writer writer;
	struct error error;
	uint64_t now_ns;
	uint64_t values[MADE_CPUS][COUNTERS + 1];
	uint64_t sum; /* of all deltas but those of each CPU's first switch */
};

static void setup(struct fixture *f)
{
	f->path = unit_below(unit_directory(), "out.data");
	made_counters_init(&f->made, names, COUNTERS);
	assert_int_equal(trace_facts_read(&f->facts, &f->made.counters, words, &f->error),
			 ST_OK);
	f->facts.written.host = "made-up-host";
	f->writer.fd = -1;
	f->now_ns = 1000000000;
}

static void teardown(struct fixture *f)
{
	perf_writer_close(&f->writer);
	trace_facts_release(&f->facts);
	made_counters_free(&f->made);
}

UNIT_FIXTURE(struct fixture, setup, teardown);

/* --- records as the kernel writes them --- */

static void put_sample(struct bytes *to, struct fixture *f, size_t cpu, uint32_t tid)
{
	size_t start = perf_begin_record(to, PERF_RECORD_SAMPLE);

	bytes_u64(to, made_id(0, cpu));
	bytes_u64(to, 0); /* address */
	bytes_u32(to, tid);
	bytes_u32(to, tid);
	bytes_u64(to, f->now_ns += 1000);
	bytes_u32(to, (uint32_t)cpu);
	bytes_u32(to, 0);
	bytes_u64(to, COUNTERS + 1);
	bytes_u64(to, f->now_ns); /* enabled, running */
	bytes_u64(to, f->now_ns);
	for (size_t i = 0; i < COUNTERS + 1; i++) {
		uint64_t delta = i ? 1000 * i + tid : 1;

		if (f->values[cpu][0])
			f->sum += delta;
		bytes_u64(to, f->values[cpu][i] + delta);
		bytes_u64(to, made_id(i, cpu));
	}
	for (size_t i = 0; i < COUNTERS + 1; i++)
		f->values[cpu][i] += i ? 1000 * i + tid : 1;
	assert_true(perf_end_record(to, start));
}

/* SWITCHES of every CPU, each CPU's records in two pieces; a sample may be torn. */
static enum status put_round(struct fixture *f)
{
	struct bytes rings[MADE_CPUS] = { { .data = NULL } };
	struct iovec pieces[2 * MADE_CPUS];
	enum status status;

	for (size_t cpu = 0; cpu < MADE_CPUS; cpu++) {
		for (uint32_t i = 0; i < SWITCHES; i++)
			put_sample(&rings[cpu], f, cpu, 50 + i % 3);
		pieces[2 * cpu] = (struct iovec){ rings[cpu].data, 100 };
		pieces[2 * cpu + 1] =
			(struct iovec){ rings[cpu].data + 100, rings[cpu].size - 100 };
	}
	status = perf_writer_add_round(&f->writer, pieces, 2 * MADE_CPUS);
	for (size_t cpu = 0; cpu < MADE_CPUS; cpu++)
		bytes_release(&rings[cpu]);
	return status;
}

static enum status put_own(struct fixture *f)
{
	struct bytes own = { .data = NULL };
	size_t start = perf_begin_record(&own, PERF_RECORD_COMM);
	enum status status;

	bytes_u32(&own, 50);
	bytes_u32(&own, 50);
	bytes_put(&own, "fifty\0\0", 8);
	bytes_u32(&own, 50);
	bytes_u32(&own, 50);
	bytes_u64(&own, f->now_ns);
	bytes_u64(&own, 0);
	bytes_u64(&own, made_id(COUNTERS + 1, 0));
	assert_true(perf_end_record(&own, start));
	status = perf_writer_add(&f->writer, &own);
	bytes_release(&own);
	return status;
}

static enum status put_all(struct fixture *f)
{
	enum status status = perf_writer_begin(&f->writer, &f->facts.written);

	if (status == ST_OK)
		status = put_own(f);
	for (int i = 0; i < ROUNDS && status == ST_OK; i++)
		status = put_round(f);
	return status;
}

/* --- what a reader makes of it --- */

struct seen {
	char form[TEXT_MAX], status[TEXT_MAX], host[TEXT_MAX], command[TEXT_MAX];
	char recorder[TEXT_MAX], clock[TEXT_MAX];
	char first[TEXT_MAX], last[TEXT_MAX];  /* facts of SAMPLE_TIME */
	char units[TEXT_MAX], scale[TEXT_MAX]; /* of the counters that have them */
	char names[TEXT_MAX];		       /* of counters, with blanks */
	size_t comms, switches, lost;
	uint64_t sum; /* as the fixture's */
	bool damaged;
};

static void keep(char *to, struct str from)
{
	snprintf(to, TEXT_MAX, "%.*s", from.ptr ? (int)from.len : 0,
		 from.ptr ? from.ptr : "");
}

static void check_trace(struct seen *seen, const struct trace_row *row)
{
	keep(seen->form, row->form);
	keep(seen->status, row->status);
	keep(seen->host, row->host);
	keep(seen->command, row->command);
	keep(seen->recorder, row->recorder);
	keep(seen->clock, row->clock);
}

static void check_fact(struct seen *seen, const struct header_fact_row *row)
{
	if (str_equal(row->key, STR("SAMPLE_TIME first")))
		keep(seen->first, row->value);
	else if (str_equal(row->key, STR("SAMPLE_TIME last")))
		keep(seen->last, row->value);
	else if (str_equal(row->key, STR("EVENT_UPDATE scale")))
		keep(seen->scale, row->value);
}

static void check_switch(struct seen *seen, const struct switch_event *event,
			 uint64_t last[MADE_CPUS][COUNTERS + 1])
{
	assert_int_equal(event->count, COUNTERS + 1);
	assert_in_range(event->cpu, 0, MADE_CPUS - 1);
	for (size_t i = 0; i < event->count; i++) {
		if (last[event->cpu][0] || i)
			seen->sum += last[event->cpu][0]
					     ? event->values[i] - last[event->cpu][i]
					     : 0;
	}
	memcpy(last[event->cpu], event->values, sizeof(last[0]));
	seen->switches++;
}

/* A trace in a file, or, where `path` is NULL, in memory; false: it is refused. */
static bool read_back(const char *path, const struct bytes *memory, struct seen *seen)
{
	uint64_t last[MADE_CPUS][COUNTERS + 1] = { { 0 } };
	struct reader_options options = { .want_rows = true };
	struct reader reader;
	struct record record;
	enum status status;

	*seen = (struct seen){ .sum = 0 };
	status = path ? reader_open(&reader, path, &options, trace_formats)
		      : reader_open_memory(&reader, memory->data, memory->size, &options,
					   trace_formats);
	if (status != ST_OK)
		return false;
	while ((status = reader_next(&reader, &record)) == ST_OK) {
		const struct counter_row *counter = record.data;
		size_t used = strlen(seen->names);

		if (record.kind == RECORD_trace)
			check_trace(seen, record.data);
		else if (record.kind == RECORD_header_fact)
			check_fact(seen, record.data);
		else if (record.kind == RECORD_SWITCH)
			check_switch(seen, record.data, last);
		else if (record.kind == RECORD_counter)
			snprintf(seen->names + used, TEXT_MAX - used, "%.*s ",
				 (int)counter->name.len, counter->name.ptr);
		if (record.kind == RECORD_counter && counter->unit.ptr)
			snprintf(seen->units + strlen(seen->units),
				 TEXT_MAX - strlen(seen->units), "%.*s: %.*s ",
				 (int)counter->name.len, counter->name.ptr,
				 (int)counter->unit.len, counter->unit.ptr);
		seen->comms += record.kind == RECORD_TASK_COMM;
		seen->lost += record.kind == RECORD_LOSS;
	}
	assert_int_equal(status, ST_END);
	seen->damaged = findings_damaged(&reader.findings);
	reader_close(&reader);
	return true;
}

/* All that was put is there. */
static void assert_all(const struct fixture *f, const struct seen *seen, const char *form,
		       int rounds)
{
	assert_string_equal(seen->form, form);
	assert_string_equal(seen->host, "made-up-host");
	HAS(seen->command, "perftab-capture perf");
	assert_int_equal(strncmp(seen->recorder, "perftab ", 8), 0);
	assert_string_equal(seen->names,
			    "context-switches task-clock page-faults:u dummy:HG ");
	assert_int_equal(seen->switches, rounds * MADE_CPUS * SWITCHES);
	assert_int_equal(seen->comms, 1);
	if (rounds == ROUNDS)
		assert_true(seen->sum == f->sum);
}

/* --- a file --- */

UNIT_CASE(file, struct fixture *f)
{
	struct seen seen;
	char last[TEXT_MAX];

	for (int level = 0; level < 2; level++) {
		f->facts.written.compression_level = (uint32_t)level;
		f->sum = 0;
		memset(f->values, 0, sizeof(f->values));
		assert_int_equal(perf_writer_open(&f->writer, f->path, level, &f->error),
				 ST_OK);
		assert_int_equal(put_all(f), ST_OK);
		f->facts.written.first_ns = 1000000000;
		f->facts.written.last_ns = f->now_ns;
		assert_int_equal(perf_writer_finish(&f->writer, &f->facts.written),
				 ST_OK);
		perf_writer_close(&f->writer);
		assert_true(read_back(f->path, NULL, &seen));
		assert_all(f, &seen, "file", ROUNDS);
		assert_string_equal(seen.status, "complete");
		assert_string_equal(seen.first, "1000000000 ns");
		snprintf(last, sizeof(last), "%llu ns", (unsigned long long)f->now_ns);
		assert_string_equal(seen.last, last);
		assert_false(seen.damaged);
		LACKS(seen.recorder, "unfinished");
	}
}

/* What the kernel says of an event of energy. */
UNIT_CASE(units, struct fixture *f)
{
	struct perf_write_event events[COUNTERS + 2];
	struct seen seen;

	assert_int_equal(f->facts.written.event_count, COUNT(events));
	memcpy(events, f->facts.written.events, sizeof(events));
	f->facts.written.events = events;
	events[2].unit = "Joules";
	events[2].scale = 0.25;
	assert_int_equal(perf_writer_open(&f->writer, f->path, 0, &f->error), ST_OK);
	assert_int_equal(put_all(f), ST_OK);
	assert_int_equal(perf_writer_finish(&f->writer, &f->facts.written), ST_OK);
	perf_writer_close(&f->writer);
	assert_true(read_back(f->path, NULL, &seen));
	assert_all(f, &seen, "file", ROUNDS);
	assert_string_equal(seen.units, "task-clock: ns page-faults:u: Joules ");
	assert_string_equal(seen.scale, "page-faults:u: 0.25");
}

/* Readable after each step, with all that was put so far. */
UNIT_CASE(every_moment, struct fixture *f)
{
	struct seen seen;

	assert_int_equal(perf_writer_open(&f->writer, f->path, 0, &f->error), ST_OK);
	assert_int_equal(perf_writer_begin(&f->writer, &f->facts.written), ST_OK);
	assert_true(read_back(f->path, NULL, &seen));
	assert_int_equal(seen.switches, 0);
	assert_int_equal(put_own(f), ST_OK);
	for (int rounds = 1; rounds <= ROUNDS; rounds++) {
		assert_int_equal(put_round(f), ST_OK);
		assert_true(read_back(f->path, NULL, &seen));
		assert_all(f, &seen, "file", rounds);
		HAS(seen.recorder, "unfinished");
		assert_string_equal(seen.last, ""); /* not known yet */
	}
}

/* Cut anywhere: the records before the cut are read, or the file is refused. */
UNIT_CASE(cut, struct fixture *f)
{
	const char *cut = unit_path("cut.data");
	struct seen seen;
	size_t size, last = 0, data_begin;
	char *bytes;

	assert_int_equal(perf_writer_open(&f->writer, f->path, 0, &f->error), ST_OK);
	assert_int_equal(put_all(f), ST_OK);
	data_begin = f->writer.data_begin;
	perf_writer_close(&f->writer);
	bytes = unit_read_file(f->path, &size);
	for (size_t length = 0; length < size; length += 97) {
		unit_write_file(cut, bytes, length);
		if (!read_back(cut, NULL, &seen)) {
			assert_true(length <= data_begin);
			continue;
		}
		assert_true(seen.switches >= last);
		last = seen.switches;
		assert_string_equal(seen.status, "partial");
	}
	assert_int_equal(last, ROUNDS * MADE_CPUS * SWITCHES);
}

/* What had the name before is kept, once. */
UNIT_CASE(keeps_old, struct fixture *f)
{
	const char *old = unit_path("out.data.old");
	char *text;
	size_t size;

	unit_write_file(f->path, "one", 3);
	assert_int_equal(perf_writer_open(&f->writer, f->path, 0, &f->error), ST_OK);
	perf_writer_close(&f->writer);
	text = unit_read_file(old, &size);
	assert_string_equal(text, "one");
	/* An empty file is nothing to be kept. */
	assert_int_equal(perf_writer_open(&f->writer, f->path, 0, &f->error), ST_OK);
	perf_writer_close(&f->writer);
	text = unit_read_file(old, &size);
	assert_string_equal(text, "one");
}

UNIT_CASE(cannot_create, struct fixture *f)
{
	assert_int_equal(
		perf_writer_open(&f->writer, unit_path("no/where"), 0, &f->error), ST_IO);
	HAS(f->error.text, "No such file or directory");
	f->error = (struct error){ .status = ST_OK };
	assert_int_equal(perf_writer_open(&f->writer, unit_path(""), 0, &f->error),
			 ST_IO);
	HAS(f->error.text, "Is a directory");
}

/* --- a pipe, and memory --- */

UNIT_CASE(memory, struct fixture *f)
{
	struct bytes memory = { .data = NULL };
	struct seen seen;

	perf_writer_open_memory(&f->writer, &memory, &f->error);
	assert_int_equal(put_all(f), ST_OK);
	assert_int_equal(perf_writer_finish(&f->writer, &f->facts.written), ST_OK);
	assert_int_equal(f->writer.written, memory.size);
	assert_true(read_back(NULL, &memory, &seen));
	assert_all(f, &seen, "pipe", ROUNDS);
	assert_string_equal(seen.status, "complete");
	assert_false(seen.damaged);
	bytes_release(&memory);
}

UNIT_CASE(pipe, struct fixture *f)
{
	for (int level = 0; level < 2; level++) {
		struct bytes memory = { .data = NULL };
		struct seen seen;
		char path[64];
		ssize_t got;
		int ends[2];

		f->sum = 0;
		memset(f->values, 0, sizeof(f->values));
		f->facts.written.compression_level = (uint32_t)level;
		assert_int_equal(pipe(ends), 0);
		snprintf(path, sizeof(path), "/dev/fd/%d", ends[1]);
		assert_int_equal(perf_writer_open(&f->writer, path, level, &f->error),
				 ST_OK);
		assert_true(f->writer.is_pipe);
		close(ends[1]);
		assert_int_equal(put_all(f), ST_OK); /* less than a pipe holds */
		assert_int_equal(perf_writer_finish(&f->writer, &f->facts.written),
				 ST_OK);
		perf_writer_close(&f->writer);
		do {
			got = read(ends[0], bytes_extend(&memory, 4096), 4096);
			memory.size -= 4096 - (size_t)(got > 0 ? got : 0);
		} while (got > 0);
		close(ends[0]);
		assert_true(read_back(NULL, &memory, &seen));
		assert_all(f, &seen, "pipe", ROUNDS);
		assert_string_equal(seen.status, "complete");
		bytes_release(&memory);
	}
}

UNIT_CASE(closed_pipe, struct fixture *f)
{
	char path[64];
	int ends[2];

	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(pipe(ends), 0);
	snprintf(path, sizeof(path), "/dev/fd/%d", ends[1]);
	assert_int_equal(perf_writer_open(&f->writer, path, 0, &f->error), ST_OK);
	close(ends[1]);
	assert_int_equal(perf_writer_begin(&f->writer, &f->facts.written), ST_OK);
	assert_false(f->writer.pipe_closed);
	close(ends[0]);
	assert_int_equal(put_round(f), ST_IO);
	assert_true(f->writer.pipe_closed);
	HAS(f->error.text, "Broken pipe");
}

/* --- a disk that is full --- */

/* As the header has it. */
static uint64_t end_of_data(const char *path)
{
	size_t size;
	char *bytes = unit_read_file(path, &size);
	uint64_t section[2];

	assert_true(size > 56);
	memcpy(section, bytes + 40, sizeof(section));
	assert_true(section[0] + section[1] < size); /* the table */
	return section[0] + section[1];
}

/* Wherever writing fails, the file has all records that were whole before. */
UNIT_CASE(full, struct fixture *f)
{
	struct rlimit before, limit;
	struct seen seen;
	size_t full, fails = 0, parts = 0;

	assert_int_equal(perf_writer_open(&f->writer, f->path, 0, &f->error), ST_OK);
	assert_int_equal(put_all(f), ST_OK);
	full = f->writer.written;
	perf_writer_close(&f->writer);
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &before);
	limit = before;
	for (size_t room = 0; room < full + 1000; room += 211) {
		uint64_t whole = 0; /* where the data of whole rounds ends */
		uint64_t kept, in_round;
		enum status status;
		int rounds = 0;

		(void)unlink(f->path);
		f->error = (struct error){ .status = ST_OK };
		memset(f->values, 0, sizeof(f->values));
		limit.rlim_cur = room;
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
		assert_int_equal(perf_writer_open(&f->writer, f->path, 0, &f->error),
				 ST_OK);
		status = perf_writer_begin(&f->writer, &f->facts.written);
		if (status == ST_OK)
			status = put_own(f);
		while (status == ST_OK && rounds < ROUNDS) {
			whole = f->writer.written;
			status = put_round(f);
			rounds += status == ST_OK;
		}
		kept = f->writer.written;
		in_round = status == ST_OK ? 0 : f->writer.kept;
		perf_writer_close(&f->writer);
		setrlimit(RLIMIT_FSIZE, &before);
		if (status != ST_OK) {
			fails++;
			assert_int_equal(status, ST_IO);
			HAS(f->error.text, "File too large", "cannot write after ");
		}
		if (rounds == 0)
			continue; /* nothing was promised yet */
		assert_true(read_back(f->path, NULL, &seen));
		assert_int_equal(end_of_data(f->path), kept);
		if (status == ST_OK || !in_round) {
			assert_int_equal(seen.switches, rounds * MADE_CPUS * SWITCHES);
			assert_true(status == ST_OK || kept == whole);
			continue;
		}
		parts++;
		assert_int_equal(kept, whole + in_round + 8); /* FINISHED_ROUND */
		assert_int_equal(in_round % SAMPLE_BYTES, 0);
		assert_int_equal(seen.switches, rounds * MADE_CPUS * SWITCHES +
							(int)(in_round / SAMPLE_BYTES));
		/* Another record and what follows them did not fit. */
		assert_true(kept + SAMPLE_BYTES + 2 * TABLE_BYTES_MAX > room);
	}
	assert_true(fails > 20 && parts > 10);
}

/* Who cannot write the features at the end still has all records. */
UNIT_CASE(full_at_the_end, struct fixture *f)
{
	struct rlimit before, limit;
	struct seen seen;

	assert_int_equal(perf_writer_open(&f->writer, f->path, 0, &f->error), ST_OK);
	assert_int_equal(put_all(f), ST_OK);
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &before);
	limit = before;
	limit.rlim_cur = f->writer.written + 300; /* the table, not the features */
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	assert_int_equal(perf_writer_finish(&f->writer, &f->facts.written), ST_IO);
	setrlimit(RLIMIT_FSIZE, &before);
	/* The table that was after the data is there again. */
	assert_int_equal(end_of_data(f->path), f->writer.written);
	perf_writer_close(&f->writer);
	assert_true(read_back(f->path, NULL, &seen));
	assert_all(f, &seen, "file", ROUNDS);
	HAS(seen.recorder, "unfinished");
}

/* --- parts --- */

/* A feature that is longer than a record is left out of the description. */
UNIT_CASE(long_feature, struct fixture *f)
{
	struct bytes memory = { .data = NULL };
	char *longest = malloc(70000), *many[] = { longest, NULL };
	struct seen seen;

	memset(longest, 'x', 69999);
	longest[69999] = '\0';
	f->facts.written.command = many;
	perf_writer_open_memory(&f->writer, &memory, &f->error);
	assert_int_equal(put_all(f), ST_OK);
	assert_true(read_back(NULL, &memory, &seen));
	assert_int_equal(seen.switches, ROUNDS * MADE_CPUS * SWITCHES);
	assert_string_equal(seen.host, "made-up-host");
	assert_string_equal(seen.command, "");
	assert_false(seen.damaged);
	bytes_release(&memory);
	free(longest);
}

/* Attributes are as short as old readers know them, unless more is said in them. */
UNIT_CASE(attr_bytes, struct fixture *f)
{
	assert_int_equal(perf_write_attr_bytes(&f->facts.written), 112);
	f->made.counters.events[1].attr.sig_data = 1;
	assert_int_equal(perf_write_attr_bytes(&f->facts.written),
			 sizeof(struct perf_event_attr));
}

UNIT_TEST(record_too_long)
{
	struct bytes bytes = { .data = NULL };
	size_t start;

	bytes_u64(&bytes, 1);
	start = perf_begin_record(&bytes, PERF_RECORD_COMM);
	bytes_zero(&bytes, 65520);
	assert_true(perf_end_record(&bytes, start));
	start = perf_begin_record(&bytes, PERF_RECORD_COMM);
	bytes_zero(&bytes, 65528);
	assert_false(perf_end_record(&bytes, start));
	assert_int_equal(bytes.size, 8 + 65528);
	bytes_release(&bytes);
}
