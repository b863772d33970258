/* test_perf_resync.c - lib/formats/perf/resync.c: what can be a record, and where. */
#include <stdlib.h>
#include <string.h>

#include "formats/perf/perf.h"
#include "unit.h"

/* A header at bytes[at]; little-endian. */
static void put_header(uint8_t *bytes, size_t at, uint32_t type, uint16_t misc,
		       uint16_t size)
{
	memcpy(bytes + at, &type, 4);
	memcpy(bytes + at + 4, &misc, 2);
	memcpy(bytes + at + 6, &size, 2);
}

/* --- the size of one record --- */

static const struct {
	int line;
	uint32_t type;
	uint16_t misc, size;
	size_t have;
	uint64_t next; /* the 8 bytes after the header */
	const char *fault;
	uint32_t record;
	uint64_t whole;
	bool plausible;
} extents[] = {
	{ ROW, PERF_RECORD_SAMPLE, 2, 64, 8, 0, NULL, 64, 64, true },
	{ ROW, PERF_RECORD_SAMPLE, 2, 8, 8, 0, NULL, 8, 8, true },
	{ ROW, PERF_RECORD_SAMPLE, 2, 65528, 8, 0, NULL, 65528, 65528, true },
	{ ROW, PERF_RECORD_SAMPLE, 2, 0, 8, 0, "less than its header", 0, 0, false },
	{ ROW, PERF_RECORD_SAMPLE, 2, 7, 8, 0, "less than its header", 7, 7, false },
	{ ROW, PERF_RECORD_SAMPLE, 2, 12, 8, 0, "not a multiple of 8", 12, 12, false },
	{ ROW, PERF_RECORD_COMPRESSED, 0, 13, 16, 0, NULL, 13, 13, true },
	{ ROW, PERF_RECORD_HEADER_FEATURE, 0, 21, 16, 0, NULL, 21, 21, true },
	{ ROW, PERF_RECORD_AUXTRACE, 0, 48, 16, 4096, NULL, 48, 48 + 4096, true },
	{ ROW, PERF_RECORD_AUXTRACE, 0, 48, 16, UINT64_MAX, "larger than any file", 48,
	  48, false },
	{ ROW, PERF_RECORD_AUXTRACE, 0, 40, 16, 4096, NULL, 40, 40, true },
	{ ROW, PERF_RECORD_TRACING_DATA, 0, 12, 16, 100, NULL, 12, 12 + 104, true },
	{ ROW, PERF_RECORD_TRACING_DATA, 0, 16, 16, 104, NULL, 16, 16 + 104, true },
	/* The size of one that is longer than 64 KiB is in its data. */
	{ ROW, PERF_RECORD_COMPRESSED2, 0, 24, 16, 8, NULL, 24, 24, true },
	{ ROW, PERF_RECORD_COMPRESSED2, 0, 24, 16, 5, NULL, 24, 24, true },
	{ ROW, PERF_RECORD_COMPRESSED2, 0, 24, 16, 65536 + 8, NULL, 65536 + 24,
	  65536 + 24, true },
	{ ROW, PERF_RECORD_COMPRESSED2, 0, 24, 16, 65536 + 5, NULL, 65536 + 24,
	  65536 + 24, true },
	{ ROW, PERF_RECORD_COMPRESSED2, 0, 0, 16, 65520, NULL, 65536, 65536, true },
	{ ROW, PERF_RECORD_COMPRESSED2, 0, 0, 16, 65530, "is not its data's", 0, 0,
	  false },
	/* More than a record may have, though its lowest bits are right. */
	{ ROW, PERF_RECORD_COMPRESSED2, 0, 0, 16, (UINT64_C(1) << 32) + 65520,
	  "is not its data's", 0, 0, false },
	/* simpleperf: 32 bits of size, in two halves. */
	{ ROW, PERF_RECORD_SIMPLEPERF_EVENT_ID, 1, 4, 8, 0, NULL, 65540, 65540, true },
	/* Unknown types are not a place to go on, but have a size. */
	{ ROW, 0, 0, 16, 8, 0, NULL, 16, 16, false },
	{ ROW, PERF_RECORD_KERNEL_LAST + 1, 0, 16, 8, 0, NULL, 16, 16, false },
	{ ROW, PERF_RECORD_TOOL_LAST, 0, 16, 8, 0, NULL, 16, 16, true },
	{ ROW, PERF_RECORD_TOOL_LAST + 1, 0, 16, 8, 0, NULL, 16, 16, false },
	{ ROW, UINT32_MAX, 0, 16, 8, 0, NULL, 16, 16, false },
};

