/* test_writer_sqlite.c - lib/output/sqlite through the sink interface. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/run.h"
#include "output/outputs.h"
#include "output/sqlite/batch.h"
#include "rows.h"
#include "schema.h"

/* Writes the rows, in bulk or by SQL, and opens what came of it. */
static sqlite3 *written_by(const struct rows *rows, bool by_sql)
{
	const struct sink_options options = { .path = unit_path("t.db"),
					      .overwrite = true,
					      .indexes = true,
					      .by_sql = by_sql };

	rows_write(rows, &sqlite_writer, &options);
	return rows_open_database(options.path);
}

static sqlite3 *written(const struct rows *rows)
{
	return written_by(rows, false);
}

/* What must hold of every database, whatever is in it. */
static void assert_sound(sqlite3 *db)
{
	char expected[32];

	rows_answer(db, "PRAGMA integrity_check", "ok");
	snprintf(expected, sizeof(expected), "%d", SCHEMA_APPLICATION_ID);
	rows_answer(db, "PRAGMA application_id", expected);
	snprintf(expected, sizeof(expected), "%d", SCHEMA_VERSION);
	rows_answer(db, "PRAGMA user_version", expected);
	rows_answer(db, "PRAGMA journal_mode", "delete");
	rows_answer(
		db,
		"SELECT group_concat(name) FROM pragma_table_list WHERE schema = 'main' "
		"AND type = 'table' AND NOT strict AND name NOT LIKE 'sqlite_%'",
		"NULL");
	rows_answer(db, "SELECT count(*) > 20 FROM pragma_table_list WHERE strict", "1");
	rows_answer(db, "SELECT count(*) FROM charge_status", "14");
}

UNIT_TEST(empty)
{
	const struct rows none = { NULL, 0, 0 };
	sqlite3 *db = written(&none);

	assert_sound(db);
	for (size_t t = 0; t < RECORD_TABLES; t++) {
		char sql[128];

		snprintf(sql, sizeof(sql), "SELECT count(*) FROM \"%s\"", tables[t].name);
		rows_answer(db, sql, "0");
	}
	/* Every view can be asked, even with no counter in sight. */
	rows_answer(db, "SELECT count(*) FROM context_switch_named", "0");
	rows_answer(db, "SELECT count(*) FROM switch_counters", "0");
	rows_answer(db, "SELECT count(*) FROM switch_values", "0");
	rows_answer(db, "SELECT count(*) FROM process_bill", "0");
	rows_answer(db, "SELECT count(*) FROM finding_sorted", "0");
	assert_int_equal(unit_count(unit_path(""), "t.db."), 0);
	assert_false(unit_exists(unit_path("t.db-journal")));
}

UNIT_TEST(nasty)
{
	struct rows rows = { NULL, 0, 0 };
	sqlite3 *db;

	rows_add_nasty(&rows);
	db = written(&rows);
	assert_sound(db);
	/* An unknown text is not an empty one, an unknown number is not 0. */
	rows_answer(
		db,
		"SELECT path IS NULL AND bytes IS NULL FROM trace WHERE trace_id = 100",
		"1");
	rows_answer(db, "SELECT path = '' AND bytes = 0 FROM trace WHERE trace_id = 101",
		    "1");
	rows_answer(db, "SELECT count(*) FROM trace WHERE path LIKE '%DROP TABLE%'", "1");
	rows_answer(
		db,
		"SELECT count(DISTINCT typeof(key)) || min(typeof(key)) FROM header_fact",
		"1text");
	/* INT_NONE is NULL in a column, but a number like others in a delta. */
	rows_answer(db, "SELECT delta_0 FROM context_switch WHERE switch_id = 1",
		    "-9223372036854775808");
	rows_answer(db, "SELECT delta_0 FROM context_switch WHERE switch_id = 2",
		    "9223372036854775807");
	rows_answer(db, "SELECT delta_1 FROM context_switch WHERE switch_id = 2",
		    "-9223372036854775808");
	rows_answer(db, "SELECT count(*) FROM context_switch WHERE prev_state IS NULL",
		    "6");
	rows_answer(db, "SELECT hex(value) FROM header_fact WHERE key = 'caf\u00e9'",
		    "62616420FFFE20757466");
}

