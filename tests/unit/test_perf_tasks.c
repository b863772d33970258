/*
 * test_perf_tasks.c - lib/formats/perf: records of tasks and CPUs with and without a
 * trailer, names of events, and the groups that samples read.
 */
#include <stdlib.h>
#include <string.h>

#include "formats/perf/records.h"
#include "formats/perf/tracepoints.h"
#include "perf_stream.h"

#define LEADER_ID 11
#define MEMBER_ID 12
#define MISC_13 (1u << 13)
#define MISC_14 (1u << 14)

/* A group of two, on two CPUs; and an event of no group. */
static void begin(struct perf_stream_bytes *stream, uint64_t flags)
{
	struct perf_stream_event event = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_SW_CONTEXT_SWITCHES,
		.period = 1,
		.sample_type =
			PERF_IDENTIFIER | PERF_TID | PERF_TIME | PERF_CPU | PERF_READ,
		.read_format = PERF_READ_GROUP | PERF_READ_ID,
		.flags = flags,
		.ids = { LEADER_ID, 21 },
	};

	perf_stream_begin(stream);
	perf_stream_attr(stream, &event);
	event.config = PERF_SW_CPU_CLOCK;
	event.period = 0;
	event.ids[0] = MEMBER_ID;
	event.ids[1] = 22;
	perf_stream_attr(stream, &event);
	event.ids[0] = 13;
	event.ids[1] = 23;
	perf_stream_attr(stream, &event);
}

#define TRAILER(tid, time, cpu) PAIR(tid, tid), time, PAIR(cpu, 0), LEADER_ID

/* The only record of a kind. */
struct one {
	union {
		struct task_comm_event comm;
		struct switch_in_event in;
		struct throttled_event throttled;
		struct loss_event loss;
	};
	size_t bytes;
};

static void on_one(void *context, const struct record *record)
{
	struct one *one = context;

	memcpy(one, record->data, one->bytes);
}

#define READ_ONE(stream, kind, of, one)                                              \
	do {                                                                         \
		struct reader reader;                                                \
		(one)->bytes = sizeof((one)->of);                                    \
		perf_stream_open(&reader, (stream), false);                          \
		assert_int_equal(perf_stream_read(&reader, kind, on_one, (one)), 1); \
		reader_close(&reader);                                               \
	} while (0)

static void put(struct perf_stream_bytes *stream, uint32_t type, unsigned int misc,
		const uint64_t *words, size_t count)
{
	perf_stream_record(stream, type, (uint16_t)misc, words, count);
}

/* --- records --- */

/* Of the bits of misc one says that the name is that of a program that was executed. */
UNIT_TEST(names)
{
	static const struct {
		int line;
		unsigned int misc;
		bool is_exec;
	} rows[] = {
		{ ROW, 0, false }, { ROW, MISC_13, true },     { ROW, MISC_14, false },
		{ ROW, 2, false }, { ROW, MISC_13 | 2, true },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		const uint64_t words[] = { PAIR(70, 71), 0x656d616e,
					   TRAILER(71, 500, 1) };
		struct perf_stream_bytes stream;
		struct one one;

		begin(&stream, PERF_FLAG_SAMPLE_ID_ALL);
		put(&stream, PERF_RECORD_COMM, rows[i].misc, words, COUNT(words));
		READ_ONE(&stream, RECORD_TASK_COMM, comm, &one);
		ROW_INT(&rows[i], one.comm.is_exec, rows[i].is_exec);
		ROW_INT(&rows[i], one.comm.pid, 70);
		ROW_INT(&rows[i], one.comm.tid, 71);
		ROW_INT(&rows[i], one.comm.ts_ns, 500);
	}
}

UNIT_TEST(switches)
{
	const uint64_t words[] = { PAIR(80, 81), TRAILER(71, 500, 3) };
	struct perf_stream_bytes stream;
	struct one one;

	begin(&stream, PERF_FLAG_SAMPLE_ID_ALL);
	put(&stream, PERF_RECORD_SWITCH_CPU_WIDE, MISC_13 | MISC_14, words, COUNT(words));
	READ_ONE(&stream, RECORD_SWITCH_IN, in, &one);
	assert_int_equal(one.in.ts_ns, 500);
	assert_int_equal(one.in.cpu, 3);
	assert_int_equal(one.in.tid, 71);
	assert_false(one.in.in);
	assert_true(one.in.preempted);
	assert_int_equal(one.in.next_tid, 81);
	begin(&stream, PERF_FLAG_SAMPLE_ID_ALL);
	put(&stream, PERF_RECORD_SWITCH, 0, words + 1, COUNT(words) - 1);
	READ_ONE(&stream, RECORD_SWITCH_IN, in, &one);
	assert_true(one.in.in);
	assert_false(one.in.preempted);
	assert_int_equal(one.in.next_tid, INT_NONE);
}

