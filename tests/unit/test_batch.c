/* test_batch.c - lib/output/sqlite/batch.h: rows and their texts outlive the record. */
#include "output/sqlite/batch.h"

#include <stdlib.h>
#include <string.h>

#include "model/run.h"
#include "unit.h"

UNIT_TEST(texts_are_kept)
{
	struct batch batch;
	char key[] = "key", value[] = "value";
	struct header_fact_row row = { 1, { key, 3 }, { value, 5 } };
	const struct header_fact_row *kept;

	assert_true(batch_init(&batch, &tables[RECORD_header_fact], 0, BATCH_ROWS));
	assert_true(batch_add(&batch, &(struct record){ .kind = RECORD_header_fact,
							.data = &row }));
	row.value = STR_NONE;
	row.key = STR("");
	assert_true(batch_add(&batch, &(struct record){ .kind = RECORD_header_fact,
							.data = &row }));
	memset(key, 'x', sizeof(key));
	memset(value, 'x', sizeof(value));
	row.trace_id = 99;
	assert_int_equal(batch.count, 2);
	kept = (const void *)batch_row(&batch, 0);
	assert_int_equal(kept->trace_id, 1);
	ASSERT_STR(kept->key, "key");
	ASSERT_STR(kept->value, "value");
	kept = (const void *)batch_row(&batch, 1);
	ASSERT_STR(kept->key, "");
	ASSERT_STR(kept->value, NULL);
	batch_release(&batch);
}

/* Deltas follow their row. */
UNIT_TEST(deltas)
{
	struct batch batch;
	struct context_switch_row row = { .switch_id = 7 };
	int64_t deltas[3] = { 1, INT64_MIN, 3 };
	int64_t kept[3];

	assert_true(batch_init(&batch, &tables[RECORD_context_switch], 3, BATCH_ROWS));
	for (int i = 0; i < 2; i++) {
		deltas[0] = i;
		assert_true(
			batch_add(&batch, &(struct record){ .kind = RECORD_context_switch,
							    .data = &row,
							    .deltas = deltas,
							    .slots = 3 }));
	}
	deltas[0] = 99;
	for (size_t i = 0; i < 2; i++) {
		memcpy(kept, batch_row(&batch, i) + sizeof(row), sizeof(kept));
		assert_int_equal(kept[0], i);
		assert_int_equal(kept[1], INT64_MIN);
		assert_int_equal(kept[2], 3);
	}
	batch_release(&batch);
}

/* A part of a run, as columns: each row has its own numbers. */
UNIT_TEST(parts_of_runs)
{
	static struct run run;
	const struct run_rows rows = {
		.run = &run, .from = 3, .to = 7, .first_id = 50, .group_id = 9
	};
	struct batch batch;

	run = (struct run){ .common = { .cpu = 4, .count = 2 }, .count = 10 };
	for (size_t at = 1; at <= run.count; at++) {
		run.ts_ns[at] = (int64_t)at * 100;
		run.prev_thread_id[at] = (int64_t)at;
		run.next_thread_id[at] = (int64_t)at + 1;
		run.on_cpu_ns[at] = (int64_t)at * 7;
		run.deltas[2 * at] = (int64_t)at * 1000;
		run.deltas[2 * at + 1] = -(int64_t)at;
	}
	assert_true(batch_init(&batch, &tables[RECORD_context_switch], 2, BATCH_ROWS));
	assert_true(batch_add_columns(&batch, &rows, true));
	assert_int_equal(batch.run_count, 1);
	assert_int_equal(batch.runs[0].count, 4);
	memset(&run, 0, sizeof(run));
	for (size_t i = 0; i < 4; i++) {
		const int64_t at = (int64_t)i + 3;
		struct context_switch_row row;
		int64_t deltas[2];
		char bytes[sizeof(row) + sizeof(deltas)];

		batch_run_row(&batch, &batch.runs[0], i, bytes);
		memcpy(&row, bytes, sizeof(row));
		memcpy(deltas, bytes + sizeof(row), sizeof(deltas));
		assert_int_equal(row.switch_id, 50 + (int64_t)i);
		assert_int_equal(row.ts_ns, at * 100);
		assert_int_equal(row.cpu, 4);
		assert_int_equal(row.group_id, 9);
		assert_int_equal(row.prev_thread_id, at);
		assert_int_equal(row.next_thread_id, at + 1);
		assert_int_equal(row.on_cpu_ns, at * 7);
		assert_int_equal(row.running_ns, INT_NONE);
		assert_int_equal(row.detail_id, INT_NONE);
		assert_int_equal(deltas[0], at * 1000);
		assert_int_equal(deltas[1], -at);
	}
	batch_release(&batch);
}

UNIT_TEST(full_by_rows)
{
	struct batch batch;
	const struct exit_row row = { 1, 2, 3 };

	assert_true(batch_init(&batch, &tables[RECORD_exit], 0, BATCH_ROWS));
	for (int round = 0; round < 2; round++) {
		for (size_t i = 0; i < BATCH_ROWS; i++) {
			assert_false(batch_is_full(&batch));
			assert_true(
				batch_add(&batch, &(struct record){ .kind = RECORD_exit,
								    .data = &row }));
		}
		assert_true(batch_is_full(&batch));
		batch_clear(&batch);
		assert_int_equal(batch.count, 0);
	}
	batch_release(&batch);
}

/* Long texts fill a batch as well, and clearing forgets them. */
UNIT_TEST(full_by_texts)
{
	struct batch batch;
	size_t size = BATCH_TEXT_BYTES / 4;
	char *text = malloc(size);
	const struct header_fact_row row = { 1, STR("k"), { text, size } };
	const struct record record = { .kind = RECORD_header_fact, .data = &row };
	int added = 0;

	memset(text, 't', size);
	assert_true(batch_init(&batch, &tables[RECORD_header_fact], 0, BATCH_ROWS));
	while (!batch_is_full(&batch) && added < 100) {
		assert_true(batch_add(&batch, &record));
		added++;
	}
	assert_int_equal(added, 4);
	batch_clear(&batch);
	assert_false(batch_is_full(&batch));
	assert_int_equal(batch.text_bytes, 0);
	batch_release(&batch);
	batch_release(&batch);
	free(text);
}
