/*
 * sqlite.c - one SQLite database: schema, rows in batches, indexes and views at the end.
 *
 * The file is nobody else's until it has its name, so there is no journal and no sync
 * until then: a crash leaves only the partial file (target.h).
 */
#include <sqlite3.h>
#include <stdlib.h>

#include "core/background.h"
#include "core/os.h"
#include "schema.h"
#include "writers/batch.h"
#include "writers/sqlite_insert.h"
#include "writers/sqlite_rows.h"
#include "writers/sqlite_views.h"
#include "writers/target.h"
#include "writers/writers.h"

#define LARGE_INPUT_BYTES (UINT64_C(64) << 20)
#define OWN_BATCH_BYTES ((size_t)64 << 10) /* rows of a trace's own table at once */
#define PROGRESS_STEPS 100000 /* SQLite instructions between looks at the signals */

/* Rows of one table and width on their way in. */
struct load {
	struct batch batch; /* being collected */
	struct batch full;  /* on its way in, or empty */
	struct insert insert;
	sqlite3 *db;
	int64_t *last_id; /* the table's last row id, NULL: it is not the first column */
	int result;	  /* of the last insert, an SQLite code */
	struct load *next;
};

struct sqlite_state {
	struct target target;
	sqlite3 *db;		       /* of one thread at a time: see settle() */
	struct background *background; /* NULL: everything in this thread */
	struct load *inserting;	       /* the load whose full batch is on its way in */
	/* Lists: one for each width of the table; the last one of the trace's own tables.
	 */
	struct load *loads[RECORD_OWN_TABLE + 1];
	int64_t last_ids[RECORD_TABLES]; /* of the rows that are in */
	size_t slots;			 /* delta columns of context_switch */
};

static enum status sqlite_failed(struct sink *sink, const char *doing)
{
	const struct sqlite_state *state = sink->state;
	int code = sqlite3_errcode(state->db);
	enum status status = code == SQLITE_NOMEM ? ST_NOMEM : ST_IO;

	if (code == SQLITE_INTERRUPT || os_interrupted())
		status = ST_INTERRUPTED;
	return error_set(&sink->error, status, ERROR_NO_OFFSET, "cannot write %s: %s: %s",
			 state->target.path, doing,
			 code == SQLITE_FULL ? "the disk is full"
					     : sqlite3_errmsg(state->db));
}

static enum status execute(struct sink *sink, const char *sql, const char *doing)
{
	struct sqlite_state *state = sink->state;

	return sqlite3_exec(state->db, sql, NULL, NULL, NULL) == SQLITE_OK
		       ? ST_OK
		       : sqlite_failed(sink, doing);
}

/* --- rows --- */

/* The job of the second thread: the full batch of a load. */
static void insert_full(void *context)
{
	struct load *load = context;
	struct batch part = load->full;

	load->result = SQLITE_OK;
	for (size_t at = 0; at < load->full.count && load->result == SQLITE_OK;
	     at += part.count) {
		size_t left = load->full.count - at;

		part.rows = load->full.rows + at * load->full.row_bytes;
		part.count = left < BATCH_ROWS ? left : BATCH_ROWS;
		load->result =
			insert_batch(&load->insert, load->db, &part, load->last_id);
	}
	batch_clear(&load->full);
}

/* Until nothing is on its way in; the failure of what was. */
static enum status settle(struct sink *sink)
{
	struct sqlite_state *state = sink->state;
	struct load *load = state->inserting;

	if (!load)
		return ST_OK;
	if (state->background)
		background_wait(state->background);
	state->inserting = NULL;
	return load->result == SQLITE_OK ? ST_OK
					 : sqlite_failed(sink, load->full.table->name);
}

/* Hands the collected rows over, and goes on with the other batch. */
static enum status flush(struct sink *sink, struct load *load)
{
	struct sqlite_state *state = sink->state;
	enum status status = settle(sink);
	struct batch collected = load->batch;

