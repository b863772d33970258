/*
 * test_bulk_keys.c - lib/output/sqlite_bulk/keys.h: keys of all sizes come back in order,
 * from memory and from runs in a file.
 */
#include <stdlib.h>

#include "output/sqlite_bulk/keys.h"
#include "unit.h"

#define KEYS 40000

static uint64_t random_bits(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

static int by_value(const void *left, const void *right)
{
	const struct bulk_key *a = left, *b = right;

	if (a->value != b->value)
		return a->value < b->value ? -1 : 1;
	return a->rowid < b->rowid ? -1 : a->rowid > b->rowid;
}

/* Adds them, and compares what comes back `room` at a time. */
static void sort(size_t bytes, struct bulk_key *keys, size_t room, bool has_runs)
{
	struct bulk_key_pool pool;
	struct bulk_keys sorter;
	struct error error = { .status = ST_OK };
	struct bulk_key *taken = calloc(room, sizeof(*taken));
	size_t count, done = 0;

	assert_non_null(taken);
	assert_true(key_pool_init(&pool, bytes, unit_path("runs")));
	keys_init(&sorter, &pool);
	for (size_t i = 0; i < KEYS; i++)
		assert_int_equal(keys_add(&sorter, key_number(&keys[i]), keys[i].rowid,
					  &error),
				 ST_OK);
	/* Each of them needs a buffer, however many blocks there were. */
	assert_true(sorter.runs.count <= 30 + bytes / (16 * 1024));
	assert_int_equal(keys_merge(&sorter, &error), ST_OK);
	assert_int_equal(pool.runs_fd >= 0, has_runs);
	assert_false(unit_exists(unit_path("runs"))); /* it has no name any more */
	qsort(keys, KEYS, sizeof(*keys), by_value);
	do {
		assert_int_equal(keys_next(&sorter, taken, room, &count, &error), ST_OK);
		for (size_t i = 0; i < count; i++, done++) {
			assert_true(done < KEYS);
			assert_true(taken[i].value == keys[done].value);
			assert_int_equal(taken[i].rowid, keys[done].rowid);
		}
	} while (count > 0);
	assert_int_equal(done, KEYS);
	keys_release(&sorter);
	key_pool_release(&pool);
	free(taken);
}

/* Values of up to so many bits, and NULLs; row ids with gaps of all sizes. */
static void make(struct bulk_key *keys, unsigned int bits)
{
	uint64_t seed = bits + 1;
	int64_t rowid = -5;

	for (size_t i = 0; i < KEYS; i++) {
		int64_t value = (int64_t)(random_bits(&seed) >> (64 - bits));

		if (random_bits(&seed) % 2)
			value = -value;
		if (random_bits(&seed) % 16 == 0)
			value = BULK_KEY_NULL;
		rowid += 1 +
			 (int64_t)(random_bits(&seed) >> (32 + random_bits(&seed) % 32));
		keys[i] = (struct bulk_key){ key_value(value), rowid };
	}
}

UNIT_TEST(keys_of_all_sizes)
{
	struct bulk_key *keys = calloc(KEYS, sizeof(*keys));

	assert_non_null(keys);
	for (unsigned int bits = 1; bits < 64; bits += 31) {
		make(keys, bits);
		sort((size_t)64 << 10, keys, 100, true);
		make(keys, bits);
		sort((size_t)16 << 20, keys, 1000, false);
		make(keys, bits); /* 40 blocks of the same values: rounds */
		sort((size_t)1 << 20, keys, 333, false);
	}
	free(keys);
}

/* As times of two CPUs: blocks hardly overlap, but there are too many to be runs. */
UNIT_TEST(keys_near_order)
{
	struct bulk_key *keys = calloc(KEYS, sizeof(*keys));
	uint64_t seed = 3;

	assert_non_null(keys);
	for (size_t i = 0; i < KEYS; i++)
		keys[i] = (struct bulk_key){
			key_value((int64_t)(i * 100 + random_bits(&seed) % 300)),
			(int64_t)i
		};
	sort((size_t)64 << 10, keys, 100, true);
	free(keys);
}

/* In rounds: most values are close to few, and those far from each other. */
UNIT_TEST(keys_in_clusters)
{
	struct bulk_key *keys = calloc(KEYS, sizeof(*keys));
	uint64_t seed = 9;

	assert_non_null(keys);
	for (size_t i = 0; i < KEYS; i++) {
		uint64_t bits = random_bits(&seed);

		keys[i].value = (bits & 3) << 61 | (bits >> 2 & 255)
							   << (bits >> 10 & 1) * 40;
		keys[i].rowid = (int64_t)i;
	}
	sort((size_t)1 << 20, keys, 1000, false);
	free(keys);
}

/* Ids of rows that follow one another, as of threads: up to `most`, which comes last. */
static void make_ids(struct bulk_key *keys, int64_t most)
{
	uint64_t seed = 5;

	for (size_t i = 0; i < KEYS; i++) {
		uint64_t share = random_bits(&seed) % (i + 1);
		int64_t value = (int64_t)(share * (uint64_t)most / KEYS);

		keys[i] = (struct bulk_key){ key_value(value), 7 + (int64_t)i };
	}
	keys[KEYS - 1].value = key_value(most);
}

/* They are counted, two bytes each as far as that is enough. */
UNIT_TEST(counted_ids)
{
	static const int64_t most[] = { 9, 65535, 65536, 200000 };
	struct bulk_key *keys = calloc(KEYS, sizeof(*keys));

	assert_non_null(keys);
	for (size_t i = 0; i < COUNT(most); i++) {
		make_ids(keys, most[i]);
		sort((size_t)4 << 20, keys, 1000, false);
		make_ids(keys, most[i]); /* one of the last ones is none */
		keys[KEYS - 2].value = key_value(BULK_KEY_NULL);
		sort((size_t)4 << 20, keys, 1000, false);
	}
	free(keys);
}

/* Ids of traces of so many rows, 50 each; one of `every` rows has an older one. */
static void make_traces(struct bulk_key *keys, size_t rows, size_t every, int64_t back)
{
	uint64_t seed = rows + every;

	for (size_t i = 0; i < KEYS; i++) {
		int64_t value =
			50 * (int64_t)(i / rows) + (int64_t)(random_bits(&seed) % 50);

		if (every && i % every == every - 1 && value >= back)
			value -= back;
		keys[i] = (struct bulk_key){ key_value(value), 1 + (int64_t)i };
	}
}

/* Room for the largest part, when all keys came in order. */
static size_t count_keys(struct bulk_key *keys, size_t at_once)
{
	static const size_t rooms[] = { 1, 999, 64 };
	struct bulk_counted counted = { 0 };
	struct bulk_key taken[1000];
	size_t count, done = 0, largest;

	for (size_t i = 0; i < KEYS; i += at_once)
		assert_true(counted_add(&counted, keys + i,
					at_once < KEYS - i ? at_once : KEYS - i));
	largest = counted.part_room;
	for (size_t b = 0; b < counted.block_count; b++, done += count) {
		count = counted_block(&counted, b, taken);
		assert_memory_equal(taken, keys + done, count * sizeof(*keys));
	}
	assert_int_equal(done, KEYS);
	qsort(keys, KEYS, sizeof(*keys), by_value);
	assert_true(counted_order(&counted));
	for (done = 0; (count = counted_next(&counted, taken, rooms[done % 3])) > 0;
	     done += count)
		assert_memory_equal(taken, keys + done, count * sizeof(*keys));
	assert_int_equal(done, KEYS);
	counted_release(&counted);
	return largest;
}

/* Each trace is ordered by itself, with room for a block more, as far as none of its ids
 * is of one before. */
UNIT_TEST(counted_traces)
{
	struct bulk_key *keys = calloc(KEYS, sizeof(*keys));
	size_t many;

	assert_non_null(keys);
	make_traces(keys, 5000, 0, 0);
	assert_in_range(count_keys(keys, 1000), 5000, 6000);
	make_traces(keys, 5003, 0, 0);
	assert_in_range(count_keys(keys, 999), 5003, 6002);
	make_traces(keys, 5000, KEYS, 50); /* the last row joins two traces */
	assert_in_range(count_keys(keys, 1000), 10000, 11000);
	make_traces(keys, 5000, KEYS, 300); /* all but the first */
	assert_in_range(count_keys(keys, 1000), 35000, 36000);
	make_traces(keys, 100, 0, 0);
	assert_true(count_keys(keys, 1000) <= 2000);
	make_traces(keys, 1, 0, 0);
	assert_true(count_keys(keys, 1000) <= 2000);
	for (size_t every = 1500; every < KEYS; every += 1003) {
		make_traces(keys, 777, every, 50 * (int64_t)(every % 5));
		many = count_keys(keys, 900);
		assert_true(many >= 777);
	}
	free(keys);
}

/* A row id is missing in a block where a part begins: nothing is added. */
UNIT_TEST(counted_refused)
{
	struct bulk_key *keys = calloc(KEYS, sizeof(*keys));
	struct bulk_counted counted = { 0 };

	assert_non_null(keys);
	make_traces(keys, 1500, 0, 0);
	assert_true(counted_add(&counted, keys, 1000));
	keys[1999].rowid++;
	assert_false(counted_add(&counted, keys + 1000, 1000));
	assert_int_equal(counted.count, 1000);
	assert_int_equal(counted.block_count, 1);
	assert_int_equal(counted.part_count, 1);
	counted_release(&counted);
	free(keys);
}
