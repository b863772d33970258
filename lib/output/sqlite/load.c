/* load.c - batches of every table, loaded in the background. */
#include "output/sqlite/load.h"

#include <stdlib.h>

#include "base/os.h"
#include "output/sqlite/staging.h"

/* Rows of a trace's own table at once; a statement costs more than a call. */
#define OWN_BATCH_BYTES ((size_t)64 << 10)
#define OWN_BULK_BYTES ((size_t)16 << 10)
/* Most bytes of a batch that grows, and of all of them more than at first. */
#define LARGE_BATCH_BYTES ((size_t)1 << 20)
#define GROWN_BYTES_MAX ((size_t)8 << 20)
/*
 * Bulk loading: a table with fewer rows is left to SQLite, which checks every constraint;
 * so few rows cost nothing.
 */
#define BULK_ROWS_MIN 64

enum status load_failed(const struct loads *loads, sqlite3 *db, const char *doing,
			struct error *error)
{
	int code = sqlite3_errcode(db);
	enum status status = code == SQLITE_NOMEM ? ST_NOMEM : ST_IO;

	if (code == SQLITE_INTERRUPT || os_interrupted())
		status = ST_INTERRUPTED;
	return error_set(error, status, ERROR_NO_OFFSET, "cannot write %s: %s: %s",
			 loads->path, doing,
			 code == SQLITE_FULL ? "the disk is full" : sqlite3_errmsg(db));
}

/* --- inserting a full batch --- */

static enum status insert_all(struct loads *loads, struct load *load, struct error *error)
{
	struct batch part = *load->taken;
	int result = SQLITE_OK;

	for (; load->at < load->taken->count && result == SQLITE_OK;
	     load->at += part.count) {
		size_t left = load->taken->count - load->at;

		part.rows = load->taken->rows + load->at * part.row_bytes;
		part.count = left < BATCH_ROWS ? left : BATCH_ROWS;
		result = insert_batch(&load->insert, loads->db, &part, load->last_id);
	}
	return result == SQLITE_OK
		       ? ST_OK
		       : load_failed(loads, loads->db, part.table->name, error);
}

/* --- bulk-loading a full batch --- */

/* The next load of the same table. */
static struct load *next_going(struct load *load)
{
	return load->has_widths ? load->next : NULL;
}

static bool is_done(const struct load *load)
{
	return load->at == load->taken->count && load->run_at == load->taken->run_count;
}

static int64_t row_id(const struct load *load)
{
	int64_t id;

	memcpy(&id, batch_row(load->taken, load->at), sizeof(id));
	return id;
}

/* Ids of a run are consecutive: it comes before the next row, or after it. */
static bool run_is_next(const struct load *load)
{
	const struct batch *batch = load->taken;

	return load->run_at < batch->run_count &&
	       (load->at == batch->count ||
		batch->runs[load->run_at].first_id < row_id(load));
}

static int64_t next_id(const struct load *load)
{
	return run_is_next(load) ? load->taken->runs[load->run_at].first_id
				 : row_id(load);
}

/*
 * The width with the lowest next row id; *until is the lowest next row id of the other
 * widths.
 */
static struct load *first_width(struct load *going, int64_t *until)
{
	struct load *first = NULL;
	int64_t least = INT64_MAX;

	*until = INT64_MAX;
	for (struct load *load = going; load; load = next_going(load)) {
		if (is_done(load))
			continue;
		if (!first || next_id(load) < least) {
			*until = first ? least : INT64_MAX;
			least = next_id(load);
			first = load;
		} else if (next_id(load) < *until) {
			*until = next_id(load);
		}
	}
	return first;
}

char *load_delta_column(size_t slot)
{
	return sqlite3_mprintf("ALTER TABLE context_switch ADD COLUMN delta_%d INTEGER",
			       (int)slot);
}

/* Only when a row is staged, which is rare: SQLite then reads its whole schema again. */
static int widen_staging(struct loads *loads)
{
	int result = SQLITE_OK;

	for (; loads->staging_widest < loads->widest && result == SQLITE_OK;
	     loads->staging_widest++) {
		char *sql = load_delta_column(loads->staging_widest);

		result = sql ? sqlite3_exec(loads->staging, sql, NULL, NULL, NULL)
			     : SQLITE_NOMEM;
		sqlite3_free(sql);
	}
	return result;
}

static enum status stage_row(struct loads *loads, struct load *load, const char *row,
			     struct error *error)
{
	const struct batch *batch = load->taken;
	int result = loads->staging ? SQLITE_OK
				    : staging_open(&loads->staging, loads->catalog.db);

