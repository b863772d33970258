/* test_perf_segment.c - lib/formats/perf/segments.c: from a layer back to the input. */
#include <stdlib.h>
#include <string.h>

#include "formats/perf/source.h"
#include "unit.h"

UNIT_TEST(none)
{
	struct perf_segments segments = { .list = NULL };

	assert_int_equal(perf_segment_find(&segments, 0), 0);
	assert_int_equal(perf_segment_find(&segments, 77), 77);
	perf_segments_release(&segments);
}

/* Byte for byte, then something made of one place, then byte for byte from elsewhere. */
static const struct {
	int line;
	uint64_t at, source;
} places[] = {
	{ ROW, 100, 1000 }, { ROW, 101, 1001 }, { ROW, 199, 1099 },
	{ ROW, 200, 5000 }, { ROW, 250, 5000 }, { ROW, 299, 5000 },
	{ ROW, 300, 20 },   { ROW, 307, 27 },	{ ROW, 1u << 30, (1u << 30) - 280 },
	{ ROW, 99, 1000 }, /* before all of them: the first place there is */
};

UNIT_TEST(find)
{
	struct perf_segments segments = { .list = NULL };

	assert_true(perf_segment_add(&segments, 100, 1000, true, 0));
	assert_true(perf_segment_add(&segments, 200, 5000, false, 0));
	assert_true(perf_segment_add(&segments, 300, 20, true, 0));
	for (size_t i = 0; i < COUNT(places); i++)
		ROW_INT(&places[i], perf_segment_find(&segments, places[i].at),
			places[i].source);
	perf_segments_release(&segments);
	perf_segments_release(&segments);
	assert_int_equal(segments.count, 0);
}

/* What goes on where it was is one stretch; what does not is not. */
UNIT_TEST(same_stretch)
{
	struct perf_segments segments = { .list = NULL };

	for (uint64_t i = 0; i < 1000; i++)
		assert_true(perf_segment_add(&segments, 8 * i, 8 * i + 104, true, 0));
	assert_int_equal(segments.count, 1);
	assert_true(perf_segment_add(&segments, 8000, 8000 + 112, true, 0));
	assert_int_equal(segments.count, 2);
	/* Made from one place: each is its own, even at the same place. */
	assert_true(perf_segment_add(&segments, 9000, 9000 + 112, false, 0));
	assert_true(perf_segment_add(&segments, 9100, 9000 + 112, false, 0));
	assert_true(perf_segment_add(&segments, 9200, 9100 + 112, true, 0));
	assert_int_equal(segments.count, 5);
	assert_int_equal(perf_segment_find(&segments, 7999), 7999 + 104);
	assert_int_equal(perf_segment_find(&segments, 8999), 8999 + 112);
	assert_int_equal(perf_segment_find(&segments, 9199), 9000 + 112);
	assert_int_equal(perf_segment_find(&segments, 9205), 9105 + 112);
	perf_segments_release(&segments);
}

/* Many, of which the old ones are forgotten: the list stays short, the rest is right. */
UNIT_TEST(forget)
{
	struct perf_segments segments = { .list = NULL };
	const uint64_t count = 100000, keep = 50;

	for (uint64_t i = 0; i < count; i++) {
		uint64_t before = i > keep ? 10 * (i - keep) : 0;
		uint64_t oldest = before / 10;

		/* Sources go down: no two are one stretch. */
		assert_true(perf_segment_add(&segments, 10 * i, 7 * (count - i), true,
					     before));
		for (uint64_t k = oldest; k <= i; k += 1 + keep / 3)
			assert_int_equal(perf_segment_find(&segments, 10 * k + 9),
					 7 * (count - k) + 9);
	}
	assert_true(segments.count <= keep + 2);
	assert_true(segments.room <= 256);
	perf_segments_release(&segments);
}
