/*
 * read.c - a converted database read back: the same rows that went into it.
 *
 * Each trace in it comes as one run of rows that ends with its trace row, just as from
 * the trace itself.  Either with the stored totals, which is instant, or with every
 * switch (options.want_switches): then the totals are worked out anew.
 *
 * The file is untrusted input: it is opened read-only, nothing in its schema is
 * trusted, and what it says is checked by those who use it.
 */
#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/map.h"
#include "formats/database/file.h"
#include "formats/database/intervals.h"
#include "formats/formats.h"

/* What comes of each trace, in this order.  ?1 is its trace_id. */
#define OF_TRACE "trace_id = ?1"
#define OF_COUNTERS "counter_id IN (SELECT counter_id FROM counter WHERE trace_id = ?1)"
#define OF_GROUPS "group_id IN (SELECT group_id FROM counter_group WHERE trace_id = ?1)"
#define OF_PROCESSES "process_id IN (SELECT process_id FROM process WHERE trace_id = ?1)"
#define OF_THREADS                                                                    \
	"thread_id IN (SELECT thread_id FROM thread JOIN process USING (process_id) " \
	"WHERE trace_id = ?1)"
#define OF_INTERRUPTS \
	"interrupt_id IN (SELECT interrupt_id FROM interrupt WHERE trace_id = ?1)"

enum wanted { ALWAYS, SWITCHES_ONLY, TOTALS_ONLY, VALUES_ONLY, FRAMES_ONLY };

static const struct {
	enum record_kind kind;
	enum wanted wanted;
	const char *where;
} stages[] = {
	{ RECORD_counter_group, ALWAYS, OF_TRACE },
	{ RECORD_counter, ALWAYS, OF_TRACE },
	{ RECORD_lost, ALWAYS, OF_TRACE },
	{ RECORD_stat, ALWAYS, OF_TRACE },
	{ RECORD_stat_round, ALWAYS, OF_TRACE },
	{ RECORD_process, ALWAYS, OF_TRACE },
	{ RECORD_thread, ALWAYS, OF_PROCESSES },
	{ RECORD_cgroup, ALWAYS, OF_TRACE },
	{ RECORD_thread_cgroup, SWITCHES_ONLY, OF_THREADS },
	{ RECORD_interrupt, ALWAYS, OF_TRACE },
	{ RECORD_context_switch, SWITCHES_ONLY, OF_GROUPS }, /* with group_read */
	{ RECORD_counter_base, SWITCHES_ONLY, OF_COUNTERS },
	{ RECORD_frame_symbol, FRAMES_ONLY, OF_TRACE },
	{ RECORD_sample, SWITCHES_ONLY, OF_COUNTERS },
	{ RECORD_switch_record, SWITCHES_ONLY,
	  OF_TRACE " AND is_out AND (cpu IS NULL OR cpu >= 0)" },
	{ RECORD_thread_summary, TOTALS_ONLY, OF_THREADS },
	{ RECORD_thread_charge, TOTALS_ONLY, OF_COUNTERS },
	{ RECORD_cgroup_summary, TOTALS_ONLY, OF_THREADS },
	{ RECORD_cgroup_charge, TOTALS_ONLY, OF_COUNTERS },
	{ RECORD_cpu_summary, TOTALS_ONLY, OF_TRACE },
	{ RECORD_cpu_charge, TOTALS_ONLY, OF_COUNTERS },
	{ RECORD_status_summary, TOTALS_ONLY, OF_GROUPS },
	{ RECORD_status_charge, TOTALS_ONLY, OF_COUNTERS },
	{ RECORD_interrupt_summary, TOTALS_ONLY, OF_INTERRUPTS },
	{ RECORD_interrupt_charge, TOTALS_ONLY, OF_INTERRUPTS },
	{ RECORD_sample_summary, TOTALS_ONLY, OF_TRACE },
	{ RECORD_sample_cpu_summary, TOTALS_ONLY, OF_TRACE },
	{ RECORD_sample_cgroup_summary, TOTALS_ONLY, OF_TRACE },
	{ RECORD_on_cpu_summary, TOTALS_ONLY, OF_THREADS },
	{ RECORD_perflib_counterset, VALUES_ONLY, OF_TRACE },
	{ RECORD_perflib_counter, VALUES_ONLY, OF_TRACE },
	{ RECORD_perflib_snapshot, VALUES_ONLY, OF_TRACE }, /* and parts[] */
	{ RECORD_finding, ALWAYS, OF_TRACE },
	{ RECORD_trace, ALWAYS, OF_TRACE },
};
#define STAGES (sizeof(stages) / sizeof(stages[0]))

