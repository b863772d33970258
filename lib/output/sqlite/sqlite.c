/*
 * sqlite.c - writes an SQLite database: schema, rows, indexes, views, and a final check.
 *
 * Rows are bulk-loaded as pages where possible (docs/bulk-load.md), or SQLite inserts
 * all. No other process uses the file before it has its name, so it needs no journal and
 * no sync until then: a crash leaves only the partial file (target.h).
 */
#include <sqlite3.h>
#include <stdlib.h>

#include "base/os.h"
#include "output/outputs.h"
#include "output/sqlite/check.h"
#include "output/sqlite/image.h"
#include "output/sqlite/load.h"
#include "output/sqlite/rows.h"
#include "output/sqlite/staging.h"
#include "output/sqlite/views.h"
#include "output/target.h"
#include "schema.h"

#define LARGE_INPUT_BYTES (UINT64_C(64) << 20)
#define PROGRESS_STEPS 100000 /* SQLite instructions between polls for signals */
/* Of larger inputs pages are checked only on request. */
#define CHECKED_BYTES_MAX (UINT64_C(256) << 20)
/* The default: with it 10 GB with 150,000 processes need less than 160 MiB. */
#define MEMORY_BYTES (UINT64_C(104) << 20)
/* The part of it for page cache, batches and extents; the rest is for sorting. */
#define MEMORY_OTHER_BYTES (UINT64_C(48) << 20)

struct sqlite_state {
	struct target target;
	sqlite3 *db; /* the output; NULL during bulk loading */
	struct loads loads;
	int catalog_result; /* of open_catalog(), an SQLite code */
	bool has_indexes;   /* created with the tables */
	char *defined;	    /* bulk loading: SQL still to run on the output */
};

static enum status failed(struct sink *sink, const char *doing)
{
	const struct sqlite_state *state = sink->state;

	return load_failed(&state->loads, state->db, doing, &sink->error);
}

static enum status execute(struct sink *sink, const char *sql, const char *doing)
{
	struct sqlite_state *state = sink->state;

	return sqlite3_exec(state->db, sql, NULL, NULL, NULL) == SQLITE_OK
		       ? ST_OK
		       : failed(sink, doing);
}

/* For --verbose; frees the text. */
static void report_note(const struct sink *sink, char *text)
{
	if (text && sink->options.note)
		sink->options.note(sink->options.context, text);
	sqlite3_free(text);
}

/* --- opening and closing the output --- */

static int poll_interrupt(void *unused)
{
	(void)unused;
	return os_interrupted();
}

static enum status open_output(struct sink *sink)
{
	struct sqlite_state *state = sink->state;

	if (sqlite3_open_v2(state->target.partial, &state->db,
			    SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE |
				    SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE,
			    NULL) != SQLITE_OK)
		return failed(sink, "opening");
	sqlite3_progress_handler(state->db, PROGRESS_STEPS, poll_interrupt, NULL);
	if (sqlite_rows_register(state->db) != SQLITE_OK)
		return failed(sink, "opening");
	state->loads.db = state->db;
	return execute(
		sink,
		"PRAGMA journal_mode = OFF;"
		"PRAGMA synchronous = OFF;"
		"PRAGMA cache_size = -8192;"
		"PRAGMA foreign_keys = OFF", /* rows precede the rows they reference */
		"opening");
}

static enum status close_output(struct sink *sink)
{
	struct sqlite_state *state = sink->state;

	if (sqlite3_close(state->db) != SQLITE_OK)
		return failed(sink, "closing");
	state->db = state->loads.db = NULL;
	return ST_OK;
}

/* --- the schema --- */

static enum status execute_on(struct sink *sink, sqlite3 *db, const char *sql,
			      const char *doing)
{
	const struct sqlite_state *state = sink->state;

	return sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK
		       ? ST_OK
		       : load_failed(&state->loads, db, doing, &sink->error);
}

/*
 * Changes the schema.  Bulk loading: that of the catalog now, and that of the output
 * later.
 */
static enum status define(struct sink *sink, char *sql, const char *doing)
{
	struct sqlite_state *state = sink->state;
	enum status status =
		sql ? loads_wait(&state->loads, &sink->error) : error_nomem(&sink->error);
	char *more;

	if (status == ST_OK && !state->loads.bulk) {
		status = execute(sink, sql, doing);
	} else if (status == ST_OK) {
		status = execute_on(sink, state->loads.catalog.db, sql, doing);
		if (status == ST_OK && state->loads.staging)
			status = execute_on(sink, state->loads.staging, sql, doing);
		more = sqlite3_mprintf("%s%s;\n", state->defined ? state->defined : "",
				       sql);
		sqlite3_free(state->defined);
		state->defined = more;
		if (!more)
			status = error_nomem(&sink->error);
	}
	sqlite3_free(sql);
	return status;
}

