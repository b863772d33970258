/*
 * test_perf_sample_fast.c - lib/formats/perf/sample_fast.c and sample_run.c: a plain
 * switch, and one of a run, is what it is when it is decoded step by step.
 */
#include <stdlib.h>
#include <string.h>

#include "formats/formats.h"
#include "formats/perf/perf.h"
#include "unit.h"

#define SWITCHES_MAX 100000
#define VALUES_MAX 8

static const char *const traces[] = {
	SAMPLES_DIRECTORY "/perf/good-switch-group.data",
	SAMPLES_DIRECTORY "/perf/good-threads.data",
	SAMPLES_DIRECTORY "/perf/good-times.data",
	SAMPLES_DIRECTORY "/perf/good-lossy.data",
	SAMPLES_DIRECTORY "/perf/good-perftab.data",
	SAMPLES_DIRECTORY "/perf/good-perftab-tasks.data",
};

/* A switch with what it points to. */
struct seen {
	struct switch_event event; /* without its pointers */
	char prev_comm[32], next_comm[32];
	uint64_t values[VALUES_MAX];
	uint64_t offset;
};

struct pass {
	struct seen *seen;
	size_t count, plain; /* of them decoded by sample_fast.c */
	size_t in_runs;
	size_t others; /* other records */
	int64_t short_tails;
};

static void copy_comm(char to[32], struct str comm)
{
	snprintf(to, 32, "%s%.*s", comm.ptr ? "=" : "-", (int)comm.len,
		 comm.ptr ? comm.ptr : "");
}

static void see(struct pass *pass, const struct switch_event *event, uint64_t offset)
{
	struct seen *seen = &pass->seen[pass->count++];

	assert_true(pass->count < SWITCHES_MAX);
	assert_true(event->count <= VALUES_MAX);
	memset(seen, 0, sizeof(*seen));
	copy_comm(seen->prev_comm, event->prev_comm);
	copy_comm(seen->next_comm, event->next_comm);
	memcpy(seen->values, event->values, event->count * sizeof(seen->values[0]));
	seen->offset = offset;
	seen->event = *event;
	seen->event.values = NULL;
	seen->event.prev_comm = seen->event.next_comm = STR_NONE;
}

static void see_run(struct pass *pass, const struct run *run)
{
	assert_in_range(run->count, 2, RUN_SWITCHES_MAX);
	for (size_t at = 1; at <= run->count; at++) {
		struct switch_event event;

		run_to_event(run, at, &event);
		see(pass, &event, run_offset(run, at));
	}
	pass->in_runs += run->count;
}

enum road { SLOW, FAST, RUNS };

static void read_switches(const char *path, bool want_rows, enum road road,
			  struct pass *pass)
{
	static const struct reader_ops *const formats[] = { &perf_reader, NULL };
	const struct reader_options options = { .want_rows = want_rows };
	struct reader reader;
	struct record record;
	struct perf *perf;
	enum status status;

	pass->count = pass->plain = pass->others = pass->in_runs = 0;
	assert_int_equal(reader_open(&reader, path, &options, formats), ST_OK);
	perf = reader.state;
	reader.wants_runs = road == RUNS;
	if (road == SLOW) /* as if no sample had an id */
		perf->catalog.named_sample_bytes = SIZE_MAX;
	while ((status = reader_next(&reader, &record)) == ST_OK) {
		if (record.kind == RECORD_SWITCH)
			see(pass, record.data, record.offset);
		else if (record.kind == RECORD_RUN)
			see_run(pass, record.run);
		else
			pass->others++;
		pass->plain += perf->scratch.plain != NULL;
	}
	assert_int_equal(status, ST_END);
	pass->short_tails = reader.findings.of[FINDING_BAD_TAIL].count;
	reader_close(&reader);
}

#define SAME(field) assert_int_equal(a->event.field, b->event.field)

static void assert_same(const struct seen *a, const struct seen *b)
{
	assert_int_equal(a->offset, b->offset);
	SAME(ts_ns);
	SAME(cpu);
	SAME(stream);
	SAME(group_id);
	SAME(prev_tid);
	SAME(next_tid);
	SAME(prev_state);
	SAME(next_pid);
	SAME(prev_exited);
	SAME(per_task);
	SAME(on_one_cpu);
	SAME(is_final);
	SAME(never_rotated);
	SAME(every_switch);
	SAME(unread);
	SAME(suspect);
	SAME(is_read);
	SAME(sample_pid);
	SAME(sample_tid);
	SAME(enabled_ns);
	SAME(running_ns);
	SAME(leader_lost);
	SAME(detail_id);
	SAME(count);
	assert_string_equal(a->prev_comm, b->prev_comm);
	assert_string_equal(a->next_comm, b->next_comm);
	assert_memory_equal(a->values, b->values, sizeof(a->values));
}

UNIT_TEST(same)
{
	struct pass fast = { .count = 0 }, slow = { .count = 0 }, runs = { .count = 0 };
	size_t plain = 0, switches = 0, in_runs = 0;

	fast.seen = calloc(SWITCHES_MAX, sizeof(*fast.seen));
	slow.seen = calloc(SWITCHES_MAX, sizeof(*slow.seen));
	runs.seen = calloc(SWITCHES_MAX, sizeof(*runs.seen));
	assert_true(fast.seen && slow.seen && runs.seen);
	for (size_t i = 0; i < COUNT(traces); i++)
		for (int rows = 0; rows < 2; rows++) {
			read_switches(traces[i], rows, FAST, &fast);
			read_switches(traces[i], rows, SLOW, &slow);
			read_switches(traces[i], rows, RUNS, &runs);
			assert_int_equal(fast.count, slow.count);
			assert_int_equal(fast.others, slow.others);
			assert_int_equal(runs.count, slow.count);
			assert_int_equal(runs.others, slow.others);
			plain += fast.plain;
			switches += fast.count;
			in_runs += runs.in_runs;
			assert_int_equal(slow.plain, 0);
			for (size_t k = 0; k < fast.count; k++) {
				assert_same(&fast.seen[k], &slow.seen[k]);
				assert_same(&runs.seen[k], &slow.seen[k]);
			}
		}
	/* Most are plain, or the test would show nothing. */
	assert_true(plain > switches / 2);
	assert_true(in_runs > switches / 4);
	free(fast.seen);
	free(slow.seen);
	free(runs.seen);
}

/* Samples that lack a field of their type are each reported, whatever road they take. */
UNIT_TEST(short_tails)
{
	enum { WEIGHT = 1 << 14, TYPE_AT = 24 };
	struct pass pass = { .seen = calloc(SWITCHES_MAX, sizeof(*pass.seen)) };
	const char *path = unit_path("short.data");
	int64_t tails[RUNS + 1];
	uint64_t header[5], type;
	size_t size;
	char *bytes = unit_read_file(traces[0], &size);

	/* After magic and size: bytes of an attribute, place and size of all. */
	memcpy(header, bytes, sizeof(header));
	for (uint64_t at = header[3]; at < header[3] + header[4]; at += header[2]) {
		memcpy(&type, bytes + at + TYPE_AT, sizeof(type));
		type |= WEIGHT;
		memcpy(bytes + at + TYPE_AT, &type, sizeof(type));
	}
	unit_write_file(path, bytes, size);
	for (enum road road = SLOW; road <= RUNS; road++) {
		read_switches(path, true, road, &pass);
		assert_true(pass.count > 10);
		assert_true(pass.short_tails >= (int64_t)pass.count);
		tails[road] = pass.short_tails;
		assert_int_equal(tails[road], tails[SLOW]);
	}
	free(pass.seen);
}
