/* switches.c - columns of switches, in row groups that wait for the names of threads. */
#include "output/parquet/switches.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "output/fleet/names.h"
#include "output/parquet/dictionary.h"

/* Memory for the rows of a group. */
#define CELLS_BYTES_MAX ((size_t)16 << 20)

/* What a row has before the counters. */
enum cell {
	TS,
	CPU,
	PREV_THREAD,
	NEXT_THREAD,
	PREV_STATE,
	STATUS,
	ON_CPU,
	RUNNING,
	CELLS
};

/* The columns of the file before the counters. */
enum column {
	COLUMN_TRACE,
	COLUMN_TS,
	COLUMN_UTC,
	COLUMN_CPU,
	COLUMN_PROCESS,
	COLUMN_PID,
	COLUMN_THREAD,
	COLUMN_TID,
	COLUMN_NEXT_THREAD,
	COLUMN_NEXT_TID,
	COLUMN_PREV_STATE,
	COLUMN_STATUS,
	COLUMN_REASON,
	COLUMN_ON_CPU,
	COLUMN_RUNNING,
	COLUMNS
};

static const struct {
	struct parquet_column column;
	enum cell cell;
	bool is_late; /* made at the end of the trace */
} fixed[COLUMNS] = {
	[COLUMN_TRACE] = { { "trace", PARQUET_TEXT, false }, CELLS, true },
	[COLUMN_TS] = { { "ts_ns", PARQUET_INT, false }, TS, false },
	[COLUMN_UTC] = { { "ts_utc_ns", PARQUET_UTC, true }, CELLS, true },
	[COLUMN_CPU] = { { "cpu", PARQUET_INT, false }, CPU, false },
	[COLUMN_PROCESS] = { { "process", PARQUET_TEXT, true }, CELLS, true },
	[COLUMN_PID] = { { "pid", PARQUET_INT, true }, CELLS, true },
	[COLUMN_THREAD] = { { "thread", PARQUET_TEXT, true }, CELLS, true },
	[COLUMN_TID] = { { "tid", PARQUET_INT, true }, CELLS, true },
	[COLUMN_NEXT_THREAD] = { { "next_thread", PARQUET_TEXT, true }, CELLS, true },
	[COLUMN_NEXT_TID] = { { "next_tid", PARQUET_INT, true }, CELLS, true },
	[COLUMN_PREV_STATE] = { { "prev_state", PARQUET_INT, true }, PREV_STATE, false },
	[COLUMN_STATUS] = { { "status", PARQUET_TEXT, false }, STATUS, false },
	[COLUMN_REASON] = { { "reason", PARQUET_TEXT, false }, STATUS, false },
	[COLUMN_ON_CPU] = { { "on_cpu_ns", PARQUET_INT, true }, ON_CPU, false },
	[COLUMN_RUNNING] = { { "running_ns", PARQUET_INT, true }, RUNNING, false },
};

struct waiting_group {
	size_t rows;
	size_t made_bytes;
	struct waiting_group *next;
	struct parquet_chunk chunks[]; /* by column, of those that are not late */
};

/* --- columns --- */

/* The names of the counters, which follow those of the other columns. */
static bool name_columns(struct parquet_switches *switches,
			 const struct fleet_counters *counters)
{
	const char **names = arena_alloc(&switches->arena,
					 (COLUMNS + counters->slots) * sizeof(*names));

	if (!names)
		return false;
	for (size_t i = 0; i < COLUMNS; i++) {
		switches->columns[i] = fixed[i].column;
		names[i] = fixed[i].column.name;
	}
	if (!fleet_counter_names(&switches->arena, names, COLUMNS, counters))
		return false;
	for (size_t i = 0; i < counters->slots; i++)
		switches->columns[COLUMNS + i] = (struct parquet_column){
			.name = names[COLUMNS + i], .type = PARQUET_INT, .optional = true
		};
	switches->column_count = COLUMNS + counters->slots;
	return true;
}

