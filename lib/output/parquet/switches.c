/* switches.c - columns of switches, in row groups that wait for the names of threads. */
#include "output/parquet/switches.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "output/fleet/names.h"
#include "output/parquet/late_columns.h"

/* Memory for the rows of a group. */
#define CELLS_BYTES_MAX ((size_t)16 << 20)
/* Between columns: at multiples of a power of two a cache has few places for all. */
#define CELLS_APART 72

/* What a column that is not late is made of. */
static const enum fleet_cell cell_of[SWITCH_COLUMNS] = {
	[SWITCH_TS] = CELL_TS,		 [SWITCH_CPU] = CELL_CPU,
	[SWITCH_STATUS] = CELL_STATUS,	 [SWITCH_PREV_STATE] = CELL_PREV_STATE,
	[SWITCH_REASON] = CELL_STATUS,	 [SWITCH_ON_CPU] = CELL_ON_CPU,
	[SWITCH_RUNNING] = CELL_RUNNING,
};

static bool is_late(size_t column)
{
	return column < SWITCH_COLUMNS &&
	       parquet_is_late((enum fleet_switch_column)column);
}

/* --- columns --- */

/* The names of the counters, which follow those of the other columns. */
static bool name_columns(struct parquet_switches *switches,
			 const struct fleet_counters *counters)
{
	const char **names = arena_alloc(
		&switches->arena, (SWITCH_COLUMNS + counters->slots) * sizeof(*names));

	if (!names)
		return false;
	for (size_t i = 0; i < SWITCH_COLUMNS; i++) {
		switches->columns[i] =
			parquet_column_of(&fleet_tables[FLEET_SWITCH].columns[i]);
		names[i] = switches->columns[i].name;
	}
	if (!fleet_counter_names(&switches->arena, names, SWITCH_COLUMNS, counters))
		return false;
	for (size_t i = 0; i < counters->slots; i++)
		switches->columns[SWITCH_COLUMNS + i] =
			(struct parquet_column){ .name = names[SWITCH_COLUMNS + i],
						 .type = PARQUET_INT,
						 .optional = true };
	return true;
}

static enum status begin_file(struct parquet_switches *switches, struct folders *folders)
{
	enum status status = folders_begin(folders, &switches->begun);

	switches->file = (struct parquet_file){
		.fd = switches->begun.fd,
		.path = fleet_tables[FLEET_SWITCH].name,
		.columns = switches->columns,
		.column_count = SWITCH_COLUMNS + switches->slots,
		.error = switches->error,
	};
	return status == ST_OK ? parquet_file_begin(&switches->file) : status;
}

enum status parquet_switches_begin(struct parquet_switches *switches,
				   const struct fleet_counters *counters,
				   struct folders *folders, struct parquet_maker *maker)
{
	size_t slots = counters->slots;
	size_t row = (FLEET_CELLS + slots) * sizeof(int64_t);
	size_t rows = CELLS_BYTES_MAX / row;

	rows = rows < PARQUET_GROUP_ROWS ? rows : PARQUET_GROUP_ROWS;
	*switches = (struct parquet_switches){
		.begun.fd = -1,
		.file.fd = -1,
		.slots = slots,
		.least_filled = slots,
		.rows_max = rows,
		.stride = rows + CELLS_APART,
		.cells = memory_alloc((rows + CELLS_APART) * row),
		.filled = memory_alloc(rows * sizeof(uint16_t)),
		.is_null = memory_alloc(rows),
		.texts = memory_alloc(rows * sizeof(uint32_t)),
		.narrow = memory_alloc(rows * sizeof(uint16_t)),
		.columns = memory_alloc_zeroed(SWITCH_COLUMNS + slots,
					       sizeof(struct parquet_column)),
		.spool = { .fd = -1, .error = folders->error },
		.maker = maker,
		.error = folders->error,
	};
	if (!switches->cells || !switches->filled || !switches->is_null ||
	    !switches->texts || !switches->narrow || !switches->columns ||
	    !name_columns(switches, counters))
		return error_nomem(switches->error);
	return begin_file(switches, folders);
}

/* --- row groups before the end --- */

