/* test_library.c - include/perftab/perftab.h: rows, bills, conversions and failures. */
#include "perftab/perftab.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "library/handle.h"
#include "unit.h"

#define SAMPLE SAMPLES_DIRECTORY "/perf/good-switch-group.data"
#define DAMAGED SAMPLES_DIRECTORY "/etw/bad-truncated.etl"

struct sums {
	long rows, switches;
	int64_t deltas, second, on_cpu; /* delta_0, delta_1, on_cpu_ns */
	int status;
};

/* All rows that are left. */
static struct sums sum_rows(struct perftab *trace)
{
	struct sums sums = { .rows = 0 };

	while ((sums.status = perftab_next(trace)) == PERFTAB_ROW) {
		int delta = perftab_find(trace, "delta_0");

		sums.rows++;
		if (strcmp(perftab_table(trace), "context_switch") != 0)
			continue;
		sums.switches++;
		sums.deltas += perftab_int(trace, delta);
		sums.second += perftab_int(trace, delta + 1);
		sums.on_cpu += perftab_int(trace, perftab_find(trace, "on_cpu_ns"));
	}
	return sums;
}

static struct sums sum_of_path(const char *path, const struct perftab_options *options)
{
	struct perftab *trace;
	struct sums sums;

	assert_int_equal(perftab_open(&trace, path, options), PERFTAB_OK);
	sums = sum_rows(trace);
	assert_string_equal(perftab_error(trace), "");
	perftab_close(trace);
	return sums;
}

/* --- sources --- */

struct bytes {
	const char *at;
	size_t left, most;
	pthread_t thread;
	int calls;
};

static ptrdiff_t read_bytes(void *context, void *to, size_t room)
{
	struct bytes *bytes = context;
	size_t size = bytes->left < bytes->most ? bytes->left : bytes->most;

	assert_true(pthread_equal(bytes->thread, pthread_self()));
	bytes->calls++;
	size = size < room ? size : room;
	memcpy(to, bytes->at, size);
	bytes->at += size;
	bytes->left -= size;
	return (ptrdiff_t)size;
}

UNIT_TEST(a_path_memory_and_a_callback_give_the_same_rows)
{
	struct sums path = sum_of_path(SAMPLE, NULL), memory, callback;
	struct bytes bytes = { .most = 1000, .thread = pthread_self() };
	struct perftab *trace;
	size_t size;
	char *file = unit_read_file(SAMPLE, &size);

	assert_int_equal(path.status, PERFTAB_DONE);
	assert_true(path.switches > 10);
	assert_int_equal(perftab_open_memory(&trace, file, size, NULL), PERFTAB_OK);
	memory = sum_rows(trace);
	perftab_close(trace);
	bytes.at = file;
	bytes.left = size;
	assert_int_equal(perftab_open_read(&trace, "pipe", read_bytes, &bytes, NULL),
			 PERFTAB_OK);
	callback = sum_rows(trace);
	perftab_close(trace);
	assert_true(bytes.calls > 2);
	assert_int_equal(memory.rows, path.rows);
	assert_int_equal(memory.deltas, path.deltas);
	assert_int_equal(callback.rows, path.rows);
	assert_int_equal(callback.on_cpu, path.on_cpu);
}

static ptrdiff_t fail_to_read(void *context, void *to, size_t room)
{
	(void)context, (void)to, (void)room;
	return -1;
}

static ptrdiff_t read_too_much(void *context, void *to, size_t room)
{
	(void)context, (void)to;
	return (ptrdiff_t)room + 1;
}

/* Delivers what there is, and then fails. */
static ptrdiff_t fail_after_bytes(void *context, void *to, size_t room)
{
	ptrdiff_t got = read_bytes(context, to, room);

	return got ? got : -1;
}

UNIT_TEST(a_callback_fails_where_its_bytes_end)
{
	struct bytes bytes = { .most = 1000, .thread = pthread_self() };
	struct perftab *trace;
	char text[80];
	size_t size;

	bytes.at = unit_read_file(SAMPLE, &size);
	bytes.left = 2500;
	assert_true(size > bytes.left);
	snprintf(text, sizeof(text), "cannot read at 0x%zx: the callback failed",
		 bytes.left);
	assert_int_equal(perftab_open_read(&trace, "pipe", fail_after_bytes, &bytes,
					   NULL),
			 PERFTAB_OK);
	assert_int_equal(sum_rows(trace).status, PERFTAB_IO);
	assert_string_equal(perftab_error(trace), text);
	assert_int_equal(perftab_error_offset(trace), 2500);
	perftab_close(trace);
}

