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
#include <sqlite3.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/map.h"
#include "formats/database/file.h"
#include "formats/database/intervals.h"
#include "formats/database/pages.h"
#include "formats/database/rows.h"
#include "formats/database/stages.h"
#include "formats/database/table_walk.h"
#include "formats/database/top.h"
#include "formats/formats.h"

#define ROWS_PER_POLL 65536 /* rows of other traces */

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
#define PARTS ARRAY_COUNT(parts)

struct database {
	sqlite3 *db;
	struct db_pages pages;
	struct db_table_walk walks[RECORD_TABLES];
	struct db_owners owners[OF_IDS];
	bool is_walking; /* the rows of the stage are read from its pages, */
	bool has_walked; /* and were, up to this rowid */
	int64_t walked_to;
	struct db_top top;
	struct id_range ids[OF_IDS]; /* of the trace */
	sqlite3_stmt *traces;	     /* ids of the traces to read */
	int64_t trace_id;
	size_t stage;
	bool is_in_stage;	    /* its rows are wanted */
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
	int64_t deltas[GROUP_COUNTERS_MAX + 1]; /* of a context_switch */
};

#define DELTAS_AFTER_ROW \
	(offsetof(struct database, deltas) - offsetof(struct database, row))

static enum status sql_failed(struct reader *reader)
{
	struct database *database = reader->state;

	return database_file_failed(database->db, &reader->error);
}

/* --- opening --- */

/* There is none of the number asked for: which there are. */
static enum status report_trace(struct reader *reader)
{
	struct database *database = reader->state;
	sqlite3_stmt *statement;
	int64_t count = 0, first = 0, last = 0;

	if (sqlite3_prepare_v2(database->db,
			       "SELECT count(*), min(trace_id), max(trace_id) FROM trace",
			       -1, &statement, NULL) != SQLITE_OK)
		return sql_failed(reader);
	if (sqlite3_step(statement) == SQLITE_ROW) {
		count = sqlite3_column_int64(statement, 0);
		first = sqlite3_column_int64(statement, 1);
		last = sqlite3_column_int64(statement, 2);
	}
	sqlite3_finalize(statement);
	return error_set(
		&reader->error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
		"holds no such trace as %lld: it has %lld, numbered from %lld to %lld",
		(long long)reader->options.trace_id, (long long)count, (long long)first,
		(long long)last);
}

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
	return reader->options.trace_id && !reader->trace_count ? report_trace(reader)
								: ST_OK;
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
	status = database_file_check_columns(database->db, &reader->error);
	if (status == ST_OK)
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
	database->stage = db_stage_count;
	database->part = PARTS;
	db_pages_open(&database->pages, database->db);
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
	db_rows_columns(sql, table);
	for (int i = 0; kind == RECORD_context_switch && i < database->intervals.widest;
	     i++)
		sqlite3_str_appendf(sql, ",delta_%d", i);
	if (snapshot)
		sqlite3_str_appendf(sql, ",\"%w\"", snapshot);
	sqlite3_str_appendf(sql, " FROM \"%w\" WHERE %s", table->name,
			    db_of_whats[db_stages[database->stage].of].where);
	if (database->has_walked)
		sqlite3_str_appendf(sql, " AND rowid > %lld",
				    (long long)database->walked_to);
	sqlite3_str_appendall(sql, " ORDER BY rowid");
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
	memset(database->ids, 0, sizeof(database->ids));
	database->ids[OF_TRACE] =
		(struct id_range){ database->trace_id, database->trace_id, 1 };
	db_intervals_release(&database->intervals);
	db_intervals_init(&database->intervals, database->db, database->trace_id,
			  !reader->options.want_sums);
	db_top_begin(&database->top, reader->options.top_processes);
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
	db_rows_decode(database->parts[database->part], table, &database->row);
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

/* --- rows from pages --- */

/* Where the rows of the stage can be read from pages. */
static bool begin_walk(const struct reader *reader, enum record_kind kind)
{
	struct database *database = reader->state;
	enum of_what of = db_stages[database->stage].of;
	bool is_one = reader->trace_count == 1;
	size_t deltas =
		kind == RECORD_context_switch ? (size_t)database->intervals.widest : 0;

	/* The trace's own row SQLite finds by its key, however many others there are. */
	return kind != RECORD_trace && of < OF_IDS &&
	       id_range_is_whole(&database->ids[of]) &&
	       db_table_walk_begin(&database->walks[kind], &database->pages, database->db,
				   is_one ? NULL : database->owners, kind, of,
				   DELTAS_AFTER_ROW, deltas);
}

/* ST_END: no more; else there is a row, or the rest of them is for SQLite. */
static enum status step_walk(struct reader *reader, enum record_kind kind)
{
	struct database *database = reader->state;
	struct db_table_walk *walk = &database->walks[kind];
	const struct id_range *ids = &database->ids[walk->of];
	enum db_step step = DB_OTHER;

	for (uint64_t i = 1; step == DB_OTHER; i++) {
		step = db_table_walk_next(walk, ids, &database->row);
		if (i % ROWS_PER_POLL == 0 && reader_interrupted(reader))
			return reader->error.status;
	}
	if (step == DB_ROW)
		return ST_OK;
	database->is_walking = false;
	database->has_walked = walk->walk.any;
	database->walked_to = walk->walk.rowid;
	db_table_walk_leave(walk);
	return step == DB_END ? ST_END : ST_OK;
}