/* Which rows lack the counter; NULL: none. */
static const uint8_t *nulls_of(struct parquet_switches *switches, size_t slot)
{
	if (slot < switches->least_filled)
		return NULL;
	for (size_t i = 0; i < switches->rows; i++)
		switches->is_null[i] = switches->filled[i] <= slot;
	return switches->is_null;
}

static int64_t known_status(int64_t cell)
{
	return cell >= 0 && cell < CHARGE_STATUSES ? cell : 0;
}

/* Texts for the statuses of the rows, those that occur. */
static size_t number_statuses(struct parquet_switches *switches, bool is_reason,
			      struct str dictionary[CHARGE_STATUSES])
{
	const int64_t *cells = parquet_switches_cells(switches, CELL_STATUS);
	bool is_filled = switches->is_filled[CELL_STATUS];
	size_t count = 0, rows = is_filled ? switches->rows : 1;
	uint32_t numbers[CHARGE_STATUSES];

	memset(numbers, 0xff, sizeof(numbers));
	for (size_t i = 0; i < rows; i++) {
		int64_t status = is_filled ? known_status(cells[i]) : CHARGE_CHARGED;

		if (numbers[status] == UINT32_MAX) {
			const struct charge_status_words *words =
				fleet_status_words(status);
			struct str text = str_of(is_reason ? words->reason : words->name);
			size_t k = 0;

			while (k < count && !str_equal(dictionary[k], text))
				k++;
			dictionary[k] = text;
			count += k == count;
			numbers[status] = (uint32_t)k;
		}
		switches->texts[i] = numbers[status];
	}
	return count;
}

static bool make_column(struct parquet_switches *switches, struct parquet_group *group,
			size_t column)
{
	struct str dictionary[CHARGE_STATUSES];
	bool is_counter = column >= SWITCH_COLUMNS;
	size_t cell =
		is_counter ? FLEET_CELLS + column - SWITCH_COLUMNS : cell_of[column];
	struct parquet_values values = {
		.rows = switches->rows,
		.is_null =
			is_counter ? nulls_of(switches, column - SWITCH_COLUMNS) : NULL,
		.none_is_null = !is_counter && switches->columns[column].optional,
		.numbers = parquet_switches_cells(switches, cell),
		.texts = switches->texts,
		.dictionary = dictionary,
	};

	if (cell == CELL_RUNNING && !switches->is_filled[cell])
		values.numbers = NULL;
	if (cell == CELL_STATUS)
		values.dictionary_size =
			number_statuses(switches, column == SWITCH_REASON, dictionary);
	return parquet_file_put_chunk(&switches->file, group, column, switches->maker,
				      &values);
}

/* The rows become a group, without its late columns. */
static enum status flush(struct parquet_switches *switches)
{
	struct parquet_group *group;
	enum status status;

	if (switches->rows == 0)
		return ST_OK;
	group = parquet_file_add_group(&switches->file, switches->rows);
	if (!group)
		return error_nomem(switches->error);
	for (size_t i = 0; i < switches->file.column_count; i++)
		if (!is_late(i) && !make_column(switches, group, i))
			return error_nomem(switches->error);
	status = parquet_late_wait(switches, group);
	if (status == ST_OK)
		status = parquet_file_flush(&switches->file);
	switches->rows = 0;
	switches->least_filled = switches->slots;
	memset(switches->is_filled, 0, sizeof(switches->is_filled));
	return status;
}

/* --- rows --- */

static void fill_cells(int64_t *to, int64_t value, size_t count)
{
	for (size_t i = 0; i < count; i++)
		to[i] = value;
}

/*
 * Nearly all switches have the same status, and NULL as the running time.  These cells
 * are set when a group gets its first other value.
 */
static void fill_unless(struct parquet_switches *switches, enum fleet_cell cell,
			int64_t usual, bool is_usual)
{
	if (is_usual || switches->is_filled[cell])
		return;
	fill_cells(parquet_switches_cells(switches, cell), usual, switches->rows);
	switches->is_filled[cell] = true;
}

