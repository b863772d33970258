/*
 * etl_columns.c - switches of all CPUs in order of time, as runs of several streams.
 *
 * A switch goes into a run only if attribution needs nothing of it but its time, its
 * threads, its state and its counters.  A run ends before any other, which etl_switch.c
 * makes a record of, and before a detail that has no row yet.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "base/prefetch.h"
#include "formats/etw/etl.h"
#include "model/run.h"

struct etl_columns {
	struct run run;
	size_t places;			 /* that a run may use */
	uint8_t stream_of[ETL_CPUS_MAX]; /* of run.streams; may be out of date */
	uint8_t first[RUN_STREAMS_MAX];	 /* place of the stream's first switch */
	uint8_t last[RUN_STREAMS_MAX];
};

/* The CPU's stream in the run, which may be new; false: there is no room. */
static inline bool find_stream(struct etl_columns *columns, uint16_t cpu, size_t *stream)
{
	struct run *run = &columns->run;
	size_t known = columns->stream_of[cpu];
	bool is_new = known >= run->stream_count || run->streams[known].cpu != cpu;

	if (run->count + 1 + run->stream_count + is_new >= columns->places)
		return false;
	if (is_new) {
		if (run->stream_count == RUN_STREAMS_MAX)
			return false;
		known = run->stream_count++;
		run->streams[known] = (struct run_stream){ .stream = cpu, .cpu = cpu };
		columns->stream_of[cpu] = (uint8_t)known;
		columns->first[known] = columns->last[known] = 0;
	}
	*stream = known;
	return true;
}

/* The next place of a stream. */
static inline void link_place(struct etl_columns *columns, size_t stream, size_t at)
{
	struct run *run = &columns->run;

	run->stream_at[at] = (uint8_t)stream;
	run->before[at] = columns->last[stream];
	columns->last[stream] = (uint8_t)at;
	if (!columns->first[stream])
		columns->first[stream] = (uint8_t)at;
}

/* A thread that ends, and numbers that a run has no room for, are for records. */
static inline bool is_usual(const struct etl_switch *s)
{
	return !s->unread && !s->suspect && s->ts_ns >= 0 &&
	       (s->payload.old_tid | s->payload.new_tid) <= INT32_MAX &&
	       s->payload.fields[6] != ETW_STATE_TERMINATED;
}

/* The switches from `at` on, as far as they can be in one run. */
static void fill_columns(struct etl_columns *columns, struct etl_output *output,
			 const struct etl_run *from, size_t at)
{
	struct run *run = &columns->run;

	for (; at < from->count; at++) {
		const struct etl_switch *s = &from->switches[at];
		size_t place = run->count + 1, stream;
		bool is_new = false;

		if (!is_usual(s) || !find_stream(columns, s->cpu, &stream))
			break;
		if (run->has_details)
			run->detail_id[place] = etl_detail_id(output, s, &is_new);
		if (is_new) /* its row comes first */
			break;
		link_place(columns, stream, place);
		run->ts_ns[place] = s->ts_ns;
		run->prev_tid[place] = (int32_t)s->payload.old_tid;
		run->next_tid[place] = (int32_t)s->payload.new_tid;
		run->prev_state[place] = s->payload.fields[6];
		run->offsets[place] = s->offset;
		run->count++;
	}
}

static struct etl_columns *new_columns(const struct etl_runs *runs)
{
	struct etl_columns *columns = memory_alloc_zeroed(1, sizeof(*columns));
	size_t slots = runs->counter_count ? runs->counter_count : 1;

	if (!columns)
		return NULL;
	columns->places = RUN_VALUES_MAX / slots;
	if (columns->places > RUN_PLACES)
		columns->places = RUN_PLACES;
	return columns;
}

/* Switches that the second thread wrote past the caches: those after the next `count`. */
static void fetch_later(const struct etl_run *from, size_t count, size_t slots)
{
	size_t at = from->next + count;

	if (at + count > from->count)
		return;
	prefetch(&from->switches[at], count * sizeof(from->switches[0]));
	if (slots)
		prefetch(from->values + at * slots,
			 count * slots * sizeof(from->values[0]));
}

bool etl_next_columns(struct etl_runs *runs, struct etl_output *output,
		      struct record *out)
{
	struct etl_run *from = runs->run;
	struct etl_columns *columns = runs->columns;
	size_t slots = runs->counter_count;
	struct run *run;

	/* Of more CPUs, a run has too few switches of each. */
	if (runs->one_stream || runs->order->stream_count > RUN_STREAMS_MAX)
		return false;
	if (!columns)
		columns = runs->columns = new_columns(runs);
	if (!columns) /* optional: each switch is a record */
		return false;
	run = &columns->run;
	run->common = output->switched;
	run->common.unread = run->common.suspect = false; /* as of the last record */
	run->has_details = output->want_rows;
	run->has_offsets = true;
	run->count = run->stream_count = 0;
	fill_columns(columns, output, from, from->next);
	if (run->count == 0)
		return false;
	for (size_t s = 0; s < run->stream_count; s++)
		run->before[columns->first[s]] = (uint8_t)(run->count + 1 + s);
	memcpy(run->values + slots, from->values + from->next * slots,
	       run->count * slots * sizeof(run->values[0]));
	from->next += run->count;
	fetch_later(from, run->count, slots);
	out->kind = RECORD_RUN;
	out->offset = run->offsets[1];
	out->run = run;
	return true;
}

void etl_columns_release(struct etl_columns *columns)
{
	free(columns);
}