enum status parquet_switches_begin(struct parquet_switches *switches,
				   const struct fleet_counters *counters,
				   struct parquet_maker *maker, struct error *error)
{
	size_t slots = counters->slots;
	size_t row = (CELLS + slots) * sizeof(int64_t);
	size_t rows = CELLS_BYTES_MAX / row;

	rows = rows < PARQUET_GROUP_ROWS ? rows : PARQUET_GROUP_ROWS;
	*switches = (struct parquet_switches){
		.slots = slots,
		.least_filled = slots,
		.rows_max = rows,
		.cells = memory_alloc(rows * row),
		.filled = memory_alloc(rows * sizeof(uint16_t)),
		.is_null = memory_alloc(rows),
		.texts = memory_alloc(rows * sizeof(uint32_t)),
		.columns = memory_alloc_zeroed(COLUMNS + slots,
					       sizeof(struct parquet_column)),
		.spool = { .fd = -1, .error = error },
		.maker = maker,
		.error = error,
	};
	switches->last = &switches->groups;
	if (!switches->cells || !switches->filled || !switches->is_null ||
	    !switches->texts || !switches->columns)
		return error_nomem(error);
	return name_columns(switches, counters) ? ST_OK : error_nomem(error);
}

/* --- row groups before the end --- */

static int64_t *cells_of(const struct parquet_switches *switches, size_t cell)
{
	return switches->cells + cell * switches->rows_max;
}

/* Which rows lack the counter; NULL: none. */
static const uint8_t *nulls_of(struct parquet_switches *switches, size_t slot)
{
	if (slot < switches->least_filled)
		return NULL;
	for (size_t i = 0; i < switches->rows; i++)
		switches->is_null[i] = switches->filled[i] <= slot;
	return switches->is_null;
}

/* Texts for the statuses of the rows, those that occur. */
static size_t number_statuses(struct parquet_switches *switches, bool is_reason,
			      struct str dictionary[CHARGE_STATUSES])
{
	const int64_t *cells = cells_of(switches, STATUS);
	uint32_t numbers[CHARGE_STATUSES];
	size_t count = 0;

