/* test_database.c - lib/formats/database/read.c: what the writer wrote comes back. */
#include <stdlib.h>
#include <string.h>

#include "formats/formats.h"
#include "output/outputs.h"
#include "rows.h"
#include "schema.h"

/* What stands for itself, whatever is wanted. */
static void add_events(struct rows *rows, int64_t trace, int64_t id)
{
	rows_add(rows, RECORD_lost,
		 &(struct lost_row){ trace, 5, 1, STR("LOST"), id, 6 });
	rows_add(rows, RECORD_lost,
		 &(struct lost_row){ trace, INT_NONE, INT_NONE, STR("LOST_SAMPLES"),
				     INT_NONE, 1 });
	rows_add(rows, RECORD_stat,
		 &(struct stat_row){ trace, 1, id, INT_NONE, 0, -1, 10, 5 });
	rows_add(rows, RECORD_stat,
		 &(struct stat_row){ trace, 2, id + 1, 3, 1, INT64_MAX, INT_NONE, 0 });
	rows_add(rows, RECORD_stat_round,
		 &(struct stat_round_row){ trace, 1, STR("interval"), 7 });
	rows_add(rows, RECORD_stat_round,
		 &(struct stat_round_row){ trace, 2, STR("final"), INT_NONE });
}

/* What the totals of samples and of time on a CPU are worked out from. */
static void add_samples(struct rows *rows, int64_t trace, int64_t id)
{
	struct sample_row sample = { 0 };

	for (int64_t i = 0; i < 2; i++) {
		sample.sample_id = id + i;
		sample.ts_ns = i ? INT_NONE : 44;
		sample.thread_id = i ? INT_NONE : id;
		sample.counter_id = id + i;
		sample.period = i ? INT_NONE : 1000;
		rows_add(rows, RECORD_sample, &sample);
	}
	rows_add(rows, RECORD_switch_record,
		 &(struct switch_record_row){ trace, 44, 0, id, 1, 0, INT_NONE, 12 });
	rows_add(rows, RECORD_switch_record,
		 &(struct switch_record_row){ trace, 45, 1, INT_NONE, 1, 1, 9,
					      INT_NONE });
}

static void add_estimates(struct rows *rows, int64_t trace, int64_t id)
{
	rows_add(rows, RECORD_sample_summary,
		 &(struct sample_summary_row){ trace, id, id, 3, -4 });
	rows_add(rows, RECORD_sample_summary,
		 &(struct sample_summary_row){ trace, INT_NONE, id, 3, INT64_MAX });
	rows_add(rows, RECORD_sample_cpu_summary,
		 &(struct sample_cpu_summary_row){ trace, INT_NONE, id, 6, 1 });
	rows_add(rows, RECORD_on_cpu_summary,
		 &(struct on_cpu_summary_row){ id, 1, 2, 3 });
}

