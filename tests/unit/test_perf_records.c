/*
 * test_perf_records.c - lib/formats/perf: what single samples and records are decoded to,
 * and what is reported of those that are cut short.
 */
#include <stdlib.h>
#include <string.h>

#include "perf_stream.h"

#define SWITCH_SAMPLE (PERF_IDENTIFIER | PERF_TID | PERF_TIME | PERF_CPU | PERF_READ)
#define LEADER_ID 11
#define MEMBER_ID 12

/* A software leader that fires at switches. */
static const struct perf_stream_event leader = {
	.type = PERF_TYPE_SOFTWARE,
	.config = PERF_SW_CONTEXT_SWITCHES,
	.period = 1,
	.sample_type = SWITCH_SAMPLE,
	.read_format = PERF_READ_GROUP | PERF_READ_ID,
	.flags = PERF_FLAG_SAMPLE_ID_ALL,
	.ids = { LEADER_ID },
};

/* A clock that samples with these fields, without ids. */
static struct perf_stream_event clock_event(uint64_t fields)
{
	return (struct perf_stream_event){
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_SW_CPU_CLOCK,
		.period = 1000,
		.sample_type = PERF_TID | PERF_TIME | PERF_CPU | fields,
	};
}

/* The leader and a counter of its group. */
static void begin_group(struct perf_stream_bytes *stream, uint64_t fields, uint64_t flags)
{
	struct perf_stream_event first = leader, second = leader;

	first.sample_type |= fields;
	first.flags |= flags;
	second.config = PERF_SW_CPU_CLOCK;
	second.period = 0;
	second.sample_type |= fields;
	second.ids[0] = MEMBER_ID;
	perf_stream_begin(stream);
	perf_stream_attr(stream, &first);
	perf_stream_attr(stream, &second);
}

#define GROUP_VALUES(count, value) 2, count, LEADER_ID, value, MEMBER_ID

/* Reads all of it, and expects this many findings of one kind. */
static void assert_found(const struct perf_stream_bytes *stream, enum finding_kind kind,
			 int64_t count)
{
	struct reader reader;

	perf_stream_open(&reader, stream, true);
	perf_stream_read(&reader, RECORD_trace, NULL, NULL);
	assert_int_equal(reader.findings.of[kind].count, count);
	reader_close(&reader);
}

/* --- samples --- */

/* A group that is larger than the arrays for it is not decoded; the largest is. */
UNIT_TEST(members)
{
	for (size_t more = 0; more < 2; more++) {
		size_t members = GROUP_COUNTERS_MAX + more, words = 5 + 2 * members;
		uint64_t *sample = unit_alloc(words * sizeof(*sample));
		struct perf_stream_bytes stream;

		begin_group(&stream, 0, 0);
		sample[0] = LEADER_ID;
		sample[1] = PAIR(7, 7);
		sample[2] = 100;
		sample[4] = members;
		for (size_t i = 0; i < members; i++)
			sample[5 + 2 * i + 1] = LEADER_ID;
		perf_stream_record(&stream, PERF_RECORD_SAMPLE, 0, sample, words);
		assert_found(&stream, FINDING_BAD_SAMPLE, more ? 1 : 0);
		assert_found(&stream, FINDING_GROUP_READ, more ? 0 : 1);
	}
}

/* A chain that claims more addresses than its sample holds: the rest is kept. */
UNIT_TEST(callchain)
{
	const struct perf_stream_event event = clock_event(PERF_CALLCHAIN);
	struct perf_stream_bytes stream;
	struct unit_notes notes;

	perf_stream_begin(&stream);
	perf_stream_attr(&stream, &event);
	PUT_RECORD(&stream, SAMPLE, PAIR(7, 7), 100, 0, 2, 0x10, 0x20);
	PUT_RECORD(&stream, SAMPLE, PAIR(7, 7), 200, 0, 3, 0x10, 0x20);
	notes = perf_stream_rows(&stream);
	HAS(unit_notes_of(&notes, "finding"), "kind='bad_tail' count=1 ");
	HAS(unit_notes_of(&notes, "sample"), " ts_ns=100 ", " ts_ns=200 ",
	    " callchain_id=1 ", " callchain_id=- ");
	LACKS(unit_notes_of(&notes, "callchain"), "depth=3");
}

