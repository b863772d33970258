/*
 * order.c - sorts rings that were written backward.
 *
 * With `perf record --overwrite` the kernel writes a ring from its end to its beginning:
 * when it is read, it holds the newest records, the newest first.  Each ring is one run
 * of the file, or a few, in reverse order of time.  The records of a window are sorted by
 * time; records with the same time are reversed, and those without a time stay before the
 * first that has one.
 *
 * The window is 16 MiB: records further apart in the file are not sorted.  perf's rings
 * are 512 KiB for each CPU unless -m asks for more.
 */
#include <stdlib.h>

#include "base/array.h"
#include "base/buffer_bytes.h"
#include "base/memory.h"
#include "formats/perf/perf.h"

#define ORDER_WINDOW_BYTES BUFFER_SIZE((size_t)16 << 20, (size_t)64 << 10)
#define WINDOW_BYTES_FIRST BUFFER_SIZE((size_t)256 << 10, (size_t)16 << 10)
/* Records that are sorted between two looks at the interrupt flag. */
#define SORTED_UNPOLLED ((size_t)128 << 10)

struct ordered {
	int64_t ts_ns;
	uint32_t at;   /* in the window */
	uint32_t size; /* of the record */
};

struct perf_order {
	struct reader *reader;
	struct input stream;
	struct input *from;
	uint64_t limit;
	uint64_t base; /* offset of the window in the input */
	uint8_t *window;
	size_t filled, window_bytes;
	struct ordered *records;
	size_t count, next, room;
	size_t passed; /* bytes of the next record that were copied */
	uint64_t made;
	bool ended;
	struct perf_segments places;
};

/* Of two records with the same time the later one in the file was first. */
static bool is_before(const struct ordered *x, const struct ordered *y)
{
	return x->ts_ns != y->ts_ns ? x->ts_ns < y->ts_ns : x->at > y->at;
}

static bool add_record(struct perf_order *o, int64_t ts_ns, size_t at, size_t size)
{
	if (!ARRAY_GROW(o->records, o->room, o->count))
		return false;
	o->records[o->count++] = (struct ordered){ ts_ns, (uint32_t)at, (uint32_t)size };
	return true;
}

/* A small trace needs little of ORDER_WINDOW_BYTES. */
static bool make_window_room(struct perf_order *o)
{
	size_t bytes = o->window_bytes ? 2 * o->window_bytes : WINDOW_BYTES_FIRST;
	uint8_t *window;

	if (o->filled < o->window_bytes)
		return true;
	window = memory_resize(o->window, bytes);
	if (!window) {
		error_nomem(&o->reader->error);
		return false;
	}
	o->window = window;
	o->window_bytes = bytes;
	return true;
}

/* Fills the window; it begins with the rest of the last one. */
static bool fill_window(struct perf_order *o)
{
	while (o->filled < ORDER_WINDOW_BYTES && o->from->offset < o->limit &&
	       make_window_room(o)) {
		size_t part = input_buffered(o->from);
		uint64_t left = o->limit - o->from->offset;

		if (part == 0) {
			if (!input_peek(o->from, 1))
				break;
			part = input_buffered(o->from);
		}
		part = part < o->window_bytes - o->filled ? part
							  : o->window_bytes - o->filled;
		part = part < left ? part : (size_t)left;
		memcpy(o->window + o->filled, o->from->pos, part);
		input_consume(o->from, part);
		o->filled += part;
	}
	return o->reader->error.status >= ST_OK;
}

/* Records without a time stay before the first that has one. */
static int64_t time_or_first(struct perf *perf, const uint8_t *at,
			     const struct perf_header *header)
{
	int64_t ts_ns = perf_is_kernel_type(header->type)
				? perf_any_record_time(&perf->catalog, at, header)
				: INT_NONE;

	return ts_ns == INT_NONE ? INT64_MIN : ts_ns;
}

/* Merges [from, middle) and [middle, end) of one array into another. */
static void merge_runs(const struct ordered *records, struct ordered *to, size_t from,
		       size_t middle, size_t end)
{
	size_t left = from, right = middle;

	for (size_t i = from; i < end; i++)
		if (left < middle &&
		    (right == end || is_before(&records[left], &records[right])))
			to[i] = records[left++];
		else
			to[i] = records[right++];
}

/*
 * Bottom up, and not by qsort(): 2 million records take half a second, in which an
 * interruption would wait.
 */
