/*
 * late.c - numbers the threads of a row group, looks up once what a column has for each,
 * and copies that to the rows; see late.h.
 */
#include "output/parquet/late.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "output/parquet/dictionary.h"

/* In front of what waits of a group. */
struct waiting {
	uint64_t is_wide; /* ids of threads have 64 bits, else 32 */
};

bool parquet_is_late(enum fleet_switch_column column)
{
	switch (column) {
	case SWITCH_TRACE:
	case SWITCH_UTC:
	case SWITCH_PROCESS:
	case SWITCH_PID:
	case SWITCH_THREAD:
	case SWITCH_TID:
	case SWITCH_NEXT_THREAD:
	case SWITCH_NEXT_TID:
		return true;
	default:
		return false;
	}
}

/* --- before the end --- */

static bool are_narrow(const int64_t *ids, size_t count)
{
	uint64_t bits = 0;

	for (size_t i = 0; i < count; i++)
		bits |= (uint64_t)ids[i];
	return bits <= UINT32_MAX;
}

static enum status wait_for_thread(struct parquet_switches *switches,
				   enum fleet_cell cell, bool is_wide)
{
	const int64_t *ids = parquet_switches_cells(switches, cell);
	uint32_t *narrow = switches->texts;

	if (is_wide)
		return spool_write(&switches->spool, ids,
				   switches->rows * sizeof(int64_t));
	for (size_t i = 0; i < switches->rows; i++)
		narrow[i] = (uint32_t)ids[i];
	return spool_write(&switches->spool, narrow, switches->rows * sizeof(uint32_t));
}

enum status parquet_late_wait(struct parquet_switches *switches)
{
	const int64_t *prev = parquet_switches_cells(switches, CELL_PREV_THREAD);
	const int64_t *next = parquet_switches_cells(switches, CELL_NEXT_THREAD);
	const struct waiting waiting = { .is_wide = !are_narrow(prev, switches->rows) ||
						    !are_narrow(next, switches->rows) };
	enum status status = spool_write(&switches->spool, &waiting, sizeof(waiting));

	if (status == ST_OK)
		status = spool_write(&switches->spool,
				     parquet_switches_cells(switches, CELL_TS),
				     switches->rows * sizeof(int64_t));
	if (status == ST_OK)
		status = wait_for_thread(switches, CELL_PREV_THREAD, waiting.is_wide);
	if (status == ST_OK)
		status = wait_for_thread(switches, CELL_NEXT_THREAD, waiting.is_wide);
	return status;
}

/* --- at the end --- */

/* The memory of the cells is used again. */
struct late {
	struct parquet_switches *switches;
	const struct parquet_ending *ending;
	size_t rows;
	int64_t *ts;
	int64_t *prev, *next; /* ids of threads, then their numbers in the group */
	int64_t *numbers;     /* of a column */

	uint64_t group; /* counted from 1 */
	size_t count;	/* threads of the group */
	size_t room;
	const struct fleet_task **tasks; /* by number, like the next three */
	int64_t *of_task;
	uint32_t *text_of_task;
	uint8_t *null_of_task;
	/* group << 32 | number */
	uint64_t *by_id;
	size_t by_id_room;
	struct map others; /* of ids that by_id has not; the number + 1 */
};

static bool grow(struct late *late)
{
	size_t room = late->room ? 2 * late->room : 256;
	const struct fleet_task **tasks =
		memory_resize(late->tasks, room * sizeof(*late->tasks));

	if (!tasks)
		return false;
	late->tasks = tasks;
	late->room = room;
	return true;
}

static bool add_thread(struct late *late, int64_t id, uint64_t *number)
{
	if (late->count == late->room && !grow(late))
		return false;
	*number = late->count;
	late->tasks[late->count++] = fleet_tasks_find(late->ending->tasks, id);
	return true;
}