UNIT_TEST(extent)
{
	static const struct perf_catalog catalog;

	for (size_t i = 0; i < COUNT(extents); i++) {
		/* Just what may be looked at: a sanitizer sees more. */
		uint8_t *at = malloc(extents[i].have);
		struct perf_extent extent;
		char text[PERF_FAULT_BYTES];

		put_header(at, 0, extents[i].type, extents[i].misc, extents[i].size);
		if (extents[i].have >= 16)
			memcpy(at + 8, &extents[i].next, 8);
		extent = perf_find_extent(&catalog, at, extents[i].have);
		ROW_INT(&extents[i], extent.fault != PERF_FAULT_NONE,
			extents[i].fault != NULL);
		if (extent.fault) {
			perf_print_fault(text, extent.fault, extent.value);
			ROW_HAS(&extents[i], text, extents[i].fault);
			ROW_INT(&extents[i], extent.value,
				extent.fault == PERF_FAULT_PAYLOAD ? extents[i].next
								   : extents[i].size);
		}
		ROW_INT(&extents[i], extent.record, extents[i].record);
		if (!extent.fault)
			ROW_INT(&extents[i], extent.whole, extents[i].whole);
		ROW_INT(&extents[i], perf_is_plausible(&catalog, at, extents[i].have),
			extents[i].plausible);
		free(at);
	}
}

UNIT_TEST(big_endian)
{
	static const uint8_t sample[] = { 0, 0, 0, 9, 0, 2, 0, 64 };
	const struct perf_catalog big = { .big_endian = true };
	static const struct perf_catalog little;
	struct perf_extent extent = perf_find_extent(&big, sample, 8);

	assert_int_equal(extent.fault, PERF_FAULT_NONE);
	assert_int_equal(extent.whole, 64);
	assert_true(perf_is_plausible(&big, sample, 8));
	assert_false(perf_is_plausible(&little, sample, 8));
	/* Less than a header says nothing against it. */
	assert_true(perf_is_plausible(&little, sample, 7));
	assert_true(perf_is_plausible(&little, sample, 0));
}

/* --- the next record --- */

#define WINDOW 512
#define BASE 0x10000

/* Garbage up to `good`, then samples of 32 bytes; `damage` is one more bad header. */
static const struct {
	int line;
	size_t from, good, limit;
	bool last;
	size_t expected; /* in the window */
} searches[] = {
	{ ROW, 0, 0, WINDOW, false, 0 },
	{ ROW, 0, 64, WINDOW, false, 64 },
	{ ROW, 8, 64, WINDOW, false, 64 },
	{ ROW, 65, 64, WINDOW, false, 96 },    /* never before `from` */
	{ ROW, 0, 67, 67 + 320, false, 67 },   /* after a record that is not padded */
	{ ROW, 0, 128, 128 + 96, false, 224 }, /* too few to be sure, and more may come */
	{ ROW, 0, 128, 128 + 96, true, 128 },  /* but the data ends with them */
	{ ROW, 0, 128, 128 + 32, true, 128 },
	{ ROW, 0, 128, 128 + 100, true, 228 },	/* or does not */
	{ ROW, 0, 128, 128 + 110, false, 128 }, /* the fourth goes on after the window */
	{ ROW, 0, 128, 128 + 16, false, 144 },	/* one that goes on proves nothing */
	{ ROW, 0, WINDOW, WINDOW, true, WINDOW }, /* nothing but garbage */
	{ ROW, 0, 0, 0, true, 0 },
	{ ROW, 0, 0, 7, false, 7 },
};

UNIT_TEST(resync)
{
	static const struct perf_catalog catalog = { .id_in_sample = -1 };

	for (size_t i = 0; i < COUNT(searches); i++) {
		uint8_t *window = malloc(searches[i].limit ? searches[i].limit : 1);
		uint8_t all[WINDOW];

		memset(all, 0xee, sizeof(all));
		for (size_t at = searches[i].good; at + 8 <= WINDOW; at += 32)
			put_header(all, at, PERF_RECORD_SAMPLE, 2, 32);
		memcpy(window, all, searches[i].limit);
		ROW_INT(&searches[i],
			perf_resync(&catalog, window, BASE, BASE + searches[i].from,
				    BASE + searches[i].limit, searches[i].last) -
				BASE,
			searches[i].expected);
		free(window);
	}
}

