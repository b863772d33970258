/* test_html_sums.c - sums in buckets that double: none is lost, wherever it is put. */
#include <stdlib.h>

#include "base/varint.h"
#include "output/html/blocks.h"
#include "output/html/points.h"
#include "output/html/sums.h"
#include "output/html/switches.h"
#include "unit.h"

#define KEYS 50

static uint64_t drawn;

static uint64_t draw(uint64_t most)
{
	drawn = drawn * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (drawn >> 33) % most;
}

/* What is in all tracks, by key; the number of buckets. */
static size_t read_all(const struct sums *sums, int64_t *totals, size_t *entries_max)
{
	size_t buckets = 0;
	bool failed = false;

	memset(totals, 0, KEYS * sums->width * sizeof(*totals));
	for (struct sums_track *track = sums->tracks; track; track = track->next) {
		struct sums_reader reader;
		int64_t last = -1;

		sums_read(&reader, sums, track);
		while (sums_next(&reader, &failed)) {
			assert_true(reader.bucket > last);
			assert_in_range(reader.bucket, sums->first, sums->last);
			last = reader.bucket;
			buckets++;
			if (entries_max && reader.entries.count > *entries_max)
				*entries_max = reader.entries.count;
			for (size_t i = 0; i < reader.entries.count; i++) {
				if (i)
					assert_true(reader.entries.keys[i] >
						    reader.entries.keys[i - 1]);
				for (size_t v = 0; v < sums->width; v++)
					totals[reader.entries.keys[i] * sums->width +
					       v] += reader.entries
							     .values[i * sums->width + v];
			}
		}
		sums_read_end(&reader);
	}
	assert_false(failed);
	return buckets;
}

/* Times that grow, with rests, on several tracks; returns what went in. */
static void fill(struct sums *sums, size_t count, int64_t *wanted)
{
	int64_t ts_ns = 1000000;

	memset(wanted, 0, KEYS * sums->width * sizeof(*wanted));
	for (size_t i = 0; i < count; i++) {
		int64_t values[SUMS_VALUES_MAX];
		uint64_t key = 1 + draw(KEYS - 1);

		ts_ns += (int64_t)draw(i % 100 == 0 ? 10000000 : 3000);
		for (size_t v = 0; v < sums->width; v++) {
			values[v] = (int64_t)draw(1000000) - (v == 2 ? 500000 : 0);
			wanted[key * sums->width + v] += values[v];
		}
		assert_true(sums_add(sums, (int64_t)draw(3), ts_ns, key, values));
	}
}

UNIT_TEST(exact)
{
	int64_t wanted[KEYS * 3], totals[KEYS * 3];
	struct sums_budget budget = { 0, SIZE_MAX };
	struct sums sums;

	sums_begin(&sums, &budget, 3, 0, 64);
	fill(&sums, 20000, wanted);
	assert_true(sums_close(&sums));
	assert_true(sums.last - sums.first < 64);
	assert_true(read_all(&sums, totals, NULL) <= 3 * 64);
	assert_memory_equal(totals, wanted, sizeof(wanted));
	while (sums.last > sums.first) {
		int64_t buckets = sums.last - sums.first;

		assert_true(sums_widen(&sums, 1));
		assert_true(sums.last - sums.first <= buckets / 2 + 1);
		(void)read_all(&sums, totals, NULL);
		assert_memory_equal(totals, wanted, sizeof(wanted));
	}
	sums_end(&sums);
}

/* Memory, not time, makes buckets longer. */
UNIT_TEST(budget)
{
	int64_t wanted[KEYS], totals[KEYS];
	struct sums_budget budget = { 0, 4096 };
	struct sums sums;

	sums_begin(&sums, &budget, 1, 0, UINT64_MAX);
	fill(&sums, 20000, wanted);
	assert_true(sums_close(&sums));
	assert_true(budget.used < 8192);
	(void)read_all(&sums, totals, NULL);
	assert_memory_equal(totals, wanted, sizeof(wanted));
	sums_end(&sums);
}

/* Where most buckets are empty, twice as long would change little. */
UNIT_TEST(empty_buckets)
{
	struct sums_budget budget = { 0, 4096 };
	struct sums sums;
	const int64_t one = 1;
	int64_t totals[KEYS];
	size_t times = 0, count = 20000;

	sums_begin(&sums, &budget, 1, 0, UINT64_MAX);
	for (size_t i = 0; i < count; i++) {
		unsigned int shift = sums.shift;

		assert_true(sums_add(&sums, 0, (int64_t)i * 1000000, 1, &one));
		if (sums.shift == shift)
			continue;
		assert_in_range(budget.used, budget.max / 4, budget.max * 3 / 4);
		times++;
	}
	/* Two milliseconds are 7 bits more than at first; then twice as long. */
	assert_in_range(times, 4, 6);
	assert_in_range(sums.shift, 23, 26);
	assert_true(sums_close(&sums));
	(void)read_all(&sums, totals, NULL);
	assert_int_equal(totals[1], count);
	sums_end(&sums);
}

