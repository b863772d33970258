/* bulk.c - encodes rows into cells and passes them to trees and key sorters. */
#include "output/sqlite_bulk/bulk.h"

#include <stdlib.h>
#include <string.h>

#include "base/background.h"
#include "base/os.h"
#include "base/sqlite_format.h"
#include "output/sqlite_bulk/catalog.h"
#include "output/sqlite_bulk/entries.h"
#include "output/sqlite_bulk/pages.h"
#include "output/sqlite_bulk/record.h"
#include "output/sqlite_bulk/table.h"

/* Keys of an index that are merged at a time, between polls for signals. */
#define ENTRIES_AT_ONCE 512

struct bulk {
	struct bulk_pages pages;
	struct bulk_key_pool pool;
	char *path, *runs_path;
	bool is_checked;
	struct bulk_record record;
	struct bulk_table *tables; /* the latest first */
	struct bulk_tree *trees;   /* of the tables and their indexes */
	struct background *early;  /* writes an index while rows come; NULL: none */
	uint32_t loaded_first, loaded_end; /* the pages appended */
};

/* --- opening --- */

enum status bulk_open(struct bulk **bulk, const struct bulk_options *options,
		      struct error *error)
{
	struct bulk *b = calloc(1, sizeof(*b));
	enum status status;

	*bulk = NULL;
	if (!b)
		return error_nomem(error);
	b->is_checked = options->is_checked;
	b->path = sqlite3_mprintf("%s", options->path);
	b->runs_path = sqlite3_mprintf("%s-runs", options->path);
	if (!b->path || !b->runs_path ||
	    !key_pool_init(&b->pool, options->memory_bytes, b->runs_path)) {
		bulk_close(b);
		return error_nomem(error);
	}
	status = pages_open(&b->pages, b->path,
			    options->lock_byte ? options->lock_byte : BULK_LOCK_BYTE,
			    error);
	if (status != ST_OK) {
		bulk_close(b);
		return status;
	}
	pages_share_writes(&b->pages);
	b->loaded_first = b->pages.next;
	*bulk = b;
	return ST_OK;
}

void bulk_close(struct bulk *bulk)
{
	if (!bulk)
		return;
	background_stop(bulk->early);
	while (bulk->tables) {
		struct bulk_table *table = bulk->tables;

		bulk->tables = table->next;
		table_release(table);
	}
	pages_close(&bulk->pages);
	key_pool_release(&bulk->pool);
	sqlite3_free(bulk->path);
	sqlite3_free(bulk->runs_path);
	free(bulk);
}

/* --- a table --- */

static void begin_tree(struct bulk *bulk, struct bulk_tree *tree,
		       enum bulk_tree_kind kind, const char *name)
{
	tree_init(tree, &bulk->pages, kind);
	tree->is_checked = bulk->is_checked;
	tree->name = name;
	tree->next = bulk->trees;
	bulk->trees = tree;
}

static void begin_table(struct bulk *bulk, struct bulk_table *table)
{
	begin_tree(bulk, &table->tree, BULK_TABLE, table->name);
	table->greatest = INT64_MIN; /* below all row ids */
	for (struct bulk_index *index = table->indexes; index; index = index->next) {
		begin_tree(bulk, &index->tree, BULK_INDEX, index->name);
		keys_init(&index->keys, &bulk->pool);
	}
	table->bulk = bulk;
	table->next = bulk->tables;
	bulk->tables = table;
}

enum status bulk_table(struct bulk *bulk, struct catalog *catalog,
		       const struct table *layout, struct bulk_table **table,
		       char **reason, struct error *error)
{
	enum status status = table_describe(catalog, layout, table, reason, error);

	if (status == ST_OK && *table)
		begin_table(bulk, *table);
	return status;
}

/* --- rows --- */

static int64_t load_int(const char *from)
{
	int64_t value;

	memcpy(&value, from, sizeof(value));
	return value;
}

/* False: the row is left to SQLite, which reports its fault, if any. */
static inline bool encode_value(struct bulk_record *record,
				const struct bulk_column *column, const char *from)
{
	bool is_null;
	struct str bytes;
	double real;

	if (field_is_int(column->kind)) {
		int64_t number = load_int(from);

		is_null = number == INT64_MIN && column->kind == FIELD_INT;
		if (!is_null) {
			record_int(record, number);
			/* INT64_MIN is NULL for the sorter. */
			return number != INT64_MIN || !column->is_key;
		}
		record_null(record);
	} else if (column->kind == FIELD_REAL) {
		memcpy(&real, from, sizeof(real));
		is_null = real != real;
		record_real(record, real);
	} else {
		memcpy(&bytes, from, sizeof(bytes));
		is_null = !bytes.ptr;
		record_bytes(record, bytes,
			     column->kind == FIELD_TEXT ? TYPE_TEXT : TYPE_BLOB);
	}
	return !is_null || !column->not_null;
}

/* Encodes the values, which end at `end`, from the last to the first. */
static inline struct bulk_front encode_slots(struct bulk_front front, const char *end,
					     size_t slots)
{
	for (; slots; slots--) {
		end -= sizeof(int64_t);
		front = front_int(front, load_int(end));
	}
	return front;
}