	load->staged_count++;
	if (result == SQLITE_OK && load->has_widths)
		result = widen_staging(loads);
	if (result == SQLITE_OK)
		result = staging_add(loads->staging, &load->staging_insert, batch, row,
				     load->rowid);
	return result == SQLITE_OK
		       ? ST_OK
		       : load_failed(loads, loads->staging, batch->table->name, error);
}

static enum status bulk_load_row(struct loads *loads, struct load *load, const char *row,
				 struct error *error)
{
	const struct batch *batch = load->taken;
	enum status status = ST_OK;
	bool loaded = false;

	load->rowid++;
	if (load->table && batch->slots <= loads->widest)
		status = bulk_add(load->table, row, batch->slots, load->rowid, &loaded,
				  error);
	return loaded || status != ST_OK ? status : stage_row(loads, load, row, error);
}

/* A run that cannot be loaded as it is: row by row. */
static enum status bulk_load_apart(struct loads *loads, struct load *load,
				   const struct run_columns *run, struct error *error)
{
	char *row = malloc(load->taken->row_bytes);
	enum status status = row ? ST_OK : error_nomem(error);

	for (size_t at = 0; at < run->count && status == ST_OK; at++) {
		batch_run_row(load->taken, run, at, row);
		status = bulk_load_row(loads, load, row, error);
	}
	free(row);
	return status;
}

static enum status bulk_load_run(struct loads *loads, struct load *load,
				 struct error *error)
{
	const struct batch *batch = load->taken;
	const struct run_columns *run = &batch->runs[load->run_at++];
	const struct run_columns *next = load->run_at < batch->run_count ? run + 1 : NULL;
	bool loaded;
	enum status status = bulk_add_run(load->table, run, next, &loaded, error);

	if (status != ST_OK || !loaded)
		return status != ST_OK ? status
				       : bulk_load_apart(loads, load, run, error);
	load->rowid += (int64_t)run->count;
	return ST_OK;
}

static enum status bulk_load_next(struct loads *loads, struct load *load,
				  struct error *error)
{
	const struct batch *batch = load->taken;

	return run_is_next(load)
		       ? bulk_load_run(loads, load, error)
		       : bulk_load_row(loads, load, batch_row(batch, load->at++), error);
}

/* Loads rows in the order of their ids, which the widths of a table share. */
static enum status bulk_load_all(struct loads *loads, struct load *going,
				 struct error *error)
{
	enum status status = ST_OK;
	struct load *load;
	int64_t until;

	while (status == ST_OK && (load = first_width(going, &until)))
		do
			status = bulk_load_next(loads, load, error);
		while (status == ST_OK && !is_done(load) &&
		       (until == INT64_MAX || next_id(load) < until));
	return status;
}

/* --- passing batches to the second thread --- */

/* The job of the second thread. */
static void load_full_batch(void *context)
{
	struct handed *handed = context;
	struct loads *loads = handed->loads;
	struct load *first = handed->first;

	for (struct load *load = first; load; load = next_going(load)) {
		load->taken = &load->full[handed->place];
		load->at = load->run_at = 0;
	}
	if (loads->error.status == ST_OK)
		(void)(loads->bulk ? bulk_load_all(loads, first, &loads->error)
				   : insert_all(loads, first, &loads->error));
	for (struct load *load = first; load; load = next_going(load))
		batch_clear(load->taken);
	handed->status = loads->error.status;
}

enum status loads_wait(struct loads *loads, struct error *error)
{
	if (loads->background)
		background_wait(loads->background, 0);
	return error_copy(error, &loads->error);
}

/*
 * Called before the first rows of a table are loaded: querying SQLite for it costs as
 * much as loading thousands of rows.  Loads of all widths share one table.
 */
static enum status find_table(struct loads *loads, struct load *first,
			      struct error *error)
{
	struct bulk_table *table = NULL;
	enum status status = ST_OK;
	bool found = false;

	for (struct load *load = first; load; load = next_going(load)) {
		found |= load->was_handed;
		table = load->table ? load->table : table;
	}
	if (!found) {
		status = loads_wait(loads, error);
		if (status == ST_OK)
			status = bulk_table(loads->bulk, &loads->catalog,
					    first->batch.table, &table,
					    &first->left_reason, error);
	}
	for (struct load *load = first; load; load = next_going(load))
		load->table = table;
	return status;
}

/* The next load whose batch is handed over with that of this one. */
static struct load *next_handed(const struct loads *loads, struct load *load)
{
	return loads->bulk ? next_going(load) : NULL;
}

/*
 * A handover costs a wake-up, so batches of a table that needs many become larger: the
 * two that go on, and the one that fills.
 */
static void grow(struct loads *loads, struct load *load)
{
	size_t more = load->room * load->batch.row_bytes * (BATCHES_FULL + 1);

	if (!load->grows || 2 * load->room * load->batch.row_bytes > LARGE_BATCH_BYTES ||
	    more > GROWN_BYTES_MAX - loads->grown)
		return;
	loads->grown += more;
	load->room *= 2;
}

