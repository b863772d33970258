/* series_intervals.c - finds the interval of a time, and memory for its sums. */
#include "base/array.h"
#include "report/series.h"

void *series_allocate(struct series *series, size_t size)
{
	series->bytes += size;
	return series->bytes + series->spooled_bytes > SERIES_BYTES_MAX
		       ? NULL
		       : arena_alloc(&series->arena, size);
}

static struct series_interval *find_interval(struct series *series, size_t number)
{
	return ARRAY_GROW_ZEROED(series->intervals, series->room, number)
		       ? &series->intervals[number]
		       : NULL;
}

struct series_interval *series_make_interval(struct series *series, int64_t ts_ns,
					     size_t *number, bool *done)
{
	uint64_t since = (uint64_t)ts_ns - (uint64_t)series->from_ns;
	struct series_interval *interval;

	*number = (size_t)(since / (uint64_t)series->interval_ns);
	*done = ts_ns < series->from_ns || *number >= series->interval_count;
	if (*done)
		return NULL;
	interval = find_interval(series, *number);
	*done = interval != NULL;
	if (*number < series->first_used)
		series->first_used = *number;
	if (*number > series->last_used)
		series->last_used = *number;
	series->recent_number = interval ? *number : SIZE_MAX;
	series->recent_ns =
		(int64_t)((uint64_t)ts_ns - since % (uint64_t)series->interval_ns);
	return interval;
}

void series_list_thread(struct totals *totals, struct totals_thread *thread)
{
	if (thread->is_listed)
		return;
	thread->is_listed = true;
	thread->next = totals->threads;
	totals->threads = thread;
}