/* --- widths --- */

static void assert_switch(sqlite3 *db, int64_t id, size_t slots, size_t columns,
			  int64_t delta)
{
	char sql[128], expected[32];

	for (size_t i = 0; i < columns; i++) {
		snprintf(sql, sizeof(sql),
			 "SELECT delta_%zu FROM context_switch WHERE switch_id = %lld", i,
			 (long long)id);
		snprintf(expected, sizeof(expected), "%lld",
			 (long long)(delta + (int64_t)i));
		rows_answer(db, sql, i < slots ? expected : "NULL");
	}
}

/* Two groups in turn, each in batches of its own, the wider one later. */
UNIT_TEST(two_widths)
{
	struct rows rows = { NULL, 0, 0 };
	int64_t count = 3 * BATCH_ROWS + 7;
	sqlite3 *db;

	rows_add_group(&rows, 1, 2);
	for (int64_t id = 1; id <= 20; id++)
		rows_add_switch(&rows, id, 1, 2, id * 10);
	rows_add_group(&rows, 2, 4);
	for (int64_t id = 21; id <= count; id++)
		rows_add_switch(&rows, id, id % 2 + 1, id % 2 ? 4 : 2, id * 10);
	db = written(&rows);
	assert_sound(db);
	rows_answer(db, "SELECT count(*) FROM pragma_table_info('context_switch')", "15");
	rows_answer(db,
		    "SELECT count(*) = max(switch_id) AND min(switch_id) = 1 FROM "
		    "context_switch",
		    "1");
	for (int64_t id = 1; id <= count; id += id < 30 ? 1 : 97)
		assert_switch(db, id, id > 20 && id % 2 ? 4 : 2, 4, id * 10);
	rows_answer(db,
		    "SELECT count(*) FROM context_switch WHERE ts_ns <> 1000 + switch_id",
		    "0");
	/* In the view each column is found under its name, whatever its group. */
	rows_answer(db,
		    "SELECT \"sched:sched_switch\" || '|' || cycles FROM "
		    "context_switch_named WHERE switch_id = 22",
		    "220|221");
	rows_answer(db,
		    "SELECT \"status#\" FROM context_switch_named WHERE switch_id = 23",
		    "233");
	rows_answer(db,
		    "SELECT \"status#\" FROM context_switch_named WHERE switch_id = 22",
		    "NULL");
	rows_answer(db,
		    "SELECT \"a \"\"b\"\", c\" FROM context_switch_named "
		    "WHERE switch_id = 23",
		    "232");
}

/*
 * Columns that hold one value all through a batch, and those that hold another in the
 * next: the writer treats them apart, the rows must not show it.
 */
static const char other_columns[] =
	"WITH s AS (SELECT *, (switch_id - 1) / 512 AS run FROM context_switch)\n"
	"SELECT count(*) FROM s WHERE ts_ns <> 1000 + switch_id\n"
	"  OR cpu <> iif(run & 1, switch_id, run)\n"
	"  OR prev_thread_id IS NOT iif(run & 2, switch_id, NULL)\n"
	"  OR status <> iif(run & 4, switch_id % 2, 1)\n"
	"  OR on_cpu_ns <> iif(run & 8, switch_id, 0)\n"
	"  OR running_ns IS NOT iif(run & 16, switch_id, NULL)\n"
	"  OR delta_0 IS NOT iif(run % 3, -9223372036854775807 - 1, switch_id)\n"
	"  OR delta_2 IS NOT iif(run % 3, -9223372036854775806, switch_id + 2)";

