/* columns.c - collects the names of counters and the places of their slots. */
#include "output/csv/columns.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"

static const char *const taken[] = {
#define COLUMN(name) #name,
#include "model/view_columns.def"
#undef COLUMN
};

static bool is_taken(struct str name)
{
	for (size_t i = 0; i < ARRAY_COUNT(taken); i++)
		if (str_equal_nocase(name, str_of(taken[i])))
			return true;
	return false;
}

size_t csv_columns_find(const struct csv_columns *columns, struct str name)
{
	for (size_t i = 0; i < columns->count; i++)
		if (str_equal_nocase(columns->names[i], name))
			return i;
	return CSV_COLUMNS_MAX;
}

static bool add_group(struct csv_columns *columns, const struct counter_group_row *row)
{
	size_t slots = row->counters > 0 && row->counters <= GROUP_COUNTERS_MAX
			       ? (size_t)row->counters
			       : 0;
	struct csv_group *group = arena_alloc(
		&columns->arena, sizeof(*group) + slots * sizeof(group->columns[0]));

	if (!group)
		return false;
	group->group_id = row->group_id;
	group->trace_id = row->trace_id;
	group->slots = slots;
	for (size_t i = 0; i < slots; i++)
		group->columns[i] = CSV_COLUMNS_MAX;
	return map_put(&columns->groups, (uint64_t)row->group_id, group);
}

/* The index of a new column; CSV_COLUMNS_MAX: there are enough, or no memory. */
static size_t add_name(struct csv_columns *columns, struct str name)
{
	if (columns->count == CSV_COLUMNS_MAX)
		return CSV_COLUMNS_MAX;
	if (!ARRAY_GROW(columns->names, columns->room, columns->count))
		return CSV_COLUMNS_MAX;
	columns->names[columns->count] = arena_str(&columns->arena, name);
	return columns->names[columns->count].ptr ? columns->count++ : CSV_COLUMNS_MAX;
}

static bool add_counter(struct csv_columns *columns, const struct counter_row *row)
{
	struct csv_group *group =
		row->group_id == INT_NONE
			? NULL
			: map_get(&columns->groups, (uint64_t)row->group_id);
	size_t column;

	if (!group || row->slot < 0 || (size_t)row->slot >= group->slots ||
	    !row->name.ptr)
		return true;
	column = csv_columns_find(columns, row->name);
	if (column == CSV_COLUMNS_MAX)
		column = add_name(columns, row->name);
	group->columns[row->slot] = column;
	return !memory_failed();
}

bool csv_columns_on_row(struct csv_columns *columns, const struct record *record)
{
	if (record->kind == RECORD_counter_group)
		return add_group(columns, record->data);
	if (record->kind == RECORD_counter)
		return add_counter(columns, record->data);
	return true;
}

/* Most names of counters need no quotes. */
static size_t put_name(const struct sink *sink, char *to, struct str name)
{
	for (size_t i = 0; i < name.len; i++)
		if (memchr(",\"\r\n", name.ptr[i], 4))
			return csv_text(sink, to, name);
	memcpy(to, name.ptr, name.len);
	return name.len;
}

enum status csv_columns_write(struct sink *sink, struct csv_file *file, const char *table,
			      const struct csv_columns *columns)
{
	char *to;

	for (size_t i = 0; i < columns->count; i++) {
		struct str name = columns->names[i];
		size_t at = 1;

		to = csv_room(sink, file, table, 2 * name.len + 8);
		if (!to)
			return sink->error.status;
		to[0] = ',';
		at += put_name(sink, to + at, name);
		if (is_taken(name))
			to[at++] = '#';
		file->used += at;
	}
	to = csv_room(sink, file, table, 1);
	if (!to)
		return sink->error.status;
	to[0] = '\n';
	file->used++;
	return ST_OK;
}

void csv_columns_release(struct csv_columns *columns)
{
	free(columns->names);
	map_release(&columns->groups);
	arena_release(&columns->arena);
	*columns = (struct csv_columns){ .count = 0 };
}