/* One trace with a row of everything that is read back; ids begin at 100 * trace. */
static void add_trace(struct rows *rows, int64_t trace)
{
	int64_t id = 100 * trace;
	const struct counter_row counter = { id,       trace,	 trace,	    0,
					     STR("l"), STR("l"), STR("ns"), STR("test"),
					     1,	       2,	 3 };
	const struct counter_row second = { id + 1,   trace,	trace,	  1,
					    STR("c"), STR("c"), STR_NONE, STR("test"),
					    1,	      2,	INT_NONE };
	struct trace_row end = { 0 };

	rows_add(rows, RECORD_counter_group,
		 &(struct counter_group_row){ trace, trace, STR("l"), 2, STR("cpu"),
					      STR("yes") });
	rows_add(rows, RECORD_counter, &counter);
	rows_add(rows, RECORD_counter, &second);
	add_events(rows, trace, id);
	rows_add(rows, RECORD_process,
		 &(struct process_row){ id, trace, 7, INT_NONE, INT_NONE, 9, STR("p"),
					STR_NONE });
	rows_add(rows, RECORD_thread,
		 &(struct thread_row){ id, id, 7, INT_NONE, INT_NONE, INT_NONE, 9,
				       STR("") });
	for (int64_t i = 0; i < 3; i++)
		rows_add_switch(rows, id + i, trace, 2, i ? INT64_MAX : 0);
	for (int64_t i = 0; i < 2; i++)
		for (int64_t cpu = 0; cpu < 3; cpu++)
			rows_add(rows, RECORD_counter_base,
				 &(struct counter_base_row){ id + i, cpu, INT_NONE, 1000,
							     10 * cpu + i, 2000, 77 });
	add_samples(rows, trace, id);
	rows_add(rows, RECORD_cpu_summary,
		 &(struct cpu_summary_row){ trace, 1, trace, 1, 2, 3, 4, 5, INT_NONE, 6,
					    7, 8, 9 });
	rows_add(rows, RECORD_cpu_charge,
		 &(struct cpu_charge_row){ 1, id, -1, 2, 3, 4, 5, 6, 7 });
	rows_add(rows, RECORD_status_summary,
		 &(struct status_summary_row){ trace, 3, 4, 5, 6 });
	rows_add(rows, RECORD_status_charge, &(struct status_charge_row){ id, 3, 4 });
	rows_add(rows, RECORD_thread_summary,
		 &(struct thread_summary_row){ id, trace, 1, 2, 3, 4, 5, 6, INT_NONE, 7,
					       8 });
	rows_add(rows, RECORD_thread_charge,
		 &(struct thread_charge_row){ id, id, 1, -2, INT64_MAX, 3 });
	add_estimates(rows, trace, id);
	rows_add(rows, RECORD_finding,
		 &(struct finding_row){ trace, STR("info"), STR("kind"), 5, INT_NONE,
					INT_NONE, STR("text, \"quoted\"") });
	end.trace_id = trace;
	end.format = STR("f");
	end.status = STR("complete");
	end.path = STR_NONE;
	rows_add(rows, RECORD_trace, &end);
}

static const char *database_of(int traces)
{
	const struct sink_options options = { .path = unit_path("t.db"),
					      .overwrite = true };
	struct rows rows = { NULL, 0, 0 };

	for (int trace = 1; trace <= traces; trace++)
		add_trace(&rows, trace);
	rows_write(&rows, &sqlite_writer, &options);
	return options.path;
}

/* Which rows a reader with these options gives. */
static bool is_given(enum record_kind kind, bool want_switches)
{
	switch (kind) {
	case RECORD_context_switch:
	case RECORD_counter_base:
	case RECORD_sample:
	case RECORD_switch_record:
		return want_switches;
	case RECORD_thread_summary:
	case RECORD_thread_charge:
	case RECORD_cpu_summary:
	case RECORD_cpu_charge:
	case RECORD_status_summary:
	case RECORD_status_charge:
	case RECORD_sample_summary:
	case RECORD_sample_cpu_summary:
	case RECORD_on_cpu_summary:
		return !want_switches;
	default:
		return true;
	}
}

/* Reads the database into notes, and compares with the rows of these traces. */
static void assert_comes_back(const char *path, const struct reader_options *options,
			      int first, int last)
{
	struct rows rows = { NULL, 0, 0 };
	struct unit_notes expected, found;
	struct sink in = unit_noting_sink(&expected), out = unit_noting_sink(&found);
	struct reader reader;
	struct record record;
	enum status status;

	for (int trace = first; trace <= last; trace++)
		add_trace(&rows, trace);
	for (size_t i = 0; i < rows.count; i++)
		if (is_given(rows.records[i].kind, options->want_switches))
			assert_int_equal(sink_put(&in, &rows.records[i]), ST_OK);
	if (reader_open(&reader, path, options, all_formats) != ST_OK)
		fail_msg("%s", reader.error.text);
	while ((status = reader_next(&reader, &record)) == ST_OK)
		assert_int_equal(sink_put(&out, &record), ST_OK);
	assert_int_equal(status, ST_END);
	reader_close(&reader);
	assert_string_equal(unit_notes_text(&found), unit_notes_text(&expected));
}