/* The heaviest stay apart, and the whole stays what it was. */
UNIT_TEST(keep)
{
	int64_t wanted[KEYS], totals[KEYS], all = 0, kept = 0, big = 1000;
	struct sums_budget budget = { 0, SIZE_MAX };
	struct sums sums;
	size_t entries_max = 0;

	sums_begin(&sums, &budget, 1, 4, 64);
	fill(&sums, 20000, wanted);
	assert_true(sums_close(&sums));
	(void)read_all(&sums, totals, &entries_max);
	assert_int_equal(entries_max, 4);
	for (size_t i = 0; i < KEYS; i++) {
		all += wanted[i];
		kept += totals[i];
	}
	assert_int_equal(all, kept);
	sums_end(&sums);
	sums_begin(&sums, &budget, 1, 3, 64);
	for (uint64_t key = 1; key < 9; key++) {
		int64_t value = key == 3 || key == 7 ? big : (int64_t)key;

		assert_true(sums_add(&sums, 0, 100, key, &value));
	}
	assert_true(sums_close(&sums));
	(void)read_all(&sums, totals, NULL);
	assert_int_equal(totals[3], 1000);
	assert_int_equal(totals[7], 1000);
	assert_int_equal(totals[SUMS_REST], 1 + 2 + 4 + 5 + 6 + 8);
	sums_end(&sums);
}

/* A bucket that is past does not open again; which one it would be, is known. */
UNIT_TEST(late)
{
	const int64_t value = 5;
	struct sums_budget budget = { 0, SIZE_MAX };
	struct sums sums;
	int64_t totals[KEYS];

	sums_begin(&sums, &budget, 1, 0, 1024);
	assert_false(sums_is_late(&sums, 0, 10));
	assert_true(sums_add(&sums, 0, 100000, 1, &value));
	assert_true(sums_is_late(&sums, 0, 10));
	assert_false(sums_is_late(&sums, 1, 10));
	assert_false(sums_is_late(&sums, 0, 100000));
	assert_true(sums_add(&sums, 0, 10, 1, &value));
	assert_true(sums_close(&sums));
	assert_true(sums_is_late(&sums, 0, 10));
	assert_true(sums_add(&sums, 0, 100000, 2, &value)); /* the bucket goes on */
	assert_true(sums_close(&sums));
	assert_int_equal(read_all(&sums, totals, NULL), 1);
	assert_int_equal(totals[1], 10);
	assert_int_equal(totals[2], 5);
	sums_end(&sums);
}

/* The coarser sums have all entries, whichever of the two makes its buckets longer. */
static void pass_on(size_t fine_bytes, size_t coarse_bytes)
{
	int64_t wanted[KEYS], totals[KEYS], all = 0, kept = 0;
	struct sums_budget budget = { 0, fine_bytes }, other = { 0, coarse_bytes };
	struct sums sums, coarse;

	sums_begin(&sums, &budget, 1, 2, 4096);
	sums_begin(&coarse, &other, 1, 0, 64);
	sums.coarser = &coarse;
	fill(&sums, 20000, wanted);
	assert_true(sums_close(&sums));
	assert_true(sums_close(&coarse));
	assert_true(coarse.shift >= sums.shift);
	(void)read_all(&coarse, totals, NULL);
	assert_memory_equal(totals, wanted, sizeof(wanted));
	(void)read_all(&sums, totals, NULL);
	for (size_t i = 0; i < KEYS; i++) {
		all += wanted[i];
		kept += totals[i];
	}
	assert_int_equal(all, kept);
	sums_end(&sums);
	sums_end(&coarse);
}

UNIT_TEST(coarser)
{
	pass_on(SIZE_MAX, SIZE_MAX);
	pass_on(1024, SIZE_MAX);
	pass_on(SIZE_MAX, 1024);
}

/* The last bucket ends with the last time that there is. */
UNIT_TEST(last_time)
{
	struct sums_budget budget = { 0, SIZE_MAX };
	struct sums sums;

	sums_begin(&sums, &budget, 1, 0, 1024);
	assert_true(
		sums_add_time(&sums, 0, INT64_MAX - ((int64_t)1 << 60), INT64_MAX, 9));
	sums_end(&sums);
}