/* One that has no number in this group yet, or none in by_id.  False: out of memory. */
static bool number_thread(struct late *late, int64_t id, int64_t *to)
{
	uint64_t number;
	void *known;

	if ((uint64_t)id < late->by_id_room) {
		if (!add_thread(late, id, &number))
			return false;
		late->by_id[id] = late->group << 32 | number;
		*to = (int64_t)number;
		return true;
	}
	known = map_get(&late->others, (uint64_t)id);
	number = (uint64_t)(uintptr_t)known - 1;
	if (!known &&
	    (!add_thread(late, id, &number) ||
	     !map_put(&late->others, (uint64_t)id, (void *)(uintptr_t)(number + 1))))
		return false;
	*to = (int64_t)number;
	return true;
}

/* Ids become numbers. */
static bool number_all(struct late *late, int64_t *ids)
{
	const uint64_t *by_id = late->by_id;
	uint64_t room = late->by_id_room, group = late->group;

	for (size_t i = 0; i < late->rows; i++) {
		uint64_t known = (uint64_t)ids[i] < room ? by_id[ids[i]] : 0;

		if (known >> 32 == group)
			ids[i] = (int64_t)(known & UINT32_MAX);
		else if (!number_thread(late, ids[i], &ids[i]))
			return false;
	}
	return true;
}

static bool make_tables(struct late *late)
{
	size_t count = late->count ? late->count : 1;

	free(late->of_task);
	free(late->text_of_task);
	free(late->null_of_task);
	late->of_task = memory_alloc(count * sizeof(*late->of_task));
	late->text_of_task = memory_alloc(count * sizeof(*late->text_of_task));
	late->null_of_task = memory_alloc(count);
	return late->of_task && late->text_of_task && late->null_of_task;
}

static bool number_threads(struct late *late)
{
	late->group++;
	late->count = 0;
	map_release(&late->others);
	if (!number_all(late, late->prev) || !number_all(late, late->next))
		return false;
	return make_tables(late);
}

static enum status read_threads(struct late *late, int64_t *ids, bool is_wide)
{
	struct spool *spool = &late->switches->spool;
	uint32_t *narrow = late->switches->texts;
	enum status status;

	if (is_wide)
		return spool_read(spool, ids, late->rows * sizeof(ids[0]));
	status = spool_read(spool, narrow, late->rows * sizeof(narrow[0]));
	for (size_t i = 0; i < late->rows && status == ST_OK; i++)
		ids[i] = narrow[i];
	return status;
}

static enum status read_group(struct late *late)
{
	struct parquet_switches *switches = late->switches;
	struct waiting waiting;
	enum status status = spool_read(&switches->spool, &waiting, sizeof(waiting));

	if (status == ST_OK)
		status = spool_read(&switches->spool, late->ts,
				    late->rows * sizeof(late->ts[0]));
	if (status == ST_OK)
		status = read_threads(late, late->prev, waiting.is_wide);
	if (status == ST_OK)
		status = read_threads(late, late->next, waiting.is_wide);
	if (status == ST_OK && !number_threads(late))
		status = error_nomem(switches->error);
	return status;
}

/* --- columns --- */

static void make_utc(const struct late *late)
{
	const struct wall *wall = &late->ending->trace.wall;

	for (size_t i = 0; i < late->rows; i++)
		late->numbers[i] = wall_utc(wall, late->ts[i]);
}

static void make_ids(const struct late *late, const int64_t *threads, bool is_pid)
{
	for (size_t i = 0; i < late->count; i++)
		late->of_task[i] = is_pid ? late->tasks[i]->pid : late->tasks[i]->tid;
	for (size_t i = 0; i < late->rows; i++)
		late->numbers[i] = late->of_task[threads[i]];
}

/* False: out of memory. */
static bool make_names(const struct late *late, const int64_t *threads, bool is_process,
		       struct dictionary *dictionary)
{
	uint64_t column = ++late->ending->tasks->columns;
	uint8_t *is_null = late->switches->is_null, any_null = 0;
	uint32_t *texts = late->switches->texts;