/* CREATE TABLE for a table that the trace defines. */
static enum status create_own(struct sink *sink, const struct table *table)
{
	static const char *const types[] = {
		[FIELD_INT] = "INTEGER", [FIELD_VALUE] = "INTEGER", [FIELD_REAL] = "REAL",
		[FIELD_TEXT] = "TEXT",	 [FIELD_BLOB] = "BLOB",
	};
	sqlite3_str *sql = sqlite3_str_new(NULL);

	sqlite3_str_appendf(sql, "CREATE TABLE \"%w\" (", table->name);
	for (size_t i = 0; i < table->field_count; i++)
		sqlite3_str_appendf(sql, "%s\"%w\" %s", i ? ", " : "",
				    table->fields[i].name, types[table->fields[i].kind]);
	sqlite3_str_appendall(sql, ") STRICT");
	return define(sink, sqlite3_str_finish(sql), table->name);
}

/* Adds the columns of a group that is wider than those before to context_switch. */
static enum status widen(struct sink *sink, size_t slots)
{
	struct loads *loads = &((struct sqlite_state *)sink->state)->loads;
	enum status status = ST_OK;

	if (loads->bulk && loads->widest < slots) { /* see widen_loaded() */
		status = loads_wait(loads, &sink->error);
		loads->widest = slots;
	}
	for (; loads->widest < slots && status == ST_OK; loads->widest++)
		status = define(sink, load_delta_column(loads->widest), "context_switch");
	return status;
}

/* Whether SQLite has switches to insert, despite bulk loading. */
static bool has_switches_left(const struct loads *loads)
{
	const struct load *load = loads->lists[RECORD_context_switch];

	while (load && batch_is_empty(&load->batch) && !load->staged_count)
		load = load->next;
	return load != NULL;
}

/*
 * Bulk loading: the same, all at once, in the schema itself, as ALTER TABLE would do it:
 * for that SQLite reads all of the schema again for each column.  It reads it once, if it
 * has rows to insert.
 */
static enum status widen_loaded(struct sink *sink)
{
	const struct sqlite_state *state = sink->state;
	sqlite3_str *sql = sqlite3_str_new(NULL);
	enum status status;
	char *text;

	sqlite3_str_appendall(
		sql, "PRAGMA writable_schema = ON;"
		     "UPDATE sqlite_schema SET sql = substr(sql, 1, length(sql) - "
		     "length(') STRICT')) || '");
	for (size_t i = 0; i < state->loads.widest; i++)
		sqlite3_str_appendf(sql, ", delta_%d INTEGER", (int)i);
	sqlite3_str_appendf(sql,
			    ") STRICT' WHERE name = 'context_switch';"
			    "PRAGMA writable_schema = %s",
			    has_switches_left(&state->loads) ? "RESET" : "OFF");
	text = sqlite3_str_finish(sql);
	status = text ? execute(sink, text, "context_switch") : error_nomem(&sink->error);
	sqlite3_free(text);
	return status;
}

/* Bulk loading needs the roots of the indexes; else they are created last. */
static enum status create_schema(struct sink *sink)
{
	struct sqlite_state *state = sink->state;

	state->has_indexes = sink->options.indexes && !sink->options.by_sql;
	/* Large pages load faster, small ones keep small databases small. */
	return image_write(state->target.partial, state->target.path,
			   sink->options.input_bytes > LARGE_INPUT_BYTES,
			   state->has_indexes, &sink->error);
}

/* --- rows --- */

/* The first row of a table, or one that changes the schema. */
static __attribute__((noinline)) enum status prepare_load(struct sink *sink,
							  const struct record *record,
							  struct load **load)
{
	struct sqlite_state *state = sink->state;
	enum status status = ST_OK;

	if (!*load && record->kind == RECORD_OWN_TABLE)
		status = create_own(sink, record->table);
	if (status == ST_OK && !*load)
		status = load_add(&state->loads, record, load, &sink->error);
	if (status == ST_OK && record->kind == RECORD_counter_group)
		status =
			widen(sink, (size_t)RECORD_DATA(record, counter_group)->counters);
	return status;
}

static enum status sqlite_write(struct sink *sink, const struct record *record)
{
	struct sqlite_state *state = sink->state;
	struct load *load = load_find(&state->loads, record);

	if (!load || record->kind == RECORD_counter_group) {
		enum status status = prepare_load(sink, record, &load);

		if (status != ST_OK)
			return status;
	}
	return load_add_record(&state->loads, load, record, &sink->error);
}

