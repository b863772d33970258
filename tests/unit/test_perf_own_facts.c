/*
 * test_perf_own_facts.c - lib/formats/perf/own_facts.c: lines of perftab-capture, right
 * and wrong ones, and names of events as perf wrote them before 2013.
 */
#include <stdlib.h>
#include <string.h>

#include "perf_stream.h"

static const struct perf_stream_event clock_event = {
	.type = PERF_TYPE_SOFTWARE,
	.config = PERF_SW_CPU_CLOCK,
	.period = 1000,
	.sample_type = PERF_TID | PERF_TIME | PERF_CPU,
};

/* One event, and a record of these bytes after that number. */
static struct perf_stream_bytes stream_of(uint64_t id, const char *text)
{
	size_t words = 2 + strlen(text) / 8;
	uint64_t *record = unit_alloc(words * sizeof(*record));
	struct perf_stream_bytes stream;

	record[0] = id;
	memcpy(record + 1, text, strlen(text));
	perf_stream_begin(&stream);
	perf_stream_attr(&stream, &clock_event);
	perf_stream_record(&stream, PERF_RECORD_HEADER_EVENT_TYPE, 0, record, words);
	return stream;
}

static void on_check(void *context, const struct record *record)
{
	const struct audit_check_row *row = RECORD_DATA(record, audit_check);
	char *to = context;

	snprintf(to, 400, "%.*s %lld %lld %lld %lld %lld %.*s %.*s", (int)row->what.len,
		 row->what.ptr, (long long)row->cpu, (long long)row->counter_id,
		 (long long)row->least, (long long)row->most, (long long)row->found,
		 (int)row->verdict.len, row->verdict.ptr ? row->verdict.ptr : "",
		 (int)row->note.len, row->note.ptr ? row->note.ptr : "");
}

static void on_task(void *context, const struct record *record)
{
	const struct kernel_task_row *row = RECORD_DATA(record, kernel_task);

	snprintf(context, 400, "%lld %lld %lld %lld", (long long)row->tid,
		 (long long)row->run_ns, (long long)row->voluntary,
		 (long long)row->involuntary);
}

UNIT_TEST(rows)
{
	struct perf_stream_bytes stream =
		stream_of(PERF_OWN_FACTS, "loop\t3\t0\t98\t102\t7\tcontradicted\tit "
					  "counted nothing\n");
	struct reader reader;
	char seen[400];

	perf_stream_open(&reader, &stream, false);
	assert_int_equal(perf_stream_read(&reader, RECORD_audit_check, on_check, seen),
			 1);
	assert_string_equal(seen, "loop 3 1 98 102 7 contradicted it counted nothing");
	reader_close(&reader);
	stream = stream_of(PERF_OWN_FACTS, "task\t-\t77\t5\t-\t1000\t-\t-\n");
	perf_stream_open(&reader, &stream, false);
	assert_int_equal(perf_stream_read(&reader, RECORD_kernel_task, on_task, seen), 1);
	assert_string_equal(seen, "77 1000 5 -9223372036854775808");
	reader_close(&reader);
}

