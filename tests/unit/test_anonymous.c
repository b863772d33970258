/*
 * test_anonymous.c - lib/pipeline/anonymous.h: every column has its line, the same text
 * the same token, and nothing else is let through.
 */
#include "pipeline/anonymous.h"

#include <stdlib.h>
#include <string.h>

#include "formats/etw/etw.h"
#include "output/outputs.h"
#include "rows.h"

/* --- the policy --- */

/* Every text and blob of a table has a line. */
static void check_lines(const struct table *table, int *missing)
{
	for (size_t i = 0; i < table->field_count; i++) {
		const struct field *field = &table->fields[i];

		if (!field_is_text(field->kind) ||
		    anonymous_policy(table->name, field->name) != ANONYMOUS_NO_LINE)
			continue;
		print_error("%s.%s has no line in anonymous.def\n", table->name,
			    field->name);
		(*missing)++;
	}
}

UNIT_TEST(every_column)
{
	int missing = 0;

	for (size_t i = 0; i < RECORD_TABLES; i++)
		check_lines(&tables[i], &missing);
	for (size_t i = 0; i < ETW_TABLES; i++)
		check_lines(&etw_tables[i], &missing);
	assert_int_equal(missing, 0);
}

static const struct field *find_field(const struct table *all, size_t count,
				      const char *table, const char *column)
{
	for (size_t t = 0; t < count; t++)
		for (size_t i = 0; i < all[t].field_count; i++)
			if (strcmp(all[t].name, table) == 0 &&
			    strcmp(all[t].fields[i].name, column) == 0)
				return &all[t].fields[i];
	return NULL;
}

/* And every line a column, of which no blob stays, and only one line. */
UNIT_TEST(every_line)
{
	const char *table, *column;

	for (size_t n = 0; anonymous_policy_line(n, &table, &column); n++) {
		const struct field *field =
			find_field(tables, RECORD_TABLES, table, column);
		const char *other_table, *other_column;

		if (!field)
			field = find_field(etw_tables, ETW_TABLES, table, column);
		if (!field || !field_is_text(field->kind))
			fail_msg("%s.%s is not a text of a table", table, column);
		if (field->kind == FIELD_BLOB)
			assert_int_equal(anonymous_policy(table, column), ANONYMOUS_DROP);
		for (size_t m = 0; m < n; m++)
			if (anonymous_policy_line(m, &other_table, &other_column) &&
			    strcmp(table, other_table) == 0 &&
			    strcmp(column, other_column) == 0)
				fail_msg("%s.%s has two lines", table, column);
	}
}

/* --- rows through the sinks --- */

static void put_comm(struct sink *sink, const char *name)
{
	struct comm_row row = { .trace_id = 1, .thread_id = 1, .name = str_of(name) };

	assert_int_equal(sink_put(sink,
				  &(struct record){ .kind = RECORD_comm, .data = &row }),
			 ST_OK);
}

static enum status put_host(struct sink *sink, const char *host)
{
	struct header_fact_row row = { 1, STR("HOSTNAME"), str_of(host) };

	return sink_put(sink,
			&(struct record){ .kind = RECORD_header_fact, .data = &row });
}

/* A name that was let through before it was known to be a host's: nothing is written. */
UNIT_TEST(reported_late)
{
	struct anonymous *anonymous = anonymous_new(false);
	struct sink sink;

	assert_int_equal(anonymous_open(&sink, anonymous, &null_writer, NULL), ST_OK);
	put_comm(&sink, "bash");
	put_comm(&sink, "box");
	assert_int_equal(put_host(&sink, "other"), ST_OK);
	assert_int_equal(put_host(&sink, "box"), ST_UNSUPPORTED);
	HAS(sink.error.text, "read twice");
	sink_close(&sink);
	anonymous_free(anonymous);
}