UNIT_TEST(constant_columns)
{
	struct rows rows = { NULL, 0, 0 };
	int64_t id = 0;
	sqlite3 *db;

	rows_add_group(&rows, 1, 3);
	for (int run = 0; run < 40; run++)
		for (size_t i = 0; i < BATCH_ROWS; i++) {
			struct context_switch_row row;

			id++;
			rows_add_switch(&rows, id, 1, 3, run % 3 ? INT64_MIN : id);
			/* A bit of `run` says whether a column varies. */
			memcpy(&row, rows.records[rows.count - 1].data, sizeof(row));
			row.cpu = run & 1 ? id : run;
			row.prev_thread_id = run & 2 ? id : INT_NONE;
			row.status = run & 4 ? id % 2 : 1;
			row.on_cpu_ns = run & 8 ? id : 0;
			row.running_ns = run & 16 ? id : INT_NONE;
			memcpy((void *)(uintptr_t)rows.records[rows.count - 1].data, &row,
			       sizeof(row));
		}
	for (int by_sql = 0; by_sql < 2; by_sql++) {
		db = written_by(&rows, by_sql);
		assert_sound(db);
		rows_answer(db, "SELECT count(*) FROM context_switch", "20480");
		/* run = (switch_id - 1) / 512 */
		rows_answer(db, other_columns, "0");
	}
}

/* Ids are those of the rows, whether SQLite would assign them or not. */
UNIT_TEST(ids_with_gaps)
{
	static const int64_t ids[] = { 1, 2, 3, 5, 6, 9, 20 };

	for (int by_sql = 0; by_sql < 2; by_sql++) {
		struct rows rows = { NULL, 0, 0 };
		sqlite3 *db;

		rows_add_group(&rows, 1, 2);
		for (size_t i = 0; i < COUNT(ids); i++)
			rows_add_switch(&rows, ids[i], 1, 2, ids[i]);
		db = written_by(&rows, by_sql);
		assert_sound(db);
		rows_answer(
			db,
			"SELECT group_concat(switch_id) FROM (SELECT switch_id FROM context_switch ORDER BY 1)",
			"1,2,3,5,6,9,20");
		rows_answer(
			db,
			"SELECT count(*) FROM context_switch WHERE delta_0 <> switch_id",
			"0");
	}
}

/* The most counters a group may have. */
UNIT_TEST(widest)
{
	struct rows rows = { NULL, 0, 0 };
	sqlite3 *db;

	rows_add(&rows, RECORD_counter_group,
		 &(struct counter_group_row){ 1, 1, STR("l"), GROUP_COUNTERS_MAX,
					      STR("cpu"), STR("no") });
	rows_add_switch(&rows, 1, 1, GROUP_COUNTERS_MAX, 5);
	rows_add_switch(&rows, 2, 1, GROUP_COUNTERS_MAX, -5);
	db = written(&rows);
	assert_sound(db);
	rows_answer(db, "SELECT delta_1023 FROM context_switch WHERE switch_id = 1",
		    "1028");
	rows_answer(db, "SELECT delta_1023 FROM context_switch WHERE switch_id = 2",
		    "1018");
}

/* Switches of one CPU with two counters, `count` of them, in runs; ids from 1 on. */
static void put_runs(struct sink *sink, size_t count)
{
	static struct run run;

	run = (struct run){ .common = { .cpu = 3, .count = 2 },
			    .count = RUN_SWITCHES_MAX };
	for (size_t at = 1; at < RUN_PLACES; at++) {
		run.ts_ns[at] = (int64_t)at;
		run.prev_thread_id[at] = run.next_thread_id[at] = 1;
		run.deltas[2 * at] = 5;
		run.deltas[2 * at + 1] = 7;
	}
	for (size_t i = 0; i < count; i += RUN_SWITCHES_MAX) {
		size_t left = count - i;
		const struct run_rows rows = {
			.run = &run,
			.from = 1,
			.to = 1 + (left < RUN_SWITCHES_MAX ? left : RUN_SWITCHES_MAX),
			.first_id = (int64_t)i + 1,
			.group_id = 1,
		};

		assert_int_equal(sink_put_run(sink, &rows), ST_OK);
	}
}

