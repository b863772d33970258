/* test_emit.c - lib/model/emit.h: first in, first out, and who owns what for how long. */
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "model/emit.h"
#include "unit.h"

/* --- helpers --- */

static void push_fact(struct emit *emit, uint64_t offset, const char *value)
{
	const struct header_fact_row row = { .key = STR("key"),
					     .value = emit_text(emit, str_of(value)) };

	emit_push_row(emit, RECORD_header_fact, offset, &row);
}

static struct record pop(struct emit *emit)
{
	struct error error = { .status = ST_OK };
	struct record record;

	assert_int_equal(emit_pop(emit, &record, &error), ST_OK);
	return record;
}

static void assert_empty(struct emit *emit)
{
	struct error error = { .status = ST_OK };
	struct record record;

	assert_false(emit_is_waiting(emit));
	assert_int_equal(emit_pop(emit, &record, &error), ST_END);
	assert_int_equal(error.status, ST_OK);
}

/* --- tests --- */

UNIT_TEST(empty)
{
	struct emit emit = { .records = NULL };

	assert_empty(&emit);
	assert_empty(&emit);
	emit_release(&emit);
	assert_empty(&emit);
	emit_release(&emit);
}

/* Copies, references and texts of one input record, in the order of the pushes. */
UNIT_TEST(order)
{
	static const struct task_exit_event event = { .tid = 7 };
	const struct field fields[] = { { "n", FIELD_INT, 0 } };
	const struct table own = { "own", fields, 1, sizeof(int64_t) };
	struct loss_event loss = { .events = 3 };
	struct emit emit = { .records = NULL };
	struct record record;
	int64_t number = 11;
	char text[] = "before";

	push_fact(&emit, 1, text);
	emit_push(&emit, &(struct record){
				 .kind = RECORD_TASK_EXIT, .offset = 2, .data = &event });
	emit_push_event(&emit, RECORD_LOSS, 3, &loss, sizeof(loss));
	emit_push_own_row(&emit, &own, 4, &number);
	/* What was copied is not what is changed now. */
	strcpy(text, "after.");
	loss.events = 4;
	number = 12;
	assert_true(emit_is_waiting(&emit));

	record = pop(&emit);
	assert_int_equal(record.kind, RECORD_header_fact);
	assert_int_equal(record.offset, 1);
	ASSERT_STR(RECORD_DATA(&record, header_fact)->value, "before");
	record = pop(&emit);
	assert_int_equal(record.kind, RECORD_TASK_EXIT);
	assert_ptr_equal(record.data, &event);
	record = pop(&emit);
	assert_int_equal(record.kind, RECORD_LOSS);
	assert_int_equal(((const struct loss_event *)record.data)->events, 3);
	record = pop(&emit);
	assert_int_equal(record.kind, RECORD_OWN_TABLE);
	assert_ptr_equal(record.table, &own);
	assert_int_equal(*(const int64_t *)record.data, 11);
	assert_int_equal(record.offset, 4);
	assert_empty(&emit);
	emit_release(&emit);
}

/* More can be pushed while some wait; what went out first stays as long as the rest. */
UNIT_TEST(between)
{
	struct emit emit = { .records = NULL };
	struct record first, second;

	push_fact(&emit, 1, "one");
	push_fact(&emit, 2, "two");
	first = pop(&emit);
	push_fact(&emit, 3, "three");
	second = pop(&emit);
	ASSERT_STR(RECORD_DATA(&first, header_fact)->value, "one");
	ASSERT_STR(RECORD_DATA(&second, header_fact)->value, "two");
	second = pop(&emit);
	ASSERT_STR(RECORD_DATA(&first, header_fact)->value, "one");
	ASSERT_STR(RECORD_DATA(&second, header_fact)->value, "three");
	assert_empty(&emit);
	/* The queue is empty, the last one still there: next() has not been called. */
	ASSERT_STR(RECORD_DATA(&second, header_fact)->value, "three");
	emit_release(&emit);
}

