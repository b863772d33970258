/*
 * test_bulk_run.c - lib/output/sqlite_bulk: rows of runs from their columns, and keys
 * ordered by counting, against SQLite.
 */
#include <stdlib.h>
#include <string.h>

#include "output/sqlite_bulk/counted.h"
#include "output/sqlite_bulk/keys.h"
#include "twin.h"
#include "unit.h"

/* --- cells from columns --- */

static const int64_t edges[] = { 0,
				 1,
				 2,
				 127,
				 128,
				 32767,
				 32768,
				 (1 << 23) - 1,
				 1 << 23,
				 INT32_MAX,
				 INT64_C(1) << 31,
				 (INT64_C(1) << 47) - 1,
				 INT64_C(1) << 47,
				 INT64_MAX };

static int64_t edge(size_t at)
{
	return edges[at % (sizeof(edges) / sizeof(edges[0]))];
}

/* Rows as from runs of so many: each has a CPU and a group of its own; or all CPUs. */
static bool has_cpus(size_t of_run)
{
	return of_run == 17;
}

static struct context_switch_row *make_rows(size_t count, size_t of_run, int64_t first_id)
{
	struct context_switch_row *rows = calloc(count, sizeof(*rows));

	assert_non_null(rows);
	for (size_t i = 0; i < count; i++) {
		size_t run = i / of_run;

		rows[i] = (struct context_switch_row){
			.switch_id = first_id + (int64_t)i,
			.ts_ns = edge(i * 3),
			.cpu = edge(has_cpus(of_run) ? i : run),
			.group_id = edge(run / 2 + 1),
			.prev_thread_id = (int64_t)(i * 7919 % 301),
			.next_thread_id = i % 5 ? edge(i * 5) : INT_NONE,
			.prev_state = i % 7 ? edge(i) : -edge(i / 7),
			.status = CHARGE_CHARGED,
			.on_cpu_ns = edge(i * 11),
			.running_ns = run % 3 ? -edge(i * 13) : INT_NONE,
			.detail_id = run % 4 == 0 ? INT_NONE
				     : i % 3	  ? edge(i)
						  : INT_NONE,
		};
		/* The first row says whether a run has the column. */
		if (i % of_run == 0 && run % 4)
			rows[i].detail_id = 5;
	}
	return rows;
}

static void run_rows(size_t page, size_t of_run, int64_t first_id, uint64_t indexed,
		     bool is_loaded)
{
	const size_t count = 1000, runs = (count + of_run - 1) / of_run;
	struct context_switch_row *rows = make_rows(count, of_run, first_id);
	struct twin twin = { .directory = unit_path(""),
			     .table = &tables[RECORD_context_switch],
			     .page_bytes = page,
			     .has_id = true,
			     .indexed = indexed,
			     .run_rows = of_run,
			     .has_cpus = has_cpus(of_run),
			     .rows = (const char *)rows,
			     .count = count };

	if (!twin_run(&twin))
		fail_msg("page size %zu, runs of %zu: %s", page, of_run, twin.text);
	assert_int_equal(twin.left, 0);
	assert_int_equal(twin.runs, is_loaded ? runs : 0);
	free(rows);
}

/* ts_ns, prev_thread_id */
#define BY_TIME_AND_THREAD (1u << 1 | 1u << 4)

UNIT_TEST(runs)
{
	static const size_t lengths[] = { 1, 2, 17, 128 };

	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++)
		for (size_t page = 512; page <= 65536; page *= 8)
			run_rows(page, lengths[i], 1, BY_TIME_AND_THREAD, true);
	/* Row ids of each length, which change within a run. */
	for (int bits = 7; bits < 63; bits += 7)
		run_rows(4096, 100, (INT64_C(1) << bits) - 50, 0, true);
}

/* An index over another column: each row is for bulk_add(). */
UNIT_TEST(runs_left)
{
	run_rows(4096, 100, 1, 1u << 8, false);
}

/* --- counting --- */

static struct bulk_key key(int64_t value, int64_t rowid)
{
	return (struct bulk_key){ key_value(value), rowid };
}

UNIT_TEST(counted)
{
	struct bulk_counted counted = { 0 };
	struct bulk_key keys[4] = { key(7, 10), key(0, 11), key(7, 12), key(5, 13) };
	struct bulk_key taken[3], more = key(5, 14);
	static const int64_t expected[][2] = {
		{ 0, 11 }, { 5, 13 }, { 5, 14 }, { 7, 10 }, { 7, 12 }
	};
	size_t done = 0, count;

	assert_true(counted_add(&counted, keys, 4));
	assert_true(counted_add(&counted, &more, 1));
	assert_int_equal(counted_block(&counted, 1, taken), 1);
	assert_int_equal(taken[0].rowid, 14);
	assert_int_equal(key_number(&taken[0]), 5);
	assert_true(counted_order(&counted));
	while ((count = counted_next(&counted, taken, 3)) > 0)
		for (size_t i = 0; i < count; i++, done++) {
			assert_int_equal(key_number(&taken[i]), expected[done][0]);
			assert_int_equal(taken[i].rowid, expected[done][1]);
		}
	assert_int_equal(done, 5);
	counted_release(&counted);
}

/* Values that are too large, or negative, and row ids with a gap. */
UNIT_TEST(not_counted)
{
	struct bulk_counted counted = { 0 };
	struct bulk_key none[] = { key(INT64_MIN, 1) }, negative[] = { key(-1, 1) },
			large[] = { key(1 << 22, 1) }, gap[] = { key(1, 1), key(1, 3) },
			good[] = { key((1 << 22) - 1, 1), key(3, 2) },
			later[] = { key(1, 4) };

	assert_false(counted_add(&counted, none, 1));
	assert_false(counted_add(&counted, negative, 1));
	assert_false(counted_add(&counted, large, 1));
	assert_false(counted_add(&counted, gap, 2));
	assert_int_equal(counted.count, 0);
	assert_true(counted_add(&counted, good, 2));
	assert_false(counted_add(&counted, later, 1));
	assert_int_equal(counted.count, 2);
	counted_release(&counted);
}

/* Counting begins, and goes over to sorting: a gap of ids, NULL, no memory. */
UNIT_TEST(counted_then_sorted)
{
	const size_t count = 40000;

	for (int way = 0; way < 4; way++) {
		struct context_switch_row *rows = make_rows(count, count, 1);
		struct twin twin = { .directory = unit_path(""),
				     .table = &tables[RECORD_context_switch],
				     .page_bytes = 4096,
				     .has_id = true,
				     .indexed = 1u << 4,
				     .rows = (const char *)rows,
				     .count = count };

		for (size_t i = 35000; i < count && way == 1; i++)
			rows[i].switch_id += 10;
		if (way == 2)
			rows[36000].prev_thread_id = INT_NONE;
		twin.memory_bytes = way == 3 ? 64 << 10 : 0;
		if (!twin_run(&twin))
			fail_msg("way %d: %s", way, twin.text);
		assert_int_equal(twin.left, 0);
		assert_true((way == 3) == (twin.spilled > 0));
		free(rows);
	}
}
