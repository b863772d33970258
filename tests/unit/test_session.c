/* test_session.c - captures whose source fails, at every call and in every way. */
#include "capture/perflib/session.h"

#include <stdlib.h>
#include <string.h>

#include "capture/perflib/replay.h"
#include "fault_source.h"
#include "formats/formats.h"
#include "unit.h"

#define BUNDLE SAMPLES_DIRECTORY "/perflib/good-proc.plb"
#define SNAPSHOTS 3

struct fault_run {
	struct fault_source faults;
	const char *request;
	int64_t wanted;	       /* snapshots, 0: all */
	size_t fails_at_write; /* bytes, 0: never */
	/* what came of it */
	enum status opened, recorded;
	struct error error;
	int64_t snapshots, failed;
	size_t refused;
	uint8_t *bytes;
	size_t size, room;
};

static char warned[2048];

static void note_warning(const char *text)
{
	size_t at = strlen(warned);

	snprintf(warned + at, sizeof(warned) - at, "%s\n", text);
}

static enum status to_memory(void *context, const void *bytes, size_t size,
			     struct error *error)
{
	struct fault_run *run = context;

	if (run->fails_at_write && run->size + size > run->fails_at_write)
		return error_set(error, ST_IO, ERROR_NO_OFFSET, "full");
	if (size > run->room - run->size) {
		run->room = 2 * (run->size + size);
		run->bytes = realloc(run->bytes, run->room);
		assert_non_null(run->bytes);
	}
	memcpy(run->bytes + run->size, bytes, size);
	run->size += size;
	return ST_OK;
}

static void capture(struct fault_run *run)
{
	const char *const requests[] = { run->request ? run->request : "*" };
	const struct session_options options = { .requests = requests,
						 .request_count = 1,
						 .interval = 1,
						 .snapshots = run->wanted,
						 .warn = note_warning };
	const struct session_out out = { to_memory, NULL, run };
	struct source source = fault_source_over(&run->faults);
	struct session session;

	warned[0] = '\0';
	run->error = (struct error){ .status = ST_OK };
	assert_int_equal(replay_open(&run->faults.inner, BUNDLE, &run->error), ST_OK);
	run->recorded = ST_OK;
	run->opened = session_open(&session, &source, &options, &run->error);
	if (run->opened == ST_OK)
		run->recorded = session_record(&session, &out, &run->error);
	run->snapshots = session.stats.snapshots;
	run->failed = session.stats.failed;
	run->refused = session.stats.refused;
	session_close(&session);
	run->faults.inner.ops->release(run->faults.inner.state);
}

static void release(struct fault_run *run)
{
	free(run->bytes);
	run->bytes = NULL;
}

/* What reading the bundle comes to. */
struct seen {
	char status[16];
	int snapshots, values, answers;
	int64_t data_code;
};

static struct seen read_back(const struct fault_run *run)
{
	static const struct reader_options options = { .want_rows = true };
	struct seen seen = { .data_code = -1 };
	struct reader reader;
	struct record record;

	assert_int_equal(reader_open_memory(&reader, run->bytes, run->size, &options,
					    trace_formats),
			 ST_OK);
	while (reader_next(&reader, &record) == ST_OK) {
		seen.snapshots += record.kind == RECORD_perflib_snapshot;
		seen.values += record.kind == RECORD_perflib_raw;
		seen.answers += record.kind == RECORD_perflib_answer;
		if (record.kind == RECORD_perflib_snapshot)
			seen.data_code = RECORD_DATA(&record, perflib_snapshot)->code;
		if (record.kind == RECORD_trace)
			snprintf(seen.status, sizeof(seen.status), "%s",
				 RECORD_DATA(&record, trace)->status.ptr);
	}
	assert_int_equal(reader.error.status, ST_OK);
	reader_close(&reader);
	return seen;
}

