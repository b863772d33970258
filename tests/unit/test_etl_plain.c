/*
 * test_etl_plain.c - lib/formats/etw/etl_plain.c: buffers of plain events are counted
 * ahead, others are given as bytes.
 */
#include <string.h>
#include <unistd.h>

#include "formats/etw/etl_plain.h"
#include "unit.h"

enum {
	STRIDE = 4096,
	BUFFERS = 1200,
	EVENTS = 100,
	EVENT_BYTES = 24,
	CUT_BUFFERS = 900,
};

/* A trace of one kind of event, and what walks over it. */
struct trace {
	struct error error;
	FILE *file;
	struct input in;
	struct etl_kinds kinds;
	struct etl_kind kind;
	struct etl_plain_ahead ahead;
	uint8_t buffer[STRIDE];
};

static void put_event(uint8_t *at, uint64_t ticks)
{
	memcpy(at, "\x02\x00\x11\xc0\x18\x00\x24\x05", 8);
	memcpy(at + 8, &ticks, 8);
	memset(at + 16, 0xab, 8);
}

/* One buffer in `others` has an event that is not plain; 0: none. */
static bool is_other(size_t number, size_t others)
{
	return others && number % others == 3 % others;
}

static const uint8_t *make_buffer(struct trace *trace, size_t number, size_t others)
{
	uint8_t *to = trace->buffer;
	uint32_t size = STRIDE, filled = ETL_BUFFER_HEADER_BYTES + EVENTS * EVENT_BYTES;

	memset(to, 0xff, STRIDE);
	memset(to, 0, ETL_BUFFER_HEADER_BYTES);
	memcpy(to, &size, 4);
	memcpy(to + 0x18, &number, 8);
	memcpy(to + 0x30, &filled, 4);
	for (size_t i = 0; i < EVENTS; i++)
		put_event(to + ETL_BUFFER_HEADER_BYTES + i * EVENT_BYTES,
			  number * 1000 + i);
	if (is_other(number, others))
		to[ETL_BUFFER_HEADER_BYTES + 5 * EVENT_BYTES + 6] = 0x25;
	return to;
}

static void open_trace(struct trace *trace, size_t others)
{
	const struct etl_event event = { .header = ETL_PERFINFO,
					 .group = 0x05,
					 .opcode = 0x24 };
	char name[64];

	*trace = (struct trace){ .error = { .status = ST_OK } };
	trace->file = tmpfile();
	assert_non_null(trace->file);
	for (size_t i = 0; i < BUFFERS; i++)
		fwrite(make_buffer(trace, i, others), STRIDE, 1, trace->file);
	assert_int_equal(fflush(trace->file), 0);
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fileno(trace->file));
	assert_int_equal(input_open(&trace->in, name, &trace->error), ST_OK);
	put_event(trace->buffer, 0);
	etl_kind_remember(&trace->kinds, trace->buffer, &event, &trace->kind);
}

static void close_trace(struct trace *trace)
{
	etl_plain_end(&trace->ahead);
	input_close(&trace->in);
	fclose(trace->file);
}

static void check_buffer(const struct etl_plain_view *view, size_t number)
{
	const struct etl_place *place = &view->buffer->place;

	assert_int_equal(place->offset, number * STRIDE);
	assert_int_equal(place->sequence, number);
	assert_int_equal(place->size, STRIDE);
	assert_int_equal(place->events_bytes, EVENTS * EVENT_BYTES);
	assert_int_equal(place->first_ticks, number * 1000);
	assert_int_equal(place->last_ticks, number * 1000 + EVENTS - 1);
	assert_true(place->is_timed && place->is_whole);
	for (size_t i = 0; i < ETL_PLAINS; i++)
		if (view->buffer->events[i])
			etl_plain_count(&view->chunk->plain[i], view->buffer->events[i]);
}

/* Returns how many buffers were there ahead; those are as they were written. */
static size_t walk(struct trace *trace, uint64_t stride, size_t others, size_t count)
{
	size_t there = 0;

	for (size_t i = 0; i < count; i++) {
		struct etl_plain_view view =
			etl_plain_find(&trace->ahead, &trace->in, stride, &trace->kinds);

		if (view.size) {
			there++;
			assert_true(view.size >= STRIDE);
			assert_memory_equal(view.bytes, make_buffer(trace, i, others),
					    STRIDE);
			assert_int_equal(view.buffer == NULL, is_other(i, others));
		}
		if (view.buffer)
			check_buffer(&view, i);
		assert_int_equal(input_skip(&trace->in, STRIDE), ST_OK);
	}
	return there;
}

UNIT_TEST(counted)
{
	struct trace trace;

	open_trace(&trace, 7);
	assert_int_equal(walk(&trace, STRIDE, 7, BUFFERS), BUFFERS - 31);
	assert_false(trace.ahead.is_over);
	assert_int_equal(trace.kind.row.events, trace.ahead.plain * EVENTS);
	assert_int_equal(trace.kind.row.bytes, trace.ahead.plain * EVENTS * EVENT_BYTES);
	assert_true(trace.ahead.plain > BUFFERS * 3 / 4);
	close_trace(&trace);
}

/* Where most buffers have other events, that ends soon. */
UNIT_TEST(not_worth_it)
{
	struct trace trace;

	open_trace(&trace, 1);
	assert_true(walk(&trace, STRIDE, 1, BUFFERS) < 50);
	assert_true(trace.ahead.is_over);
	close_trace(&trace);
	open_trace(&trace, 0);
	assert_int_equal(walk(&trace, 0, 0, BUFFERS), 0);
	assert_true(trace.ahead.is_over);
	close_trace(&trace);
}

/* The buffers that a file has no longer are not there ahead. */
UNIT_TEST(cut)
{
	struct trace trace;
	size_t there;

	open_trace(&trace, 0);
	(void)walk(&trace, STRIDE, 0, 32);
	assert_int_equal(ftruncate(fileno(trace.file), CUT_BUFFERS * STRIDE), 0);
	assert_int_equal(input_seek(&trace.in, 0), ST_OK);
	there = walk(&trace, STRIDE, 0, BUFFERS);
	assert_true(there > CUT_BUFFERS / 2 && there <= CUT_BUFFERS);
	close_trace(&trace);
}
