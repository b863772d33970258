/*
 * bulk_run.c - the rows of a run, encoded from its columns into leaves of their table.
 *
 * The cells are those that bulk_add() writes for the same rows.  CPU and group are
 * encoded once for a run of one CPU.  A cell is made at its place in the page if the page
 * has room for the largest one; its types, which precede the values, are collected beside
 * it.
 */
#include <string.h>

#include "base/prefetch.h"
#include "base/uninitialized.h"
#include "output/sqlite_bulk/bulk.h"
#include "output/sqlite_bulk/record.h"
#include "output/sqlite_bulk/table.h"

/* Columns but the deltas, with the row id. */
#define SWITCH_COLUMNS 11
/* So that the size of the record's header is one byte. */
#define RUN_TYPES_MAX 112
/* Types are copied so many at a time; those before the first are overwritten. */
#define TYPES_AT_ONCE 16

/* Bytes that may be written before the end of a cell: the last of some columns' types. */
#define CELL_BYTES(columns) \
	(4 * VARINT_BYTES_MAX + (columns) * (1 + sizeof(int64_t)) + TYPES_AT_ONCE)
#define CELL_BYTES_MAX CELL_BYTES(RUN_TYPES_MAX)

/* CPU and group, which stand side by side. */
struct same {
	uint8_t types[2], size;
	uint8_t bytes[2 * sizeof(int64_t)]; /* at the end */
};

static struct same encode_same(const struct run_columns *run)
{
	uint8_t room[3 * sizeof(int64_t)];
	struct same same;
	struct bulk_front front = { same.types + 2, room + sizeof(room) };

	front = front_int(front, run->group_id);
	front = front_int(front, run->cpu);
	same.size = (uint8_t)(room + sizeof(room) - front.cell);
	memcpy(same.bytes, room + sizeof(room) - sizeof(same.bytes), sizeof(same.bytes));
	return same;
}

static inline struct bulk_front front_any(struct bulk_front front, const int64_t *column,
					  size_t at)
{
	return column && column[at] != INT64_MIN ? front_int(front, column[at])
						 : front_null(front);
}

static inline struct bulk_front front_same(struct bulk_front front,
					   const struct same *same)
{
	front.types -= sizeof(same->types);
	memcpy(front.types, same->types, sizeof(same->types));
	memcpy(front.cell - sizeof(same->bytes), same->bytes, sizeof(same->bytes));
	front.cell -= same->size;
	return front;
}

/* A row id as a varint: mostly only the last byte differs from the one before. */
struct id_bytes {
	uint8_t bytes[2 * sizeof(int64_t)]; /* at the end */
	size_t size;
};

static inline void next_id(struct id_bytes *id, int64_t rowid)
{
	uint8_t *end = id->bytes + sizeof(id->bytes);

	/* The ninth byte has eight bits. */
	if (rowid & 0x7f && id->size && id->size < VARINT_BYTES_MAX)
		end[-1] = rowid & 0x7f;
	else
		id->size = (size_t)(end - varint_before(end, (uint64_t)rowid));
}

/* The record's header, and the front of the cell. */
static inline uint8_t *end_cell(struct bulk_front front, const uint8_t *types_end,
				const uint8_t *end, const struct id_bytes *id)
{
	size_t count = (size_t)(types_end - front.types);
	uint8_t *at = front.cell;

	for (size_t done = 0; done < count; done += TYPES_AT_ONCE)
		memcpy(at - done - TYPES_AT_ONCE, types_end - done - TYPES_AT_ONCE,
		       TYPES_AT_ONCE);
	at -= count;
	*--at = (uint8_t)(count + 1);
	count = (size_t)(end - at);
	memcpy(at - sizeof(id->bytes), id->bytes, sizeof(id->bytes));
	at -= id->size;
	if (count >= 128)
		return varint_before(at, count);
	*--at = (uint8_t)count;
	return at;
}

/* Writes the cell of a row before `end`; returns where it begins. */
static inline uint8_t *write_cell(const struct run_columns *run, const struct same *same,
				  const struct id_bytes *id, size_t at, uint8_t *end)
{
	uint8_t types[RUN_TYPES_MAX + TYPES_AT_ONCE] UNINITIALIZED;
	struct bulk_front front = { types + sizeof(types), end };
	const int64_t *first = run->deltas + at * run->slots, *delta = first + run->slots;

	while (delta > first)
		front = front_count(front, *--delta);
	front = front_any(front, run->detail_id, at);
	front = front_any(front, run->running_ns, at);
	front = front_count(front, run->on_cpu_ns[at]);
	front = front_count(front, CHARGE_CHARGED);
	front = front_int(front, run->prev_state[at]);
	front = front_any(front, run->next_thread_id, at);
	front = front_count(front, run->prev_thread_id[at]);
	if (run->cpus)
		front = front_count(front_int(front, run->group_id), run->cpus[at]);
	else
		front = front_same(front, same);
	front = front_count(front, run->ts_ns[at]);
	front = front_null(front); /* the row id is in the cell */
	return end_cell(front, types + sizeof(types), end, id);
}

