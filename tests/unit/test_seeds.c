/*
 * test_seeds.c - what is promised of every input whatever, on the fuzz seeds and samples.
 *
 * An input is refused with a sentence, or what could be read of it becomes a database
 * that is sound: its references hold, its books balance, its texts are valid UTF-8, and
 * the CSV files of the same run have the same rows.  Failures are reported for all files
 * together.
 */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/file_name.h"
#include "base/text.h"
#include "formats/formats.h"
#include "output/outputs.h"
#include "pipeline/pipeline.h"
#include "rows.h"

static int failures;

static void complain(const char *path, const char *what, const char *detail)
{
	const char *name = strrchr(path, '/');

	print_error("%s: %s: %s\n", name ? name + 1 : path, what, detail);
	failures++;
}

/* Each must answer 0. */
static const struct {
	const char *what;
	const char *sql;
} questions[] = {
	{ "integrity",
	  "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check <> "
	  "'ok'" },
	{ "references that do not hold",
	  "SELECT count(*) FROM pragma_foreign_key_check" },
	{ "counters that do not balance",
	  /* in halves: SQLite's sums do not wrap */
	  "WITH h AS (SELECT (last_value & 0xffffffff) - (first_value & 0xffffffff)"
	  " - (charged & 0xffffffff) - (with_idle & 0xffffffff) - (idle & 0xffffffff)"
	  " - (unattributed & 0xffffffff) - (interrupts & 0xffffffff) AS low, (last_value >> 32) - (first_value >> "
	  "32)"
	  " - (charged >> 32) - (with_idle >> 32) - (idle >> 32) - (unattributed >> 32) - "
	  "(interrupts >> 32) "
	  "AS high"
	  " FROM cpu_charge) SELECT count(*) FROM h WHERE ((high << 32) + low) <> 0" },
	{ "switches without a book",
	  "SELECT (SELECT count(*) FROM context_switch) -"
	  " (SELECT coalesce(sum(switches), 0) FROM status_summary)" },
	{ "kinds of findings reported twice",
	  /* a gap has a row of its own */
	  "SELECT count(*) - count(DISTINCT trace_id || kind) FROM finding "
	  "WHERE end_offset IS NULL" },
	{ "gaps reported twice, or that end before they begin",
	  "SELECT count(*) - count(DISTINCT trace_id || kind || first_offset) + "
	  "count(*) FILTER (WHERE end_offset <= first_offset OR count <> 1) FROM finding "
	  "WHERE end_offset IS NOT NULL" },
	{ "rows of a trace that there is not",
	  "SELECT count(*) FROM tracepoint WHERE trace_id NOT IN "
	  "(SELECT trace_id FROM trace)" },
	{ "rows of the bill that cannot be asked for",
	  "SELECT count(*) FROM process_bill WHERE switches < 0" },
};

static void check_database(const char *path, const char *database)
{
	sqlite3 *db = rows_open_database(database);

	for (size_t i = 0; i < COUNT(questions); i++) {
		const char *answer = rows_ask(db, questions[i].sql);

		if (strcmp(answer, "0") != 0)
			complain(path, questions[i].what, answer);
	}
}

/* The same rows in both, and every byte of them valid. */
static void check_rows(const char *path, const char *database, const char *directory)
{
	sqlite3 *db = rows_open_database(database);

	for (size_t t = 0; t < RECORD_TABLES; t++) {
		char *csv = rows_of_csv(directory, tables[t].name), file[64];
		char *sql = rows_of_table(db, tables[t].name);
		size_t size;
		char *bytes;

		if (!rows_agree(csv, sql))
			complain(path, "CSV and SQL differ", tables[t].name);
		snprintf(file, sizeof(file), "%s%s.csv", tables[t].name,
			 file_name_suffix(tables[t].name));
		bytes = unit_read_file(unit_below(directory, file), &size);
		for (size_t i = 0, length; bytes && i < size; i += length) {
			length = text_utf8_length(bytes + i, size - i);
			if (length)
				continue;
			complain(path, "invalid UTF-8", tables[t].name);
			break;
		}
	}
}

/* Reads the opened input into both sinks; false (and reported) when that fails. */
static bool convert(const char *path, struct reader *reader, struct sink *sinks)
{
	static const struct pipeline_hooks no_hooks;
	struct pipeline pipeline;
	enum status status;

	pipeline_init(&pipeline, sinks, 2);
	status = pipeline_run(&pipeline, reader, &no_hooks);
	for (int i = 0; i < 2 && status == ST_OK; i++)
		status = sink_finish(&sinks[i]);
	pipeline_release(&pipeline); /* tables of the trace's own live until here */
	for (int i = 0; i < 2; i++)
		if (sinks[i].error.status < ST_OK)
			complain(path, sinks[i].ops->name, sinks[i].error.text);
	return status == ST_OK;
}

static void check_file(const char *path)
{
	const struct sink_options as_sql = { .path = unit_below(unit_directory(), "db"),
					     .indexes = true };
	const struct sink_options as_csv = { .path = unit_path("csv") };
	struct sink sinks[2];
	struct reader reader;
	bool converted;

	if (reader_open(&reader, path, NULL, trace_formats) != ST_OK) {
		if (!reader.error.text[0] || strstr(path, "/good-"))
			complain(path, "refused", reader.error.text);
		return;
	}
	assert_int_equal(sink_open(&sinks[0], &sqlite_writer, &as_sql), ST_OK);
	assert_int_equal(sink_open(&sinks[1], &csv_writer, &as_csv), ST_OK);
	converted = convert(path, &reader, sinks);
	if (converted && strstr(path, "/good-") && findings_damaged(&reader.findings))
		complain(path, "a good file", "is called damaged");
	/* Their data cannot have been read to its end. */
	if (converted && (strstr(path, "/bad-payload-") || strstr(path, "/bad-size-")) &&
	    !findings_damaged(&reader.findings))
		complain(path, "a bad file", "is not called damaged");
	reader_close(&reader);
	for (int i = 0; i < 2; i++)
		sink_close(&sinks[i]);
	if (converted) {
		check_database(path, as_sql.path);
		check_rows(path, as_sql.path, as_csv.path);
	}
}

static void check_directory(const char *directory)
{
	struct dirent **entries;
	int count = scandir(directory, &entries, NULL, alphasort), checked = 0;

	failures = 0;
	for (int i = 0; i < count; i++) {
		char path[4096];

		snprintf(path, sizeof(path), "%s/%s", directory, entries[i]->d_name);
		if (strstr(path, ".data") || strstr(path, ".etl") ||
		    strstr(path, ".txt") || strstr(path, ".plb") ||
		    strstr(path, ".blob") || strstr(path, ".v1") ||
		    strstr(path, ".blg")) {
			check_file(path);
			checked++;
		}
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	assert_true(checked > 0);
	assert_int_equal(failures, 0);
}

UNIT_TEST(seeds)
{
	check_directory(SEEDS_DIRECTORY);
	check_directory(SEEDS_DIRECTORY "-etl");
	check_directory(SEEDS_DIRECTORY "-perflib");
	check_directory(SEEDS_DIRECTORY "-winperf");
}

UNIT_TEST(samples)
{
	check_directory(SAMPLES_DIRECTORY "/perf");
	check_directory(SAMPLES_DIRECTORY "/etw");
}
