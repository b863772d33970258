/*
 * test_top.c - lib/model/top.c, lib/formats/database/top.c: the processes that cost most,
 * by each counter, and the sum of the others; or threads, where they are needed.
 */
#include <stdlib.h>
#include <string.h>

#include "formats/formats.h"
#include "output/outputs.h"
#include "rows.h"

#define SLOTS 2
#define TOP 2

/* A process's time on a CPU and its charges; its other numbers follow from them. */
struct made {
	int64_t pid, on_cpu_ns, charged[SLOTS];
	int64_t switches;
};

static void add_process(struct rows *rows, int64_t trace, int64_t id,
			const struct made *made)
{
	rows_add(rows, RECORD_process,
		 &(struct process_row){ id, trace, made->pid, INT_NONE, INT_NONE,
					INT_NONE, STR("p"), STR_NONE });
	rows_add(rows, RECORD_thread,
		 &(struct thread_row){ id, id, made->pid, INT_NONE, INT_NONE, INT_NONE,
				       INT_NONE, STR("p") });
}

static void add_totals(struct rows *rows, int64_t trace, int64_t id,
		       const struct made *made)
{
	rows_add(rows, RECORD_process_summary,
		 &(struct process_summary_row){ id, trace, 1, made->switches,
						made->on_cpu_ns, 0, 0, 1, 10, INT_NONE, 0,
						0 });
	for (int64_t i = 0; i < SLOTS; i++)
		rows_add(rows, RECORD_process_charge,
			 &(struct process_charge_row){ id, trace * 10 + i,
						       made->charged[i], 0, 3, 4 });
}

/* A trace with these processes; their ids follow those of the traces before. */
static void add_trace(struct rows *rows, int64_t trace, int64_t first,
		      const struct made *made, size_t count)
{
	struct trace_row end = { .trace_id = trace };

	rows_add(rows, RECORD_counter_group,
		 &(struct counter_group_row){ trace, trace, STR("a"), SLOTS, STR("cpu"),
					      STR("no") });
	for (int64_t i = 0; i < SLOTS; i++)
		rows_add(rows, RECORD_counter,
			 &(struct counter_row){ trace * 10 + i, trace, trace, i,
						i ? STR("b") : STR("a"), STR("e"),
						STR_NONE, STR("test"), 1, 2, INT_NONE });
	for (size_t i = 0; i < count; i++)
		add_process(rows, trace, first + (int64_t)i, &made[i]);
	for (size_t i = 0; i < count; i++)
		add_totals(rows, trace, first + (int64_t)i, &made[i]);
	end.format = STR("f");
	end.status = STR("complete");
	end.path = STR_NONE;
	rows_add(rows, RECORD_trace, &end);
}

static const char *write_database(const struct rows *rows)
{
	const struct sink_options options = { .path = unit_path("top.db"),
					      .overwrite = true };

	rows_write(rows, &sqlite_writer, &options);
	return options.path;
}

/* What came: a word a total, "pid", or "NxSUM" of N others with their on_cpu_ns. */
struct came {
	char words[2000];
	bool is_total, has_threads;
	struct process_total_event rest;
	int64_t rest_values[4 * SLOTS];
};

static void add_word(struct came *came, const char *form, int64_t a, int64_t b)
{
	size_t used = strlen(came->words);

	snprintf(came->words + used, sizeof(came->words) - used, form, (long long)a,
		 (long long)b);
}

static void on_total(struct came *came, const struct process_total_event *event,
		     int64_t pid)
{
	came->is_total = true;
	if (event->process_id != INT_NONE) {
		add_word(came, "%lld ", pid, 0);
		return;
	}
	add_word(came, "%lldx%lld", event->processes, event->summary.on_cpu_ns);
	came->rest = *event;
	memcpy(came->rest_values, event->values, sizeof(came->rest_values));
}