UNIT_TEST(round_trip)
{
	for (int wants = 0; wants < 2; wants++) {
		struct reader_options options = { .want_switches = wants };
		const char *path = database_of(5);

		assert_comes_back(path, &options, 1, 5);
		options.trace_id = 2;
		assert_comes_back(path, &options, 2, 2);
	}
}

UNIT_TEST(no_such_trace)
{
	const struct reader_options options = { .trace_id = 9 };
	const char *path = database_of(3);
	struct reader reader;

	assert_int_equal(reader_open(&reader, path, &options, all_formats),
			 ST_UNSUPPORTED);
	assert_string_equal(reader.error.text,
			    "holds no such trace as 9: it has 3, numbered from 1 to 3");
}

UNIT_TEST(is_a_database)
{
	const char *path = database_of(1);
	struct reader reader;

	assert_int_equal(reader_open(&reader, path, NULL, all_formats), ST_OK);
	assert_string_equal(reader.ops->name, "database");
	assert_true(reader.ops->emits_rows);
	reader_close(&reader);
	/* Where only traces are wanted it is none. */
	assert_int_equal(reader_open(&reader, path, NULL, trace_formats), ST_UNSUPPORTED);
}

/* Cumulative values: the first recorded one, then every delta on that CPU. */
UNIT_TEST(values)
{
	const struct reader_options options = { .want_switches = true };
	struct reader reader;
	struct record record;
	int seen = 0;

	assert_int_equal(reader_open(&reader, database_of(1), &options, all_formats),
			 ST_OK);
	while (reader_next(&reader, &record) == ST_OK) {
		const struct context_switch_row *row =
			RECORD_DATA(&record, context_switch);

		if (record.kind != RECORD_context_switch)
			continue;
		seen++;
		assert_int_equal(record.slots, 2);
		/* Each switch is on a CPU of its own, see rows_add_switch(). */
		assert_int_equal(record.values[0], (int64_t)((uint64_t)(10 * row->cpu) +
							     (uint64_t)record.deltas[0]));
		assert_int_equal(record.values[1],
				 (int64_t)((uint64_t)(10 * row->cpu + 1) +
					   (uint64_t)record.deltas[1]));
	}
	assert_int_equal(seen, 3);
	reader_close(&reader);
}

/* --- databases changed by other programs --- */

static const struct {
	int line;
	const char *sql; /* done to a good database */
	enum status opens;
	enum status ends; /* what reading it comes to */
	const char *says; /* part of the message, or NULL */
} damages[] = {
	{ ROW, "SELECT 1", ST_OK, ST_END, NULL },
	{ ROW, "PRAGMA user_version = 99", ST_UNSUPPORTED, 0,
	  "database: schema version 99, expected" },
	{ ROW, "PRAGMA application_id = 1", ST_UNSUPPORTED, 0, "unknown trace format" },
	{ ROW, "DROP TABLE trace", ST_CORRUPT, 0, "no such table: trace" },
	{ ROW, "DROP TABLE finding", ST_OK, ST_CORRUPT, "no such table: finding" },
	{ ROW, "ALTER TABLE context_switch DROP COLUMN delta_1", ST_OK, ST_CORRUPT,
	  NULL },
	{ ROW, "UPDATE counter_group SET counters = 1000000000", ST_OK, ST_CORRUPT,
	  "contradicts the other tables" },
	{ ROW, "UPDATE counter_group SET counters = -1", ST_OK, ST_CORRUPT,
	  "contradicts the other tables" },
	{ ROW, "UPDATE counter SET slot = 1000000000", ST_OK, ST_END, NULL },
	{ ROW, "UPDATE counter SET slot = -1", ST_OK, ST_END, NULL },
	{ ROW, "DELETE FROM counter_base", ST_OK, ST_END, NULL },
	{ ROW, "DELETE FROM counter", ST_OK, ST_END, NULL },
	{ ROW, "UPDATE context_switch SET cpu = -9223372036854775807 - 1", ST_OK,
	  ST_CORRUPT, NULL },
	{ ROW, "UPDATE context_switch SET delta_0 = NULL", ST_OK, ST_END, NULL },
	{ ROW, "UPDATE trace SET format = '', path = NULL", ST_OK, ST_END, NULL },
	{ ROW, "DROP TABLE stat", ST_OK, ST_CORRUPT, "no such table: stat" },
	{ ROW, "ALTER TABLE sample DROP COLUMN period", ST_OK, ST_CORRUPT, NULL },
	{ ROW, "UPDATE stat SET cpu = -5, thread = -9223372036854775807 - 1", ST_OK,
	  ST_END, NULL },
	{ ROW, "UPDATE switch_record SET cpu = 9223372036854775807", ST_OK, ST_END,
	  NULL },
};

