/*
 * test_perf_details.c - lib/formats/perf/tracepoint_details.c: payloads have the same
 * detail if they differ in nothing but the threads and the state of a switch.
 */
#include <string.h>

#include "formats/perf/perf.h"
#include "formats/perf/tracepoints.h"
#include "unit.h"

#define SWITCH_BYTES 64
#define LONG_BYTES 72 /* with a field more, which CPUs compare in another way */
#define PAYLOADS 3

/* sched_switch, and that field; the names do not matter but for one. */
static struct tracepoint_field fields[] = {
	{ .offset = 0, .size = 4, .name = { "common_type", 11 } },
	{ .offset = 4, .size = 4, .name = { "common_pid", 10 } },
	{ .offset = 8, .size = 16, .name = { "prev_comm", 9 } },
	{ .offset = 24, .size = 4, .name = { "prev_pid", 8 } },
	{ .offset = 28, .size = 4, .name = { "prev_prio", 9 } },
	{ .offset = 32, .size = 8, .name = { "prev_state", 10 } },
	{ .offset = 40, .size = 16, .name = { "next_comm", 9 } },
	{ .offset = 56, .size = 4, .name = { "next_pid", 8 } },
	{ .offset = 60, .size = 4, .name = { "next_prio", 9 } },
	{ .offset = 64, .size = 8, .name = { "more", 4 } },
};

struct fixture {
	struct perf_catalog catalog;
	struct tracepoint_format format;
	uint8_t payloads[PAYLOADS][LONG_BYTES];
	size_t bytes;
	int64_t ids[PAYLOADS];
};

static void setup(struct fixture *f)
{
	f->format.fields = fields;
	f->format.prev_pid = fields[3];
	f->format.prev_state = fields[5];
	f->format.next_pid = fields[7];
	f->catalog.formats = &f->format;
}

static void teardown(struct fixture *f)
{
	map_release(&f->format.details);
	arena_release(&f->catalog.details.arena);
	arena_release(&f->catalog.arena);
}

UNIT_FIXTURE(struct fixture, setup, teardown);

/* Payloads of so many bytes, all alike, whose detail is known as number 1. */
static void begin(struct fixture *f, size_t bytes)
{
	f->bytes = bytes;
	f->format.field_count = bytes == SWITCH_BYTES ? 9 : 10;
	assert_true(perf_begin_details(&f->catalog, &f->format));
	for (size_t i = 0; i < PAYLOADS; i++)
		for (size_t at = 0; at < bytes; at++)
			f->payloads[i][at] = (uint8_t)(at + 1);
	assert_non_null(perf_new_detail(&f->catalog, &f->format, f->payloads[0], bytes));
}

/* How many details are known. */
static size_t find(struct fixture *f)
{
	memset(f->ids, 0, sizeof(f->ids));
	return perf_find_details(&f->format, f->payloads[0], f->bytes, LONG_BYTES, f->ids,
				 PAYLOADS);
}

static bool is_of_switch(size_t at)
{
	return (at >= 4 && at < 8) || (at >= 24 && at < 28) || (at >= 32 && at < 40) ||
	       (at >= 56 && at < 60);
}

static void differ_in_each_byte(struct fixture *f, size_t bytes)
{
	begin(f, bytes);
	for (size_t at = 0; at < bytes; at++) {
		f->payloads[1][at] ^= 0x40;
		if (is_of_switch(at)) {
			assert_int_equal(find(f), PAYLOADS);
			assert_int_equal(f->ids[1], 1);
		} else {
			assert_int_equal(find(f), 1);
			assert_int_equal(f->ids[1], 0);
		}
		assert_int_equal(f->ids[0], 1);
		f->payloads[1][at] ^= 0x40;
	}
}

UNIT_CASE(switches, struct fixture *f)
{
	differ_in_each_byte(f, SWITCH_BYTES);
}

UNIT_CASE(longer_payloads, struct fixture *f)
{
	differ_in_each_byte(f, LONG_BYTES);
}

/* Two that belong to the same place are found in turns. */
UNIT_CASE(turns, struct fixture *f)
{
	const struct detail *second;

	begin(f, SWITCH_BYTES);
	f->payloads[1][55] ^= 0x40; /* the end of next_comm */
	second = perf_new_detail(&f->catalog, &f->format, f->payloads[1], SWITCH_BYTES);
	assert_non_null(second);
	assert_int_equal(find(f), PAYLOADS);
	assert_int_equal(f->ids[0], 1);
	assert_int_equal(f->ids[1], second->id);
	assert_int_equal(f->ids[2], 1);
}

/* What a payload lacks is zero. */
UNIT_CASE(short_payloads, struct fixture *f)
{
	begin(f, SWITCH_BYTES);
	f->bytes = SWITCH_BYTES - 4;
	assert_int_equal(find(f), 0);
	memset(f->payloads[0] + f->bytes, 0, 4);
	assert_non_null(
		perf_new_detail(&f->catalog, &f->format, f->payloads[0], SWITCH_BYTES));
	assert_int_equal(find(f), PAYLOADS);
	for (size_t i = 0; i < PAYLOADS; i++)
		assert_int_equal(f->ids[i], 2);
}

UNIT_CASE(without_details, struct fixture *f)
{
	f->bytes = SWITCH_BYTES;
	assert_int_equal(find(f), 0); /* no mask yet */
	f->format.has_no_details = true;
	assert_int_equal(find(f), PAYLOADS);
	for (size_t i = 0; i < PAYLOADS; i++)
		assert_int_equal(f->ids[i], INT_NONE);
}