/* RAW of another size in a sample of the same length: what the first sample would be. */
UNIT_TEST(raw_size)
{
	struct perf_stream_bytes stream;

	begin_group(&stream, PERF_RAW, 0);
	for (uint64_t i = 0; i < 3; i++)
		PUT_RECORD(&stream, SAMPLE, LEADER_ID, PAIR(7, 7), 100 + i, 0,
			   GROUP_VALUES(1 + i, 10), PAIR(i == 1 ? 100 : 12, 0), 0);
	assert_found(&stream, FINDING_BAD_TAIL, 1);
}

/* With a frequency the period of a sample is unknown, unless it is in the sample. */
UNIT_TEST(frequency)
{
	static const struct {
		int line;
		uint64_t flags, fields;
		const char *period;
	} rows[] = {
		{ ROW, 0, 0, " period=1000 " },
		{ ROW, PERF_FLAG_FREQ, 0, " period=- " },
		{ ROW, PERF_FLAG_FREQ, PERF_PERIOD, " period=5 " },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct perf_stream_event event = clock_event(rows[i].fields);
		struct perf_stream_bytes stream;
		struct unit_notes notes;

		event.flags = rows[i].flags;
		perf_stream_begin(&stream);
		perf_stream_attr(&stream, &event);
		if (rows[i].fields)
			PUT_RECORD(&stream, SAMPLE, PAIR(7, 7), 100, 0, 5);
		else
			PUT_RECORD(&stream, SAMPLE, PAIR(7, 7), 100, 0);
		notes = perf_stream_rows(&stream);
		ROW_HAS(&rows[i], unit_notes_of(&notes, "sample"), rows[i].period);
	}
}

/* Samples without ids are the first event's, which is reported if there are others. */
UNIT_TEST(assumed_event)
{
	for (int events = 1; events <= 2; events++) {
		struct perf_stream_event event = clock_event(0);
		struct perf_stream_bytes stream;

		perf_stream_begin(&stream);
		for (int i = 0; i < events; i++)
			perf_stream_attr(&stream, &event);
		PUT_RECORD(&stream, SAMPLE, PAIR(7, 7), 100, 0);
		PUT_RECORD(&stream, SAMPLE, PAIR(7, 7), 200, 0);
		assert_found(&stream, FINDING_ASSUMED_EVENT, events == 2 ? 2 : 0);
	}
}

/* The last CPU is 65535; a sample on another one is kept without it. */
UNIT_TEST(sample_cpu)
{
	struct perf_stream_event event = clock_event(PERF_IDENTIFIER);
	struct perf_stream_bytes stream;
	struct unit_notes notes;

	event.ids[0] = LEADER_ID;
	perf_stream_begin(&stream);
	perf_stream_attr(&stream, &event);
	PUT_RECORD(&stream, SAMPLE, LEADER_ID, PAIR(7, 7), 100, CPU_MAX - 1);
	PUT_RECORD(&stream, SAMPLE, LEADER_ID, PAIR(7, 7), 200, CPU_MAX);
	notes = perf_stream_rows(&stream);
	HAS(unit_notes_of(&notes, "finding"), "kind='bad_cpu' count=1 ");
	HAS(unit_notes_of(&notes, "sample"), " ts_ns=100 cpu=65535 ",
	    " ts_ns=200 cpu=- ");
}

/* A stack without bytes has no size in use: the next field follows. */
UNIT_TEST(empty_stack)
{
	const struct perf_stream_event event =
		clock_event(PERF_STACK_USER | PERF_DATA_SRC);
	struct perf_stream_bytes stream;
	struct unit_notes notes;

	perf_stream_begin(&stream);
	perf_stream_attr(&stream, &event);
	PUT_RECORD(&stream, SAMPLE, PAIR(7, 7), 100, 0, 0, 5);
	PUT_RECORD(&stream, SAMPLE, PAIR(7, 7), 200, 0, 8, 0, 3, 6);
	notes = perf_stream_rows(&stream);
	LACKS(unit_notes_of(&notes, "finding"), "bad_tail");
	HAS(unit_notes_of(&notes, "sample"), " data_src=5 ", " data_src=6 ",
	    " stack_bytes=- ", " stack_bytes=3 ");
}

/* Fields that a switch does not keep, and fields of a newer kernel. */
UNIT_TEST(other_fields)
{
	const struct perf_stream_event event = clock_event(UINT64_C(1) << 25);
	struct perf_stream_bytes stream;

	begin_group(&stream, PERF_STACK_USER, 0);
	PUT_RECORD(&stream, SAMPLE, LEADER_ID, PAIR(7, 7), 100, 0, GROUP_VALUES(1, 10),
		   0);
	assert_found(&stream, FINDING_SWITCH_FIELDS, 1);
	perf_stream_begin(&stream);
	perf_stream_attr(&stream, &event);
	PUT_RECORD(&stream, SAMPLE, PAIR(7, 7), 100, 0, 1);
	assert_found(&stream, FINDING_NEWER_FIELDS, 1);
	assert_found(&stream, FINDING_SWITCH_FIELDS, 0);
}