/*
 * What comes snapshot by snapshot, as from a bundle: a sink that computes values keeps no
 * more than the one before.  The column says with which snapshot a row comes.
 */
static const struct {
	enum record_kind kind;
	const char *column;
} parts[] = {
	{ RECORD_perflib_snapshot, "snapshot" },
	{ RECORD_perflib_block, "snapshot" },
	{ RECORD_perflib_instance, "first_snapshot" },
	{ RECORD_perflib_raw, "snapshot" },
	{ RECORD_perflib_cooked, "snapshot" },
};
#define PARTS (sizeof(parts) / sizeof(parts[0]))

struct database {
	sqlite3 *db;
	sqlite3_stmt *traces; /* ids of the traces to read */
	int64_t trace_id;
	size_t stage;
	sqlite3_stmt *rows;	    /* of the current stage, NULL: to be prepared */
	sqlite3_stmt *parts[PARTS]; /* likewise, each at its next row */
	bool part_over[PARTS];
	size_t part; /* that the last row was of; PARTS: of none */
	struct db_intervals intervals;
	bool switch_waits; /* a row of context_switch, for the reads before it */
	bool switches_over;
	union {
#define TABLES "model/tables.def"
#define TABLES_AS_LIST(table) struct table##_row table;
#include "model/tables_as.h"
	} row;
};

static enum status sql_failed(struct reader *reader)
{
	struct database *database = reader->state;

	return database_file_failed(database->db, &reader->error);
}

/* --- opening --- */

static enum status count_traces(struct reader *reader)
{
	struct database *database = reader->state;
	sqlite3_stmt *statement;

	if (sqlite3_prepare_v2(database->db,
			       "SELECT count(*) FROM trace WHERE ?1 = 0 OR trace_id = ?1",
			       -1, &statement, NULL) != SQLITE_OK)
		return sql_failed(reader);
	sqlite3_bind_int64(statement, 1, reader->options.trace_id);
	if (sqlite3_step(statement) == SQLITE_ROW)
		reader->trace_count = sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	return ST_OK;
}

static enum status database_open(struct reader *reader)
{
	struct database *database = reader->state;
	enum status status;