static enum status sqlite_write_run(struct sink *sink, const struct run_rows *rows)
{
	struct sqlite_state *state = sink->state;
	const struct record any = { .kind = RECORD_context_switch,
				    .slots = rows->run->common.count };
	struct load *load = load_find(&state->loads, &any);
	enum status status = load ? ST_OK : prepare_load(sink, &any, &load);

	return status == ST_OK ? load_add_run(&state->loads, load, rows, &sink->error)
			       : status;
}

/* --- opening --- */

static enum status sqlite_end_switches(struct sink *sink)
{
	struct sqlite_state *state = sink->state;

	return loads_end_switches(&state->loads, &sink->error);
}

/* A job for the second thread: SQLite reads the schema. */
static void open_catalog(void *context)
{
	struct sink *sink = context;
	struct sqlite_state *state = sink->state;
	sqlite3 **catalog = &state->loads.catalog.db;

	state->catalog_result = image_open(catalog, sink->options.indexes);
	if (state->catalog_result == SQLITE_OK)
		state->catalog_result =
			sqlite3_exec(*catalog, "SELECT 1 FROM trace", NULL, NULL, NULL);
}

static enum status wait_for_catalog(struct sink *sink)
{
	struct sqlite_state *state = sink->state;

	if (state->loads.background)
		background_wait(state->loads.background, 0);
	return state->catalog_result == SQLITE_OK
		       ? ST_OK
		       : load_failed(&state->loads, state->loads.catalog.db,
				     "the catalog", &sink->error);
}

/* Whether pages are checked as they are written. */
static bool is_checked(const struct sink *sink)
{
	return sink->options.verify == VERIFY_ALWAYS ||
	       (sink->options.verify == VERIFY_SMALL &&
		sink->options.input_bytes < CHECKED_BYTES_MAX);
}

/* SQLite alone. */
static enum status begin_inserting(struct sink *sink)
{
	enum status status = open_output(sink);

	return status == ST_OK ? execute(sink, "BEGIN", "starting") : status;
}

/* Begins bulk loading, until finish(), or reopens the file for SQLite alone. */
static enum status begin_bulk(struct sink *sink)
{
	struct sqlite_state *state = sink->state;
	uint64_t memory =
		sink->options.memory_bytes ? sink->options.memory_bytes : MEMORY_BYTES;
	struct bulk_options options = { .path = state->target.partial };
	struct error error = { ST_OK, 0, "" };
	enum status status;

	options.is_checked = is_checked(sink);
	options.memory_bytes =
		(size_t)(memory > 2 * MEMORY_OTHER_BYTES ? memory - MEMORY_OTHER_BYTES
							 : memory / 2);
	status = bulk_open(&state->loads.bulk, &options, &error);
	if (status == ST_OK)
		return wait_for_catalog(sink);
	if (status != ST_UNSUPPORTED)
		return error_copy(&sink->error, &error);
	report_note(sink, sqlite3_mprintf("SQLite inserts all rows: %s", error.text));
	return begin_inserting(sink);
}

void sqlite_configure(void)
{
	(void)sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
	/* Each of the caches, and there are many, begins with no pages instead of 20. */
	(void)sqlite3_config(SQLITE_CONFIG_PAGECACHE, NULL, 0, 0);
}

static enum status sqlite_open(struct sink *sink)
{
	struct sqlite_state *state = sink->state;
	enum status status =
		target_begin(&state->target, &sink->options, false, &sink->error);

	if (status != ST_OK)
		return status;
	state->loads.path = state->target.path;
	state->loads.background = background_start(BACKGROUND_WORKS);
	/* Needed before two threads use SQLite, each with a database of its own. */
	if (sqlite3_initialize() != SQLITE_OK)
		return failed(sink, "starting");
	if (!sink->options.by_sql && state->loads.background && sqlite3_threadsafe())
		background_run(state->loads.background, open_catalog, sink);
	else if (!sink->options.by_sql)
		open_catalog(sink);
	status = create_schema(sink);
	if (status != ST_OK)
		return status;
	return sink->options.by_sql ? begin_inserting(sink) : begin_bulk(sink);
}

/* --- finishing --- */

/* Indexes whose keys the loader does not support. */
static enum status make_left_indexes(struct sink *sink)
{
	const struct sqlite_state *state = sink->state;
	char *sql = bulk_reindex(state->loads.bulk);
	enum status status = ST_OK;

	if (sql) {
		status = execute(sink, sql, "creating indexes");
		report_note(sink, sqlite3_mprintf("SQLite makes indexes: %s", sql));
	}
	sqlite3_free(sql);
	return status;
}

/* Ends bulk loading: connects the pages with the roots that SQLite created. */
static enum status end_bulk(struct sink *sink)
{
	struct sqlite_state *state = sink->state;
	struct bulk *bulk = state->loads.bulk;
	enum status status = bulk_end_rows(bulk, &sink->error);