/* Does this to a database, and to its views first, which would forbid it. */
static void change_database(const char *path, const char *sql)
{
	sqlite3 *db = rows_open_database(path);
	const char *views = rows_ask(
		db,
		"SELECT ifnull(group_concat('DROP VIEW ' || name, ';'), '') FROM sqlite_schema "
		"WHERE type = 'view'");

	if (sqlite3_exec(db, "PRAGMA foreign_keys = OFF", NULL, NULL, NULL) ||
	    sqlite3_exec(db, views, NULL, NULL, NULL) ||
	    sqlite3_exec(db, sql, NULL, NULL, NULL))
		fail_msg("%s: %s", sql, sqlite3_errmsg(db));
}

static const char *damaged_database(const char *sql)
{
	const char *path = database_of(1);

	change_database(path, sql);
	return path;
}

/* Rows of the first trace after those of all others: it is not enough to go on there. */
UNIT_TEST(mixed_traces)
{
	static const char *const changes[] = {
		"UPDATE finding SET rowid = rowid + 1000 WHERE trace_id = 1",
		"UPDATE stat SET rowid = rowid + 1000 WHERE trace_id = 2",
		"UPDATE thread_charge SET rowid = rowid + 1000 WHERE thread_id < 300",
		"UPDATE cpu_charge SET rowid = -rowid",
		"UPDATE counter_base SET rowid = rowid + 1000 WHERE counter_id < 300",
		"UPDATE on_cpu_summary SET rowid = rowid + 1000 WHERE thread_id < 200",
	};

	for (int wants = 0; wants < 2; wants++) {
		const struct reader_options options = { .want_switches = wants };
		const char *path = database_of(5);

		for (size_t i = 0; i < COUNT(changes); i++) {
			change_database(path, changes[i]);
			assert_comes_back(path, &options, 1, 5);
		}
	}
}

UNIT_TEST(damaged)
{
	const struct reader_options options = { .want_switches = true };

	for (size_t i = 0; i < COUNT(damages); i++) {
		const char *path = damaged_database(damages[i].sql);
		struct reader reader;
		struct record record;
		enum status status;

		status = reader_open(&reader, path, &options, all_formats);
		ROW_INT(&damages[i], status, damages[i].opens);
		while (status == ST_OK)
			status = reader_next(&reader, &record);
		if (damages[i].opens == ST_OK)
			ROW_INT(&damages[i], status, damages[i].ends);
		if (damages[i].says)
			ROW_HAS(&damages[i], reader.error.text, damages[i].says);
		reader_close(&reader);
	}
}