/* Without a trailer a record is of the CPU that ID_INDEX has for its stream. */
UNIT_TEST(throttled)
{
	for (uint32_t type = PERF_RECORD_THROTTLE; type <= PERF_RECORD_UNTHROTTLE;
	     type++) {
		const uint64_t words[] = { 500, 22, 22 };
		struct perf_stream_bytes stream;
		struct one one;

		begin(&stream, 0);
		PUT_RECORD(&stream, ID_INDEX, 1, 22, 0, 6, UINT64_MAX);
		put(&stream, type, 0, words, COUNT(words));
		READ_ONE(&stream, RECORD_THROTTLED, throttled, &one);
		assert_int_equal(one.throttled.ts_ns, 500);
		assert_int_equal(one.throttled.cpu, 6);
		assert_int_equal(one.throttled.counter_id, 2);
		assert_int_equal(one.throttled.throttled, type == PERF_RECORD_THROTTLE);
	}
}

/* LOST_SAMPLES name their stream in the trailer alone. */
UNIT_TEST(lost_samples)
{
	const uint64_t words[] = { 5, PAIR(7, 7), 600, PAIR(2, 0), MEMBER_ID };
	struct perf_stream_bytes stream;
	struct one one;

	begin(&stream, PERF_FLAG_SAMPLE_ID_ALL);
	put(&stream, PERF_RECORD_LOST_SAMPLES, 0, words, COUNT(words));
	READ_ONE(&stream, RECORD_LOSS, loss, &one);
	ASSERT_STR(one.loss.record, "LOST_SAMPLES");
	assert_int_equal(one.loss.events, 5);
	assert_int_equal(one.loss.ts_ns, 600);
	assert_int_equal(one.loss.cpu, 2);
	assert_int_equal(one.loss.counter_id, 2);
}

/* A record that is shorter than its trailer has none. */
UNIT_TEST(shorter_than_its_trailer)
{
	struct perf_stream_bytes stream;
	struct one one;

	begin(&stream, PERF_FLAG_SAMPLE_ID_ALL);
	PUT_RECORD(&stream, ID_INDEX, 1, LEADER_ID, 0, 6, UINT64_MAX);
	PUT_RECORD(&stream, LOST, LEADER_ID, 5);
	READ_ONE(&stream, RECORD_LOSS, loss, &one);
	assert_int_equal(one.loss.events, 5);
	assert_int_equal(one.loss.ts_ns, INT_NONE);
	assert_int_equal(one.loss.cpu, 6);
	assert_int_equal(one.loss.counter_id, 1);
}

/* The time of FORK and EXIT is in their bodies; that of others is in the trailer. */
UNIT_TEST(times_of_records)
{
	static const struct {
		int line;
		uint32_t type;
		int64_t time;
	} rows[] = { { ROW, PERF_RECORD_FORK, 500 },
		     { ROW, PERF_RECORD_EXIT, 500 },
		     { ROW, PERF_RECORD_COMM, 900 } };
	const uint64_t words[] = { 0, PAIR(1, 1), PAIR(1, 1), 500, TRAILER(1, 900, 0) };
	struct perf_event event = { .sample_type = PERF_IDENTIFIER | PERF_TID |
						   PERF_TIME | PERF_CPU,
				    .flags = PERF_FLAG_SAMPLE_ID_ALL };
	struct perf_event *events[] = { &event };
	struct perf_catalog catalog = { .events = events,
					.event_count = 1,
					.id_in_trailer = 8 };

	assert_int_equal(perf_trailer_bytes(&catalog), 32);
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct perf_header header = { .type = rows[i].type,
						    .size = sizeof(words) };

		ROW_INT(&rows[i],
			perf_record_time(&catalog, (const uint8_t *)words, &header),
			rows[i].time);
	}
}

/* --- events --- */

