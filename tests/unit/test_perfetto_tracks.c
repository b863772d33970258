/* test_perfetto_tracks.c - lib/output/perfetto/tracks.c: sums of counters in buckets. */
#include "output/perfetto/tracks.h"
#include "unit.h"

static int64_t sum(const struct track *track)
{
	int64_t all = 0;

	for (size_t i = 0; i < TRACK_BUCKETS; i++)
		all += track->sums[i];
	return all;
}

/* Buckets double until the time fits; the sum stays. */
UNIT_TEST(track_doubles)
{
	const int64_t first_ns = 1000, bucket_ns = INT64_C(1) << 20;
	struct tracks tracks = { .first = NULL };
	const struct track *track;

	assert_true(tracks_add(&tracks, 5, 2, first_ns, 1));
	assert_true(tracks_add(&tracks, 5, 2, first_ns + bucket_ns - 1, 10));
	assert_true(tracks_add(&tracks, 5, 2, first_ns + bucket_ns, 100));
	track = tracks.first;
	assert_int_equal(track->counter_id, 5);
	assert_int_equal(track->cpu, 2);
	assert_int_equal(track->sums[0], 11);
	assert_int_equal(track->sums[1], 100);
	assert_int_equal(track->used, 2);
	assert_true(
		tracks_add(&tracks, 5, 2, first_ns + TRACK_BUCKETS * bucket_ns, 1000));
	assert_int_equal(track->shift, 21);
	assert_int_equal(track->sums[0], 111);
	assert_int_equal(track->sums[TRACK_BUCKETS / 2], 1000);
	assert_int_equal(track->used, TRACK_BUCKETS / 2 + 1);
	assert_true(tracks_add(&tracks, 5, 2, INT64_MAX, 10000));
	assert_true(tracks_add(&tracks, 5, 2, 0, -5)); /* before the first one */
	assert_int_equal(sum(track), 11106);
	assert_int_equal(track->sums[0], 1106);
	tracks_release(&tracks);
}

/* Counters and CPUs whose keys are the same stay apart. */
UNIT_TEST(tracks_apart)
{
	struct tracks tracks = { .first = NULL };

	assert_true(tracks_add(&tracks, 1, 0, 10, 1));
	assert_true(tracks_add(&tracks, 1, 1, 10, 2));
	assert_true(
		tracks_add(&tracks, 0, 65536, 10, 4)); /* the key of counter 1, CPU 0 */
	assert_true(tracks_add(&tracks, 1, 0, 10, 8));
	assert_int_equal(tracks.count, 3);
	assert_int_equal(sum(tracks.first), 9);
	assert_int_equal(sum(tracks.first->next), 2);
	assert_int_equal(sum(tracks.first->next->next), 4);
	tracks_release(&tracks);
}

UNIT_TEST(tracks_full)
{
	struct tracks tracks = { .first = NULL };

	for (int64_t cpu = 0; cpu < TRACKS_MAX; cpu++)
		assert_true(tracks_add(&tracks, 1, cpu, 10, 1));
	assert_false(tracks.full);
	assert_true(tracks_add(&tracks, 2, 0, 10, 1));
	assert_true(tracks.full);
	assert_true(tracks_add(&tracks, 1, 0, 10, 1));
	assert_int_equal(tracks.count, TRACKS_MAX);
	assert_int_equal(sum(tracks.first), 2);
	tracks_release(&tracks);
}