/* Reads of a group come after the switch that they follow, and add to its values. */
UNIT_TEST(reads)
{
	static const struct reader_options options = { .want_switches = true };
	const char *path = damaged_database(
		"INSERT INTO group_read VALUES (1, 900, 2, 1, NULL, 0, 1, 7, NULL, NULL, NULL),"
		"(2, 1100, 2, 1, NULL, 100, 1, 7, NULL, NULL, NULL),"
		"(3, 1200, 2, 1, NULL, 102, 1, 7, NULL, NULL, NULL);"
		"INSERT INTO group_read_value VALUES (1, 101, 30), (2, 100, 5), (2, 101, 6),"
		"(3, 100, -1)");
	struct reader reader;
	struct record record;
	char found[200] = "";

	assert_int_equal(reader_open(&reader, path, &options, all_formats), ST_OK);
	while (reader_next(&reader, &record) == ST_OK) {
		size_t used = strlen(found);

		if (record.kind == RECORD_group_read)
			snprintf(found + used, sizeof(found) - used, "%lld:%lld,%lld ",
				 (long long)RECORD_DATA(&record, group_read)->read_id,
				 (long long)record.values[0],
				 (long long)record.values[1]);
		if (record.kind == RECORD_context_switch)
			snprintf(found + used, sizeof(found) - used, "%lld ",
				 (long long)RECORD_DATA(&record, context_switch)
					 ->switch_id);
	}
	reader_close(&reader);
	/* Switch 101 is on that CPU, too: its deltas are INT64_MAX and one more. */
	assert_string_equal(found, "1:20,51 100 2:25,57 101 102 "
				   "3:-9223372036854775785,-9223372036854775751 ");
}

/* A column that is not there is an error, not a text of its name (SQLite's old habit). */
UNIT_TEST(missing_column)
{
	const char *path =
		damaged_database("ALTER TABLE thread DROP COLUMN recorder_tid");
	struct reader reader;
	struct record record;
	enum status status;

	status = reader_open(&reader, path, NULL, all_formats);
	while (status == ST_OK)
		status = reader_next(&reader, &record);
	reader_close(&reader);
	assert_int_equal(status, ST_CORRUPT);
}

/* What an expression makes is not read: it may never end.  Its name may be anything. */
UNIT_TEST(generated_column)
{
	static const char *const scripts[] = {
		"ALTER TABLE trace DROP COLUMN host; ALTER TABLE trace ADD COLUMN host TEXT "
		"AS (instr(zeroblob(15000000), zeroblob(7000000) || x'01'))",
		"ALTER TABLE thread ADD COLUMN more TEXT AS (name || '?') VIRTUAL",
	};

	for (size_t i = 0; i < COUNT(scripts); i++) {
		const char *path = damaged_database(scripts[i]);
		struct reader reader;
		enum status status = reader_open(&reader, path, NULL, all_formats);

		assert_int_equal(status, ST_UNSUPPORTED);
		HAS(reader.error.text, i ? "thread.more" : "trace.host",
		    "is a generated column");
		reader_close(&reader);
	}
}

/* Cut off in the middle of its pages. */
UNIT_TEST(broken_file)
{
	const struct reader_options options = { .want_switches = true };
	size_t size;
	char *bytes = unit_read_file(database_of(1), &size);
	const char *path = unit_path("broken.db");

	for (size_t cut = 100; cut < size; cut += size / 23) {
		struct reader reader;
		struct record record;
		enum status status;

		unit_write_file(path, bytes, cut);
		status = reader_open(&reader, path, &options, all_formats);
		while (status == ST_OK)
			status = reader_next(&reader, &record);
		if (status == ST_END)
			fail_msg("a database cut at %zu of %zu was read to its end", cut,
				 size);
		assert_int_equal(reader.error.status, status);
		reader_close(&reader);
	}
}

UNIT_TEST(not_a_file)
{
	struct reader reader;
	size_t size;
	char *bytes = unit_read_file(database_of(1), &size);

	assert_int_equal(reader_open_memory(&reader, bytes, size, NULL, all_formats),
			 ST_UNSUPPORTED);
	assert_string_equal(
		reader.error.text,
		"database: cannot be read from a pipe or packed: save or unpack "
		"it to a file first");
}
