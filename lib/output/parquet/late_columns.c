/*
 * late_columns.c - numbers the threads of a row group, looks up once what a column has
 * for each, and gives that to the rows; see late_columns.h.
 */
#include "output/parquet/late_columns.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "base/wrap.h"
#include "output/parquet/dictionary.h"
#include "output/parquet/encode.h"

/* In front of numbers that wait: what each is above, in so many bytes. */
struct waiting {
	int64_t base;
	uint64_t bytes; /* 2, 4 or 8 */
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

/* The bits of all that is above `base`; more than 16: `to` has not all of them. */
static uint64_t shorten_to_16(uint16_t *to, const int64_t *numbers, size_t count,
			      int64_t base)
{
	uint64_t bits = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t above = (uint64_t)numbers[i] - (uint64_t)base;

		to[i] = (uint16_t)above;
		bits |= above;
	}
	return bits;
}

static uint64_t shorten_to_32(uint32_t *to, const int64_t *numbers, size_t count,
			      int64_t base)
{
	uint64_t bits = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t above = (uint64_t)numbers[i] - (uint64_t)base;

		to[i] = (uint32_t)above;
		bits |= above;
	}
	return bits;
}

/* As short as they may be above `base`: the file is written and read again. */
static enum status wait_for(struct parquet_switches *switches, enum fleet_cell cell,
			    int64_t base)
{
	const int64_t *numbers = parquet_switches_cells(switches, cell);
	size_t rows = switches->rows;
	struct waiting waiting = { base, 8 };
	const void *from = numbers;
	enum status status;

	if (cell != CELL_TS &&
	    shorten_to_16(switches->narrow, numbers, rows, base) <= UINT16_MAX) {
		from = switches->narrow;
		waiting.bytes = 2;
	} else if (shorten_to_32(switches->texts, numbers, rows, base) <= UINT32_MAX) {
		from = switches->texts;
		waiting.bytes = 4;
	}
	status = spool_write(&switches->spool, &waiting, sizeof(waiting));
	return status == ST_OK ? spool_write(&switches->spool, from, rows * waiting.bytes)
			       : status;
}

enum status parquet_late_wait(struct parquet_switches *switches,
			      const struct parquet_group *group)
{
	int64_t least = parquet_bound_number(&group->chunks[SWITCH_TS].least);
	enum status status = wait_for(switches, CELL_TS, least);

	if (status == ST_OK)
		status = wait_for(switches, CELL_PREV_THREAD, 0);
	return status == ST_OK ? wait_for(switches, CELL_NEXT_THREAD, 0) : status;
}

/* --- at the end --- */

/* The threads that go, or come, in a group of rows, in the order of the rows. */
struct numbered {
	uint32_t *of_row; /* its number */
	const struct fleet_task **tasks;
	size_t count, room;
};

/* The memory of the cells is used again. */
struct late {
	struct parquet_switches *switches;
	const struct parquet_ending *ending;
	size_t rows;
	int64_t *ts, *numbers; /* of a column */
	struct numbered prev, next;

	/* While threads are numbered: which time << 32 | number, by id */
	uint64_t *by_id;
	size_t by_id_room;
	uint64_t times;	   /* counted from 1 */
	struct map others; /* of ids that by_id has not; the number + 1 */

	/* What a column has for each thread. */
	int64_t *of_thread;
	uint32_t *text_of_thread;
	uint8_t *null_of_thread;
	size_t thread_room;
};

static bool add_thread(const struct late *late, struct numbered *threads, uint64_t id,
		       uint64_t *number)
{
	if (!ARRAY_GROW(threads->tasks, threads->room, threads->count))
		return false;
	*number = threads->count;
	threads->tasks[threads->count++] =
		fleet_tasks_find(late->ending->tasks, (int64_t)id);
	return true;
}