	if (!reader->input.seekable || reader->input.memory ||
	    strcmp(reader->path, "-") == 0)
		return error_set(&reader->error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
				 "database: cannot be read from a pipe or packed: save "
				 "or unpack it to a file first");
	/* Closing a file drops the locks that others of this process have on it. */
	input_close(&reader->input);
	status = database_file_open(&database->db, reader->path, &reader->error);
	if (status != ST_OK)
		return status;
	/* Nothing that is read here is a view, which may never end. */
	sqlite3_db_config(database->db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
	status = count_traces(reader);
	if (status != ST_OK)
		return status;
	if (sqlite3_prepare_v2(database->db,
			       "SELECT trace_id FROM trace WHERE ?1 = 0 OR trace_id = ?1 "
			       "ORDER BY trace_id",
			       -1, &database->traces, NULL) != SQLITE_OK ||
	    sqlite3_bind_int64(database->traces, 1, reader->options.trace_id) !=
		    SQLITE_OK)
		return sql_failed(reader);
	database->stage = STAGES;
	database->part = PARTS;
	return ST_OK;
}

/* --- rows --- */

/*
 * SELECT the table's columns; context_switch with its deltas, a part with its snapshot.
 */
static enum status prepare_rows(struct reader *reader, enum record_kind kind,
				const char *snapshot, sqlite3_stmt **rows)
{
	struct database *database = reader->state;
	const struct table *table = &tables[kind];
	sqlite3_str *sql = sqlite3_str_new(database->db);
	char *text;
	int result;

	sqlite3_str_appendall(sql, "SELECT ");
	for (size_t i = 0; i < table->field_count; i++)
		sqlite3_str_appendf(sql, "%s\"%w\"", i ? "," : "", table->fields[i].name);
	for (int i = 0; kind == RECORD_context_switch && i < database->intervals.widest;
	     i++)
		sqlite3_str_appendf(sql, ",delta_%d", i);
	if (snapshot)
		sqlite3_str_appendf(sql, ",\"%w\"", snapshot);
	sqlite3_str_appendf(sql, " FROM \"%w\" WHERE %s ORDER BY rowid", table->name,
			    stages[database->stage].where);
	text = sqlite3_str_finish(sql);
	if (!text)
		return error_nomem(&reader->error);
	result = sqlite3_prepare_v2(database->db, text, -1, rows, NULL);
	sqlite3_free(text);
	if (result != SQLITE_OK ||
	    sqlite3_bind_int64(*rows, 1, database->trace_id) != SQLITE_OK)
		return sql_failed(reader);
	return ST_OK;
}

static void decode_row(struct database *database, sqlite3_stmt *rows,
		       const struct table *table)
{
	char *row = (char *)&database->row;

	for (size_t i = 0; i < table->field_count; i++) {
		const struct field *field = &table->fields[i];
		int type = sqlite3_column_type(rows, (int)i);
		struct str text = STR_NONE;
		int64_t value = field->kind == FIELD_VALUE ? 0 : INT_NONE;

		if (field->kind == FIELD_REAL) {
			double real = type == SQLITE_NULL
					      ? NAN
					      : sqlite3_column_double(rows, (int)i);

			memcpy(row + field->offset, &real, sizeof(real));
			continue;
		}
		if (field_is_int(field->kind)) {
			if (type != SQLITE_NULL)
				value = sqlite3_column_int64(rows, (int)i);
			memcpy(row + field->offset, &value, sizeof(value));
			continue;
		}
		if (type != SQLITE_NULL) {
			text.ptr = (const char *)sqlite3_column_text(rows, (int)i);
			text.len = (size_t)sqlite3_column_bytes(rows, (int)i);
		}
		memcpy(row + field->offset, &text, sizeof(text));
	}
}

static bool is_wanted(const struct reader *reader, size_t stage)
{
	if (stages[stage].wanted == ALWAYS)
		return true;
	if (stages[stage].wanted == VALUES_ONLY)
		return reader->options.want_values;
	if (stages[stage].wanted == FRAMES_ONLY)
		return reader->options.want_frames;
	return reader->options.want_switches == (stages[stage].wanted == SWITCHES_ONLY);
}

/* The next trace, or the end. */
static enum status next_trace(struct reader *reader)
{
	struct database *database = reader->state;
	int result = sqlite3_step(database->traces);

	if (result == SQLITE_DONE)
		return ST_END;
	if (result != SQLITE_ROW)
		return sql_failed(reader);
	database->trace_id = sqlite3_column_int64(database->traces, 0);
	database->stage = 0;
	db_intervals_release(&database->intervals);
	db_intervals_init(&database->intervals, database->db, database->trace_id);
	return ST_OK;
}

/* To the next row of each part that is not at one. */
static enum status step_parts(struct reader *reader)
{
	struct database *database = reader->state;

	for (size_t i = 0; i < PARTS; i++) {
		enum status status = ST_OK;
		int result;

		if (!database->parts[i])
			status = prepare_rows(reader, parts[i].kind, parts[i].column,
					      &database->parts[i]);
		else if (i != database->part)
			continue;
		if (status != ST_OK)
			return status;
		result = sqlite3_step(database->parts[i]);
		if (result != SQLITE_ROW && result != SQLITE_DONE)
			return sql_failed(reader);
		database->part_over[i] = result == SQLITE_DONE;
	}
	return ST_OK;
}

static void end_parts(struct database *database)
{
	for (size_t i = 0; i < PARTS; i++) {
		sqlite3_finalize(database->parts[i]);
		database->parts[i] = NULL;
	}
	database->part = PARTS;
}

/* The row of the lowest snapshot, of several the first part's: ST_OK or ST_END. */
static enum status next_part(struct reader *reader, struct record *out)
{
	struct database *database = reader->state;
	enum status status = step_parts(reader);
	int64_t lowest = 0;
	const struct table *table;