/* Sizes around the blocks'; every copy is aligned, and none lies in another. */
UNIT_TEST(sizes)
{
	static const size_t sizes[] = { 1,     7,	16,	 1000,	  16368, 16384,
					16385, 32768,	1,	 100000,  3,	 1 << 20,
					5,     3 << 20, 1 << 20, 1 << 20, 24 };
	struct emit emit = { .records = NULL };
	char *bytes = malloc(3 << 20);

	assert_non_null(bytes);
	for (size_t i = 0; i < COUNT(sizes); i++) {
		memset(bytes, (int)i + 1, sizes[i]);
		emit_push_event(&emit, RECORD_LOSS, i, bytes, sizes[i]);
	}
	for (size_t i = 0; i < COUNT(sizes); i++) {
		struct record record = pop(&emit);
		const unsigned char *at = record.data;

		assert_int_equal(record.offset, i);
		assert_int_equal((uintptr_t)at % alignof(max_align_t), 0);
		for (size_t k = 0; k < sizes[i]; k++)
			assert_int_equal(at[k], i + 1);
	}
	assert_empty(&emit);
	free(bytes);
	emit_release(&emit);
}

UNIT_TEST(texts)
{
	struct emit emit = { .records = NULL };
	struct str copy;

	assert_null(emit_text(&emit, STR_NONE).ptr);
	copy = emit_text(&emit, STR(""));
	assert_non_null(copy.ptr);
	assert_int_equal(copy.len, 0);
	copy = emit_text(&emit, (struct str){ "a\0b", 3 });
	assert_memory_equal(copy.ptr, "a\0b", 3);
	assert_empty(&emit);
	emit_release(&emit);
}

/* A long run, and one record that gives very many rows, leak no memory. */
UNIT_TEST(memory)
{
	struct emit emit = { .records = NULL };
	size_t usual;

	for (int i = 0; i < 100000; i++) {
		push_fact(&emit, 0, "text of a fact, not a short one");
		push_fact(&emit, 0, "another");
		(void)pop(&emit);
		(void)pop(&emit);
	}
	usual = emit.bytes;
	assert_in_range(usual, 1, 32768);
	for (int i = 0; i < 200000; i++)
		push_fact(&emit, (uint64_t)i, "text");
	assert_true(emit.bytes > 200000 * sizeof(struct header_fact_row));
	for (uint64_t i = 0; i < 200000; i++)
		assert_int_equal(pop(&emit).offset, i);
	assert_empty(&emit);
	push_fact(&emit, 0, "text");
	assert_in_range(emit.bytes, 1, usual);
	emit_release(&emit);
	assert_int_equal(emit.bytes, 0);
}

static void assert_failed(struct emit *emit, enum status expected, const char *words)
{
	struct record record;

	for (int i = 0; i < 2; i++) {
		struct error error = { .status = ST_OK };

		assert_true(emit_is_waiting(emit));
		assert_int_equal(emit_pop(emit, &record, &error), expected);
		assert_int_equal(error.status, expected);
		HAS(error.text, words);
	}
}

/* More than may wait: reported instead of what waits, whatever is pushed then. */
UNIT_TEST(limit)
{
	struct emit emit = { .records = NULL };
	char byte = 0;

	push_fact(&emit, 0, "text");
	emit_push_event(&emit, RECORD_LOSS, 0, &byte, EMIT_BYTES_MAX + 1);
	assert_failed(&emit, ST_LIMIT, "one record gives more than 512 MiB of rows");
	push_fact(&emit, 0, "text");
	assert_failed(&emit, ST_LIMIT, "512 MiB");
	emit_release(&emit);
	assert_empty(&emit);
}

UNIT_TEST(sum_limit)
{
	const size_t size = (size_t)64 << 20;
	struct emit emit = { .records = NULL };
	char *bytes = calloc(1, size);

	assert_non_null(bytes);
	for (int i = 0; i < 7; i++)
		emit_push_event(&emit, RECORD_LOSS, 0, bytes, size);
	assert_int_equal(emit.failed, ST_OK);
	emit_push_event(&emit, RECORD_LOSS, 0, bytes, size);
	assert_failed(&emit, ST_LIMIT, "512 MiB");
	emit_release(&emit);
	free(bytes);
}