/* Where there are many traces most have no rows in most tables: those are not walked. */
static bool has_no_rows(const struct database *database, enum record_kind kind)
{
	const struct db_table_walk *walk = &database->walks[kind];

	return walk->has_begun && (walk->is_empty || database->ids[walk->of].count == 0);
}

/* The next row of the stage's own table, in database->row. */
static enum status step_rows(struct reader *reader, enum record_kind kind)
{
	struct database *database = reader->state;
	const struct table *table = &tables[kind];
	enum status status;
	int result;

	if (has_no_rows(database, kind))
		return ST_END;
	if (!database->rows && !database->is_walking)
		database->is_walking = begin_walk(reader, kind);
	if (database->is_walking) {
		status = step_walk(reader, kind);
		if (status != ST_OK || database->is_walking)
			return status;
	}
	if (!database->rows) {
		status = prepare_rows(reader, kind, NULL, &database->rows);
		if (status != ST_OK)
			return status;
	}
	result = sqlite3_step(database->rows);
	if (result != SQLITE_ROW)
		return result == SQLITE_DONE ? ST_END : sql_failed(reader);
	db_rows_decode(database->rows, table, &database->row);
	for (int i = 0; kind == RECORD_context_switch && i < database->intervals.widest;
	     i++)
		database->deltas[i] =
			sqlite3_column_int64(database->rows, (int)table->field_count + i);
	return ST_OK;
}

/* Of switches and reads, in the order in which they were. */
static enum status next_interval(struct reader *reader, struct record *out)
{
	struct database *database = reader->state;
	struct db_intervals *intervals = &database->intervals;
	const struct context_switch_row *row = &database->row.context_switch;
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
		return db_intervals_switch(intervals, database->deltas, row, out)
			       ? ST_OK
			       : does_not_fit(reader, RECORD_context_switch);
	}
	status = db_intervals_read(intervals, out);
	if (status == ST_IO)
		return sql_failed(reader);
	return status == ST_OK ? ST_OK : does_not_fit(reader, RECORD_group_read);
}

/* Rows of other tables are of what these are. */
static void keep_id(struct database *database, enum record_kind kind)
{
	enum of_what gives = db_ids_of_table(kind);
	int64_t id;

	if (gives == OF_IDS)
		return;
	memcpy(&id, (const char *)&database->row + db_of_whats[gives].offset, sizeof(id));
	id_range_add(&database->ids[gives], id);
	if (kind == RECORD_counter)
		db_top_counter(&database->top, &database->row.counter);
	if (kind == RECORD_counter_group)
		db_top_group(&database->top, &database->row.counter_group);
}

/* Of the processes that cost most; none: threads follow. */
static enum status next_top(struct reader *reader, struct record *out)
{
	struct database *database = reader->state;
	enum status status;

	if (!database->top.is_used && !db_top_read(&database->top, &database->pages,
						   database->db, database->trace_id))
		return ST_END;
	status = db_top_next(&database->top, out);
	return status == ST_CORRUPT ? does_not_fit(reader, RECORD_process) : status;
}

/* A row of the current stage: ST_OK, or ST_END when it has no more. */
static enum status next_row(struct reader *reader, struct record *out)
{
	struct database *database = reader->state;
	enum record_kind kind = db_stages[database->stage].kind;
	enum status status;

	if (kind == RECORD_perflib_snapshot)
		return next_part(reader, out);
	if (kind == RECORD_PROCESS_TOTAL)
		return next_top(reader, out);
	status = kind == RECORD_context_switch ? next_interval(reader, out)
					       : step_rows(reader, kind);
	if (status == ST_END) {
		sqlite3_finalize(database->rows);
		database->rows = NULL;
		database->is_walking = database->has_walked = false;
		database->switch_waits = database->switches_over = false;
	}
	if (status != ST_OK || kind == RECORD_context_switch)
		return status;
	*out = (struct record){ .kind = kind, .data = &database->row };
	keep_id(database, kind);
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
		if (database->stage == db_stage_count) {
			status = next_trace(reader);
			if (status != ST_OK)
				return status;
		}
		if (!database->is_in_stage)
			database->is_in_stage = db_stage_is_wanted(
				database->stage, &reader->options, database->top.is_used);
		status = database->is_in_stage ? next_row(reader, out) : ST_END;
		if (status != ST_END)
			break;
		database->is_in_stage = false;
		database->stage++;
	}
	return status;
}

static void database_close(struct reader *reader)
{
	struct database *database = reader->state;

	sqlite3_finalize(database->rows);
	for (size_t i = 0; i < RECORD_TABLES; i++)
		db_table_walk_release(&database->walks[i]);
	for (size_t i = 0; i < OF_IDS; i++)
		db_owners_release(&database->owners[i]);
	end_parts(database);
	sqlite3_finalize(database->traces);
	db_intervals_release(&database->intervals);
	db_top_release(&database->top);
	sqlite3_close(database->db);
}

const struct reader_ops database_reader = {
	.name = "database",
	.state_size = sizeof(struct database),
	.emits_rows = true,
	.probe = database_probe,
	.open = database_open,
	.next = database_next,
	.close = database_close,
};