/* Most tables of a small trace never need another batch: it is made when they do. */
static bool make_empty(const struct loads *loads, struct load *first, size_t place)
{
	bool made = true;

	for (struct load *load = first; load && made; load = next_handed(loads, load)) {
		struct batch *batch = &load->full[place];

		if (batch->room < load->room)
			batch_release(batch);
		made = batch->rows || batch_init(batch, load->batch.table,
						 load->batch.slots, load->room);
	}
	return made;
}

/* Passes the collected rows on, and continues with an empty batch. */
static enum status flush(struct loads *loads, struct load *first, struct error *error)
{
	size_t place = loads->handovers % BATCHES_FULL;
	struct handed *handed = &loads->handed[place];
	enum status status = ST_OK;

	if (loads->bulk && !first->was_handed)
		status = find_table(loads, first, error);
	if (status != ST_OK)
		return status;
	loads->handovers++;
	if (loads->background)
		background_wait(loads->background, BATCHES_FULL - 1);
	if (handed->status != ST_OK)
		return loads_wait(loads, error);
	if (!make_empty(loads, first, place))
		return error_nomem(error);
	for (struct load *load = first; load; load = next_handed(loads, load)) {
		struct batch collected = load->batch;

		load->batch = load->full[place];
		load->full[place] = collected;
		if (load->was_handed)
			grow(loads, load);
		load->was_handed = true;
	}
	*handed = (struct handed){ loads, first, place, ST_OK };
	if (loads->background) {
		background_run(loads->background, load_full_batch, handed);
		return ST_OK;
	}
	load_full_batch(handed);
	return loads_wait(loads, error);
}

/* --- loads --- */

struct load *load_find(const struct loads *loads, const struct record *record)
{
	const struct table *table = record_table(record);
	struct load *load = loads->lists[record->kind];

	while (load && (load->batch.slots != record->slots || load->batch.table != table))
		load = load->next;
	return load;
}

/* There may be hundreds of own tables, and their rows may be large. */
static size_t batch_room(const struct loads *loads, const struct record *record)
{
	size_t room = (loads->bulk ? OWN_BULK_BYTES : OWN_BATCH_BYTES) /
		      record_table(record)->row_size;

	if (record->kind == RECORD_context_switch) {
		size_t bytes = tables[RECORD_context_switch].row_size +
			       record->slots * sizeof(int64_t);

		return bytes < LARGE_BATCH_BYTES / BATCH_ROWS ? LARGE_BATCH_BYTES / bytes
							      : BATCH_ROWS;
	}
	if (record->kind != RECORD_OWN_TABLE)
		return BATCH_ROWS;
	return room < 8 ? 8 : room < BATCH_ROWS ? room : BATCH_ROWS;
}

static void release_batches(struct load *load)
{
	batch_release(&load->batch);
	for (size_t i = 0; i < BATCHES_FULL; i++)
		batch_release(&load->full[i]);
}

/* A zeroed load. */
static struct load *new_load(void)
{
	struct load *load = os_alloc_aligned(_Alignof(struct load), sizeof(*load));

	if (load)
		memset(load, 0, sizeof(*load));
	return load;
}

enum status load_add(struct loads *loads, const struct record *record,
		     struct load **added, struct error *error)
{
	struct load *load = new_load();
	struct load **list = &loads->lists[record->kind];
	enum status status = loads_wait(loads, error);

	if (!load || !batch_init(&load->batch, record_table(record), record->slots,
				 batch_room(loads, record))) {
		free(load);
		return error_nomem(error);
	}
	load->room = load->batch.room;
	load->grows = loads->bulk && loads->background;
	load->has_widths = record->kind == RECORD_context_switch;
	if (record->kind == RECORD_context_switch || record->kind == RECORD_sample)
		load->last_id = &loads->last_ids[record->kind];
	load->next = *list;
	*list = *added = load;
	return status;
}

static struct load *first_load(const struct loads *loads, struct load *load)
{
	return loads->bulk && load->has_widths ? loads->lists[RECORD_context_switch]
					       : load;
}

static enum status add_columns(struct loads *loads, struct load *load,
			       const struct run_rows *rows, struct error *error)
{
	bool is_for_other = loads->background != NULL;
	bool added = batch_add_columns(&load->batch, rows, is_for_other);
	enum status status = ST_OK;

	if (!added || batch_is_full(&load->batch))
		status = flush(loads, first_load(loads, load), error);
	/* An empty batch has room for any run. */
	if (status == ST_OK && !added &&
	    !batch_add_columns(&load->batch, rows, is_for_other))
		return error_nomem(error);
	return status;
}