/* Unless it was learned of before. */
UNIT_TEST(learned)
{
	struct anonymous *anonymous = anonymous_new(false);
	struct sink sink;

	assert_int_equal(anonymous_learn(&sink, anonymous), ST_OK);
	put_comm(&sink, "box");
	assert_int_equal(put_host(&sink, "box"), ST_OK);
	sink_close(&sink);
	assert_int_equal(anonymous_open(&sink, anonymous, &null_writer, NULL), ST_OK);
	put_comm(&sink, "box");
	assert_int_equal(put_host(&sink, "box"), ST_OK);
	sink_close(&sink);
	anonymous_free(anonymous);
}

/* What the writer refuses is the filter's error. */
UNIT_TEST(errors)
{
	struct anonymous *anonymous = anonymous_new(false);
	struct sink_options options = { .path = "/nowhere/at/all.db" };
	struct sink sink;

	assert_true(anonymous_open(&sink, anonymous, &sqlite_writer, &options) < ST_OK);
	HAS(sink.error.text, "/nowhere/at/all.db");
	anonymous_free(anonymous);
}

#define SECRET "secret"

/* Every text and blob is SECRET, the numbers are 1. */
static void put_secrets(struct sink *sink, enum record_kind kind,
			const struct table *table)
{
	char row[OWN_ROW_BYTES_MAX] = "";
	struct record record = { .kind = kind, .data = row, .table = table };

	for (size_t i = 0; i < table->field_count; i++) {
		struct str text = STR(SECRET);
		int64_t number = 1;

		if (field_is_text(table->fields[i].kind))
			memcpy(row + table->fields[i].offset, &text, sizeof(text));
		else
			memcpy(row + table->fields[i].offset, &number, sizeof(number));
	}
	assert_int_equal(sink_put(sink, &record), ST_OK);
}

/* A table of a tracepoint, with one column of each name. */
#define OWN_FIELDS 9
static const struct field own_fields[OWN_FIELDS] = {
	{ "trace_id", FIELD_INT, 0 },	  { "comm", FIELD_TEXT, 8 },
	{ "prev_comm", FIELD_TEXT, 24 },  { "filename", FIELD_TEXT, 40 },
	{ "name", FIELD_TEXT, 56 },	  { "raw_tail", FIELD_BLOB, 72 },
	{ "other", FIELD_TEXT, 88 },	  { "frames", FIELD_TEXT, 104 },
	{ "old_bytes", FIELD_BLOB, 120 },
};
static const struct table own = { "sched_switch", own_fields, OWN_FIELDS, 136 };

/* The rows of one table in a database that the filter wrote, to be freed. */
static char *written(const struct table *table, enum record_kind kind, bool all)
{
	struct sink_options options = { .path = unit_below(unit_directory(), "x.db") };
	struct anonymous *anonymous = anonymous_new(all);
	struct sink sink;
	sqlite3 *db;
	char *rows;

	assert_int_equal(anonymous_open(&sink, anonymous, &sqlite_writer, &options),
			 ST_OK);
	put_secrets(&sink, kind, table);
	put_secrets(&sink, kind, table);
	assert_int_equal(sink_finish(&sink), ST_OK);
	sink_close(&sink);
	anonymous_free(anonymous);
	db = rows_open_database(options.path);
	rows = rows_of_table(db, table->name);
	return rows;
}

UNIT_TEST(own_table)
{
	char *rows = written(&own, RECORD_OWN_TABLE, false);

	HAS(rows, "\n1,'secret','secret','p1','text1',NULL,'text1','text1',NULL\n");
	rows = written(&own, RECORD_OWN_TABLE, true);
	HAS(rows, "\n1,'process1','process1','p1','text1',NULL,'text1','text1',NULL\n");
}

UNIT_TEST(etw_process)
{
	char *rows = written(&etw_tables[TABLE_etw_process], RECORD_OWN_TABLE, false);

	HAS(rows, "\n1,1,'secret',1,1,1,1,1,1,1,'S-1-sid1','secret',"
		  "'command1','package1','application1'\n");
}