static void check_cpu(void *context, const struct record *record)
{
	const int64_t *cpu = context;

	assert_int_equal(((const struct switch_event *)record->data)->cpu, *cpu);
}

/* Switches without a CPU are of that of their stream. */
UNIT_TEST(cpu_of_stream)
{
	struct perf_stream_event event = leader;
	struct perf_stream_bytes stream;
	struct reader reader;
	int64_t cpu = 3;

	event.sample_type &= ~(uint64_t)PERF_CPU;
	perf_stream_begin(&stream);
	perf_stream_attr(&stream, &event);
	PUT_RECORD(&stream, ID_INDEX, 1, LEADER_ID, 0, 3, UINT64_MAX);
	for (uint64_t i = 1; i < 4; i++)
		PUT_RECORD(&stream, SAMPLE, LEADER_ID, PAIR(7, 7), 100 * i, 1, i,
			   LEADER_ID);
	perf_stream_open(&reader, &stream, false);
	assert_int_equal(perf_stream_read(&reader, RECORD_SWITCH, check_cpu, &cpu), 3);
	reader_close(&reader);
}

static void check_loss(void *context, const struct record *record);

/* Two samples on another CPU than ID_INDEX has: it was the index that was wrong. */
UNIT_TEST(wrong_index)
{
	struct loss_event expected = { .cpu = 4, .events = 5 };
	struct perf_stream_event event = leader;
	struct perf_stream_bytes stream;
	struct reader reader;

	event.flags = 0;
	perf_stream_begin(&stream);
	perf_stream_attr(&stream, &event);
	PUT_RECORD(&stream, ID_INDEX, 1, LEADER_ID, 0, 3, UINT64_MAX);
	for (uint64_t i = 1; i < 4; i++)
		PUT_RECORD(&stream, SAMPLE, LEADER_ID, PAIR(7, 7), 100 * i, 4, 1, i,
			   LEADER_ID);
	PUT_RECORD(&stream, LOST, LEADER_ID, 5);
	perf_stream_open(&reader, &stream, false);
	assert_int_equal(perf_stream_read(&reader, RECORD_LOSS, check_loss, &expected),
			 1);
	assert_int_equal(reader.findings.of[FINDING_BAD_CPU].count, 1);
	reader_close(&reader);
}

static void check_tid(void *context, const struct record *record)
{
	const int64_t *tid = context;

	assert_int_equal(((const struct switch_event *)record->data)->sample_tid, *tid);
}

/* An exiting thread is the one that was asked for only if children are not counted. */
UNIT_TEST(exited_tid)
{
	for (int inherit = 0; inherit < 2; inherit++) {
		int64_t tid = inherit ? -1 : 70;
		struct perf_stream_bytes stream;
		struct reader reader;

		begin_group(&stream, 0, inherit ? PERF_FLAG_INHERIT : 0);
		PUT_RECORD(&stream, ID_INDEX, 2, LEADER_ID, 0, UINT64_MAX, 70, MEMBER_ID,
			   0, UINT64_MAX, 70);
		/* Step by step, then as a plain switch. */
		for (uint64_t i = 0; i < 2; i++)
			PUT_RECORD(&stream, SAMPLE, LEADER_ID, PAIR(-1, -1), 100 + i, 0,
				   GROUP_VALUES(1 + i, 10));
		perf_stream_open(&reader, &stream, false);
		assert_int_equal(
			perf_stream_read(&reader, RECORD_SWITCH, check_tid, &tid), 2);
		reader_close(&reader);
	}
}

/* --- other records --- */

#define TRAILER(tid, time, cpu) PAIR(tid, tid), time, PAIR(cpu, 0), LEADER_ID

/* A synthesised FORK does not start a thread, whatever time its body has. */
UNIT_TEST(synthesised_fork)
{
	for (uint64_t time = 0; time <= 500; time += 500) {
		struct perf_stream_bytes stream;
		struct unit_notes notes;

		begin_group(&stream, 0, 0);
		PUT_RECORD(&stream, SAMPLE, LEADER_ID, PAIR(70, 70), 100, 0,
			   GROUP_VALUES(1, 10));
		PUT_RECORD(&stream, FORK, PAIR(70, 1), PAIR(70, 1), 500,
			   TRAILER(1, time, 0));
		notes = perf_stream_rows(&stream);
		if (time) {
			HAS(unit_notes_of(&notes, "thread"), " start_ns=500 ");
		} else {
			HAS(unit_notes_of(&notes, "thread"), " tid=70 ");
			LACKS(unit_notes_of(&notes, "thread"), " start_ns=500 ");
		}
	}
}