/* One that has no number yet, or none in by_id.  False: out of memory. */
static bool number_thread(struct late *late, struct numbered *threads, uint64_t id,
			  uint32_t *to)
{
	uint64_t number;
	void *known;

	if (id < late->by_id_room) {
		if (!add_thread(late, threads, id, &number))
			return false;
		late->by_id[id] = late->times << 32 | number;
		*to = (uint32_t)number;
		return true;
	}
	known = map_get(&late->others, id);
	number = (uint64_t)(uintptr_t)known - 1;
	if (!known && (!add_thread(late, threads, id, &number) ||
		       !map_put(&late->others, id, (void *)(uintptr_t)(number + 1))))
		return false;
	*to = (uint32_t)number;
	return true;
}

/* Numbers that waited, where wait_for() had them; wide ones in `wide`. */
static enum status read_waiting(struct late *late, int64_t *wide, struct waiting *waiting)
{
	struct parquet_switches *switches = late->switches;
	enum status status = spool_read(&switches->spool, waiting, sizeof(*waiting));

	if (status != ST_OK)
		return status;
	return spool_read(&switches->spool,
			  waiting->bytes == 2	? (void *)switches->narrow
			  : waiting->bytes == 4 ? (void *)switches->texts
						: wide,
			  late->rows * waiting->bytes);
}

static enum status read_times(struct late *late)
{
	const uint32_t *middle = late->switches->texts;
	struct waiting waiting;
	enum status status = read_waiting(late, late->ts, &waiting);

	if (status != ST_OK)
		return status;
	for (size_t i = 0; i < late->rows && waiting.bytes == 4; i++)
		late->ts[i] = wrap_add(waiting.base, middle[i]);
	return ST_OK;
}

/* Numbers the ids, of which nearly all have one already; a loop for each width. */
#define NUMBER_ROWS(name, type)                                                        \
	static bool name(struct late *late, struct numbered *threads, const type *ids) \
	{                                                                              \
		const uint64_t *by_id = late->by_id, times = late->times;              \
		size_t room = late->by_id_room;                                        \
                                                                                       \
		for (size_t i = 0; i < late->rows; i++) {                              \
			uint64_t id = (uint64_t)ids[i];                                \
			uint64_t known = id < room ? by_id[id] : 0;                    \
                                                                                       \
			threads->of_row[i] = (uint32_t)known;                          \
			if (known >> 32 != times &&                                    \
			    !number_thread(late, threads, id, &threads->of_row[i]))    \
				return false;                                          \
		}                                                                      \
		return true;                                                           \
	}
NUMBER_ROWS(number_narrow, uint16_t)
NUMBER_ROWS(number_middle, uint32_t)
NUMBER_ROWS(number_wide, int64_t)
#undef NUMBER_ROWS

/* The ids of threads that wait, above 0, become numbers. */
static enum status read_threads(struct late *late, struct numbered *threads)
{
	const struct parquet_switches *switches = late->switches;
	struct waiting waiting;
	enum status status = read_waiting(late, late->numbers, &waiting);
	bool done;

	late->times++;
	threads->count = 0;
	map_release(&late->others);
	if (status != ST_OK)
		return status;
	if (waiting.bytes == 2)
		done = number_narrow(late, threads, switches->narrow);
	else if (waiting.bytes == 4)
		done = number_middle(late, threads, switches->texts);
	else
		done = number_wide(late, threads, late->numbers);
	return done ? ST_OK : error_nomem(late->switches->error);
}

static bool make_tables(struct late *late)
{
	size_t count =
		late->prev.count > late->next.count ? late->prev.count : late->next.count;

	if (count <= late->thread_room)
		return true;
	free(late->of_thread);
	free(late->text_of_thread);
	free(late->null_of_thread);
	late->of_thread = memory_alloc(count * sizeof(*late->of_thread));
	late->text_of_thread = memory_alloc(count * sizeof(*late->text_of_thread));
	late->null_of_thread = memory_alloc(count);
	late->thread_room = count;
	return late->of_thread && late->text_of_thread && late->null_of_thread;
}

