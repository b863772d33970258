/* seconds.c - sums by second, thread and class; see seconds.h. */
#include "output/fleet/seconds.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* Memory for rows; switches of several CPUs are out of order by less. */
#define ROWS_BYTES_MAX ((size_t)6 << 20)

static size_t row_bytes(const struct seconds *seconds)
{
	return sizeof(struct second_row) + seconds->slots * sizeof(int64_t);
}

void seconds_begin(struct seconds *seconds, size_t slots, struct error *error)
{
	*seconds = (struct seconds){ .slots = slots,
				     .newest = INT64_MIN,
				     .spool = { .fd = -1, .error = error },
				     .error = error };
}

/* --- rows that are over --- */

static int compare(const void *a, const void *b)
{
	const struct second_row *x = *(struct second_row *const *)a;
	const struct second_row *y = *(struct second_row *const *)b;

	if (x->second != y->second)
		return x->second < y->second ? -1 : 1;
	if (x->thread_id != y->thread_id)
		return x->thread_id < y->thread_id ? -1 : 1;
	return x->class < y->class ? -1 : x->class > y->class;
}

static enum status flush(struct seconds *seconds)
{
	enum status status = ST_OK;

	if (seconds->count)
		qsort(seconds->rows, seconds->count, sizeof(seconds->rows[0]), compare);
	for (size_t i = 0; i < seconds->count && status == ST_OK; i++)
		status = spool_write(&seconds->spool, seconds->rows[i],
				     row_bytes(seconds));
	seconds->spooled += seconds->count;
	seconds->count = 0;
	memset(seconds->recent, 0, sizeof(seconds->recent));
	map_release(&seconds->by_key);
	arena_release(&seconds->arena);
	return status;
}

/* --- sums --- */

static uint64_t key_of(int64_t second, int64_t thread_id, enum charge_class class)
{
	return map_key(second, thread_id, class, 0);
}

static struct second_row *add_row(struct seconds *seconds, uint64_t key, int64_t second,
				  int64_t thread_id, enum charge_class class)
{
	struct second_row *row;

	if (!ARRAY_GROW(seconds->rows, seconds->room, seconds->count))
		return NULL;
	row = arena_alloc(&seconds->arena, row_bytes(seconds));
	if (!row || !map_put(&seconds->by_key, key, row))
		return NULL;
	row->second = second;
	row->thread_id = thread_id;
	row->class = class;
	seconds->rows[seconds->count++] = row;
	return row;
}

static int64_t second_of(int64_t ts_ns)
{
	return ts_ns / (int64_t)SECOND_NS - (ts_ns % (int64_t)SECOND_NS < 0);
}

struct second_row *seconds_find_row(struct seconds *seconds, int64_t ts_ns,
				    int64_t thread_id, enum charge_class class)
{
	int64_t second = second_of(ts_ns);
	struct second_row **recent =
		&seconds->recent[class][(uint64_t)thread_id % SECONDS_RECENT];
	struct second_row *row = *recent;
	uint64_t key;

	if (second > seconds->newest) {
		seconds->newest = second;
		if (seconds->count * row_bytes(seconds) > ROWS_BYTES_MAX &&
		    flush(seconds) != ST_OK)
			return NULL;
		row = *recent;
	}
	if (row && row->second == second && row->thread_id == thread_id)
		return row;
	/* Keys of different rows may be equal: the later one is found, or made. */
	key = key_of(second, thread_id, class);
	row = map_get(&seconds->by_key, key);
	if (!row || row->second != second || row->thread_id != thread_id ||
	    row->class != (int64_t) class)
		row = add_row(seconds, key, second, thread_id, class);
	if (!row)
		error_nomem(seconds->error);
	return *recent = row;
}

/* --- reading back --- */

enum status seconds_finish(struct seconds *seconds)
{
	return flush(seconds);
}

enum status seconds_next(struct seconds *seconds, struct second_row *row)
{
	if (seconds->spooled == 0)
		return ST_END;
	seconds->spooled--;
	return spool_read(&seconds->spool, row, row_bytes(seconds));
}

void seconds_release(struct seconds *seconds)
{
	free(seconds->rows);
	map_release(&seconds->by_key);
	arena_release(&seconds->arena);
	spool_close(&seconds->spool);
	*seconds = (struct seconds){ .spool = { .fd = -1 } };
}