/* Each bucket gets the part of the time that is in it. */
UNIT_TEST(time)
{
	const int64_t length = 1 << 14; /* of a bucket, ns */
	const int64_t ends[] = { 900,
				 length,
				 5 * length - 120,
				 5 * length - 119,
				 8 * length - 1,
				 8 * length,
				 8 * length + 808 };
	struct sums_budget budget = { 0, SIZE_MAX };
	struct sums_reader reader;
	struct sums sums;
	bool failed = false;
	int64_t bucket = 0, from = 100;

	sums_begin(&sums, &budget, 1, 0, 1024);
	for (size_t i = 0; i < COUNT(ends); i++) {
		assert_true(sums_add_time(&sums, 0, from, ends[i], 9));
		from = ends[i];
	}
	assert_true(sums_add_time(&sums, 0, 9 * length, 9 * length, 9));
	assert_true(sums_close(&sums));
	assert_int_equal((int64_t)1 << sums.shift, length);
	sums_read(&reader, &sums, sums.tracks);
	while (sums_next(&reader, &failed)) {
		assert_int_equal(reader.bucket, bucket);
		assert_int_equal(reader.entries.count, 1);
		assert_int_equal(reader.entries.values[0], bucket == 0	 ? length - 100
							   : bucket == 8 ? 808
									 : length);
		bucket++;
	}
	assert_false(failed);
	assert_int_equal(bucket, 9);
	sums_read_end(&reader);
	sums_end(&sums);
}

/* Deflating ends when there is more than what was asked for. */
UNIT_TEST(blocks)
{
	size_t size = (size_t)1 << 20;
	struct bytes all = { .data = NULL }, part = { .data = NULL };
	uint8_t *from = malloc(size);

	assert_non_null(from);
	for (size_t i = 0; i < size; i++)
		from[i] = (uint8_t)draw(256);
	assert_true(block_deflate(&all, from, size, SIZE_MAX));
	assert_true(all.size > size);
	assert_true(block_deflate(&part, from, size, all.size));
	assert_int_equal(part.size, all.size);
	assert_memory_equal(part.data, all.data, all.size);
	assert_true(block_deflate(&part, from, size, size / 4));
	assert_in_range(part.size, size / 4 + 1, size / 2);
	free(from);
	bytes_release(&all);
	bytes_release(&part);
}

UNIT_TEST(extremes)
{
	const int64_t values[] = { INT64_MAX, INT64_MIN };
	struct sums_budget budget = { 0, SIZE_MAX };
	struct sums sums;
	struct sums_reader reader;
	bool failed = false;

	sums_begin(&sums, &budget, 2, 0, 16);
	assert_true(sums_add(&sums, 0, INT64_MIN, UINT64_MAX, values));
	assert_true(sums_add(&sums, 0, INT64_MAX, UINT64_MAX, values));
	assert_true(sums_close(&sums));
	sums_read(&reader, &sums, sums.tracks);
	assert_true(sums_next(&reader, &failed));
	assert_int_equal(reader.entries.values[0], INT64_MAX);
	assert_int_equal(reader.entries.values[1], INT64_MIN);
	assert_true(sums_next(&reader, &failed));
	assert_false(sums_next(&reader, &failed));
	assert_false(failed);
	sums_read_end(&reader);
	sums_end(&sums);
}

UNIT_TEST(switches)
{
	const int64_t deltas[] = { 7, -9, INT64_MAX };
	struct switches switches;
	struct switches_reader reader;
	struct switch_entry entry = { .cpu = 3, .key = 12, .deltas = deltas, .count = 3 };
	size_t count = 0;

	switches_begin(&switches, 200);
	for (int64_t i = 0; i < 100; i++) {
		entry.ts_ns = i == 50 ? 5 : 1000 * i;
		entry.on_cpu_ns = i;
		assert_true(switches_add(&switches, &entry));
	}
	assert_true(switches.is_full);
	assert_int_equal(switches.left_out_ns, 5);
	switches_read(&reader, &switches);
	for (; switches_next(&reader, &entry); count++) {
		assert_int_equal(entry.cpu, 3);
		assert_int_equal(entry.ts_ns, 1000 * (int64_t)count);
		assert_int_equal(entry.on_cpu_ns, (int64_t)count);
		assert_memory_equal(entry.deltas, deltas, sizeof(deltas));
	}
	assert_int_equal(count, switches.count);
	assert_true(count > 5);
	switches_end(&switches);
}

/* Means of joined buckets are those of their values. */
UNIT_TEST(points)
{
	struct points points;
	struct bytes packed = { .data = NULL };
	const struct points_series *series;
	double sum = 0;
	uint32_t count = 0;
	const uint8_t *at;
	int one, other;

	points_begin(&points);
	points.count_max = 100;
	for (int i = 0; i < 10000; i++) {
		assert_true(points_add(&points, &one, 1000000 * (int64_t)i, i));
		if (i % 1000 == 0)
			assert_true(points_add(&points, &other, 1000000 * (int64_t)i, 1));
	}
	assert_true(points.count <= 101);
	series = points_find(&points, &one);
	for (size_t i = 0; i < series->count; i++) {
		sum += (double)series->points[i].mean * series->points[i].count;
		count += series->points[i].count;
	}
	assert_int_equal(count, 10000);
	assert_true(sum > 49990000 && sum < 50000000);
	assert_null(points_find(&points, &sum));
	points_pack(&points, series, &packed);
	at = packed.data;
	assert_int_equal(varint_decode(&at, packed.data + packed.size), series->count);
	bytes_release(&packed);
	points_end(&points);
}