/* The same for a table of integer columns only. */
static inline struct bulk_front encode_plain(struct bulk_front front, const char *end,
					     size_t columns)
{
	for (; columns; columns--) {
		end -= sizeof(int64_t);
		if (load_int(end) == INT64_MIN)
			*--front.types = 0;
		else
			front = front_int(front, load_int(end));
	}
	return front;
}

/* The same for columns of any type; false as above. */
static bool encode_columns(struct bulk_record *record, const struct bulk_table *table,
			   const char *row)
{
	const struct bulk_column *first = table->columns + table->columns->is_id;
	const struct bulk_column *column = table->columns + table->column_count;

	while (column-- > first)
		if (!encode_value(record, column, row + column->offset))
			return false;
	return true;
}

static bool encode(struct bulk_record *record, const struct bulk_table *table,
		   const char *row, size_t slots)
{
	const char *end = row + table->row_size;

	record_begin(record);
	record->front = encode_slots(record->front, end + slots * sizeof(int64_t), slots);
	if (table->is_plain)
		record->front = encode_plain(record->front, end,
					     table->column_count - table->columns->is_id);
	else if (!encode_columns(record, table, row))
		return false;
	if (table->columns->is_id) /* it is in the cell */
		record->front = front_null(record->front);
	return !record->too_large;
}

static inline int64_t key_column(const struct bulk_index *index, size_t column,
				 const struct bulk_table *table, const char *row)
{
	return load_int(row + table->columns[index->columns[column]].offset);
}

static enum status add_key(struct bulk_index *index, const struct bulk_table *table,
			   const char *row, int64_t rowid, struct error *error)
{
	int64_t values[BULK_KEY_COLUMNS_MAX], number;

	if (index->column_count == 1)
		return keys_add(&index->keys, key_column(index, 0, table, row), rowid,
				error);
	for (size_t i = 0; i < index->column_count; i++)
		values[i] = key_column(index, i, table, row);
	return composite_key(&index->composite, values, rowid, &number)
		       ? keys_add(&index->keys, number, rowid, error)
		       : ST_OK;
}

enum status bulk_add(struct bulk_table *table, const char *row, size_t slots,
		     int64_t rowid, bool *loaded, struct error *error)
{
	struct bulk_record *record = &table->bulk->record;
	enum status status;

	if (table->columns[0].is_id)
		rowid = load_int(row + table->columns[0].offset);
	*loaded = rowid > table->greatest && !table->is_over &&
		  encode(record, table, row, slots) &&
		  record_cell(record, rowid) <= table->tree.cell_max;
	if (rowid > table->greatest)
		table->greatest = rowid;
	if (!*loaded) {
		table->left++;
		return ST_OK;
	}
	table->loaded++;
	status = tree_add(&table->tree, record->front.cell,
			  (size_t)(record_end(record) - record->front.cell), error);
	for (struct bulk_index *index = table->indexes; index && status == ST_OK;
	     index = index->next)
		status = add_key(index, table, row, rowid, error);
	return status;
}

uint64_t bulk_spilled(const struct bulk *bulk)
{
	return bulk->pool.runs_end;
}

/* --- indexes --- */

static enum status add_entries(struct bulk_index *index, const struct bulk_key *keys,
			       size_t count, struct error *error)
{
	enum status status = ST_OK;

	if (index->column_count == 1)
		return entries_write(&index->tree, keys, count, error);
	for (size_t i = 0; i < count && status == ST_OK; i++)
		status =
			composite_entry(&index->composite, &index->tree, &keys[i], error);
	return status;
}

/* A job, whose failure is in the index. */
static void write_index(void *context)
{
	struct bulk_index *index = context;
	struct error *error = &index->error;
	struct bulk_key keys[ENTRIES_AT_ONCE];
	enum status status = ST_OK;
	size_t count = !index->composite.is_left;

	while (status == ST_OK && count) {
		status = keys_next(&index->keys, keys, ENTRIES_AT_ONCE, &count, error);
		if (status == ST_OK)
			status = add_entries(index, keys, count, error);
		if (status == ST_OK && os_interrupted())
			status = error_set(error, ST_INTERRUPTED, ERROR_NO_OFFSET,
					   "interrupted");
	}
	if (status == ST_OK)
		status = tree_close(&index->tree, error);
}

/* The index with most work, whose keys are in blocks; NULL: it has none. */
static struct bulk_index *sorted_index(const struct bulk_table *table)
{
	struct bulk_index *index = table->indexes;

	while (index && (index->keys.counted.count || index->column_count > 1))
		index = index->next;
	return index;
}

enum status bulk_end_table(struct bulk_table *table, struct error *error)
{
	struct bulk *bulk = table->bulk;
	struct bulk_index *index;
	enum status status;

	if (table->is_over)
		return ST_OK;
	table->is_over = true;
	index = sorted_index(table);
	if (index && !bulk->early)
		bulk->early = background_start(BACKGROUND_WORKS);
	if (!index || !bulk->early)
		return ST_OK;
	status = keys_merge(&index->keys, error);
	index->is_begun = true;
	if (status == ST_OK)
		background_run(bulk->early, write_index, index);
	return status;
}

