/* values_wide.c - collects values by interval and column, and prints them as CSV. */
#include <stdlib.h>

#include "base/array.h"
#include "base/memory.h"
#include "base/text.h"
#include "cells.h"
#include "common/when.h"
#include "values_wide.h"

/* --- collecting --- */

/* Room for one more, within WIDE_BYTES_MAX? */
#define HAS_ROOM(items, room, count) \
	((count) < WIDE_BYTES_MAX / sizeof((items)[0]) && ARRAY_GROW(items, room, count))

/* An instance that returns has its column again.  NULL: `failed` is to be set. */
static struct wide_column *column_of(struct wide *wide, const struct value_state *state)
{
	const struct value_identity *identity = state->incarnation->identity;
	uint64_t key = map_key((int64_t)identity->index, state->counter->row.counter,
			       (int64_t)identity->set->number, 0);
	struct wide_column *column;

	MAP_FIND(&wide->columns, key, column,
		 column->identity == identity && column->counter == state->counter);
	if (column)
		return column;
	if (!HAS_ROOM(wide->in_order, wide->column_room, wide->column_count))
		return NULL;
	column = arena_alloc(&wide->arena, sizeof(*column));
	if (!column || !map_put(&wide->columns, key, column))
		return NULL;
	*column = (struct wide_column){ identity, state->counter,
					(uint32_t)wide->column_count };
	wide->in_order[wide->column_count++] = column;
	return column;
}

static bool add_row(struct wide *wide, const struct values *values)
{
	const struct perflib_snapshot_row *snapshot = &values->snapshot;
	const struct wide_row *last =
		wide->row_count ? &wide->rows[wide->row_count - 1] : NULL;

	/* The snapshots of several queries are in one interval. */
	if (last && (last->snapshot == snapshot->snapshot ||
		     (last->interval == values->interval && last->ts_ns != INT_NONE &&
		      snapshot->ts_ns != INT_NONE)))
		return true;
	if (!HAS_ROOM(wide->rows, wide->row_room, wide->row_count))
		return false;
	wide->rows[wide->row_count++] =
		(struct wide_row){ snapshot->snapshot, values->interval, snapshot->ts_ns,
				   snapshot->perf_time_100ns, wide->cell_count };
	return true;
}

void wide_add(struct wide *wide, const struct values *values,
	      const struct value_line *line)
{
	struct wide_column *column;

	wide->failed = wide->failed || !add_row(wide, values);
	if (wide->failed || !perf_counter_has_value(line->result.status))
		return;
	column = column_of(wide, line->state);
	wide->failed =
		!column || !HAS_ROOM(wide->cells, wide->cell_room, wide->cell_count);
	if (!wide->failed)
		wide->cells[wide->cell_count++] =
			(struct wide_cell){ column->number, line->result.value };
}

void wide_release(struct wide *wide)
{
	map_release(&wide->columns);
	arena_release(&wide->arena);
	free(wide->in_order);
	free(wide->rows);
	free(wide->cells);
	*wide = (struct wide){ .failed = false };
}

/* --- printing --- */

/* \\machine\counterset(instance)\counter; namesakes with their numbers. */
static void print_path_cell(FILE *to, const struct wide_column *column, bool csv_safe)
{
	const struct value_identity *identity = column->identity;
	char path[2048], number[32] = "", ordinal[32] = "";
	size_t at;

	at = text_print(path, sizeof(path), "%s%.*s",
			identity->set->row.machine.len ? "" : "\\",
			(int)identity->set->path.len, identity->set->path.ptr);
	if (identity->is_namesake && identity->number != INT_NONE)
		text_print(number, sizeof(number), "#%lld", (long long)identity->number);
	if (identity->is_namesake && identity->ordinal)
		text_print(ordinal, sizeof(ordinal), "#%lld",
			   (long long)identity->ordinal);
	if (identity->name.ptr)
		at += text_print(path + at, sizeof(path) - at, "(%.*s%s%s)",
				 (int)identity->name.len, identity->name.ptr, number,
				 ordinal);
	text_print(path + at, sizeof(path) - at, "\\%.*s",
		   (int)column->counter->shown.len, column->counter->shown.ptr);
	csv_cell(to, str_of(path), csv_safe);
}

static void print_times(FILE *to, const struct wide *wide, size_t row,
			const struct trace_row *trace)
{
	const struct wide_row *at = &wide->rows[row];
	char utc[WHEN_UTC_BYTES];

	when_filetime(utc, row ? at[-1].filetime : INT_NONE);
	if (!utc[0] && row)
		when_utc(utc, trace, at[-1].ts_ns);
	csv_number(to, row ? at[-1].ts_ns : INT_NONE);
	fputc(',', to);
	csv_number(to, at->ts_ns);
	fprintf(to, ",%s", utc);
}

/* `values` has room for a value of each column. */
static void print_rows(FILE *to, const struct wide *wide, const struct trace_row *trace,
		       const struct wide_cell **values)
{
	for (size_t row = 0; row < wide->row_count; row++) {
		size_t from = wide->rows[row].first;
		size_t end = row + 1 < wide->row_count ? wide->rows[row + 1].first
						       : wide->cell_count;

		for (size_t i = from; i < end; i++)
			values[wide->cells[i].column] = &wide->cells[i];
		print_times(to, wide, row, trace);
		for (size_t i = 0; i < wide->column_count; i++) {
			fputc(',', to);
			if (values[i])
				print_real(to, values[i]->value);
			values[i] = NULL;
		}
		fputc('\n', to);
	}
}

bool wide_print(FILE *to, const struct wide *wide, const struct trace_row *trace,
		bool csv_safe)
{
	const struct wide_cell **values =
		memory_alloc_zeroed(wide->column_count + 1, sizeof(*values));

	if (wide->failed || !values) {
		free((void *)values);
		return false;
	}
	fputs("from_ns,to_ns,from_utc", to);
	for (size_t i = 0; i < wide->column_count; i++) {
		fputc(',', to);
		print_path_cell(to, wide->in_order[i], csv_safe);
	}
	fputc('\n', to);
	print_rows(to, wide, trace, values);
	free((void *)values);
	return true;
}
