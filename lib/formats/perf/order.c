/*
 * order.c - rings that were written backward, in order of time.
 *
 * With `perf record --overwrite` the kernel writes a ring from its end to its beginning,
 * so that a reader gets the newest records, the newest first.  Each
 * ring is in the file as one run, or a few, in reverse order of time.  Here the
 * records of a window are sorted by time; records with the same time come in reverse
 * order of the file, and those without a time stay before the first that has one.
 *
 * The window is 16 MiB: what lies further apart in the file stays apart.  perf's rings
 * are 512 KiB a CPU unless -m asks for more.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "formats/perf/perf.h"

#define ORDER_WINDOW_BYTES ((size_t)16 << 20)

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
	size_t filled;
	struct ordered *records;
	size_t count, next, room;
	size_t passed; /* bytes of the next record that are out */
	uint64_t made;
	bool ended;
	struct perf_segments places;
};

static int by_time(const void *a, const void *b)
{
	const struct ordered *x = a, *y = b;

	if (x->ts_ns != y->ts_ns)
		return x->ts_ns < y->ts_ns ? -1 : 1;
	return x->at < y->at ? 1 : -1; /* never the same */
}

static bool add_record(struct perf_order *o, int64_t ts_ns, size_t at, size_t size)
{
	if (o->count == o->room) {
		size_t room = o->room ? o->room * 2 : 4096;
		struct ordered *records =
			memory_resize(o->records, room * sizeof(*records));

		if (!records)
			return false;
		o->records = records;
		o->room = room;
	}
	o->records[o->count++] = (struct ordered){ ts_ns, (uint32_t)at, (uint32_t)size };
	return true;
}

/* Fills the window; the rest of the last one is at its beginning. */
static bool fill(struct perf_order *o)
{
	while (o->filled < ORDER_WINDOW_BYTES && o->from->offset < o->limit) {
		size_t part = input_buffered(o->from);
		uint64_t left = o->limit - o->from->offset;

		if (part == 0) {
			if (!input_peek(o->from, 1))
				break;
			part = input_buffered(o->from);
		}
		part = part < ORDER_WINDOW_BYTES - o->filled
			       ? part
			       : ORDER_WINDOW_BYTES - o->filled;
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
				? perf_time_of(&perf->catalog, at, header)
				: INT_NONE;

	return ts_ns == INT_NONE ? INT64_MIN : ts_ns;
}

/*
 * Cuts the window into records and sorts them; bytes that are not a record go out where
 * they are, and the walk deals with it.
 */
static bool cut(struct perf_order *o)
{
	struct perf *perf = o->reader->state;
	size_t at = 0;

	while (o->filled - at >= PERF_RECORD_HEADER_BYTES) {
		struct perf_header header =
			perf_header_read(o->window + at, perf->catalog.big_endian);
		uint64_t whole, value;
		uint32_t record;
		bool bad = perf_extent(&perf->catalog, o->window + at, o->filled - at,
				       &record, &whole, &value) != NULL;

		if (bad || whole > o->filled - at) {
			if (bad || o->filled < ORDER_WINDOW_BYTES || at == 0) {
				/* The rest as it is. */
				if (!add_record(o, INT64_MAX, at, o->filled - at))
					return false;
				at = o->filled;
			}
			break;
		}
		if (!add_record(o, time_or_first(perf, o->window + at, &header), at,
				(size_t)whole))
			return false;
		at += (size_t)whole;
	}
	if (o->filled < ORDER_WINDOW_BYTES && at < o->filled) {
		if (!add_record(o, INT64_MAX, at, o->filled - at))
			return false;
		at = o->filled;
	}
	qsort(o->records, o->count, sizeof(*o->records), by_time);
	return true;
}

/* The next window; false at the end, or on failure. */
static bool next_window(struct perf_order *o)
{
	size_t used = 0;

	for (size_t i = 0; i < o->count; i++)
		if (o->records[i].at + (size_t)o->records[i].size > used)
			used = o->records[i].at + (size_t)o->records[i].size;
	o->count = o->next = 0;
	memmove(o->window, o->window + used, o->filled - used);
	o->filled -= used;
	o->base += used;
	if (!fill(o) || o->filled == 0 || !cut(o))
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
	o->window = memory_alloc(ORDER_WINDOW_BYTES);
	if (!o->window)
		return error_nomem(&reader->error);
	return input_open_pull(&o->stream, pull, o, from->offset, &reader->error);
}

struct input *perf_order_stream(struct perf_order *order)
{
	return &order->stream;
}

uint64_t perf_order_place(const struct perf_order *order, uint64_t offset)
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