UNIT_TEST(a_callback_may_fail)
{
	perftab_read *const reads[] = { fail_to_read, read_too_much };

	for (size_t i = 0; i < COUNT(reads); i++) {
		struct perftab *trace;

		assert_int_equal(perftab_open_read(&trace, NULL, reads[i], NULL, NULL),
				 PERFTAB_OK);
		assert_int_equal(perftab_next(trace), PERFTAB_IO);
		assert_string_equal(perftab_error(trace),
				    "cannot read at 0x0: the callback failed");
		assert_int_equal(perftab_next(trace), PERFTAB_IO);
		perftab_close(trace);
	}
}

/* --- what is asked for --- */

UNIT_TEST(tables_cpu_and_times_choose_rows)
{
	struct perftab_options options = PERFTAB_OPTIONS;
	struct sums all, cpu, window;
	int64_t first = INT64_MAX, last = 0;
	struct perftab *trace;
	long of_cpu = 0;

	options.tables = "context_switch, thread";
	assert_int_equal(perftab_open(&trace, SAMPLE, &options), PERFTAB_OK);
	while (perftab_next(trace) == PERFTAB_ROW) {
		int64_t ts_ns = perftab_int(trace, perftab_find(trace, "ts_ns"));
		bool is_switch = strcmp(perftab_table(trace), "context_switch") == 0;

		if (!is_switch)
			assert_string_equal(perftab_table(trace), "thread");
		else
			assert_int_equal(perftab_find(trace, "nowhere"), -1);
		of_cpu +=
			is_switch && perftab_int(trace, perftab_find(trace, "cpu")) == 0;
		if (is_switch && ts_ns < first)
			first = ts_ns;
		if (is_switch && ts_ns > last)
			last = ts_ns;
	}
	perftab_close(trace);
	options.tables = "context_switch";
	all = sum_of_path(SAMPLE, &options);
	assert_int_equal(all.rows, all.switches);
	options.cpu = 0;
	cpu = sum_of_path(SAMPLE, &options);
	assert_true(of_cpu > 0 && of_cpu < all.rows);
	assert_int_equal(cpu.rows, of_cpu);
	options.cpu = -1;
	options.from_ns = first + 1;
	options.to_ns = last;
	window = sum_of_path(SAMPLE, &options);
	assert_int_equal(window.rows, all.rows - 1);
	options.tables = "no_such_table, thread, another_one";
	assert_int_equal(perftab_open(&trace, SAMPLE, &options), PERFTAB_UNSUPPORTED);
	assert_string_equal(perftab_error(trace),
			    "tables: at most one that is the trace's own");
	perftab_close(trace);
}

/* Views at once, others once the trace has shown none of their rows. */
UNIT_TEST(tables_that_do_not_exist_are_refused)
{
	static const struct {
		const char *tables, *error;
		int line, opened;
	} cases[] = {
		{ "process_bill",
		  "'process_bill' is a view of databases, not a table: perftab_bill() by "
		  "'process' has its rows",
		  __LINE__, PERFTAB_UNSUPPORTED },
		{ "thread,switch_utc",
		  "'switch_utc' is a view of databases, not a table: perftab-convert and "
		  "perftab-analyze --sql have it",
		  __LINE__, PERFTAB_UNSUPPORTED },
		{ "charge_status",
		  "'charge_status' is a table of databases, not of a trace: it is the "
		  "same in all",
		  __LINE__, PERFTAB_UNSUPPORTED },
		{ "thread,nons\nense",
		  "no table 'nons\\x0aense': neither the schema nor this trace has it",
		  __LINE__, PERFTAB_OK },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct perftab_options options = PERFTAB_OPTIONS;
		struct perftab *trace;
		int status;

		options.tables = cases[i].tables;
		status = perftab_open(&trace, SAMPLE, &options);
		ROW_INT(&cases[i], status, cases[i].opened);
		if (status == PERFTAB_OK)
			status = sum_rows(trace).status;
		ROW_INT(&cases[i], status, PERFTAB_UNSUPPORTED);
		ROW_TEXT(&cases[i], perftab_error(trace), cases[i].error);
		perftab_close(trace);
	}
}