UNIT_TEST(same)
{
	struct fault_run run = { .request = "*" };
	size_t size;
	char *bundle = unit_read_file(BUNDLE, &size);

	assert_non_null(bundle);
	capture(&run);
	assert_int_equal(run.recorded, ST_OK);
	assert_int_equal(run.snapshots, SNAPSHOTS);
	assert_int_equal(run.size, size);
	assert_memory_equal(run.bytes, bundle, size);
	assert_string_equal(warned, "");
	release(&run);
}

/* --- one kind of call fails --- */

static const struct failing {
	int line;
	enum fault_call call;
	enum fault_kind kind;
	uint32_t code;
	unsigned int first, count;
	const char *error;  /* NULL: the capture goes on */
	const char *warned; /* part of it */
	int64_t snapshots, failed;
} failing[] = {
	{ ROW, FAULT_ENUMERATE, FAULT_CODE, 5, 1, 0,
	  "cannot find '*' without a list of countersets; use its {GUID}",
	  "cannot list the countersets: access denied (error 5)", 0, 0 },
	{ ROW, FAULT_ENUMERATE, FAULT_GROWS, 0, 1, 0,
	  "cannot find '*' without a list of countersets; use its {GUID}",
	  "it required a larger buffer 16 times", 0, 0 },
	{ ROW, FAULT_ENUMERATE, FAULT_SHORT, 0, 1, 2, NULL, "", 3, 0 },
	{ ROW, FAULT_INSTANCES, FAULT_CODE, 5, 1, 0, NULL, "", 3, 0 },
	{ ROW, FAULT_INSTANCES, FAULT_HUGE, 0, 1, 0, NULL, "", 3, 0 },
	{ ROW, FAULT_OPEN, FAULT_CODE, 5, 1, 0,
	  "cannot open a query: access denied (error 5)", "", 0, 0 },
	{ ROW, FAULT_ADD, FAULT_CODE, 87, 1, 0,
	  "cannot add the counters: invalid parameter (error 87)", "", 0, 0 },
	{ ROW, FAULT_ADD, FAULT_STATUS, 5, 1, 0, "none of the counters can be captured",
	  "Linux Disk: refused: access denied (error 5)\n", 1, 0 },
	{ ROW, FAULT_INFO, FAULT_CODE, 4200, 1, 0, NULL,
	  "cannot tell which block is of which counter: no such counterset (error 4200)\n",
	  3, 0 },
	{ ROW, FAULT_INFO, FAULT_SHRINKS, 0, 1, 0, NULL,
	  "it requires a larger buffer but reports no larger size", 3, 0 },
	{ ROW, FAULT_DATA, FAULT_SHORT, 0, 1, 5, NULL, "", 3, 0 },
	{ ROW, FAULT_DATA, FAULT_CODE, 1450, 2, 1, NULL,
	  "a snapshot failed: error 1450\n", 4, 1 },
	{ ROW, FAULT_DATA, FAULT_CODE, 1450, 2, 9, NULL,
	  "a snapshot failed: error 1450\n", 12, 9 },
	{ ROW, FAULT_DATA, FAULT_CODE, 5, 2, 0,
	  "10 snapshots in a row failed: access denied (error 5)", "", 11, 10 },
	{ ROW, FAULT_DATA, FAULT_GROWS, 0, 1, 0,
	  "10 snapshots in a row failed: not enough memory (error 8); it requires a "
	  "buffer of more than 32 MiB",
	  "", 10, 10 },
	{ ROW, FAULT_DATA, FAULT_SHRINKS, 0, 1, 1, NULL,
	  "a snapshot failed: not enough memory (error 8); it requires a "
	  "larger buffer but reports no larger size\n",
	  4, 1 },
	{ ROW, FAULT_DATA, FAULT_HUGE, 0, 1, 0,
	  "10 snapshots in a row failed: not enough memory (error 8); it requires a "
	  "buffer of more than 32 MiB",
	  "", 10, 10 },
};