/* The name of a recorder: a version of perf, or what a user of Windows typed. */
static const struct {
	int line;
	const char *format, *recorder, *shown;
} recorders[] = {
	{ ROW, "perf.data", "6.1.55", "6.1.55" },
	{ ROW, "perf.data", "simpleperf 1.build.7848450", "simpleperf 1.build.7848450" },
	{ ROW, "xperf text", "xperf", "xperf" },
	{ ROW, "etl", "NT Kernel Logger", "NT Kernel Logger" },
	{ ROW, "etl", "Relogger", "Relogger" },
	{ ROW, "etl", "Anna at Customer", "text1" },
	{ ROW, "etl", "nt kernel logger of anna", "text1" },
};

UNIT_TEST(recorder)
{
	for (size_t i = 0; i < COUNT(recorders); i++) {
		struct sink_options options = { .path = unit_below(unit_directory(),
								   "x.db") };
		struct anonymous *anonymous = anonymous_new(false);
		struct trace_row row = { .trace_id = 1,
					 .path = STR("x"),
					 .status = STR("complete"),
					 .clock = STR("ns"),
					 .format = str_of(recorders[i].format),
					 .recorder = str_of(recorders[i].recorder) };
		struct sink sink;
		char wanted[64], *rows;
		sqlite3 *db;

		assert_int_equal(anonymous_open(&sink, anonymous, &sqlite_writer,
						&options),
				 ST_OK);
		assert_int_equal(sink_put(&sink, &(struct record){ .kind = RECORD_trace,
								   .data = &row }),
				 ST_OK);
		assert_int_equal(sink_finish(&sink), ST_OK);
		sink_close(&sink);
		anonymous_free(anonymous);
		db = rows_open_database(options.path);
		rows = rows_of_table(db, "trace");
		snprintf(wanted, sizeof(wanted), ",'%s',", recorders[i].shown);
		ROW_HAS(&recorders[i], rows, wanted);
	}
}

UNIT_TEST(finding)
{
	struct sink_options options = { .path = unit_below(unit_directory(), "x.db") };
	struct anonymous *anonymous = anonymous_new(false);
	struct finding_row row = { .trace_id = 1,
				   .severity = STR("damage"),
				   .kind = STR("bad_record"),
				   .count = 1,
				   .first_offset = 16,
				   .end_offset = 24,
				   .text = STR("record at 0x10: secret") };
	struct sink sink;
	sqlite3 *db;
	char *rows;

	assert_int_equal(anonymous_open(&sink, anonymous, &sqlite_writer, &options),
			 ST_OK);
	assert_int_equal(
		sink_put(&sink, &(struct record){ .kind = RECORD_finding, .data = &row }),
		ST_OK);
	assert_int_equal(sink_finish(&sink), ST_OK);
	sink_close(&sink);
	anonymous_free(anonymous);
	db = rows_open_database(options.path);
	rows = rows_of_table(db, "finding");
	HAS(rows, "\n1,'damage','bad_record',1,16,24,'bytes that "
		  "are not a record, skipped up to the next "
		  "plausible one'\n");
}

/* Tables with all that is nasty go through, and blobs do not come out. */
UNIT_TEST(nasty)
{
	struct sink_options options = { .path = unit_below(unit_directory(), "x") };
	struct anonymous *anonymous = anonymous_new(true);
	struct rows rows = { .count = 0 };
	struct sink sink;
	char *csv;

	rows_add_nasty(&rows);
	assert_int_equal(anonymous_learn(&sink, anonymous), ST_OK);
	for (size_t i = 0; i < rows.count; i++)
		assert_int_equal(sink_put(&sink, &rows.records[i]), ST_OK);
	sink_close(&sink);
	assert_int_equal(anonymous_open(&sink, anonymous, &csv_writer, &options), ST_OK);
	for (size_t i = 0; i < rows.count; i++)
		assert_int_equal(sink_put(&sink, &rows.records[i]), ST_OK);
	assert_int_equal(sink_finish(&sink), ST_OK);
	sink_close(&sink);
	anonymous_free(anonymous);
	csv = rows_of_csv(options.path, "thread");
	LACKS(csv, "plain");
	HAS(csv, "process");
}
