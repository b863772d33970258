/* list.c - collects the rows that describe a trace for --list. */
#include "list.h"

#include <stdlib.h>

#include "base/array.h"

static const bool wanted[RECORD_TABLES] = {
	[RECORD_counter] = true,
	[RECORD_counter_group] = true,
	[RECORD_record_count] = true,
	[RECORD_header_feature] = true,
	[RECORD_header_fact] = true,
	[RECORD_finding] = true,
	[RECORD_perflib_counterset] = true,
	[RECORD_perflib_counter] = true,
	[RECORD_perflib_instance] = true,
	[RECORD_perflib_snapshot] = true,
};

size_t list_group_of(const struct listing *listing, const struct counter_row *counter)
{
	if (counter->group_id == INT_NONE)
		return LIST_NO_GROUP;
	for (size_t i = 0; i < LIST_COUNT(listing, counter_group); i++)
		if (LIST_ROW(listing, counter_group, i)->group_id == counter->group_id)
			return i;
	return LIST_NO_GROUP;
}

static bool keep_row(struct listing *listing, struct list_rows *rows,
		     const struct table *table, const void *row)
{
	size_t size = table->row_size;

	if (rows->count == rows->room)
		rows->rows = array_grow(rows->rows, &rows->room, rows->count, size);
	if (rows->count == rows->room)
		return false;
	return row_copy(&listing->arena, table, (char *)rows->rows + rows->count++ * size,
			row);
}

/* Rows that describe the trace; false: out of memory. */
static bool keep(struct listing *listing, const struct record *record)
{
	if (record->kind == RECORD_OWN_TABLE) {
		if (strcmp(record->table->name, "etw_event_count") != 0)
			return true;
		listing->own_table = record->table;
		return keep_row(listing, &listing->own, record->table, record->data);
	}
	return record->kind > RECORD_TABLES || !wanted[record->kind] ||
	       keep_row(listing, &listing->of[record->kind], &tables[record->kind],
			record->data);
}

static void forget(struct listing *listing)
{
	for (size_t i = 0; i < RECORD_TABLES; i++)
		free(listing->of[i].rows);
	free(listing->own.rows);
	arena_release(&listing->arena);
	*listing = (struct listing){ .arena = { NULL } };
}

static enum status list_put(struct sink *sink, const struct record *record)
{
	struct list_sink *state = sink->state;

	if (record->kind == RECORD_trace) {
		if (!row_copy(&state->listing.arena, &tables[RECORD_trace],
			      &state->listing.trace, record->data))
			return error_nomem(&sink->error);
		state->done(state->context, &state->listing);
		forget(&state->listing);
	} else if (!keep(&state->listing, record)) {
		return error_nomem(&sink->error);
	}
	return ST_OK;
}

static void list_close(struct sink *sink)
{
	forget(&((struct list_sink *)sink->state)->listing);
}

const struct sink_ops list_sink_ops = {
	.name = "list",
	.totals_only = true,
	.state_size = sizeof(struct list_sink),
	.put = list_put,
	.close = list_close,
};