/* Samples that name an event count double: two of them are enough. */
UNIT_TEST(named_samples)
{
	struct perf_catalog catalog = { .id_in_sample = 0, .settled = 1 };
	struct perf_stream stream = { .number = -1 };
	uint8_t window[96];
	const uint64_t id = 0xabcdef, other = 0xabcdee;

	assert_true(map_put(&catalog.streams, id, &stream));
	memset(window, 0xee, sizeof(window));
	for (size_t at = 16; at < 80; at += 32) {
		put_header(window, at, PERF_RECORD_SAMPLE, 2, 32);
		memcpy(window + at + 8, &id, 8);
	}
	assert_int_equal(perf_resync(&catalog, window, 0, 0, 96, false), 16);
	memcpy(window + 48 + 8, &other, 8);
	assert_int_equal(perf_resync(&catalog, window, 0, 0, 96, false), 96);
	catalog.settled = 0; /* what an id means is not known yet */
	memcpy(window + 48 + 8, &id, 8);
	assert_int_equal(perf_resync(&catalog, window, 0, 0, 96, false), 96);
	map_release(&catalog.streams);
}

/* A sample that ends before its id names no event, not even number 0. */
UNIT_TEST(samples_without_room_for_an_id)
{
	struct perf_catalog catalog = { .id_in_sample = 0, .settled = 1 };
	struct perf_stream stream = { .number = -1 };
	uint8_t window[96];

	assert_true(map_put(&catalog.streams, 0, &stream));
	memset(window, 0xee, sizeof(window));
	put_header(window, 16, PERF_RECORD_SAMPLE, 2, 8);
	put_header(window, 24, PERF_RECORD_SAMPLE, 2, 8);
	assert_int_equal(perf_resync(&catalog, window, 0, 0, 96, false), 96);
	memset(window + 16, 0, 32);
	put_header(window, 16, PERF_RECORD_SAMPLE, 2, 16);
	put_header(window, 32, PERF_RECORD_SAMPLE, 2, 16);
	assert_int_equal(perf_resync(&catalog, window, 0, 0, 96, false), 16);
	map_release(&catalog.streams);
}

/* Damage that moves what follows to odd offsets costs itself alone. */
UNIT_TEST(resync_odd_before_even)
{
	static const struct perf_catalog catalog = { .id_in_sample = -1 };
	uint8_t window[WINDOW];

	memset(window, 0xee, sizeof(window));
	for (size_t at = 67; at < 67 + 5 * 32; at += 32)
		put_header(window, at, PERF_RECORD_SAMPLE, 2, 32);
	for (size_t at = 256; at < WINDOW; at += 32)
		put_header(window, at, PERF_RECORD_SAMPLE, 2, 32);
	/* Both are near: the even one is as good a place. */
	assert_int_equal(perf_resync(&catalog, window, BASE, BASE, BASE + WINDOW, true),
			 BASE + 256);
}

UNIT_TEST(resync_odd_before_far)
{
	static const struct perf_catalog catalog = { .id_in_sample = -1 };
	const size_t far = 64 * 1024, size = far + 8 * 32;
	uint8_t *window = malloc(size);

	assert_non_null(window);
	memset(window, 0xee, size);
	for (size_t at = 67; at < 67 + 5 * 32; at += 32)
		put_header(window, at, PERF_RECORD_SAMPLE, 2, 32);
	for (size_t at = far; at < size; at += 32)
		put_header(window, at, PERF_RECORD_SAMPLE, 2, 32);
	assert_int_equal(perf_resync(&catalog, window, BASE, BASE, BASE + size, true),
			 BASE + 67);
	free(window);
}

/* --- what was skipped --- */

/* Only what goes past the end of the data was cut off there; the rest is damage. */
UNIT_TEST(damage_at_the_end)
{
	for (int is_over = 0; is_over < 2; is_over++) {
		enum perf_fault fault =
			is_over ? PERF_FAULT_OVER_END : PERF_FAULT_UNALIGNED;
		struct perf *perf = unit_alloc(sizeof(*perf));
		struct reader reader = { .state = perf };
		uint8_t bytes[40];
		struct input in;

		memset(bytes, 0xee, sizeof(bytes));
		input_open_memory(&in, bytes, sizeof(bytes), &reader.error);
		perf_skip_damage(&reader, &in, UINT64_MAX, "", fault, 99);
		assert_int_equal(finding_any(&reader.findings, FINDING_TRUNCATED),
				 is_over);
		assert_int_equal(finding_any(&reader.findings, FINDING_BAD_RECORD),
				 !is_over);
		assert_int_equal(in.offset, sizeof(bytes));
		input_close(&in);
		findings_release(&reader.findings);
	}
}