/* Batches may have rows alone, runs alone, or both; whichever is the last, all arrive. */
UNIT_TEST(runs)
{
	for (size_t count = 63; count < 40000; count = count * 5 / 4 + 1) {
		const struct sink_options options = { .path = unit_path("t.db"),
						      .overwrite = true,
						      .indexes = true };
		const struct counter_group_row group = { 1, 1,		STR("l"),
							 2, STR("cpu"), STR("no") };
		struct sink sink;
		char wanted[64];

		assert_int_equal(sink_open(&sink, &sqlite_writer, &options), ST_OK);
		assert_int_equal(sink_put(&sink,
					  &(struct record){ .kind = RECORD_counter_group,
							    .data = &group }),
				 ST_OK);
		put_runs(&sink, count);
		if (sink_finish(&sink) != ST_OK)
			fail_msg("%zu switches: %s", count, sink.error.text);
		sink_close(&sink);
		snprintf(wanted, sizeof(wanted), "%zu %zu %zu", count, 5 * count,
			 7 * count);
		rows_answer(rows_open_database(options.path),
			    "SELECT format('%d %d %d', count(*), sum(delta_0), "
			    "sum(delta_1)) FROM context_switch",
			    wanted);
	}
}

/* More counters than rows of runs can have that are loaded as columns. */
UNIT_TEST(wide_runs)
{
	enum { SLOTS = 120, EACH = RUN_VALUES_MAX / SLOTS - 1, RUNS = 1500 };
	const struct sink_options options = { .path = unit_path("wide.db"),
					      .overwrite = true,
					      .indexes = true };
	const struct counter_group_row group = { 1,	1,	    STR("l"),
						 SLOTS, STR("cpu"), STR("no") };
	static struct run run;
	struct sink sink;
	sqlite3 *db;

	assert_int_equal(sink_open(&sink, &sqlite_writer, &options), ST_OK);
	assert_int_equal(sink_put(&sink, &(struct record){ .kind = RECORD_counter_group,
							   .data = &group }),
			 ST_OK);
	for (int64_t i = 0; i < RUNS; i++) {
		const struct run_rows rows = { &run, 1, EACH + 1, i * EACH + 1, 1 };

		run = (struct run){ .common = { .cpu = i % 4, .count = SLOTS },
				    .count = EACH,
				    .has_running = i % 2 };
		for (int64_t at = 1; at <= EACH; at++) {
			int64_t id = i * EACH + at;

			run.ts_ns[at] = 10 * id;
			run.prev_thread_id[at] = 1 + id % 7;
			run.next_thread_id[at] = 1 + id % 5;
			run.prev_state[at] = id % 3;
			run.on_cpu_ns[at] = 2 * id;
			run.ran_ns[at] = 3 * id;
			for (int64_t slot = 0; slot < SLOTS; slot++)
				run.deltas[at * SLOTS + slot] = 1000 * id + slot;
		}
		assert_int_equal(sink_put_run(&sink, &rows), ST_OK);
	}
	assert_int_equal(sink_finish(&sink), ST_OK);
	sink_close(&sink);
	db = rows_open_database(options.path);
	assert_sound(db);
	rows_answer(db, "SELECT count(*) FROM context_switch", "10500");
	rows_answer(db,
		    "SELECT count(*) FROM context_switch WHERE ts_ns <> 10 * switch_id "
		    "OR cpu <> (switch_id - 1) / 7 % 4 OR prev_state <> switch_id % 3 "
		    "OR prev_thread_id <> 1 + switch_id % 7 "
		    "OR next_thread_id <> 1 + switch_id % 5 "
		    "OR on_cpu_ns <> 2 * switch_id OR running_ns IS NOT "
		    "iif((switch_id - 1) / 7 % 2, 3 * switch_id, NULL) "
		    "OR delta_0 <> 1000 * switch_id OR delta_119 <> 1000 * switch_id + "
		    "119",
		    "0");
}