	memset(late->text_of_task, 0xff, late->count * sizeof(*late->text_of_task));
	for (size_t i = 0; i < late->rows; i++) {
		size_t thread = (size_t)threads[i];
		struct fleet_name *name;

		if (late->text_of_task[thread] != UINT32_MAX)
			continue;
		name = is_process ? late->tasks[thread]->process
				  : late->tasks[thread]->thread;
		late->null_of_task[thread] = !name;
		any_null |= !name;
		if (name && name->numbered != column) {
			name->number = dictionary_number(dictionary, name->text, true);
			name->numbered = column;
			if (name->number == DICTIONARY_NONE)
				return false;
		}
		late->text_of_task[thread] = name ? name->number : 0;
	}
	for (size_t i = 0; i < late->rows; i++)
		texts[i] = late->text_of_task[threads[i]];
	memset(is_null, 0, late->rows);
	for (size_t i = 0; i < late->rows && any_null; i++)
		is_null[i] = late->null_of_task[threads[i]];
	return true;
}

static bool fill(const struct late *late, enum fleet_switch_column column,
		 struct dictionary *dictionary)
{
	struct parquet_switches *switches = late->switches;

	switch (column) {
	case SWITCH_TRACE:
		memset(switches->texts, 0, late->rows * sizeof(switches->texts[0]));
		return dictionary_number(dictionary, late->ending->trace.name, true) == 0;
	case SWITCH_UTC:
		make_utc(late);
		return true;
	case SWITCH_PROCESS:
	case SWITCH_THREAD:
		return make_names(late, late->prev, column == SWITCH_PROCESS, dictionary);
	case SWITCH_NEXT_THREAD:
		return make_names(late, late->next, false, dictionary);
	case SWITCH_NEXT_TID:
		make_ids(late, late->next, false);
		return true;
	default:
		make_ids(late, late->prev, column == SWITCH_PID);
		return true;
	}
}

static bool make_column(const struct late *late, struct parquet_group *group,
			enum fleet_switch_column column)
{
	struct parquet_switches *switches = late->switches;
	struct dictionary dictionary = { .count = 0 };
	bool made = fill(late, column, &dictionary);
	bool is_optional = switches->columns[column].optional;
	bool is_text = switches->columns[column].type == PARQUET_TEXT;
	const struct parquet_values values = {
		.rows = late->rows,
		.is_null = is_optional && is_text ? switches->is_null : NULL,
		.none_is_null = is_optional && !is_text,
		.numbers = late->numbers,
		.texts = switches->texts,
		.dictionary = dictionary.texts,
		.dictionary_size = dictionary.count,
	};

	made = made && parquet_file_put_chunk(&switches->file, group, column,
					      switches->maker, &values);
	dictionary_clear(&dictionary);
	return made;
}

static enum status write_group(struct late *late, struct parquet_group *group)
{
	struct parquet_switches *switches = late->switches;
	enum status status;

	late->rows = group->rows;
	status = read_group(late);
	for (size_t i = 0; i < SWITCH_COLUMNS && status == ST_OK; i++)
		if (parquet_is_late((enum fleet_switch_column)i) &&
		    !make_column(late, group, (enum fleet_switch_column)i))
			status = error_nomem(switches->error);
	return status == ST_OK ? parquet_file_flush(&switches->file) : status;
}

enum status parquet_late_write(struct parquet_switches *switches,
			       const struct parquet_ending *ending)
{
	size_t ids = ending->tasks->dense_room;
	struct late late = {
		.switches = switches,
		.ending = ending,
		.ts = parquet_switches_cells(switches, CELL_TS),
		.prev = parquet_switches_cells(switches, CELL_PREV_THREAD),
		.next = parquet_switches_cells(switches, CELL_NEXT_THREAD),
		.numbers = parquet_switches_cells(switches, CELL_PREV_STATE),
		.by_id_room = ids,
		.by_id = memory_alloc_zeroed(ids ? ids : 1, sizeof(uint64_t)),
	};
	enum status status = late.by_id ? ST_OK : error_nomem(switches->error);

	for (struct parquet_group *g = switches->file.groups; g && status == ST_OK;
	     g = g->next)
		status = write_group(&late, g);
	free(late.tasks);
	free(late.of_task);
	free(late.text_of_task);
	free(late.null_of_task);
	free(late.by_id);
	map_release(&late.others);
	return status;
}