/* perf has no names for higher bits of config. */
UNIT_TEST(names_of_caches)
{
	static const struct {
		int line;
		uint64_t config;
		const char *name;
	} rows[] = {
		{ ROW, 0x000000, "name='L1-dcache-loads'" },
		{ ROW, 0x000200, "name='L1-dcache-prefetches'" },
		{ ROW, 0x010103, "name='dTLB-store-misses'" },
		{ ROW, 0x010006, "name='node-load-misses'" },
		{ ROW, 0x000007, "name='type3:0x7'" },
		{ ROW, 0x000300, "name='type3:0x300'" },
		{ ROW, 0x020000, "name='type3:0x20000'" },
		{ ROW, 0x1000000, "name='type3:0x1000000'" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct perf_stream_event event = {
			.type = 3, /* PERF_TYPE_HW_CACHE */
			.config = rows[i].config,
			.period = 1000,
			.sample_type = PERF_TID | PERF_TIME | PERF_CPU,
			.flags = 1 << 20, /* exclude_guest, as perf sets it */
		};
		struct perf_stream_bytes stream;
		struct unit_notes notes;

		perf_stream_begin(&stream);
		perf_stream_attr(&stream, &event);
		PUT_RECORD(&stream, SAMPLE, PAIR(7, 7), 100, 0);
		notes = perf_stream_rows(&stream);
		ROW_HAS(&rows[i], unit_notes_of(&notes, "counter"), rows[i].name);
	}
}

UNIT_TEST(a_new_id_is_of_no_cpu)
{
	struct perf_catalog catalog = { .event_count = 0 };
	uint8_t bytes[64] = { 0 };
	struct cursor attr = cursor_over(bytes, sizeof(bytes), 0, false);
	struct perf_event *event = perf_add_event(&catalog, &attr);

	assert_non_null(event);
	assert_true(perf_add_id(&catalog, event, 5));
	assert_int_equal(perf_find_stream(&catalog, 5)->cpu, INT_NONE);
	assert_int_equal(perf_find_stream(&catalog, 5)->task, INT_NONE);
	assert_null(perf_find_stream(&catalog, 6));
	free(catalog.events);
	map_release(&catalog.streams);
	map_release(&catalog.names_taken);
	arena_release(&catalog.arena);
}

/* sched_switch leads if its samples have the payload that says who comes. */
UNIT_TEST(tracepoints_that_lead)
{
	static const struct {
		int line;
		uint64_t fields;
		const char *name;
		uint32_t next_bytes;
		bool leads;
	} rows[] = {
		{ ROW, PERF_RAW, "sched_switch", 4, true },
		{ ROW, 0, "sched_switch", 4, false },
		{ ROW, PERF_RAW, "sched_switch", 0, false },
		{ ROW, PERF_RAW, "sched_wakeup", 4, false },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct tracepoint_format format = { .name = str_of(rows[i].name) };
		struct perf_event event = { .type = PERF_TYPE_TRACEPOINT,
					    .format = &format,
					    .sample_type = PERF_TID | PERF_TIME |
							   rows[i].fields };
		struct perf *perf = unit_alloc(sizeof(*perf));
		struct reader reader = { .state = perf };

		format.prev_pid.size = 4;
		format.next_pid.size = rows[i].next_bytes;
		perf_find_role(&reader, &event);
		ROW_INT(&rows[i], event.is_switch, rows[i].leads);
		arena_release(&perf->catalog.arena);
	}
}

/* --- groups --- */

#define SAMPLE(stream, time, first, second)                                             \
	PUT_RECORD((stream), SAMPLE, (first) < 20 ? LEADER_ID : 21, PAIR(7, 7), (time), \
		   PAIR((first) < 20 ? 0 : 1, 0), 2, (time), (first), (time), (second))

static int64_t bad_reads(const struct perf_stream_bytes *stream)
{
	struct reader reader;
	int64_t count;

	perf_stream_open(&reader, stream, false);
	perf_stream_read(&reader, RECORD_trace, NULL, NULL);
	count = reader.findings.of[FINDING_GROUP_READ].count;
	reader_close(&reader);
	return count;
}

/* A leader is the first of its group. */
UNIT_TEST(a_leader_in_the_middle)
{
	struct perf_stream_bytes stream;

	begin(&stream, 0);
	PUT_RECORD(&stream, SAMPLE, LEADER_ID, PAIR(7, 7), 100, 0, 2, 1, MEMBER_ID, 1,
		   LEADER_ID);
	assert_int_equal(bad_reads(&stream), 1);
	begin(&stream, 0);
	SAMPLE(&stream, 100, LEADER_ID, LEADER_ID);
	assert_int_equal(bad_reads(&stream), 1);
	begin(&stream, 0);
	SAMPLE(&stream, 100, LEADER_ID, MEMBER_ID);
	assert_int_equal(bad_reads(&stream), 0);
}

/* On another CPU a group has other ids of the same events. */
UNIT_TEST(ids_of_another_event)
{
	struct perf_stream_bytes stream;

	begin(&stream, 0);
	SAMPLE(&stream, 100, LEADER_ID, MEMBER_ID);
	SAMPLE(&stream, 200, 21, 22);
	assert_int_equal(bad_reads(&stream), 0);
	begin(&stream, 0);
	SAMPLE(&stream, 100, LEADER_ID, MEMBER_ID);
	SAMPLE(&stream, 200, 21, 23);
	assert_int_equal(bad_reads(&stream), 1);
	begin(&stream, 0);
	SAMPLE(&stream, 100, LEADER_ID, MEMBER_ID);
	SAMPLE(&stream, 200, 21, 99);
	assert_int_equal(bad_reads(&stream), 1);
}

/* Other ids than before are damage, unless the next sample has them as well. */
UNIT_TEST(ids_that_change)
{
	struct perf_stream_bytes stream;

	begin(&stream, 0);
	SAMPLE(&stream, 100, LEADER_ID, MEMBER_ID);
	SAMPLE(&stream, 200, LEADER_ID, 22);
	SAMPLE(&stream, 300, LEADER_ID, MEMBER_ID);
	assert_int_equal(bad_reads(&stream), 1);
	begin(&stream, 0);
	SAMPLE(&stream, 100, LEADER_ID, MEMBER_ID);
	SAMPLE(&stream, 200, LEADER_ID, 22);
	SAMPLE(&stream, 300, LEADER_ID, 22);
	SAMPLE(&stream, 400, LEADER_ID, 22);
	assert_int_equal(bad_reads(&stream), 1);
}

static void on_switch(void *context, const struct record *record)
{
	const struct switch_event *event = record->data;
	int64_t *reads = context;

	*reads += event->is_read;
}

/* A group was learned on a CPU: what a task counted is not a read of it. */
UNIT_TEST(reads_of_tasks)
{
	for (int is_task = 0; is_task < 2; is_task++) {
		struct perf_stream_bytes stream;
		struct reader reader;
		int64_t reads = 0;

		begin(&stream, PERF_FLAG_SAMPLE_ID_ALL);
		PUT_RECORD(&stream, ID_INDEX, 2, LEADER_ID, 0, 0, UINT64_MAX, 21, 0, 1,
			   is_task ? 70 : UINT64_MAX);
		SAMPLE(&stream, 100, LEADER_ID, MEMBER_ID);
		PUT_RECORD(&stream, READ, PAIR(70, 70), 2, 5, 21, 6, 22, PAIR(70, 70),
			   200, PAIR(1, 0), 21);
		perf_stream_open(&reader, &stream, false);
		perf_stream_read(&reader, RECORD_SWITCH, on_switch, &reads);
		assert_int_equal(reads, is_task ? 0 : 1);
		reader_close(&reader);
	}
}

static void on_read(void *context, const struct record *record)
{
	const struct switch_event *event = record->data;

	if (event->is_read)
		*(int64_t *)context = event->cpu;
}

/* Without ID_INDEX the first read of a group says by its trailer which CPU it is of. */
UNIT_TEST(reads_without_index)
{
	struct perf_stream_bytes stream;
	struct reader reader;
	int64_t cpu = INT_NONE;

	begin(&stream, PERF_FLAG_SAMPLE_ID_ALL);
	SAMPLE(&stream, 100, LEADER_ID, MEMBER_ID); /* how the group is learned */
	PUT_RECORD(&stream, READ, PAIR(70, 70), 2, 5, 21, 6, 22, PAIR(70, 70), 200,
		   PAIR(1, 0), 21);
	perf_stream_open(&reader, &stream, false);
	assert_int_equal(perf_stream_read(&reader, RECORD_SWITCH, on_read, &cpu), 2);
	assert_int_equal(cpu, 1);
	reader_close(&reader);
}

/* --- damage at the end --- */

static void append(struct perf_stream_bytes *stream, const void *bytes, size_t size)
{
	assert_true(stream->size + size <= stream->room);
	memcpy(stream->bytes + stream->size, bytes, size);
	stream->size += size;
}

/* A record that goes on after the end was cut; one with an invalid size is damaged. */
UNIT_TEST(last_records)
{
	static const struct {
		int line;
		uint16_t size;
		int64_t cut, damaged;
	} rows[] = { { ROW, 64, 1, 0 }, { ROW, 4, 0, 1 }, { ROW, 12, 0, 1 } };

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct perf_stream_bytes stream;
		uint8_t bytes[16] = { PERF_RECORD_SAMPLE };
		struct reader reader;

		begin(&stream, 0);
		SAMPLE(&stream, 100, LEADER_ID, MEMBER_ID);
		memcpy(bytes + 6, &rows[i].size, 2);
		append(&stream, bytes, sizeof(bytes));
		perf_stream_open(&reader, &stream, false);
		perf_stream_read(&reader, RECORD_trace, NULL, NULL);
		ROW_INT(&rows[i], finding_any(&reader.findings, FINDING_TRUNCATED),
			rows[i].cut);
		ROW_INT(&rows[i], finding_any(&reader.findings, FINDING_BAD_RECORD),
			rows[i].damaged);
		reader_close(&reader);
	}
}