static void put(struct sink *sink, const struct record *record)
{
	if (sink_put(sink, record) != ST_OK)
		fail_msg("put: %s", sink->error.text);
}

/* Times are too large to be counted, so their index is merged from sorted blocks. */
static void put_switches(struct sink *sink, int64_t from, int64_t to)
{
	struct record record = { .kind = RECORD_context_switch };

	for (int64_t id = from; id < to; id++) {
		const struct context_switch_row row = { .switch_id = id,
							.ts_ns = id * 7919 % 1000003 *
								 1000000,
							.group_id = 1,
							.prev_thread_id = id % 50,
							.next_thread_id = INT_NONE };

		record.data = &row;
		put(sink, &record);
	}
}

static void put_threads(struct sink *sink, int64_t count)
{
	struct record record = { .kind = RECORD_thread };

	for (int64_t id = 1; id <= count; id++) {
		const struct thread_row row = { .thread_id = id,
						.process_id = id * 31 % 4096,
						.tid = id * 7 % 1009,
						.name = STR("t") };

		record.data = &row;
		put(sink, &record);
	}
}

/* An index of switches is written while threads come, and switches after all. */
UNIT_TEST(switches_have_ended)
{
	static const uint64_t memories[] = { 0, 1 << 20, 3 << 19, 2 << 20, 5 << 19 };

	for (size_t i = 0; i < COUNT(memories); i++) {
		const struct sink_options options = { .path = unit_path("ended.db"),
						      .overwrite = true,
						      .indexes = true,
						      .memory_bytes = memories[i] };
		struct sink sink;
		sqlite3 *db;

		assert_int_equal(sink_open(&sink, &sqlite_writer, &options), ST_OK);
		put_switches(&sink, 1, 60000);
		assert_int_equal(sink_end_switches(&sink), ST_OK);
		put_threads(&sink, 60000);
		put_switches(&sink, 60000, 60100);
		assert_int_equal(sink_end_switches(&sink), ST_OK);
		put_switches(&sink, 60100, 61000);
		if (sink_finish(&sink) != ST_OK)
			fail_msg("finish: %s", sink.error.text);
		sink_close(&sink);
		db = rows_open_database(options.path);
		assert_sound(db);
		rows_answer(db, "SELECT count(*) FROM thread", "60000");
		rows_answer(
			db,
			"SELECT format('%d %d', count(*), "
			"sum(ts_ns = switch_id * 7919 % 1000003 * 1000000)) FROM context_switch",
			"60999 60999");
	}
}

/* It is closed while the index is written. */
UNIT_TEST(closed_early)
{
	const struct sink_options options = { .path = unit_path("closed.db"),
					      .indexes = true };
	int threads = unit_count("/proc/self/task", "");
	struct sink sink;

	assert_int_equal(sink_open(&sink, &sqlite_writer, &options), ST_OK);
	put_switches(&sink, 1, 60000);
	assert_int_equal(sink_end_switches(&sink), ST_OK);
	sink_close(&sink);
	/* No thread writes any more: the kernel forgets a thread soon after its end. */
	for (int i = 0; i < 1000 && unit_count("/proc/self/task", "") > threads; i++)
		usleep(1000);
	assert_int_equal(unit_count("/proc/self/task", ""), threads);
	assert_int_equal(unit_count(unit_directory(), "closed.db"), 0);
}

UNIT_TEST(indexes)
{
	for (int indexes = 0; indexes < 2; indexes++) {
		const struct rows none = { NULL, 0, 0 };
		const struct sink_options options = { .path = unit_path("i.db"),
						      .overwrite = true,
						      .indexes = indexes };
		sqlite3 *db;

		rows_write(&none, &sqlite_writer, &options);
		db = rows_open_database(options.path);
		rows_answer(
			db,
			"SELECT count(*) > 0 FROM sqlite_schema WHERE type = 'index' AND "
			"name = 'context_switch_by_time'",
			indexes ? "1" : "0");
	}
}