static enum status read_group(struct late *late)
{
	enum status status = read_times(late);

	if (status == ST_OK)
		status = read_threads(late, &late->prev);
	if (status == ST_OK)
		status = read_threads(late, &late->next);
	if (status == ST_OK && !make_tables(late))
		status = error_nomem(late->switches->error);
	return status;
}

/* --- columns --- */

static void make_utc(const struct late *late)
{
	const struct wall *wall = &late->ending->trace.wall;

	for (size_t i = 0; i < late->rows; i++)
		late->numbers[i] = wall_utc(wall, late->ts[i]);
}

static void make_ids(const struct late *late, const struct numbered *threads, bool is_pid)
{
	for (size_t i = 0; i < threads->count; i++)
		late->of_thread[i] =
			is_pid ? threads->tasks[i]->pid : threads->tasks[i]->tid;
	for (size_t i = 0; i < late->rows; i++)
		late->numbers[i] = late->of_thread[threads->of_row[i]];
}

/* False: out of memory. */
static bool make_names(const struct late *late, const struct numbered *threads,
		       bool is_process, struct dictionary *dictionary)
{
	uint64_t column = ++late->ending->tasks->columns;
	uint8_t *is_null = late->switches->is_null, any_null = 0;
	uint32_t *texts = late->switches->texts;

	for (size_t i = 0; i < threads->count; i++) {
		const struct fleet_task *task = threads->tasks[i];
		struct fleet_name *name = is_process ? task->process : task->thread;

		late->null_of_thread[i] = !name;
		any_null |= !name;
		if (name && name->numbered != column) {
			name->number = dictionary_number(dictionary, name->text, true);
			name->numbered = column;
			if (name->number == DICTIONARY_NONE)
				return false;
		}
		late->text_of_thread[i] = name ? name->number : 0;
	}
	for (size_t i = 0; i < late->rows && dictionary->count > 1; i++)
		texts[i] = late->text_of_thread[threads->of_row[i]];
	memset(is_null, 0, late->rows);
	for (size_t i = 0; i < late->rows && any_null; i++)
		is_null[i] = late->null_of_thread[threads->of_row[i]];
	return true;
}

static bool fill(const struct late *late, enum fleet_switch_column column,
		 struct dictionary *dictionary)
{
	switch (column) {
	case SWITCH_TRACE:
		return dictionary_number(dictionary, late->ending->trace.name, true) == 0;
	case SWITCH_UTC:
		make_utc(late);
		return true;
	case SWITCH_PROCESS:
	case SWITCH_THREAD:
		return make_names(late, &late->prev, column == SWITCH_PROCESS,
				  dictionary);
	case SWITCH_NEXT_THREAD:
		return make_names(late, &late->next, false, dictionary);
	case SWITCH_NEXT_TID:
		make_ids(late, &late->next, false);
		return true;
	default:
		make_ids(late, &late->prev, column == SWITCH_PID);
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
		.prev.of_row =
			(uint32_t *)parquet_switches_cells(switches, CELL_PREV_THREAD),
		.next.of_row =
			(uint32_t *)parquet_switches_cells(switches, CELL_NEXT_THREAD),
		.numbers = parquet_switches_cells(switches, CELL_PREV_STATE),
		.by_id_room = ids,
		.by_id = memory_alloc_zeroed(ids ? ids : 1, sizeof(uint64_t)),
	};
	enum status status = late.by_id ? ST_OK : error_nomem(switches->error);

	for (struct parquet_group *g = switches->file.groups; g && status == ST_OK;
	     g = g->next)
		status = write_group(&late, g);
	free(late.prev.tasks);
	free(late.next.tasks);
	free(late.of_thread);
	free(late.text_of_thread);
	free(late.null_of_thread);
	free(late.by_id);
	map_release(&late.others);
	return status;
}