	memset(numbers, 0xff, sizeof(numbers));
	for (size_t i = 0; i < switches->rows; i++) {
		int64_t status =
			cells[i] >= 0 && cells[i] < CHARGE_STATUSES ? cells[i] : 0;

		if (numbers[status] == UINT32_MAX) {
			const struct charge_status_words *words =
				&charge_status_words[status];
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

static bool make_column(struct parquet_switches *switches, size_t column,
			struct parquet_chunk *chunk)
{
	struct str dictionary[CHARGE_STATUSES];
	size_t cell = column < COLUMNS ? fixed[column].cell : CELLS + column - COLUMNS;
	struct parquet_values values = {
		.rows = switches->rows,
		.is_null = column < COLUMNS ? NULL : nulls_of(switches, column - COLUMNS),
		.none_is_null = column < COLUMNS && switches->columns[column].optional,
		.numbers = cells_of(switches, cell),
		.texts = switches->texts,
		.dictionary = dictionary,
	};

	if (cell == STATUS)
		values.dictionary_size =
			number_statuses(switches, column == COLUMN_REASON, dictionary);
	return parquet_make_chunk(switches->maker, &switches->columns[column], &values,
				  &switches->made, chunk);
}

/* The rows become a group that waits. */
static enum status flush(struct parquet_switches *switches)
{
	size_t count = switches->column_count;
	size_t bytes = switches->rows * sizeof(int64_t);
	struct waiting_group *group;
	enum status status;

	if (switches->rows == 0)
		return ST_OK;
	group = arena_alloc(&switches->arena,
			    sizeof(*group) + count * sizeof(group->chunks[0]));
	if (!group)
		return error_nomem(switches->error);
	group->rows = switches->rows;
	switches->made.size = 0;
	for (size_t i = 0; i < count; i++)
		if ((i >= COLUMNS || !fixed[i].is_late) &&
		    !make_column(switches, i, &group->chunks[i]))
			return error_nomem(switches->error);
	group->made_bytes = switches->made.size;
	*switches->last = group;
	switches->last = &group->next;
	status = spool_write(&switches->spool, cells_of(switches, TS), bytes);
	if (status == ST_OK)
		status = spool_write(&switches->spool, cells_of(switches, PREV_THREAD),
				     bytes);
	if (status == ST_OK)
		status = spool_write(&switches->spool, cells_of(switches, NEXT_THREAD),
				     bytes);
	if (status == ST_OK)
		status = spool_write(&switches->spool, switches->made.data,
				     group->made_bytes);
	switches->rows = 0;
	switches->least_filled = switches->slots;
	return status;
}

enum status parquet_switches_add(struct parquet_switches *switches,
				 const struct record *record)
{
	const struct context_switch_row *row = RECORD_DATA(record, context_switch);
	size_t filled = record->slots < switches->slots ? record->slots : switches->slots;
	size_t stride = switches->rows_max;
	int64_t *at = switches->cells + switches->rows;

	at[TS * stride] = row->ts_ns;
	at[CPU * stride] = row->cpu;
	at[PREV_THREAD * stride] = row->prev_thread_id;
	at[NEXT_THREAD * stride] = row->next_thread_id;
	at[PREV_STATE * stride] = row->prev_state;
	at[STATUS * stride] = row->status;
	at[ON_CPU * stride] = row->on_cpu_ns;
	at[RUNNING * stride] = row->running_ns;
	for (size_t i = 0; i < filled; i++)
		at[(CELLS + i) * stride] = record->deltas[i];
	if (filled < switches->least_filled)
		switches->least_filled = filled;
	switches->filled[switches->rows++] = (uint16_t)filled;
	return switches->rows == switches->rows_max ? flush(switches) : ST_OK;
}

/* --- the end --- */

/* What the late columns of a group are made of; the cells' memory is used again. */
struct late {
	const struct parquet_ending *ending;
	size_t rows;
	int64_t *ts, *prev, *next; /* ids of threads */
	struct fleet_task **prev_tasks, **next_tasks;
	int64_t *numbers;
};

static void find_tasks(const struct late *late)
{
	const struct fleet_tasks *tasks = late->ending->tasks;

	for (size_t i = 0; i < late->rows; i++) {
		late->prev_tasks[i] = fleet_tasks_find(tasks, late->prev[i]);
		late->next_tasks[i] = fleet_tasks_find(tasks, late->next[i]);
	}
}

static enum status read_group(struct parquet_switches *switches,
			      const struct waiting_group *group, struct late *late)
{
	size_t bytes = group->rows * sizeof(int64_t);
	enum status status;
	uint8_t *room;

	late->rows = group->rows;
	late->ts = cells_of(switches, TS);
	late->prev = cells_of(switches, PREV_THREAD);
	late->next = cells_of(switches, NEXT_THREAD);
	late->numbers = cells_of(switches, PREV_STATE);
	late->prev_tasks = (struct fleet_task **)(void *)cells_of(switches, STATUS);
	late->next_tasks = (struct fleet_task **)(void *)cells_of(switches, ON_CPU);
	status = spool_read(&switches->spool, late->ts, bytes);
	if (status == ST_OK)
		status = spool_read(&switches->spool, late->prev, bytes);
	if (status == ST_OK)
		status = spool_read(&switches->spool, late->next, bytes);
	switches->made.size = 0;
	room = bytes_extend(&switches->made, group->made_bytes);
	if (status == ST_OK && group->made_bytes)
		status = room ? spool_read(&switches->spool, room, group->made_bytes)
			      : error_nomem(switches->error);
	if (status == ST_OK)
		find_tasks(late);
	return status;
}

static void make_utc(const struct late *late)
{
	const struct wall *wall = &late->ending->wall;

	for (size_t i = 0; i < late->rows; i++)
		late->numbers[i] = wall_utc(wall, late->ts[i]);
}

static void make_ids(const struct late *late, struct fleet_task *const *tasks,
		     bool is_pid)
{
	for (size_t i = 0; i < late->rows; i++)
		late->numbers[i] = is_pid ? tasks[i]->pid : tasks[i]->tid;
}

/* Names are looked up once for each column. */
static bool make_names(struct parquet_switches *switches, const struct late *late,
		       struct fleet_task *const *tasks, bool is_process,
		       struct dictionary *dictionary)
{
	uint64_t column = ++late->ending->tasks->columns;

	for (size_t i = 0; i < late->rows; i++) {
		struct fleet_name *name =
			is_process ? tasks[i]->process : tasks[i]->thread;

		switches->is_null[i] = !name;
		if (name && name->numbered != column) {
			name->number = dictionary_number(dictionary, name->text, true);
			name->numbered = column;
			if (name->number == DICTIONARY_NONE)
				return false;
		}
		switches->texts[i] = name ? name->number : 0;
	}
	return true;
}

static bool fill_late(struct parquet_switches *switches, const struct late *late,
		      enum column column, struct dictionary *dictionary)
{
	switch (column) {
	case COLUMN_TRACE:
		memset(switches->texts, 0, late->rows * sizeof(switches->texts[0]));
		return dictionary_number(dictionary, late->ending->trace, true) == 0;
	case COLUMN_UTC:
		make_utc(late);
		return true;
	case COLUMN_PROCESS:
	case COLUMN_THREAD:
		return make_names(switches, late, late->prev_tasks,
				  column == COLUMN_PROCESS, dictionary);
	case COLUMN_NEXT_THREAD:
		return make_names(switches, late, late->next_tasks, false, dictionary);
	case COLUMN_NEXT_TID:
		make_ids(late, late->next_tasks, false);
		return true;
	default:
		make_ids(late, late->prev_tasks, column == COLUMN_PID);
		return true;
	}
}

static bool make_late(struct parquet_switches *switches, const struct late *late,
		      enum column column, struct bytes *to, struct parquet_chunk *chunk)
{
	struct dictionary dictionary = { .count = 0 };
	bool made = fill_late(switches, late, column, &dictionary);
	bool is_optional = fixed[column].column.optional;
	bool is_text = fixed[column].column.type == PARQUET_TEXT;
	struct parquet_values values = {
		.rows = late->rows,
		.is_null = is_optional && is_text ? switches->is_null : NULL,
		.none_is_null = is_optional && !is_text,
		.numbers = late->numbers,
		.texts = switches->texts,
		.dictionary = dictionary.texts,
		.dictionary_size = dictionary.count,
	};

	made = made && parquet_make_chunk(switches->maker, &fixed[column].column, &values,
					  to, chunk);
	dictionary_clear(&dictionary);
	return made;
}

static enum status write_group(struct parquet_switches *switches,
			       struct parquet_file *file,
			       const struct waiting_group *waiting,
			       const struct late *late)
{
	struct parquet_group *group = parquet_file_add_group(file, waiting->rows);
	size_t at = 0;

	for (size_t i = 0; group && i < switches->column_count; i++) {
		if (i < COLUMNS && fixed[i].is_late) {
			if (!make_late(switches, late, (enum column)i, &file->buffer,
				       &group->chunks[i]))
				return error_nomem(file->error);
			continue;
		}
		group->chunks[i] = waiting->chunks[i];
		bytes_put(&file->buffer, switches->made.data + at,
			  (size_t)waiting->chunks[i].size);
		at += (size_t)waiting->chunks[i].size;
	}
	return group ? parquet_file_flush(file, group) : error_nomem(file->error);
}

enum status parquet_switches_end(struct parquet_switches *switches,
				 struct parquet_file *file,
				 const struct parquet_ending *ending)
{
	struct late late = { .ending = ending };
	enum status status = flush(switches);

	for (const struct waiting_group *g = switches->groups; g && status == ST_OK;
	     g = g->next) {
		status = read_group(switches, g, &late);
		if (status == ST_OK)
			status = write_group(switches, file, g, &late);
	}
	return status;
}

void parquet_switches_release(struct parquet_switches *switches)
{
	free(switches->columns);
	free(switches->cells);
	free(switches->filled);
	free(switches->is_null);
	free(switches->texts);
	bytes_release(&switches->made);
	spool_close(&switches->spool);
	arena_release(&switches->arena);
	*switches = (struct parquet_switches){ .spool = { .fd = -1 } };
}