	if (status != ST_OK)
		return status;
	database->part = PARTS;
	for (size_t i = 0; i < PARTS; i++) {
		int64_t snapshot;

		if (database->part_over[i])
			continue;
		table = &tables[parts[i].kind];
		snapshot =
			sqlite3_column_int64(database->parts[i], (int)table->field_count);
		if (database->part == PARTS || snapshot < lowest) {
			database->part = i;
			lowest = snapshot;
		}
	}
	if (database->part == PARTS) {
		end_parts(database);
		return ST_END;
	}
	table = &tables[parts[database->part].kind];
	decode_row(database, database->parts[database->part], table);
	*out = (struct record){ .kind = parts[database->part].kind,
				.data = &database->row };
	return ST_OK;
}

static enum status does_not_fit(struct reader *reader, enum record_kind kind)
{
	return error_set(&reader->error, ST_CORRUPT, ERROR_NO_OFFSET,
			 "database: table %s contradicts the other tables",
			 tables[kind].name);
}

/* The next row of the stage's own table, in database->row. */
static enum status step_rows(struct reader *reader, enum record_kind kind)
{
	struct database *database = reader->state;
	int result;

	if (!database->rows) {
		enum status status = prepare_rows(reader, kind, NULL, &database->rows);

		if (status != ST_OK)
			return status;
	}
	result = sqlite3_step(database->rows);
	if (result == SQLITE_ROW) {
		decode_row(database, database->rows, &tables[kind]);
		return ST_OK;
	}
	return result == SQLITE_DONE ? ST_END : sql_failed(reader);
}

/* Of switches and reads, in the order in which they were. */
static enum status next_interval(struct reader *reader, struct record *out)
{
	struct database *database = reader->state;
	struct db_intervals *intervals = &database->intervals;
	const struct context_switch_row *row = &database->row.context_switch;
	size_t fixed = tables[RECORD_context_switch].field_count;
	enum status status = ST_OK;

	if (!database->switch_waits && !database->switches_over) {
		status = step_rows(reader, RECORD_context_switch);
		database->switches_over = status == ST_END;
		database->switch_waits = status == ST_OK;
	}
	if (status < ST_OK)
		return status;
	if (!db_intervals_read_is_next(
		    intervals, database->switch_waits ? row->switch_id : INT64_MAX,
		    &status)) {
		if (status != ST_OK)
			return sql_failed(reader);
		if (database->switches_over)
			return ST_END;
		database->switch_waits = false;
		*out = (struct record){ .kind = RECORD_context_switch, .data = row };
		return db_intervals_switch(intervals, database->rows, fixed, row, out)
			       ? ST_OK
			       : does_not_fit(reader, RECORD_context_switch);
	}
	status = db_intervals_read(intervals, out);
	if (status == ST_IO)
		return sql_failed(reader);
	return status == ST_OK ? ST_OK : does_not_fit(reader, RECORD_group_read);
}

/* A row of the current stage: ST_OK, or ST_END when it has no more. */
static enum status next_row(struct reader *reader, struct record *out)
{
	struct database *database = reader->state;
	enum record_kind kind = stages[database->stage].kind;
	enum status status;

	if (kind == RECORD_perflib_snapshot)
		return next_part(reader, out);
	status = kind == RECORD_context_switch ? next_interval(reader, out)
					       : step_rows(reader, kind);
	if (status == ST_END) {
		sqlite3_finalize(database->rows);
		database->rows = NULL;
		database->switch_waits = database->switches_over = false;
	}
	if (status != ST_OK || kind == RECORD_context_switch)
		return status;
	*out = (struct record){ .kind = kind, .data = &database->row };
	if (kind == RECORD_counter_group &&
	    !db_intervals_group(&database->intervals, &database->row.counter_group))
		return does_not_fit(reader, kind);
	return ST_OK;
}

static enum status database_next(struct reader *reader, struct record *out)
{
	struct database *database = reader->state;
	enum status status = ST_END;

	while (status == ST_END) {
		if (database->stage == STAGES) {
			status = next_trace(reader);
			if (status != ST_OK)
				return status;
		}
		status = is_wanted(reader, database->stage) ? next_row(reader, out)
							    : ST_END;
		database->stage += status == ST_END;
	}
	return status;
}

static void database_close(struct reader *reader)
{
	struct database *database = reader->state;

	sqlite3_finalize(database->rows);
	end_parts(database);
	sqlite3_finalize(database->traces);
	db_intervals_release(&database->intervals);
	sqlite3_close(database->db);
}

const struct reader_ops database_reader = {
	.name = "database",
	.state_size = sizeof(struct database),
	.gives_rows = true,
	.probe = database_probe,
	.open = database_open,
	.next = database_next,
	.close = database_close,
};