UNIT_TEST(values_have_types)
{
	struct perftab_options options = PERFTAB_OPTIONS;
	struct perftab *trace;
	size_t length = 1;
	int path;

	options.tables = "trace";
	assert_int_equal(perftab_open(&trace, SAMPLE, &options), PERFTAB_OK);
	assert_null(perftab_table(trace));
	assert_int_equal(perftab_columns(trace), 0);
	assert_int_equal(perftab_next(trace), PERFTAB_ROW);
	assert_string_equal(perftab_column_name(trace, 0), "trace_id");
	assert_int_equal(perftab_type(trace, 0), PERFTAB_INTEGER);
	assert_int_equal(perftab_int(trace, 0), 1);
	assert_null(perftab_text(trace, 0, &length));
	assert_int_equal(length, 0);
	path = perftab_find(trace, "path");
	assert_int_equal(perftab_type(trace, path), PERFTAB_TEXT);
	assert_string_equal(perftab_text(trace, path, &length), SAMPLE);
	assert_int_equal(length, strlen(SAMPLE));
	assert_int_equal(perftab_int(trace, path), 0);
	assert_int_equal(perftab_type(trace, -1), PERFTAB_NULL);
	assert_int_equal(perftab_type(trace, 1000), PERFTAB_NULL);
	assert_null(perftab_column_name(trace, 1000));
	assert_int_equal(perftab_next(trace), PERFTAB_DONE);
	assert_int_equal(perftab_next(trace), PERFTAB_DONE);
	assert_int_equal(perftab_columns(trace), 0);
	perftab_close(trace);
}

/* Of a group, then of one with more counters; the smallest number is like any other. */
UNIT_TEST(deltas_have_names_and_values)
{
	static const struct context_switch_row row = { .switch_id = 1 };
	static const int64_t deltas[] = { 5, INT64_MIN, 7, -1 };
	const int first = (int)tables[RECORD_context_switch].field_count;
	struct perftab trace = {
		.row = { .table = &tables[RECORD_context_switch],
			 .data = (const char *)&row,
			 .deltas = deltas },
	};

	for (trace.row.slots = 1; trace.row.slots <= COUNT(deltas);
	     trace.row.slots += 3) {
		int slots = (int)trace.row.slots;

		assert_int_equal(perftab_columns(&trace), first + slots);
		for (int i = 0; i < slots; i++) {
			char name[DELTA_NAME_BYTES];

			snprintf(name, sizeof(name), "delta_%d", i);
			assert_string_equal(perftab_column_name(&trace, first + i), name);
			assert_int_equal(perftab_find(&trace, name), first + i);
			assert_int_equal(perftab_type(&trace, first + i),
					 PERFTAB_INTEGER);
			assert_int_equal(perftab_int(&trace, first + i), deltas[i]);
		}
		assert_null(perftab_column_name(&trace, first + slots));
		assert_int_equal(perftab_type(&trace, first + slots), PERFTAB_NULL);
	}
	free(trace.delta_names);
	arena_release(&trace.arena);
}

/* Each text ends with a zero that is not part of it. */
UNIT_TEST(texts_end)
{
	struct perftab *trace;
	long texts = 0;

	assert_int_equal(perftab_open(&trace, SAMPLE, NULL), PERFTAB_OK);
	while (perftab_next(trace) == PERFTAB_ROW)
		for (int i = 0; i < perftab_columns(trace); i++) {
			size_t length;
			const char *text = perftab_text(trace, i, &length);

			if (perftab_type(trace, i) != PERFTAB_TEXT)
				continue;
			assert_int_equal(strlen(text), length);
			texts++;
		}
	assert_true(texts > 100);
	assert_int_equal(perftab_status(trace), PERFTAB_DONE);
	perftab_close(trace);
}

UNIT_TEST(a_conversion_writes_a_database)
{
	const char *path;
	struct perftab *trace;
	char text[200];

	(void)unit_directory();
	path = unit_path("out.db");
	assert_int_equal(perftab_open(&trace, SAMPLE, NULL), PERFTAB_OK);
	assert_int_equal(perftab_convert(trace, "sqlite", path), PERFTAB_DONE);
	assert_true(unit_exists(path));
	assert_int_equal(perftab_convert(trace, "sqlite", path), PERFTAB_MISUSE);
	perftab_close(trace);
	/* It is there already. */
	assert_int_equal(perftab_open(&trace, SAMPLE, NULL), PERFTAB_OK);
	assert_int_equal(perftab_convert(trace, "sqlite", path), PERFTAB_IO);
	snprintf(text, sizeof(text), "output %s exists already", path);
	assert_string_equal(perftab_error(trace), text);
	perftab_close(trace);
	assert_int_equal(perftab_open(&trace, SAMPLE, NULL), PERFTAB_OK);
	assert_int_equal(perftab_convert(trace, "spreadsheet", path), PERFTAB_MISUSE);
	perftab_close(trace);
	assert_int_equal(perftab_open(&trace, SAMPLE, NULL), PERFTAB_OK);
	assert_int_equal(perftab_convert(trace, "null", path), PERFTAB_MISUSE);
	perftab_close(trace);
	assert_int_equal(perftab_open(&trace, path, NULL), PERFTAB_OK);
	assert_int_equal(perftab_next(trace), PERFTAB_UNSUPPORTED);
	assert_non_null(strstr(perftab_error(trace), "database already"));
	perftab_close(trace);
}