/* A job: every second index of those that are not begun. */
struct index_job {
	struct bulk *bulk;
	size_t number;
};

static void write_indexes(void *context)
{
	const struct index_job *job = context;
	size_t number = job->number;

	for (struct bulk_table *table = job->bulk->tables; table; table = table->next)
		for (struct bulk_index *index = table->indexes; index;
		     index = index->next) {
			if (index->is_begun || number++ % 2)
				continue;
			write_index(index);
			keys_release(&index->keys);
			if (index->error.status != ST_OK)
				return;
		}
}

/*
 * Two at a time: they share only the end of the file.  Keys of the one begun early stay
 * until then: sorters of other indexes look at those of all.
 */
static enum status write_all_indexes(struct bulk *bulk, struct error *error)
{
	struct index_job jobs[2] = { { bulk, 0 }, { bulk, 1 } };
	struct background *background = background_start(BACKGROUND_WORKS);

	if (background)
		background_run(background, write_indexes, &jobs[1]);
	write_indexes(&jobs[0]);
	if (background)
		background_stop(background);
	else
		write_indexes(&jobs[1]);
	background_stop(bulk->early);
	bulk->early = NULL;
	for (struct bulk_table *table = bulk->tables; table; table = table->next)
		for (struct bulk_index *index = table->indexes; index;
		     index = index->next) {
			keys_release(&index->keys);
			if (error_copy(error, &index->error) != ST_OK)
				return error->status;
		}
	return ST_OK;
}

/* --- ending trees --- */

enum status bulk_end_rows(struct bulk *bulk, struct error *error)
{
	enum status status = ST_OK;

	for (struct bulk_table *table = bulk->tables; table; table = table->next) {
		if (status == ST_OK)
			status = tree_close(&table->tree, error);
		for (struct bulk_index *index = table->indexes; index;
		     index = index->next)
			if (status == ST_OK && !index->is_begun)
				status = keys_merge(&index->keys, error);
	}
	if (status == ST_OK)
		status = write_all_indexes(bulk, error);
	if (status == ST_OK)
		status = pages_hand_over(&bulk->pages, error);
	bulk->loaded_end = bulk->pages.next;
	return status;
}

/* The old root must be that of an empty tree: a leaf without cells. */
static enum status find_root(const struct bulk *bulk, sqlite3 *db, struct bulk_tree *tree,
			     struct error *error)
{
	uint8_t head[LEAF_HEADER_BYTES];
	enum status status;

	tree->root = catalog_root(db, tree->name);
	if (tree->root < 2)
		return error_set(error, ST_IO, ERROR_NO_OFFSET, "no root page of %s: %s",
				 tree->name, sqlite3_errmsg(db));
	status = pages_read(&bulk->pages, tree->root, 0, head, sizeof(head), error);
	if (status == ST_OK &&
	    (!page_is_leaf(head[PAGE_KIND]) || get_u16(head + PAGE_CELLS) != 0))
		return error_set(error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
				 "%s holds rows already", tree->name);
	return status;
}

enum status bulk_find_roots(struct bulk *bulk, sqlite3 *db, struct error *error)
{
	enum status status = ST_OK;

	for (struct bulk_tree *t = bulk->trees; t && status == ST_OK; t = t->next)
		status = find_root(bulk, db, t, error);
	return status;
}

enum status bulk_set_roots(struct bulk *bulk, struct error *error)
{
	enum status status = pages_reopen(&bulk->pages, error);

	for (struct bulk_tree *t = bulk->trees; t && status == ST_OK; t = t->next)
		status = tree_write_root(t, error);
	return status == ST_OK ? pages_hand_over(&bulk->pages, error) : status;
}

/* --- indexes that are left --- */

char *bulk_reindex(const struct bulk *bulk)
{
	sqlite3_str *sql = sqlite3_str_new(NULL);

	for (const struct bulk_table *table = bulk->tables; table; table = table->next)
		for (const struct bulk_index *index = table->indexes; index;
		     index = index->next)
			if (index->composite.is_left)
				sqlite3_str_appendf(sql, "REINDEX main.\"%w\";",
						    index->name);
	return sqlite3_str_finish(sql);
}

/* --- expectations for page accounting --- */

bool bulk_expects(const struct bulk *bulk, const char *name, uint64_t *count)
{
	for (const struct bulk_table *table = bulk->tables; table; table = table->next) {
		bool found = strcmp(table->name, name) == 0;

		for (const struct bulk_index *index = table->indexes; index;
		     index = index->next)
			found |= strcmp(index->name, name) == 0;
		*count = table->loaded + table->left;
		if (found)
			return *count > 0;
	}
	return false;
}

void bulk_known_pages(const struct bulk *bulk, struct bulk_page_account *account)
{
	for (const struct bulk_table *table = bulk->tables; table; table = table->next)
		if (table->left)
			return; /* SQLite added rows to trees of ours */
	account->loaded = &bulk->pages;
	account->known_first = bulk->loaded_first;
	account->known_end = bulk->loaded_end;
}