/* How many rows a text gives, and how many of its lines are not such. */
static const struct {
	int line;
	const char *text;
	size_t rows;
	int64_t bad;
} texts[] = {
	{ ROW, "", 0, 0 },
	{ ROW, "ctxt\t-\t-\t1\t2\t-\t-\t-\n", 1, 0 },
	{ ROW, "ctxt\t-\t-\t1\t2\t-\t-\t-", 1, 0 },
	{ ROW, "ctxt\t-\t-\t1\t2\t-\t-\t-\nplaced\t0\t-\t-\t6\t4\t-\tperf\n", 2, 0 },
	{ ROW, "ctxt\t-\t-\t1\t2\t-\t-\n", 0, 1 },	    /* seven fields */
	{ ROW, "ctxt\t-\t-\t1\t2\t-\t-\t-\t-\n", 0, 1 },    /* nine */
	{ ROW, "ctxt\t-\t-\t\t2\t-\t-\t-\n", 0, 1 },	    /* empty */
	{ ROW, "ctxt\t-\t-\t1x\t2\t-\t-\t-\n", 0, 1 },	    /* not a number */
	{ ROW, "other\t-\t-\t1\t2\t-\t-\t-\n", 0, 1 },	    /* not known */
	{ ROW, "loop\t-5\t0\t1\t2\t3\tproven\t-\n", 0, 1 }, /* no such CPU */
	{ ROW, "loop\t99999\t0\t1\t2\t3\tproven\t-\n", 0, 1 },
	{ ROW, "loop\t0\t1\t1\t2\t3\tproven\t-\n", 0, 1 }, /* no such event */
	{ ROW, "loop\t0\t-1\t1\t2\t3\tproven\t-\n", 0, 1 },
	{ ROW, "loop\t0\t0\t1\t2\t3\tguilty\t-\n", 0, 1 }, /* not a verdict */
	{ ROW, "loop\t0\t0\t1\t2\t111111111111111111111\tproven\t-\n", 0, 1 },
	{ ROW, "task\t-\t-\t1\t2\t3\t-\t-\n", 0, 1 }, /* no thread */
	{ ROW, "task\t-\t0\t1\t2\t3\t-\t-\n", 0, 1 },
	{ ROW, "\n\n", 0, 2 },
};

UNIT_TEST(lines)
{
	for (size_t i = 0; i < COUNT(texts); i++) {
		struct perf_stream_bytes stream =
			stream_of(PERF_OWN_FACTS, texts[i].text);
		struct reader reader;

		perf_stream_open(&reader, &stream, true);
		ROW_INT(&texts[i],
			perf_stream_read(&reader, RECORD_audit_check, NULL, NULL),
			texts[i].rows);
		ROW_INT(&texts[i], reader.findings.of[FINDING_SHORT_RECORD].count,
			texts[i].bad);
		reader_close(&reader);
	}
}

/* A CPU that went offline is a finding, not a row. */
UNIT_TEST(offline)
{
	static const struct {
		int line;
		const char *text, *finding;
	} lines[] = {
		{ ROW, "offline\t3\t-\t-\t-\t77\t-\t-\n",
		  "CPU 3 went offline after 77 ns, and its counters with it" },
		{ ROW, "offline\t3\t-\t-\t-\t-\t-\t-\n",
		  "CPU 3 went offline, and its counters with it" },
		{ ROW, "offline\t-\t-\t-\t-\t77\t-\t-\n", NULL },
		{ ROW, "offline\t-1\t-\t-\t-\t77\t-\t-\n", NULL },
	};

	for (size_t i = 0; i < COUNT(lines); i++) {
		struct perf_stream_bytes stream =
			stream_of(PERF_OWN_FACTS, lines[i].text);
		const char *text;
		struct reader reader;

		perf_stream_open(&reader, &stream, true);
		ROW_INT(&lines[i],
			perf_stream_read(&reader, RECORD_audit_check, NULL, NULL), 0);
		ROW_INT(&lines[i], reader.findings.of[FINDING_CPU_OFFLINE].count,
			lines[i].finding != NULL);
		ROW_INT(&lines[i], reader.findings.of[FINDING_SHORT_RECORD].count,
			lines[i].finding == NULL);
		text = reader.findings.of[FINDING_CPU_OFFLINE].text;
		if (lines[i].finding)
			HAS(text, lines[i].finding);
		reader_close(&reader);
	}
}

static void on_counter(void *context, const struct record *record)
{
	const struct counter_row *row = RECORD_DATA(record, counter);

	snprintf(context, 400, "%.*s", (int)row->name.len, row->name.ptr);
}

/* The same type of record, as perf used it. */
UNIT_TEST(names_of_events)
{
	struct perf_stream_bytes stream = stream_of(PERF_SW_CPU_CLOCK, "my clock");
	struct reader reader;
	char seen[400] = "";

	perf_stream_open(&reader, &stream, true);
	perf_stream_read(&reader, RECORD_counter, on_counter, seen);
	assert_string_equal(seen, "my clock");
	reader_close(&reader);
}