/* Reads the traces with the first TOP of each counter. */
static void read_top(const char *path, int64_t trace, struct came *came)
{
	const struct reader_options options = { .top_processes = TOP, .trace_id = trace };
	int64_t pid = 0, process_id = 0;
	struct reader reader;
	struct record record;
	enum status status;

	memset(came, 0, sizeof(*came));
	assert_int_equal(reader_open(&reader, path, &options, all_formats), ST_OK);
	while ((status = reader_next(&reader, &record)) == ST_OK) {
		if (record.kind == RECORD_process) {
			pid = RECORD_DATA(&record, process)->pid;
			process_id = RECORD_DATA(&record, process)->process_id;
		} else if (record.kind == RECORD_PROCESS_TOTAL) {
			const struct process_total_event *event = record.data;

			if (event->process_id != INT_NONE)
				assert_int_equal(event->process_id, process_id);
			on_total(came, event, pid);
		}
		came->has_threads |= record.kind == RECORD_thread;
	}
	assert_int_equal(status, ST_END);
	reader_close(&reader);
}

/* First by time: 5 and 6; by the first counter: 1 and 2; by the second: 3 and 4. */
static const struct made few[] = {
	{ 1, 10, { 90, 0 }, 1 },  { 2, 11, { 80, 0 }, 1 },     { 3, 12, { 0, 70 }, 1 },
	{ 4, 13, { 0, 60 }, 1 },  { 5, 99, { 1, 1 }, 1 },      { 6, 98, { 1, 1 }, 1 },
	{ 7, 14, { 79, 59 }, 1 }, { 0, 1, { 0, 0 }, 1 },       { 8, 15, { 2, 2 }, 3 },
	{ 9, 97, { 79, 59 }, 1 }, { 10, 1000, { 95, 95 }, 0 }, /* nothing proven */
};

UNIT_TEST(first_of_each)
{
	struct rows rows = { NULL, 0, 0 };
	struct came came;

	add_trace(&rows, 1, 1, few, COUNT(few) - 1);
	read_top(write_database(&rows), 0, &came);
	assert_string_equal(came.words, "1 2 3 4 5 6 0 3x126");
	assert_false(came.has_threads);
	assert_int_equal(came.rest.slots, SLOTS);
	assert_int_equal(came.rest.summary.switches, 5);
	assert_int_equal(came.rest.summary.threads, 3);
	assert_int_equal(came.rest.summary.unproven_ns, 30);
	assert_int_equal(came.rest.summary.running_ns, INT_NONE);
	assert_int_equal(came.rest.summary.group_id, 1);
	assert_int_equal(came.rest_values[0], 160);
	assert_int_equal(came.rest_values[1], 120);
	assert_int_equal(came.rest_values[4], 9);
	assert_int_equal(came.rest_values[7], 12);
}

/* Of equal ones those with the lowest pids are first; those of one pid are not parted. */
UNIT_TEST(ties)
{
	static const struct made equal[] = {
		{ 9, 5, { 5, 5 }, 1 }, { 7, 5, { 5, 5 }, 1 }, { 8, 5, { 5, 5 }, 1 },
		{ 6, 5, { 5, 5 }, 1 }, { 7, 5, { 5, 5 }, 1 },
	};
	struct rows rows = { NULL, 0, 0 };
	struct came came;

	add_trace(&rows, 1, 1, equal, COUNT(equal));
	read_top(write_database(&rows), 0, &came);
	assert_string_equal(came.words, "7 6 7 2x10");
}

/* A pid that was used again comes when many others were left out. */
UNIT_TEST(ties_later)
{
	struct made made[60] = { { 1, 100, { 100, 100 }, 1 },
				 { 2, 100, { 100, 100 }, 1 } };
	struct rows rows = { NULL, 0, 0 };
	struct came came;

	for (size_t i = 2; i < COUNT(made); i++)
		made[i] = (struct made){ (int64_t)i + 1, 1, { 1, 1 }, 1 };
	made[COUNT(made) - 1] = made[1];
	add_trace(&rows, 1, 1, made, COUNT(made));
	read_top(write_database(&rows), 0, &came);
	assert_string_equal(came.words, "1 2 2 57x57");
}