UNIT_TEST(failing)
{
	for (size_t i = 0; i < COUNT(failing); i++) {
		const struct failing *row = &failing[i];
		struct fault_run run = { .faults = { .kind = row->kind,
						     .call = row->call,
						     .code = row->code,
						     .first = row->first,
						     .count = row->count } };
		struct seen seen;

		capture(&run);
		ROW_TEXT(row, run.error.text, row->error ? row->error : "");
		ROW_HAS(row, warned, row->warned);
		ROW_INT(row, run.snapshots, row->snapshots);
		ROW_INT(row, run.failed, row->failed);
		ROW_TRUE(row, run.faults.most_room <= RETRY_BYTES_MAX);
		if (run.opened == ST_OK) {
			/* Whatever failed, the bundle has its end. */
			seen = read_back(&run);
			ROW_INT(row, seen.snapshots, row->snapshots);
			ROW_TRUE(row, seen.values > 0 || row->error);
			/* Without an info the counterset of the blocks is unknown. */
			ROW_TEXT(row, seen.status,
				 row->call == FAULT_INFO ? "recovered" : "complete");
		}
		release(&run);
	}
}

/* Names can be known or not, structures as well: a GUID needs none of it. */
UNIT_TEST(no_registration)
{
	struct fault_run run = { .faults = { .kind = FAULT_CODE,
					     .call = FAULT_REGISTRATION,
					     .code = 1168,
					     .first = 1 },
				 .request = "{936b0571-1851-4cc5-bf2a-d417eee02abb}" };
	struct seen seen;

	capture(&run);
	/* The replayed bundle has other requests, so adding them fails. */
	assert_int_equal(run.opened, ST_OK);
	assert_string_equal(run.error.text,
			    "cannot add the counters: invalid parameter (error 87)");
	seen = read_back(&run);
	assert_int_equal(seen.answers, 10); /* each with its code */
	release(&run);
}

/* Any single call of all that are made. */
UNIT_TEST(each_call)
{
	struct fault_run whole = { .request = "*" };
	unsigned int calls;

	capture(&whole);
	calls = whole.faults.all_made;
	release(&whole);
	assert_in_range(calls, 100, 10000);
	for (unsigned int nth = 1; nth <= calls; nth++) {
		struct fault_run run = { .faults = { .code = 5, .fail_nth = nth } };

		capture(&run);
		assert_int_equal(run.faults.all_made >= nth, 1);
		if (run.opened == ST_OK) {
			struct seen seen = read_back(&run);

			assert_string_not_equal(seen.status, "partial");
			assert_int_equal(run.snapshots, run.recorded == ST_OK
								? SNAPSHOTS + run.failed
								: 0);
		} else {
			assert_true(run.error.text[0] != '\0');
		}
		release(&run);
	}
}

/* What it says it filled is the reader's to doubt; nothing is read after the buffer. */
UNIT_TEST(lies)
{
	for (int call = 0; call < FAULT_CALLS; call++) {
		struct fault_run run = { .faults = { .kind = FAULT_LIES,
						     .call = (enum fault_call)call,
						     .first = 1 },
					 .wanted = 2 };

		if (call == FAULT_OPEN || call == FAULT_ADD)
			continue;
		capture(&run);
		if (run.opened == ST_OK)
			(void)read_back(&run);
		release(&run);
	}
}

/* A full disk, after any number of bytes. */
UNIT_TEST(write_fails)
{
	struct fault_run whole = { .request = "*" };
	size_t size;

	capture(&whole);
	size = whole.size;
	release(&whole);
	for (size_t at = 1; at < size; at += 509) {
		struct fault_run run = { .fails_at_write = at };

		capture(&run);
		assert_int_equal(run.recorded, ST_IO);
		assert_string_equal(run.error.text, "full");
		release(&run);
	}
}

/* A failed snapshot is in the bundle with its code, and is read back as it was. */
UNIT_TEST(failed_snapshot)
{
	struct fault_run run = { .faults = { .kind = FAULT_CODE,
					     .call = FAULT_DATA,
					     .code = 1450,
					     .first = 3 },
				 .wanted = 3 };
	struct seen seen;

	capture(&run);
	seen = read_back(&run);
	assert_int_equal(seen.snapshots, 3);
	assert_int_equal(seen.data_code, 1450);
	release(&run);
}