/* The table is known once it has had a full batch. */
enum status load_add_run(struct loads *loads, struct load *load,
			 const struct run_rows *rows, struct error *error)
{
	enum status status = ST_OK;

	load->given += (int64_t)(rows->to - rows->from);
	if (load->table)
		return add_columns(loads, load, rows, error);
	for (size_t at = rows->from; at < rows->to && status == ST_OK;) {
		at = batch_add_run(&load->batch, rows, at);
		if (batch_is_full(&load->batch) ||
		    (loads->bulk && load->batch.count >= BATCH_ROWS))
			status = flush(loads, first_load(loads, load), error);
	}
	return status;
}

enum status load_add_record(struct loads *loads, struct load *load,
			    const struct record *record, struct error *error)
{
	load->given++;
	if (!batch_add(&load->batch, record))
		return error_nomem(error);
	if (!batch_is_full(&load->batch))
		return ST_OK;
	return flush(loads, first_load(loads, load), error);
}

void loads_release(struct loads *loads)
{
	for (size_t i = 0; i <= RECORD_OWN_TABLE; i++) {
		while (loads->lists[i]) {
			struct load *load = loads->lists[i];

			loads->lists[i] = load->next;
			insert_release(&load->insert);
			sqlite3_finalize(load->staging_insert);
			sqlite3_free(load->left_reason);
			release_batches(load);
			free(load);
		}
	}
}

/* --- ending loads --- */

static bool is_left_to_sqlite(const struct loads *loads, const struct load *load)
{
	if (!loads->bulk || load->was_handed || load->batch.count >= BULK_ROWS_MIN)
		return false;
	return !load->has_widths || !loads->lists[RECORD_context_switch]->next;
}

enum status loads_end_switches(struct loads *loads, struct error *error)
{
	struct load *first = loads->lists[RECORD_context_switch];
	enum status status = ST_OK;

	if (!first || !first->table) /* few, or inserted */
		return ST_OK;
	for (struct load *load = first; load && status == ST_OK; load = load->next)
		if (!batch_is_empty(&load->batch))
			status = flush(loads, load, error);
	if (status == ST_OK)
		status = loads_wait(loads, error);
	return status == ST_OK ? bulk_end_table(first->table, error) : status;
}

enum status loads_flush(struct loads *loads, struct error *error)
{
	enum status status = ST_OK;

	for (size_t i = 0; i <= RECORD_OWN_TABLE; i++)
		for (struct load *load = loads->lists[i]; load && status == ST_OK;
		     load = load->next)
			if (!is_left_to_sqlite(loads, load) &&
			    !batch_is_empty(&load->batch))
				status = flush(loads, load, error);
	return status == ST_OK ? loads_wait(loads, error) : status;
}

/* Whatever goes wrong with batches and runs, no row is lost without a word. */
static enum status check_none_lost(const struct loads *loads, const struct load *load,
				   struct error *error)
{
	int64_t kept = load->rowid + (int64_t)load->batch.count;

	if (!loads->bulk || kept == load->given)
		return ST_OK;
	return error_set(error, ST_IO, ERROR_NO_OFFSET,
			 "cannot write %s: %lld of %lld rows of %s are lost, which is a "
			 "fault of this program; --loader sql has no batches",
			 loads->path, (long long)(load->given - kept),
			 (long long)load->given, load->batch.table->name);
}

static enum status insert_rest(struct loads *loads, struct load *load,
			       struct error *error)
{
	enum status status;

	load->taken = &load->batch;
	load->at = 0;
	status = insert_all(loads, load, error);
	sqlite3_finalize(load->staging_insert);
	load->staging_insert = NULL;
	return status;
}

/* Inserts all staged rows of a table, of any width. */
static enum status copy_staged(struct loads *loads, const struct load *list,
			       const struct load *load, struct error *error)
{
	const struct table *table = load->batch.table;

	for (; list != load; list = list->next)
		if (list->batch.table == table && list->staged_count)
			return ST_OK; /* done with that one */
	return staging_copy(loads->staging, loads->db, table) == SQLITE_OK
		       ? ST_OK
		       : load_failed(loads, loads->db, table->name, error);
}

enum status loads_insert_rest(struct loads *loads, struct error *error)
{
	enum status status = ST_OK;

	for (size_t i = 0; i <= RECORD_OWN_TABLE; i++)
		for (struct load *load = loads->lists[i]; load && status == ST_OK;
		     load = load->next) {
			status = insert_rest(loads, load, error);
			if (status == ST_OK)
				status = check_none_lost(loads, load, error);
			if (status == ST_OK && load->staged_count)
				status = copy_staged(loads, loads->lists[i], load, error);
		}
	return status;
}