/* Many more than are kept at a time, the most expensive ones last, and first. */
UNIT_TEST(many)
{
	enum { MANY = 1000 };
	struct made *made = calloc(MANY, sizeof(*made));

	for (int way = 0; way < 2; way++) {
		struct rows rows = { NULL, 0, 0 };
		struct came came;

		for (int64_t i = 0; i < MANY; i++) {
			int64_t cost = way ? MANY - i : i + 1;

			made[i] = (struct made){ i + 1, cost, { cost, cost }, 1 };
		}
		add_trace(&rows, 1, 1, made, MANY);
		read_top(write_database(&rows), 0, &came);
		assert_string_equal(came.words,
				    way ? "1 2 998x498501" : "999 1000 998x498501");
	}
	free(made);
}

UNIT_TEST(one_of_several_traces)
{
	struct rows rows = { NULL, 0, 0 };
	struct came came;

	add_trace(&rows, 1, 1, few, 3);
	add_trace(&rows, 2, 4, few + 4, 2);
	add_trace(&rows, 3, 6, few, COUNT(few) - 1);
	write_database(&rows);
	read_top(unit_path("top.db"), 2, &came);
	assert_string_equal(came.words, "5 6 ");
	read_top(unit_path("top.db"), 0, &came);
	assert_string_equal(came.words, "1 2 3 5 6 1 2 3 4 5 6 0 3x126");
}

/* What threads alone say, or an order that the converter does not write. */
static const struct {
	int line;
	const char *sql;
	bool is_total;
} changes[] = {
	{ ROW, "SELECT 1", true },
	{ ROW, "UPDATE process_charge SET charged = -1 WHERE process_id = 2", true },
	{ ROW, "INSERT INTO interrupt VALUES (1, 1, 'irq', NULL, NULL, 0)", false },
	{ ROW, "INSERT INTO sample_summary VALUES (1, 1, 10, 1, 1)", false },
	{ ROW, "INSERT INTO counter_group VALUES (7, 1, 'x', 0, 'cpu', 'no')", false },
	{ ROW, "DELETE FROM process_charge WHERE process_id = 3 AND counter_id = 11",
	  false },
	{ ROW,
	  "UPDATE process_charge SET counter_id = 21 - counter_id WHERE "
	  "process_id = 3",
	  false },
	{ ROW, "UPDATE process_summary SET group_id = 2 WHERE process_id = 3", false },
	{ ROW, "UPDATE process_summary SET process_id = 5 WHERE process_id = 3", false },
	{ ROW, "INSERT INTO process_summary SELECT * FROM process_summary", false },
	{ ROW, "INSERT INTO process_charge SELECT * FROM process_charge", false },
	/* Without a proven interval there is no line, but what idle shares is billed. */
	{ ROW, "UPDATE process_summary SET switches = 0 WHERE process_id = 3", false },
	{ ROW,
	  "UPDATE process_summary SET switches = 0 WHERE process_id = 3; "
	  "UPDATE process_charge SET with_idle = 0 WHERE process_id = 3",
	  true },
};

UNIT_TEST(threads_where_needed)
{
	for (size_t i = 0; i < COUNT(changes); i++) {
		struct rows rows = { NULL, 0, 0 };
		struct came came;
		const char *path;
		sqlite3 *db;

		add_trace(&rows, 1, 1, few, COUNT(few) - 1);
		path = write_database(&rows);
		db = rows_open_database(path);
		if (sqlite3_exec(db, "PRAGMA foreign_keys = OFF", NULL, NULL, NULL) ||
		    sqlite3_exec(db, changes[i].sql, NULL, NULL, NULL))
			fail_msg("%s: %s", changes[i].sql, sqlite3_errmsg(db));
		read_top(path, 0, &came);
		ROW_INT(&changes[i], came.is_total, changes[i].is_total);
		ROW_INT(&changes[i], came.has_threads, !changes[i].is_total);
	}
}
