/*
 * sqlite.c - one SQLite database: schema, rows in batches, indexes and views at the end.
 *
 * The file is nobody else's until it has its name, so there is no journal and no sync
 * until then: a crash leaves only the partial file (target.h).
 */
#include <sqlite3.h>
#include <stdlib.h>

#include "core/os.h"
#include "schema.h"
#include "writers/batch.h"
#include "writers/sqlite_rows.h"
#include "writers/sqlite_views.h"
#include "writers/target.h"
#include "writers/writers.h"

#define PROGRESS_STEPS 100000 /* SQLite instructions between looks at the signals */

struct sqlite_state {
	struct target target;
	sqlite3 *db;
	struct batch *batches[RECORD_TABLES]; /* a list: one for each width of the table */
	size_t slots; /* delta columns of context_switch */
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
			 code == SQLITE_FULL ? "the disk is full" : sqlite3_errmsg(state->db));
}

static enum status execute(struct sink *sink, const char *sql, const char *doing)
{
	struct sqlite_state *state = sink->state;

	return sqlite3_exec(state->db, sql, NULL, NULL, NULL) == SQLITE_OK
		       ? ST_OK
		       : sqlite_failed(sink, doing);
}

/* --- rows --- */

/* INSERT INTO t (its columns) SELECT c0, ... FROM perftab_rows(?1) */
static sqlite3_stmt *prepare_insert(struct sqlite_state *state, const struct batch *batch)
{
	const struct table *table = batch->table;
	sqlite3_str *sql = sqlite3_str_new(state->db);
	sqlite3_stmt *statement = NULL;
	size_t columns = table->field_count + batch->slots;
	char *text;

	sqlite3_str_appendf(sql, "INSERT INTO \"%w\" (", table->name);
	for (size_t i = 0; i < table->field_count; i++)
		sqlite3_str_appendf(sql, "%s\"%w\"", i ? "," : "", table->fields[i].name);
	for (size_t i = 0; i < batch->slots; i++)
		sqlite3_str_appendf(sql, ",delta_%d", (int)i);
	sqlite3_str_appendall(sql, ") SELECT ");
	for (size_t i = 0; i < columns; i++)
		sqlite3_str_appendf(sql, "%sc%d", i ? "," : "", (int)i);
	sqlite3_str_appendall(sql, " FROM perftab_rows(?1)");
	text = sqlite3_str_finish(sql);
	if (text)
		sqlite3_prepare_v3(state->db, text, -1, SQLITE_PREPARE_PERSISTENT, &statement,
				   NULL);
	sqlite3_free(text);
	return statement;
}

static enum status flush(struct sink *sink, struct batch *batch)
{
	struct sqlite_state *state = sink->state;
	sqlite3_stmt *statement = batch->statement;
	int result;

	if (batch->count == 0)
		return ST_OK;
	if (!statement)
		statement = batch->statement = prepare_insert(state, batch);
	if (!statement ||
	    sqlite3_bind_pointer(statement, 1, batch, SQLITE_ROWS_POINTER, NULL) != SQLITE_OK)
		return sqlite_failed(sink, batch->table->name);
	result = sqlite3_step(statement);
	sqlite3_reset(statement);
	batch_clear(batch);
	return result == SQLITE_DONE ? ST_OK : sqlite_failed(sink, batch->table->name);
}

static struct batch *batch_for(struct sink *sink, const struct record *record)
{
	struct sqlite_state *state = sink->state;
	struct batch **list = &state->batches[record->kind];
	struct batch *batch = *list;

	while (batch && batch->slots != record->slots)
		batch = batch->next;
	if (batch)
		return batch;
	batch = malloc(sizeof(*batch));
	if (!batch || !batch_init(batch, &tables[record->kind], record->slots)) {
		free(batch);
		error_nomem(&sink->error);
		return NULL;
	}
	batch->next = *list;
	*list = batch;
	return batch;
}

/* context_switch gets the columns of a group that is wider than those before. */
static enum status widen(struct sink *sink, size_t slots)
{
	struct sqlite_state *state = sink->state;
	enum status status = ST_OK;

	for (; state->slots < slots && status == ST_OK; state->slots++) {
		char *sql = sqlite3_mprintf("ALTER TABLE context_switch ADD COLUMN "
					    "delta_%d INTEGER",
					    (int)state->slots);

		status = sql ? execute(sink, sql, "context_switch") : error_nomem(&sink->error);
		sqlite3_free(sql);
	}
	return status;
}

static enum status sqlite_put(struct sink *sink, const struct record *record)
{
	struct batch *batch = batch_for(sink, record);
	enum status status = ST_OK;

	if (!batch)
		return sink->error.status;
	if (record->kind == RECORD_counter_group)
		status = widen(sink, (size_t)RECORD_DATA(record, counter_group)->counters);
	if (status == ST_OK && !batch_add(batch, record))
		status = error_nomem(&sink->error);
	if (status == ST_OK && batch_is_full(batch))
		status = flush(sink, batch);
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

	sqlite3_snprintf(sizeof(pragmas), pragmas,
			 "PRAGMA page_size = 8192;"
			 "PRAGMA journal_mode = OFF;"
			 "PRAGMA synchronous = OFF;"
			 "PRAGMA locking_mode = EXCLUSIVE;"
			 "PRAGMA cache_size = -8192;"
			 "PRAGMA application_id = %d;"
			 "PRAGMA user_version = %d;"
			 "PRAGMA foreign_keys = OFF;" /* rows come before whom they name */
			 "BEGIN",
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
			    SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX |
				    SQLITE_OPEN_PRIVATECACHE,
			    NULL) != SQLITE_OK)
		return sqlite_failed(sink, "opening");
	sqlite3_progress_handler(state->db, PROGRESS_STEPS, look_for_interrupt, NULL);
	if (sqlite_rows_register(state->db) != SQLITE_OK)
		return sqlite_failed(sink, "opening");
	return create_schema(sink);
}

static void close_batches(struct sqlite_state *state)
{
	for (size_t i = 0; i < RECORD_TABLES; i++) {
		while (state->batches[i]) {
			struct batch *batch = state->batches[i];

			state->batches[i] = batch->next;
			sqlite3_finalize(batch->statement);
			batch_release(batch);
			free(batch);
		}
	}
}

static enum status sqlite_finish(struct sink *sink)
{
	struct sqlite_state *state = sink->state;
	enum status status = ST_OK;

	for (size_t i = 0; i < RECORD_TABLES; i++)
		for (struct batch *batch = state->batches[i]; batch; batch = batch->next)
			if (status == ST_OK)
				status = flush(sink, batch);
	close_batches(state);
	if (status == ST_OK && sink->options.indexes)
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

	close_batches(state);
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