static bool sort_records(struct perf_order *o)
{
	struct ordered *other;

	if (o->count < 2)
		return true;
	other = memory_alloc(o->room * sizeof(*other));
	if (!other) {
		error_nomem(&o->reader->error);
		return false;
	}
	for (size_t run = 1; run < o->count; run *= 2) {
		struct ordered *sorted = other;
		size_t unpolled = 0;

		for (size_t at = 0; at < o->count; at += 2 * run) {
			size_t left = o->count - at;
			size_t end = at + (left < 2 * run ? left : 2 * run);

			merge_runs(o->records, sorted, at, at + (left < run ? left : run),
				   end);
			unpolled += end - at;
			if (unpolled < SORTED_UNPOLLED)
				continue;
			unpolled = 0;
			if (reader_interrupted(o->reader)) {
				free(other);
				return false;
			}
		}
		other = o->records;
		o->records = sorted;
	}
	free(other);
	return true;
}

/*
 * Splits the window into records and sorts them.  Invalid bytes keep their place; the
 * walk reports them.
 */
static bool split_window(struct perf_order *o)
{
	struct perf *perf = o->reader->state;
	size_t at = 0;

	while (o->filled - at >= PERF_RECORD_HEADER_BYTES) {
		struct perf_header header =
			perf_decode_header(o->window + at, perf->catalog.big_endian);
		struct perf_extent extent =
			perf_find_extent(&perf->catalog, o->window + at, o->filled - at);

		if (extent.fault || extent.whole > o->filled - at) {
			if (extent.fault || o->filled < ORDER_WINDOW_BYTES || at == 0) {
				/* The rest as it is. */
				if (!add_record(o, INT64_MAX, at, o->filled - at))
					return false;
				at = o->filled;
			}
			break;
		}
		if (!add_record(o, time_or_first(perf, o->window + at, &header), at,
				(size_t)extent.whole))
			return false;
		at += (size_t)extent.whole;
	}
	if (o->filled < ORDER_WINDOW_BYTES && at < o->filled) {
		if (!add_record(o, INT64_MAX, at, o->filled - at))
			return false;
		at = o->filled;
	}
	return sort_records(o);
}

/* The next window; false at the end, or on failure. */
static bool next_window(struct perf_order *o)
{
	size_t used = 0;

	for (size_t i = 0; i < o->count; i++)
		if (o->records[i].at + (size_t)o->records[i].size > used)
			used = o->records[i].at + (size_t)o->records[i].size;
	o->count = o->next = 0;
	if (o->filled)
		memmove(o->window, o->window + used, o->filled - used);
	o->filled -= used;
	o->base += used;
	if (!fill_window(o) || o->filled == 0 || !split_window(o))
		return false;
	return o->count > 0;
}

static ptrdiff_t pull(void *context, uint8_t *to, size_t room)
{
	struct perf_order *o = context;
	size_t done = 0;

	while (done < room) {
		const struct ordered *record;
		size_t part;

		if (o->next == o->count && !next_window(o))
			break;
		record = &o->records[o->next];
		part = record->size - o->passed;
		part = part < room - done ? part : room - done;
		if (o->passed == 0 &&
		    !perf_segment_add(&o->places, o->made + done, o->base + record->at,
				      true,
				      o->made > 2 * INPUT_BUFFER_BYTES
					      ? o->made - 2 * INPUT_BUFFER_BYTES
					      : 0))
			return -1;
		memcpy(to + done, o->window + record->at + o->passed, part);
		done += part;
		o->passed += part;
		if (o->passed == record->size) {
			o->passed = 0;
			o->next++;
		}
	}
	o->made += done;
	return done || o->reader->error.status >= ST_OK ? (ptrdiff_t)done : -1;
}

enum status perf_order_open(struct reader *reader, struct input *from, uint64_t limit,
			    struct perf_order **order)
{
	struct perf_order *o = memory_alloc_zeroed(1, sizeof(*o));

	if (!o)
		return error_nomem(&reader->error);
	*order = o;
	o->reader = reader;
	o->from = from;
	o->limit = limit;
	o->base = o->made = from->offset;
	return input_open_pull(&o->stream, pull, o, from->offset, &reader->error);
}

struct input *perf_order_stream(struct perf_order *order)
{
	return &order->stream;
}

uint64_t perf_order_offset(const struct perf_order *order, uint64_t offset)
{
	return perf_segment_find(&order->places, offset);
}

void perf_order_close(struct perf_order *order)
{
	if (!order)
		return;
	input_close(&order->stream);
	free(order->window);
	free(order->records);
	perf_segments_release(&order->places);
	free(order);
}