/* Those that the header names. */
UNIT_TEST(formats)
{
	static const char *const names[] = { "sqlite",	   "csv",      "parquet",
					     "clickhouse", "perfetto", "folded",
					     "speedscope" };

	(void)unit_directory();
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *path = unit_path(names[i]);
		struct perftab *trace;

		assert_int_equal(perftab_open(&trace, SAMPLE, NULL), PERFTAB_OK);
		assert_int_equal(perftab_convert(trace, names[i], path), PERFTAB_DONE);
		assert_true(unit_exists(path));
		perftab_close(trace);
	}
}

/* --- failures --- */

UNIT_TEST(failures_have_a_text_and_an_offset)
{
	static const char bytes[] = "PERFILE2 but no more";
	struct perftab *trace;

	assert_int_equal(perftab_open(&trace, "/no/such/file", NULL), PERFTAB_IO);
	assert_string_equal(perftab_error(trace),
			    "cannot open: No such file or directory");
	assert_int_equal(perftab_error_offset(trace), PERFTAB_NO_OFFSET);
	assert_int_equal(perftab_next(trace), PERFTAB_IO);
	/* A wrong call does not replace it. */
	assert_int_equal(perftab_bill(trace, "process"), PERFTAB_MISUSE);
	assert_int_equal(perftab_status(trace), PERFTAB_IO);
	assert_string_equal(perftab_error(trace),
			    "cannot open: No such file or directory");
	perftab_close(trace);
	assert_int_equal(perftab_open(&trace, SAMPLE, NULL), PERFTAB_OK);
	assert_int_equal(perftab_error_offset(trace), PERFTAB_NO_OFFSET);
	perftab_close(trace);
	assert_int_equal(perftab_open_memory(&trace, bytes, sizeof(bytes), NULL),
			 PERFTAB_OK);
	assert_int_equal(perftab_next(trace), PERFTAB_TRUNCATED);
	assert_string_not_equal(perftab_error(trace), "");
	perftab_close(trace);
	assert_int_equal(perftab_open_memory(&trace, NULL, 0, NULL), PERFTAB_OK);
	assert_int_equal(perftab_next(trace), PERFTAB_TRUNCATED);
	assert_string_equal(perftab_error(trace), "is empty, expected a trace");
	perftab_close(trace);
	assert_int_equal(perftab_open(NULL, SAMPLE, NULL), PERFTAB_MISUSE);
	assert_int_equal(perftab_open(&trace, NULL, NULL), PERFTAB_MISUSE);
	assert_string_equal(perftab_error(trace), "no path was given");
	perftab_close(trace);
	assert_int_equal(perftab_open_read(&trace, "pipe", NULL, NULL, NULL),
			 PERFTAB_MISUSE);
	assert_string_equal(perftab_error(trace), "no callback was given");
	perftab_close(trace);
	assert_int_equal(perftab_open(&trace, SAMPLE, &(struct perftab_options){ 0 }),
			 PERFTAB_MISUSE);
	assert_string_equal(perftab_error(trace),
			    "the options have no size: use PERFTAB_OPTIONS");
	perftab_close(trace);
	assert_int_equal(perftab_next(NULL), PERFTAB_MISUSE);
	perftab_close(NULL);
}

UNIT_TEST(a_wrong_call_between_rows_leaves_them)
{
	struct sums wanted = sum_of_path(SAMPLE, NULL), left;
	struct perftab *trace;

	assert_int_equal(perftab_open(&trace, SAMPLE, NULL), PERFTAB_OK);
	assert_int_equal(perftab_next(trace), PERFTAB_ROW);
	assert_int_equal(perftab_bill(trace, "process"), PERFTAB_MISUSE);
	assert_string_equal(perftab_error(trace),
			    "a bill is asked for before the first row");
	assert_int_equal(perftab_convert(trace, "sqlite", "out.db"), PERFTAB_MISUSE);
	assert_string_equal(perftab_error(trace),
			    "a conversion is asked for instead of rows");
	assert_int_equal(perftab_error_offset(trace), PERFTAB_NO_OFFSET);
	assert_int_equal(perftab_status(trace), PERFTAB_ROW);
	left = sum_rows(trace);
	assert_int_equal(left.status, PERFTAB_DONE);
	assert_int_equal(left.rows + 1, wanted.rows);
	assert_string_equal(perftab_error(trace), "");
	perftab_close(trace);
}