enum status parquet_switches_add(struct parquet_switches *switches,
				 const struct record *record)
{
	const struct context_switch_row *row = RECORD_DATA(record, context_switch);
	size_t filled = record->slots < switches->slots ? record->slots : switches->slots;
	size_t stride = switches->stride;
	int64_t *at = switches->cells + switches->rows;

	fill_unless(switches, CELL_STATUS, CHARGE_CHARGED, row->status == CHARGE_CHARGED);
	fill_unless(switches, CELL_RUNNING, INT_NONE, row->running_ns == INT_NONE);
	fleet_cells_put(at, stride, row);
	for (size_t i = 0; i < filled; i++)
		at[(FLEET_CELLS + i) * stride] = record->deltas[i];
	if (filled < switches->least_filled)
		switches->least_filled = filled;
	switches->filled[switches->rows++] = (uint16_t)filled;
	return switches->rows == switches->rows_max ? flush(switches) : ST_OK;
}

/* --- runs --- */

/* `count` rows of the run from place `at` on, for which there is room. */
static void add_places(struct parquet_switches *switches, const struct run_rows *rows,
		       size_t at, size_t count)
{
	const struct run *run = rows->run;
	size_t slots = run->common.count, bytes = count * sizeof(int64_t);
	size_t filled = slots < switches->slots ? slots : switches->slots;
	size_t stride = switches->stride;
	int64_t *to = switches->cells + switches->rows;

	memcpy(to + CELL_TS * stride, run->ts_ns + at, bytes);
	for (size_t i = 0; i < count; i++)
		to[CELL_CPU * stride + i] = run_cpu(run, at + i);
	memcpy(to + CELL_PREV_THREAD * stride, run->prev_thread_id + at, bytes);
	memcpy(to + CELL_NEXT_THREAD * stride, run->next_thread_id + at, bytes);
	memcpy(to + CELL_PREV_STATE * stride, run->prev_state + at, bytes);
	if (switches->is_filled[CELL_STATUS])
		fill_cells(to + CELL_STATUS * stride, CHARGE_CHARGED, count);
	memcpy(to + CELL_ON_CPU * stride, run->on_cpu_ns + at, bytes);
	fill_unless(switches, CELL_RUNNING, INT_NONE, !run->has_running);
	if (run->has_running)
		memcpy(to + CELL_RUNNING * stride, run->ran_ns + at, bytes);
	else if (switches->is_filled[CELL_RUNNING])
		fill_cells(to + CELL_RUNNING * stride, INT_NONE, count);
	for (size_t slot = 0; slot < filled; slot++) {
		const int64_t *deltas = run->deltas + at * slots + slot;
		int64_t *cells = to + (FLEET_CELLS + slot) * stride;

		for (size_t i = 0; i < count; i++)
			cells[i] = deltas[i * slots];
	}
	for (size_t i = 0; i < count; i++)
		switches->filled[switches->rows + i] = (uint16_t)filled;
	if (filled < switches->least_filled)
		switches->least_filled = filled;
	switches->rows += count;
}

enum status parquet_switches_add_run(struct parquet_switches *switches,
				     const struct run_rows *rows)
{
	enum status status = ST_OK;

	for (size_t at = rows->from, count; at < rows->to && status == ST_OK;
	     at += count) {
		count = rows->to - at;
		if (count > switches->rows_max - switches->rows)
			count = switches->rows_max - switches->rows;
		add_places(switches, rows, at, count);
		if (switches->rows == switches->rows_max)
			status = flush(switches);
	}
	return status;
}

/* --- ending --- */

enum status parquet_switches_end(struct parquet_switches *switches,
				 const struct parquet_ending *ending)
{
	enum status status = flush(switches);

	return status == ST_OK ? parquet_late_write(switches, ending) : status;
}

void parquet_switches_release(struct parquet_switches *switches)
{
	parquet_file_release(&switches->file);
	folders_close(&switches->begun);
	free(switches->columns);
	free(switches->cells);
	free(switches->filled);
	free(switches->is_null);
	free(switches->texts);
	free(switches->narrow);
	spool_close(&switches->spool);
	arena_release(&switches->arena);
	*switches = (struct parquet_switches){ .begun.fd = -1,
					       .file.fd = -1,
					       .spool = { .fd = -1 } };
}