static void check_loss(void *context, const struct record *record)
{
	const struct loss_event *expected = context, *loss = record->data;

	assert_int_equal(loss->events, expected->events);
	assert_int_equal(loss->cpu, expected->cpu);
}

/* LOST without a trailer is of its stream's CPU; a count over 2^63 is the largest. */
UNIT_TEST(lost)
{
	static const struct {
		uint64_t id, events;
		struct loss_event expected;
	} rows[] = {
		{ LEADER_ID, 5, { .cpu = 3, .events = 5 } },
		{ LEADER_ID, UINT64_MAX, { .cpu = 3, .events = INT64_MAX } },
		{ LEADER_ID, INT64_MAX, { .cpu = 3, .events = INT64_MAX } },
		{ LEADER_ID, UINT64_C(1) << 63, { .cpu = 3, .events = INT64_MAX } },
		{ 99, 5, { .cpu = INT_NONE, .events = 5 } },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct perf_stream_event event = leader;
		struct loss_event expected = rows[i].expected;
		struct perf_stream_bytes stream;
		struct reader reader;

		event.flags = 0;
		perf_stream_begin(&stream);
		perf_stream_attr(&stream, &event);
		PUT_RECORD(&stream, ID_INDEX, 1, LEADER_ID, 0, 3, UINT64_MAX);
		PUT_RECORD(&stream, LOST, rows[i].id, rows[i].events);
		perf_stream_open(&reader, &stream, false);
		assert_int_equal(
			perf_stream_read(&reader, RECORD_LOSS, check_loss, &expected), 1);
		reader_close(&reader);
	}
}

/* An index with one entry more than it holds says nothing. */
UNIT_TEST(index_cut_short)
{
	struct perf_stream_bytes stream;

	begin_group(&stream, 0, 0);
	PUT_RECORD(&stream, ID_INDEX, 2, LEADER_ID, 0, 5, UINT64_MAX, MEMBER_ID, 0, 5);
	PUT_RECORD(&stream, SAMPLE, LEADER_ID, PAIR(7, 7), 100, 0, GROUP_VALUES(1, 10));
	assert_found(&stream, FINDING_SHORT_RECORD, 1);
	/* Else CPU 5 would contradict the sample. */
	assert_found(&stream, FINDING_BAD_CPU, 0);
	assert_found(&stream, FINDING_GROUP_READ, 0);
}

/* Records without any of their fields. */
UNIT_TEST(short_records)
{
	static const uint32_t types[] = {
		PERF_RECORD_LOST,	PERF_RECORD_LOST_SAMPLES, PERF_RECORD_THROTTLE,
		PERF_RECORD_MMAP,	PERF_RECORD_UNTHROTTLE,	  PERF_RECORD_MMAP2,
		PERF_RECORD_READ,	PERF_RECORD_AUX,	  PERF_RECORD_KSYMBOL,
		PERF_RECORD_CGROUP,	PERF_RECORD_BPF_EVENT,	  PERF_RECORD_TEXT_POKE,
		PERF_RECORD_NAMESPACES,
	};
	static const uint64_t none[1];

	for (size_t i = 0; i < COUNT(types); i++) {
		struct perf_stream_event event = leader;
		struct perf_stream_bytes stream;

		event.flags = 0;
		perf_stream_begin(&stream);
		perf_stream_attr(&stream, &event);
		perf_stream_record(&stream, types[i], 0, none, 0);
		perf_stream_record(&stream, types[i], 0, none, 0);
		assert_found(&stream, FINDING_SHORT_RECORD, 2);
	}
}