/* --- what goes wrong --- */

/* A row that the schema forbids ends the conversion, and leaves nothing. */
UNIT_TEST(refused_row)
{
	const struct sink_options options = { .path = unit_path("refused.db") };
	const struct exit_row row = { 1, INT_NONE, INT_NONE };
	struct sink sink;

	assert_int_equal(sink_open(&sink, &sqlite_writer, &options), ST_OK);
	assert_int_equal(sink_put(&sink,
				  &(struct record){ .kind = RECORD_exit, .data = &row }),
			 ST_OK);
	assert_int_equal(sink_finish(&sink), ST_IO);
	HAS(sink.error.text, "NOT NULL constraint failed: exit.thread_id", options.path);
	sink_close(&sink);
	assert_false(unit_exists(options.path));
	assert_int_equal(unit_count(unit_path(""), "refused.db."), 0);
}

static int no_views(void *unused, int action, const char *first, const char *second,
		    const char *database, const char *trigger)
{
	(void)unused, (void)second, (void)database, (void)trigger;
	return action == SQLITE_INSERT && strcmp(first, "sqlite_master") == 0
		       ? SQLITE_DENY
		       : SQLITE_OK;
}

/* For each connection that is opened. */
static int forbid_views(sqlite3 *db, char **text, const struct sqlite3_api_routines *api)
{
	(void)text, (void)api;
	return sqlite3_set_authorizer(db, no_views, NULL);
}

/* What comes after all rows fails as they do. */
UNIT_TEST(refused_views)
{
	const struct sink_options options = { .path = unit_path("views.db") };
	struct sink sink;

	assert_int_equal(sqlite3_auto_extension((void (*)(void))forbid_views), SQLITE_OK);
	assert_int_equal(sink_open(&sink, &sqlite_writer, &options), ST_OK);
	assert_int_equal(sink_finish(&sink), ST_IO);
	sqlite3_reset_auto_extension();
	HAS(sink.error.text, "creating views", "not authorized", options.path);
	sink_close(&sink);
	assert_false(unit_exists(options.path));
	assert_int_equal(unit_count(unit_path(""), "views.db."), 0);
}

/* Views are read once they are all in the schema: none that is not sound stays. */
UNIT_TEST(malformed_view)
{
	static const struct field field = { "a", FIELD_INT, 0 };
	static const int64_t row = 1;
	static const struct table table = { "process_bill", &field, 1, sizeof(row) };
	const struct sink_options options = { .path = unit_path("malformed.db") };
	struct sink sink;

	assert_int_equal(sink_open(&sink, &sqlite_writer, &options), ST_OK);
	assert_int_equal(sink_put(&sink, &(struct record){ .kind = RECORD_OWN_TABLE,
							   .table = &table,
							   .data = &row }),
			 ST_OK);
	assert_int_equal(sink_finish(&sink), ST_IO);
	HAS(sink.error.text, "creating views", "malformed database schema (process_bill)",
	    options.path);
	sink_close(&sink);
	assert_false(unit_exists(options.path));
	assert_int_equal(unit_count(unit_path(""), "malformed.db."), 0);
}

UNIT_TEST(not_finished)
{
	const struct sink_options options = { .path = unit_path("unfinished.db") };
	struct sink sink;

	assert_int_equal(sink_open(&sink, &sqlite_writer, &options), ST_OK);
	sink_close(&sink);
	assert_false(unit_exists(options.path));
	assert_int_equal(unit_count(unit_path(""), "unfinished.db."), 0);
}

UNIT_TEST(disk_full)
{
	struct unit_output output;

	rows_write_limited(&sqlite_writer, "full.db", 500000, 200000, &output);
	HAS(output.err, "cannot write ");
}