/* Bytes that may be written before a cell's end. */
static size_t most_bytes(const struct run_columns *run)
{
	return CELL_BYTES(SWITCH_COLUMNS + run->slots);
}

/*
 * Asks for columns that another thread wrote past the caches, some with each row of the
 * run before them: of a short run each column is too few lines for a processor to foresee
 * them, and all of a long one are more than it can wait for at once.
 */
struct ahead {
	const char *at, *end;
	size_t step;
};

static struct ahead begin_ahead(const struct run_columns *next, size_t rows)
{
	struct ahead ahead = { NULL, NULL, 0 };

	if (!next)
		return ahead;
	ahead.at = (const char *)next->ts_ns;
	ahead.end = ahead.at + run_columns_bytes(next);
	ahead.step = ((size_t)(ahead.end - ahead.at) / rows / CACHE_LINE_BYTES + 1) *
		     CACHE_LINE_BYTES;
	return ahead;
}

static inline void ask_ahead(struct ahead *ahead)
{
	if (ahead->at >= ahead->end)
		return;
	prefetch(ahead->at, ahead->step);
	ahead->at += ahead->step;
}

static enum status write_cells(struct bulk_tree *tree, const struct run_columns *run,
			       const struct run_columns *next, struct error *error)
{
	const struct same same = encode_same(run);
	uint8_t spare[CELL_BYTES_MAX] UNINITIALIZED;
	struct bulk_level leaf = tree->levels[0];
	struct id_bytes id = { { 0 }, 0 };
	struct ahead ahead = begin_ahead(next, run->count);
	size_t most = most_bytes(run);

	for (size_t at = 0; at < run->count; at++) {
		int64_t rowid = run->first_id + (int64_t)at;
		bool has_room = level_has_room(&leaf, most);
		uint8_t *end =
			has_room ? leaf.page + leaf.content : spare + sizeof(spare);
		uint8_t *from;
		enum status status;

		ask_ahead(&ahead);
		next_id(&id, rowid);
		from = write_cell(run, &same, &id, at, end);
		if (has_room) {
			(void)level_place(&leaf, (size_t)(end - from));
			continue;
		}
		tree->levels[0] = leaf;
		status = tree_add(tree, from, (size_t)(end - from), error);
		if (status != ST_OK)
			return status;
		leaf = tree->levels[0];
	}
	tree->levels[0] = leaf;
	return ST_OK;
}

/* --- keys --- */

/* The column with this number, of those with an index; NULL: for bulk_add(). */
static const int64_t *key_column(const struct run_columns *run, size_t column)
{
	return column == offsetof(struct context_switch_row, ts_ns) / sizeof(int64_t)
		       ? run->ts_ns
	       : column == offsetof(struct context_switch_row, prev_thread_id) /
				       sizeof(int64_t)
		       ? run->prev_thread_id
		       : NULL;
}

static bool has_key_columns(const struct bulk_table *table, const struct run_columns *run)
{
	for (const struct bulk_index *index = table->indexes; index; index = index->next)
		if (index->column_count != 1 || !key_column(run, index->columns[0]))
			return false;
	return true;
}

enum status bulk_add_run(struct bulk_table *table, const struct run_columns *run,
			 const struct run_columns *next, bool *loaded,
			 struct error *error)
{
	enum status status;

	*loaded = table->is_plain && table->columns->is_id && !table->is_over &&
		  table->column_count == SWITCH_COLUMNS &&
		  SWITCH_COLUMNS + run->slots <= RUN_TYPES_MAX &&
		  most_bytes(run) <= table->tree.cell_max &&
		  run->first_id > table->greatest && has_key_columns(table, run);
	if (!*loaded)
		return ST_OK;
	table->greatest = run->first_id + (int64_t)run->count - 1;
	table->loaded += run->count;
	status = write_cells(&table->tree, run, next, error);
	for (struct bulk_index *index = table->indexes; index && status == ST_OK;
	     index = index->next)
		status = keys_add_rows(&index->keys, key_column(run, index->columns[0]),
				       run->count, run->first_id, error);
	return status;
}