	if (status == ST_OK)
		status = open_output(sink);
	if (status == ST_OK && state->defined)
		status = execute(sink, state->defined, "creating tables");
	if (status == ST_OK && state->loads.widest)
		status = widen_loaded(sink);
	if (status == ST_OK)
		status = bulk_find_roots(bulk, state->db, &sink->error);
	/* SQLite has no lock here; the file's change counter says that pages are new. */
	if (status == ST_OK)
		status = bulk_set_roots(bulk, &sink->error);
	if (status == ST_OK)
		status = execute(sink, "BEGIN", "starting");
	if (status == ST_OK)
		status = loads_insert_rest(&state->loads, &sink->error);
	return status == ST_OK ? make_left_indexes(sink) : status;
}

/* Notes the rows that SQLite inserted despite bulk loading. */
static void report_staged(const struct sink *sink, const struct load *load)
{
	const char *table = load->batch.table->name;

	if (load->left_reason)
		report_note(sink,
			    sqlite3_mprintf("SQLite inserts the rows of table %s: %s",
					    table, load->left_reason));
	if (load->table && load->staged_count)
		report_note(sink,
			    sqlite3_mprintf(
				    "table %s: SQLite inserted %lld rows, which are too "
				    "large for a page or out of order",
				    table, (long long)load->staged_count));
}

static void report_all_staged(const struct sink *sink)
{
	const struct sqlite_state *state = sink->state;

	for (size_t i = 0; i <= RECORD_OWN_TABLE; i++)
		for (const struct load *load = state->loads.lists[i]; load;
		     load = load->next)
			report_staged(sink, load);
}

/* While the output is open: its connection knows the trees. */
static enum status account(struct sink *sink)
{
	const struct sqlite_state *state = sink->state;

	if (sink->options.verify == VERIFY_SMALL && !is_checked(sink))
		report_note(sink,
			    sqlite3_mprintf("the use of its pages is checked, but not "
					    "their cells, and not by quick_check: "
					    "--verify"));
	return sqlite_account(state->target.partial, state->loads.bulk, state->db,
			      &sink->error);
}

/* Views of counters that displayed values are calculated from, where there are any. */
static enum status create_perflib_views(struct sink *sink)
{
	struct sqlite_state *state = sink->state;
	sqlite3_stmt *any = NULL;
	bool has_any = false;

	if (sqlite3_prepare_v2(state->db, "SELECT 1 FROM perflib_counterset LIMIT 1", -1,
			       &any, NULL) != SQLITE_OK)
		return failed(sink, "creating views");
	has_any = sqlite3_step(any) == SQLITE_ROW;
	sqlite3_finalize(any);
	return has_any ? execute(sink, schema_perflib_views, "creating views") : ST_OK;
}

static enum status sqlite_finish(struct sink *sink)
{
	struct sqlite_state *state = sink->state;
	enum status status = loads_flush(&state->loads, &sink->error);

	if (status == ST_OK && state->loads.bulk)
		status = end_bulk(sink);
	if (status != ST_OK)
		return status;
	report_all_staged(sink);
	loads_release(&state->loads);
	if (sink->options.indexes && !state->has_indexes)
		status = execute(sink, schema_indexes, "creating indexes");
	if (status == ST_OK && sink->options.indexes)
		status = execute(sink, schema_late_indexes, "creating indexes");
	if (status == ST_OK && sqlite_views_create(state->db) != SQLITE_OK)
		status = failed(sink, "creating views");
	if (status == ST_OK)
		status = create_perflib_views(sink);
	if (status == ST_OK)
		status = execute(sink, "COMMIT", "committing");
	if (status == ST_OK)
		status = account(sink);
	if (status == ST_OK)
		status = close_output(sink);
	if (status == ST_OK && sink->options.verify == VERIFY_ALWAYS)
		status = sqlite_quick_check(state->target.partial, &sink->error);
	return status == ST_OK ? target_commit(&state->target, &sink->error) : status;
}

static void sqlite_close(struct sink *sink)
{
	struct sqlite_state *state = sink->state;

	background_stop(state->loads.background);
	loads_release(&state->loads);
	bulk_close(state->loads.bulk);
	catalog_release(&state->loads.catalog);
	sqlite3_close(state->loads.catalog.db);
	sqlite3_close(state->loads.staging);
	sqlite3_close(state->db);
	sqlite3_free(state->defined);
	target_release(&state->target);
}

const struct sink_ops sqlite_writer = {
	.name = "sqlite",
	.state_size = sizeof(struct sqlite_state),
	.open = sqlite_open,
	.put = sqlite_write,
	.put_run = sqlite_write_run,
	.end_switches = sqlite_end_switches,
	.finish = sqlite_finish,
	.close = sqlite_close,
};
