/* table_walk.c - goes on in a table where the rows of the last trace ended. */
#include "formats/database/table_walk.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* --- of which trace an id is --- */

static void add_owner(struct db_owners *owners, int64_t id, int64_t trace_id)
{
	struct db_span *last = owners->count ? &owners->spans[owners->count - 1] : NULL;

	if (last && (id <= last->last || trace_id < last->trace_id))
		owners->is_mixed = true;
	if (owners->is_mixed)
		return;
	if (last && trace_id == last->trace_id && id == last->last + 1) {
		last->last = id;
		return;
	}
	if (!ARRAY_GROW(owners->spans, owners->room, owners->count)) {
		owners->is_mixed = true;
		return;
	}
	owners->spans[owners->count++] = (struct db_span){ id, id, trace_id };
}

static bool span_has(const struct db_span *span, int64_t id)
{
	return id >= span->first && id <= span->last;
}

/* INT_NONE: not known. */
static int64_t owner_of(struct db_owners *owners, int64_t id)
{
	size_t low = 0, high = owners->count;

	if (owners->is_mixed)
		return INT_NONE;
	if (owners->recent < high && span_has(&owners->spans[owners->recent], id))
		return owners->spans[owners->recent].trace_id;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (owners->spans[middle].last < id)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == owners->count || !span_has(&owners->spans[low], id))
		return INT_NONE;
	owners->recent = low;
	return owners->spans[low].trace_id;
}

void db_owners_release(struct db_owners *owners)
{
	free(owners->spans);
}

/* --- a table --- */

static int64_t get_id(const void *row, size_t offset)
{
	int64_t id;

	memcpy(&id, (const char *)row + offset, sizeof(id));
	return id;
}

bool db_table_walk_begin(struct db_table_walk *walk, const struct db_pages *pages,
			 sqlite3 *db, struct db_owners *owners, enum record_kind kind,
			 enum of_what of, size_t deltas, size_t delta_count)
{
	const struct table *table = &tables[kind];

	if (walk->walk.pages && walk->delta_count == delta_count)
		return true;
	db_walk_end(&walk->walk);
	if (!db_walk_begin(&walk->walk, pages, db, table, deltas, delta_count))
		return false;
	for (size_t i = 0; i < table->field_count; i++)
		if (strcmp(table->fields[i].name, db_of_whats[of].column) == 0)
			walk->id_offset = table->fields[i].offset;
	walk->of = of;
	walk->gives = db_ids_of_table(kind);
	walk->delta_count = delta_count;
	walk->owners = owners;
	walk->has_begun = true;
	if (!walk->has_ended) {
		walk->is_in_order = owners != NULL;
		walk->trace_id = INT64_MIN;
	}
	return true;
}

/* What a row of the first walk says: of which trace it is, and which id it gives. */
static void learn(struct db_table_walk *walk, const void *row, int64_t id)
{
	int64_t trace_id =
		walk->of == OF_TRACE ? id : owner_of(&walk->owners[walk->of], id);

	if (trace_id == INT_NONE || trace_id < walk->trace_id)
		walk->is_in_order = false;
	walk->trace_id = trace_id;
	if (walk->gives != OF_IDS)
		add_owner(&walk->owners[walk->gives],
			  get_id(row, db_of_whats[walk->gives].offset), trace_id);
}

enum db_step db_table_walk_next(struct db_table_walk *walk, const struct id_range *ids,
				void *row)
{
	enum db_step step = db_walk_next(&walk->walk, row);
	int64_t id;

	if (step == DB_END) {
		walk->is_empty = !walk->walk.any;
		walk->has_ended = true;
	}
	if (step != DB_ROW)
		return step;
	id = get_id(row, walk->id_offset);
	if (walk->is_in_order && id != INT_NONE) {
		if (!walk->has_ended) {
			learn(walk, row, id);
		} else if (id > ids->last) {
			db_walk_back(&walk->walk);
			return DB_END;
		}
	}
	return id != INT_NONE && id_range_has(ids, id) ? DB_ROW : DB_OTHER;
}

void db_table_walk_leave(struct db_table_walk *walk)
{
	if (!walk->has_ended || !walk->is_in_order || !walk->walk.depth)
		db_walk_end(&walk->walk);
}

void db_table_walk_release(struct db_table_walk *walk)
{
	db_walk_end(&walk->walk);
}
