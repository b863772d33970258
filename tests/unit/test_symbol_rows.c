/*
 * test_symbol_rows.c - the sink of lib/symbols: what it adds for each trace, with and
 * without addresses, however early the end of addresses is announced.
 */
#include <stdio.h>
#include <string.h>

#include "symbols/symbols.h"
#include "unit.h"

/* --- the inner sink: "ADDRESS MODULE; " or "FINDING; " of each row that is added --- */

static char came[4096];

static enum status put_row(struct sink *sink, const struct record *record)
{
	const struct frame_symbol_row *row = record->data;
	const struct finding_row *finding = record->data;
	size_t at = strlen(came);

	(void)sink;
	if (record->kind == RECORD_finding)
		snprintf(came + at, sizeof(came) - at, "%.*s; ", (int)finding->kind.len,
			 finding->kind.ptr);
	if (record->kind == RECORD_frame_symbol)
		snprintf(came + at, sizeof(came) - at, "%llx %.*s; ",
			 (unsigned long long)row->address, (int)row->module.len,
			 row->module.ptr);
	return ST_OK;
}

static const struct sink_ops end_ops = { .name = "end", .put = put_row };

/* --- traces --- */

static void pass(struct sink *sink, enum record_kind kind, const void *row)
{
	assert_int_equal(sink_put(sink, &(struct record){ .kind = kind, .data = row }),
			 ST_OK);
}

enum announced { NOT, AT_END, AT_BEGIN }; /* that no addresses come any more */

/* A process with a mapping, in the order of a trace: tasks come at its end. */
static const char *trace(struct sink *sink, const char *file, bool has_sample,
			 enum announced announced)
{
	came[0] = '\0';
	if (announced == AT_BEGIN)
		assert_int_equal(sink_end_addresses(sink), ST_OK);
	pass(sink, RECORD_mmap,
	     &(struct mmap_row){ .pid = 10,
				 .thread_id = 1,
				 .mode = INT_NONE,
				 .addr = 0x1000,
				 .bytes = 0x1000,
				 .filename = str_of(file) });
	if (has_sample)
		pass(sink, RECORD_sample,
		     &(struct sample_row){ .thread_id = 1,
					   .mode = 2,
					   .ip = 0x1234,
					   .callchain_id = INT_NONE });
	if (announced == AT_END)
		assert_int_equal(sink_end_addresses(sink), ST_OK);
	pass(sink, RECORD_process,
	     &(struct process_row){ .process_id = 1,
				    .pid = 10,
				    .start_ns = INT_NONE,
				    .end_ns = INT_NONE });
	pass(sink, RECORD_thread,
	     &(struct thread_row){ .thread_id = 1, .process_id = 1, .tid = 10 });
	pass(sink, RECORD_trace, &(struct trace_row){ .trace_id = 1 });
	return came;
}

/* More traces may come after the end was announced. */
UNIT_TEST(traces)
{
	const struct symbol_options options = { .ask = NULL };
	struct sink end, sink;

	assert_int_equal(sink_open(&end, &end_ops, NULL), ST_OK);
	assert_int_equal(symbols_open(&sink, &end, &options), ST_OK);
	for (enum announced at = NOT; at <= AT_BEGIN; at++) {
		enum announced with = at == AT_BEGIN ? AT_END : at;

		assert_string_equal(trace(&sink, "/a", true, with), "1234 /a; ");
		assert_string_equal(trace(&sink, "/b", false, at), "");
		assert_string_equal(trace(&sink, "/c", true, with), "1234 /c; ");
	}
	assert_int_equal(sink_end_switches(&sink), ST_OK);
	sink_close(&sink);
	sink_close(&end);
}

/* In a table 2^63 is NULL, which no address may be. */
UNIT_TEST(null_address)
{
	const struct symbol_options options = { .ask = NULL };
	struct sink end, sink;

	assert_int_equal(sink_open(&end, &end_ops, NULL), ST_OK);
	assert_int_equal(symbols_open(&sink, &end, &options), ST_OK);
	pass(&sink, RECORD_mmap,
	     &(struct mmap_row){ .pid = 10,
				 .thread_id = 1,
				 .mode = INT_NONE,
				 .addr = INT64_MAX - 0xfff,
				 .bytes = 0x2000,
				 .filename = STR("/high") });
	pass(&sink, RECORD_callchain,
	     &(struct callchain_row){
		     .callchain_id = 1,
		     .frames = STR(
			     "[\"user\",\"0x8000000000000000\",\"0x8000000000000001\"]") });
	pass(&sink, RECORD_sample,
	     &(struct sample_row){
		     .thread_id = 1, .mode = 2, .ip = INT_NONE, .callchain_id = 1 });
	assert_string_equal(trace(&sink, "/a", false, NOT), "8000000000000001 /high; ");
	sink_close(&sink);
	sink_close(&end);
}

/* --- files --- */

static enum file_result ask(void *files, const struct file_request *request,
			    struct arena *arena, struct file_name *names)
{
	(void)request;
	(void)arena;
	(void)names;
	++*(int *)files;
	return FILE_OTHER_BUILD_ID;
}

/* One path with so many build ids, each with a sample; how often a file was asked for. */
static int ask_for(int ids)
{
	int asked = 0;
	const struct symbol_options options = { .ask = ask, .files = &asked };
	struct sink end, sink;

	assert_int_equal(sink_open(&end, &end_ops, NULL), ST_OK);
	assert_int_equal(symbols_open(&sink, &end, &options), ST_OK);
	for (int64_t i = 0; i < ids; i++) {
		char id[16];

		snprintf(id, sizeof(id), "%04x", (unsigned)i + 1);
		pass(&sink, RECORD_mmap,
		     &(struct mmap_row){ .pid = 10,
					 .thread_id = 1,
					 .mode = INT_NONE,
					 .addr = 0x1000 * (i + 1),
					 .bytes = 0x1000,
					 .filename = STR("/bin/true"),
					 .build_id = str_of(id) });
		pass(&sink, RECORD_sample,
		     &(struct sample_row){ .thread_id = 1,
					   .mode = 2,
					   .ip = 0x1000 * (i + 1) + 1,
					   .callchain_id = INT_NONE });
	}
	(void)trace(&sink, "/a", false, NOT);
	sink_close(&sink);
	sink_close(&end);
	return asked;
}

UNIT_TEST(too_many_files)
{
	assert_int_equal(ask_for(FILES_OF_PATH_MAX), FILES_OF_PATH_MAX);
	assert_null(strstr(came, "symbol_limit"));
	assert_int_equal(ask_for(FILES_OF_PATH_MAX + 1), FILES_OF_PATH_MAX);
	assert_non_null(strstr(came, "symbol_limit; "));
}