	if (status != ST_OK || collected.count == 0)
		return status;
	load->batch = load->full;
	load->full = collected;
	state->inserting = load;
	if (state->background) {
		background_run(state->background, insert_full, load);
		return ST_OK;
	}
	insert_full(load);
	return settle(sink);
}

/* CREATE TABLE for a table that the trace itself defines. */
static enum status create_own(struct sink *sink, const struct table *table)
{
	static const char *const types[] = {
		[FIELD_INT] = "INTEGER",
		[FIELD_VALUE] = "INTEGER",
		[FIELD_TEXT] = "TEXT",
		[FIELD_BLOB] = "BLOB",
	};
	sqlite3_str *sql = sqlite3_str_new(NULL);
	enum status status = settle(sink);
	char *text;

	sqlite3_str_appendf(sql, "CREATE TABLE \"%w\" (", table->name);
	for (size_t i = 0; i < table->field_count; i++)
		sqlite3_str_appendf(sql, "%s\"%w\" %s", i ? ", " : "",
				    table->fields[i].name, types[table->fields[i].kind]);
	sqlite3_str_appendall(sql, ") STRICT");
	text = sqlite3_str_finish(sql);
	if (!text)
		status = error_nomem(&sink->error);
	if (status == ST_OK)
		status = execute(sink, text, table->name);
	sqlite3_free(text);
	return status;
}

/* There may be hundreds of them, and their rows may be large. */
static size_t own_room(const struct table *table)
{
	size_t room = OWN_BATCH_BYTES / table->row_size;

	return room < 8 ? 8 : room < BATCH_ROWS ? room : BATCH_ROWS;
}

static struct load *load_for(struct sink *sink, const struct record *record)
{
	struct sqlite_state *state = sink->state;
	const struct table *table = record_table(record);
	struct load **list = &state->loads[record->kind];
	struct load *load = *list;
	/* Handing a batch over costs a wake-up: of the large table many at once. */
	size_t room = record->kind == RECORD_context_switch ? 16 * BATCH_ROWS
		      : record->kind == RECORD_OWN_TABLE    ? own_room(table)
							    : BATCH_ROWS;

	while (load && (load->batch.slots != record->slots || load->batch.table != table))
		load = load->next;
	if (load)
		return load;
	if (record->kind == RECORD_OWN_TABLE && create_own(sink, table) != ST_OK)
		return NULL;
	load = calloc(1, sizeof(*load));
	if (!load || !batch_init(&load->batch, table, record->slots, room) ||
	    !batch_init(&load->full, table, record->slots, room)) {
		if (load)
			batch_release(&load->batch);
		free(load);
		error_nomem(&sink->error);
		return NULL;
	}
	load->db = state->db;
	if (record->kind == RECORD_context_switch || record->kind == RECORD_sample)
		load->last_id = &state->last_ids[record->kind];
	load->next = *list;
	*list = load;
	return load;
}

/* context_switch gets the columns of a group that is wider than those before. */
static enum status widen(struct sink *sink, size_t slots)
{
	struct sqlite_state *state = sink->state;
	enum status status = settle(sink);

	for (; state->slots < slots && status == ST_OK; state->slots++) {
		char *sql = sqlite3_mprintf("ALTER TABLE context_switch ADD COLUMN "
					    "delta_%d INTEGER",
					    (int)state->slots);

		status = sql ? execute(sink, sql, "context_switch")
			     : error_nomem(&sink->error);
		sqlite3_free(sql);
	}
	return status;
}

static enum status sqlite_put(struct sink *sink, const struct record *record)
{
	struct load *load = load_for(sink, record);
	enum status status = ST_OK;

	if (!load)
		return sink->error.status;
	if (record->kind == RECORD_counter_group)
		status =
			widen(sink, (size_t)RECORD_DATA(record, counter_group)->counters);
	if (status == ST_OK && !batch_add(&load->batch, record))
		status = error_nomem(&sink->error);
	if (status == ST_OK && batch_is_full(&load->batch))
		status = flush(sink, load);
	return status;
}