UNIT_TEST(damage_is_a_finding)
{
	struct perftab *trace;
	bool found = false;

	assert_int_equal(perftab_open(&trace, DAMAGED, NULL), PERFTAB_OK);
	while (perftab_next(trace) == PERFTAB_ROW)
		if (strcmp(perftab_table(trace), "finding") == 0)
			found |= strcmp(perftab_text(trace,
						     perftab_find(trace, "severity"),
						     NULL),
					"damage") == 0;
	assert_int_equal(perftab_status(trace), PERFTAB_DONE);
	assert_true(found);
	assert_true(perftab_is_damaged(trace));
	perftab_close(trace);
}

/* --- ending early --- */

UNIT_TEST(a_handle_can_be_closed_at_any_row)
{
	for (int rows = 0; rows < 40; rows++) {
		struct perftab *trace;

		assert_int_equal(perftab_open(&trace, SAMPLE, NULL), PERFTAB_OK);
		for (int i = 0; i < rows; i++)
			assert_int_equal(perftab_next(trace), PERFTAB_ROW);
		perftab_close(trace);
	}
}

static ptrdiff_t never_end(void *context, void *to, size_t room)
{
	static const char text[] = "#";

	(void)context;
	memset(to, text[0], room);
	return (ptrdiff_t)room;
}

/* After some calls; text of xperf never ends here, and has no row before its end. */
static int interrupt(void *context)
{
	return ++*(int *)context >= 3;
}

static const char xperf_head[] = "BeginHeader\r\n";

struct endless {
	size_t given;
};

static ptrdiff_t endless_text(void *context, void *to, size_t room)
{
	struct endless *endless = context;
	size_t size = sizeof(xperf_head) - 1;

	if (endless->given++)
		return never_end(NULL, to, room);
	assert_true(size <= room);
	memcpy(to, xperf_head, size);
	return (ptrdiff_t)size;
}

UNIT_TEST(the_callback_interrupts)
{
	struct perftab_options options = PERFTAB_OPTIONS;
	struct endless endless = { 0 };
	struct perftab *trace;
	int calls = 0, status;

	options.interrupted = interrupt;
	options.context = &calls;
	assert_int_equal(perftab_open_read(&trace, "endless", endless_text, &endless,
					   &options),
			 PERFTAB_OK);
	while ((status = perftab_next(trace)) == PERFTAB_ROW)
		;
	assert_int_equal(status, PERFTAB_INTERRUPTED);
	assert_string_equal(perftab_error(trace), "interrupted");
	assert_int_equal(perftab_next(trace), PERFTAB_INTERRUPTED);
	perftab_close(trace);
	assert_true(calls >= 3);
}

/* A pipe without a writer, or with one that writes nothing. */
UNIT_TEST(the_callback_interrupts_the_wait_for_a_pipe)
{
	for (int writers = 0; writers < 2; writers++) {
		struct perftab_options options = PERFTAB_OPTIONS;
		struct perftab *trace;
		const char *path;
		int calls = 0, fd = -1;

		path = unit_path("pipe");
		assert_int_equal(mkfifo(path, 0600), 0);
		options.interrupted = interrupt;
		options.context = &calls;
		if (writers)
			fd = open(path, O_RDWR);
		assert_int_equal(perftab_open(&trace, path, &options), PERFTAB_OK);
		assert_int_equal(perftab_next(trace), PERFTAB_INTERRUPTED);
		perftab_close(trace);
		if (writers)
			close(fd);
		unlink(path);
	}
}

/* --- threads --- */

static void *sum_in_thread(void *context)
{
	struct sums *sums = context;
	struct perftab *trace;

	if (perftab_open(&trace, SAMPLE, NULL) == PERFTAB_OK)
		*sums = sum_rows(trace);
	perftab_close(trace);
	return NULL;
}

UNIT_TEST(handles_in_threads_do_not_meet)
{
	struct sums wanted = sum_of_path(SAMPLE, NULL), sums[4];
	pthread_t threads[COUNT(sums)];

	for (size_t i = 0; i < COUNT(sums); i++)
		assert_int_equal(
			pthread_create(&threads[i], NULL, sum_in_thread, &sums[i]), 0);
	for (size_t i = 0; i < COUNT(sums); i++) {
		pthread_join(threads[i], NULL);
		assert_int_equal(sums[i].status, PERFTAB_DONE);
		assert_int_equal(sums[i].rows, wanted.rows);
		assert_int_equal(sums[i].deltas, wanted.deltas);
	}
}