/* perftab-capture's own records: the last command line in time is the process's. */
UNIT_TEST(command_lines)
{
	/* "a", "b c", "": the words of /proc/PID/cmdline; "sh" */
	const uint64_t words = 0x0000006320620061, shell = 0x6873;
	struct perf_stream_bytes stream;
	struct unit_notes notes;

	begin_group(&stream, 0, 0);
	PUT_RECORD(&stream, HEADER_EVENT_TYPE, PERF_OWN_COMMAND, PAIR(7, 7), 200, words);
	PUT_RECORD(&stream, HEADER_EVENT_TYPE, PERF_OWN_COMMAND, PAIR(7, 3), 100, shell);
	PUT_RECORD(&stream, HEADER_EVENT_TYPE, PERF_OWN_COMMAND, PAIR(8, 3), 100, shell);
	notes = perf_stream_rows(&stream);
	HAS(unit_notes_of(&notes, "process"), "pid=7 ", " command='a 'b c' '''", "pid=8 ",
	    " command='sh'");
	LACKS(unit_notes_of(&notes, "finding"), "short_record");

	/* More bytes than it has, or than there may be. */
	begin_group(&stream, 0, 0);
	PUT_RECORD(&stream, HEADER_EVENT_TYPE, PERF_OWN_COMMAND, PAIR(7, 9), 200, words);
	assert_found(&stream, FINDING_SHORT_RECORD, 1);
	begin_group(&stream, 0, 0);
	PUT_RECORD(&stream, HEADER_EVENT_TYPE, PERF_OWN_CGROUP, PAIR(9, 0), words);
	assert_found(&stream, FINDING_SHORT_RECORD, 1);
}

/* A group that counts only while tasks of a control group run: others come in between. */
UNIT_TEST(followed_cgroup)
{
	struct perf_stream_bytes stream;
	struct unit_notes notes;

	begin_group(&stream, 0, 0);
	PUT_RECORD(&stream, HEADER_EVENT_TYPE, PERF_OWN_CGROUP, PAIR(2, 0), 0x612f);
	PUT_RECORD(&stream, SAMPLE, LEADER_ID, PAIR(7, 7), 100, 0, GROUP_VALUES(1, 10));
	PUT_RECORD(&stream, SAMPLE, LEADER_ID, PAIR(8, 8), 200, 0, GROUP_VALUES(2, 10));
	PUT_RECORD(&stream, SAMPLE, LEADER_ID, PAIR(7, 7), 300, 0, GROUP_VALUES(4, 10));
	notes = perf_stream_rows(&stream);
	HAS(unit_notes_of(&notes, "counter_group"), " scope='cgroup'");
	HAS(unit_notes_of(&notes, "header_fact"), " key='CGROUP'", " value='/a'");
}

/* --- events --- */

/* A leader that does not fire at every switch. */
UNIT_TEST(leader_period)
{
	static const struct {
		int line;
		uint64_t period, flags;
		int64_t found;
	} rows[] = {
		{ ROW, 1, 0, 0 },
		{ ROW, 2, 0, 1 },
		{ ROW, 1, PERF_FLAG_FREQ, 1 },
		{ ROW, 4000, PERF_FLAG_FREQ, 1 },
		{ ROW, 0, 0, 0 }, /* it only counts */
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct perf_stream_event event = leader;
		struct perf_stream_bytes stream;
		struct reader reader;

		event.period = rows[i].period;
		event.flags |= rows[i].flags;
		perf_stream_begin(&stream);
		perf_stream_attr(&stream, &event);
		PUT_RECORD(&stream, FINISHED_ROUND, 0);
		perf_stream_open(&reader, &stream, false);
		perf_stream_read(&reader, RECORD_trace, NULL, NULL);
		ROW_INT(&rows[i], reader.findings.of[FINDING_LEADER_PERIOD].count,
			rows[i].found);
		reader_close(&reader);
	}
}

/* Flags of a big-endian writer: single bits turn around, the two of precise_ip do not. */
UNIT_TEST(turned_flags)
{
	static const struct {
		int line;
		uint64_t written, flags;
	} rows[] = {
		{ ROW, UINT64_C(1) << 63, 1 },
		{ ROW, 1, UINT64_C(1) << 63 },
		{ ROW, UINT64_C(1) << (63 - 18), PERF_FLAG_SAMPLE_ID_ALL },
		{ ROW, UINT64_C(1) << 47, UINT64_C(1) << 15 },
		{ ROW, UINT64_C(2) << 47, UINT64_C(2) << 15 },
		{ ROW, UINT64_C(3) << 47, UINT64_C(3) << 15 },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		const uint64_t flags = __builtin_bswap64(rows[i].written);
		struct perf_catalog catalog = { .big_endian = true };
		uint8_t bytes[64] = { 0 };
		struct cursor attr = cursor_over(bytes, sizeof(bytes), 0, true);
		const struct perf_event *event;

		memcpy(bytes + 40, &flags, sizeof(flags));
		event = perf_add_event(&catalog, &attr);
		assert_non_null(event);
		ROW_TRUE(&rows[i], event->flags == rows[i].flags);
		free(catalog.events);
		arena_release(&catalog.arena);
	}
}