/* --- opening and finishing --- */

static int look_for_interrupt(void *unused)
{
	(void)unused;
	return os_interrupted();
}

static enum status create_schema(struct sink *sink)
{
	char pragmas[512];
	enum status status;

	/* Large pages load faster, small ones keep small databases small. */
	sqlite3_snprintf(
		sizeof(pragmas), pragmas,
		"PRAGMA page_size = %d;"
		"PRAGMA journal_mode = OFF;"
		"PRAGMA synchronous = OFF;"
		"PRAGMA locking_mode = EXCLUSIVE;"
		"PRAGMA cache_size = -8192;"
		"PRAGMA application_id = %d;"
		"PRAGMA user_version = %d;"
		"PRAGMA foreign_keys = OFF;" /* rows come before whom they name */
		"BEGIN",
		sink->options.input_bytes > LARGE_INPUT_BYTES ? 32768 : 4096,
		SCHEMA_APPLICATION_ID, SCHEMA_VERSION);
	status = execute(sink, pragmas, "starting");
	return status == ST_OK ? execute(sink, schema_tables, "creating tables") : status;
}

static enum status sqlite_open(struct sink *sink)
{
	struct sqlite_state *state = sink->state;
	enum status status = target_begin(&state->target, sink->options.path, false,
					  sink->options.overwrite, &sink->error);

	if (status != ST_OK)
		return status;
	if (sqlite3_open_v2(state->target.partial, &state->db,
			    SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE |
				    SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE,
			    NULL) != SQLITE_OK)
		return sqlite_failed(sink, "opening");
	sqlite3_progress_handler(state->db, PROGRESS_STEPS, look_for_interrupt, NULL);
	if (sqlite_rows_register(state->db) != SQLITE_OK)
		return sqlite_failed(sink, "opening");
	state->background = background_start();
	return create_schema(sink);
}

static void close_loads(struct sqlite_state *state)
{
	for (size_t i = 0; i <= RECORD_OWN_TABLE; i++) {
		while (state->loads[i]) {
			struct load *load = state->loads[i];

			state->loads[i] = load->next;
			insert_release(&load->insert);
			batch_release(&load->batch);
			batch_release(&load->full);
			free(load);
		}
	}
}

static enum status sqlite_finish(struct sink *sink)
{
	struct sqlite_state *state = sink->state;
	enum status status = ST_OK;

	for (size_t i = 0; i <= RECORD_OWN_TABLE; i++)
		for (struct load *load = state->loads[i]; load; load = load->next)
			if (status == ST_OK)
				status = flush(sink, load);
	if (status == ST_OK)
		status = settle(sink);
	if (status != ST_OK)
		return status;
	close_loads(state);
	if (sink->options.indexes)
		status = execute(sink, schema_indexes, "creating indexes");
	if (status == ST_OK && sqlite_views_create(state->db) != SQLITE_OK)
		status = sqlite_failed(sink, "creating views");
	if (status == ST_OK)
		status = execute(sink, schema_views, "creating views");
	if (status == ST_OK)
		status = execute(sink, "COMMIT", "committing");
	if (status != ST_OK)
		return status;
	if (sqlite3_close(state->db) != SQLITE_OK)
		return sqlite_failed(sink, "closing");
	state->db = NULL;
	return target_commit(&state->target, &sink->error);
}

static void sqlite_close(struct sink *sink)
{
	struct sqlite_state *state = sink->state;

	background_stop(state->background);
	close_loads(state);
	sqlite3_close(state->db);
	target_release(&state->target);
}

const struct sink_ops sqlite_writer = {
	.name = "sqlite",
	.state_size = sizeof(struct sqlite_state),
	.open = sqlite_open,
	.put = sqlite_put,
	.finish = sqlite_finish,
	.close = sqlite_close,
};
