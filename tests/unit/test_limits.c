/* test_limits.c - over a named maximum: said once, and the rest is kept. */
#include <stdlib.h>
#include <string.h>

#include "attribution/identity.h"
#include "events.h"
#include "formats/perflib/perflib.h"

/* The findings of a trace, by kind. */
struct said {
	char kinds[200];
	int64_t threads;
};

static enum status put_said(struct sink *sink, const struct record *record)
{
	struct said *said = sink->state;

	if (record->kind == RECORD_finding) {
		struct str kind = RECORD_DATA(record, finding)->kind;

		strncat(said->kinds, kind.ptr, kind.len);
		strcat(said->kinds, " ");
	}
	said->threads += record->kind == RECORD_thread;
	return ST_OK;
}

static const struct sink_ops said_ops = {
	.name = "said",
	.state_size = sizeof(struct said),
	.put = put_said,
};

#define NAME_BYTES 60000
#define NAMED_THREADS (NAMES_BYTES_MAX / NAME_BYTES + 10)

/* Names of 64 MiB: later ones are left out, their threads are not. */
UNIT_TEST(names)
{
	static char name[NAME_BYTES];
	struct trace trace = { .count = 0 };
	struct sink sink = { .state = NULL };
	struct said *said;

	memset(name, 'n', sizeof(name));
	for (size_t i = 0; i < NAMED_THREADS; i++)
		TRACE_ADD(&trace, RECORD_TASK_COMM,
			  (struct task_comm_event){ (int64_t)i,
						    (int32_t)i + 1,
						    (int32_t)i + 1,
						    { name, sizeof(name) },
						    false });
	trace_end(&trace);
	assert_int_equal(sink_open(&sink, &said_ops, NULL), ST_OK);
	assert_int_equal(trace_run(&trace, &sink, 1), ST_OK);
	said = sink.state;
	assert_string_equal(said->kinds, "thread_limit ");
	assert_int_equal(said->threads, NAMED_THREADS);
	sink_close(&sink);
}

/* Queries of a bundle: the known ones are found again. */
UNIT_TEST(queries)
{
	struct findings findings = { .gap_count = 0 };
	struct emit emit = { .records = NULL };
	struct perflib_sets sets = { .query_count = 0 };
	struct perflib_query *first;

	registry_init(&sets.registry, &findings, &emit);
	first = perflib_query(&sets, 0, 0);
	assert_non_null(first);
	for (uint32_t i = 1; i < PERFLIB_QUERIES_MAX; i++)
		assert_non_null(perflib_query(&sets, i, 0));
	assert_int_equal(findings.of[FINDING_PERFLIB_LIMIT].count, 0);
	assert_null(perflib_query(&sets, PERFLIB_QUERIES_MAX, 0));
	assert_int_equal(findings.of[FINDING_PERFLIB_LIMIT].count, 1);
	assert_ptr_equal(perflib_query(&sets, 0, 0), first);
	perflib_sets_release(&sets);
}
