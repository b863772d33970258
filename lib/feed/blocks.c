/* blocks.c - rows with their texts and deltas, one after the other in a block. */
#include "feed/blocks.h"

#include "base/memory.h"
#include "base/unroll.h"

#define ALIGNMENT sizeof(int64_t)

static size_t aligned(size_t size)
{
	return (size + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
}

static struct str text_at(const char *row, const struct field *field)
{
	struct str text;

	memcpy(&text, row + field->offset, sizeof(text));
	return text;
}

static size_t size_of_texts(const struct table *table, const char *row)
{
	size_t size = 0;

	for (size_t i = 0; i < table->field_count; i++)
		if (field_is_text(table->fields[i].kind))
			size += text_at(row, &table->fields[i]).len + 1;
	return size;
}

/* Copies the texts to `to`, and has the row refer to them. */
static void copy_texts(const struct table *table, char *row, char *to)
{
	for (size_t i = 0; i < table->field_count; i++) {
		struct str text;

		if (!field_is_text(table->fields[i].kind))
			continue;
		text = text_at(row, &table->fields[i]);
		if (!text.ptr)
			continue;
		memcpy(to, text.ptr, text.len);
		to[text.len] = '\0';
		text.ptr = to;
		to += text.len + 1;
		memcpy(row + table->fields[i].offset, &text, sizeof(text));
	}
}

static bool make_room(struct feed_block *block, size_t size)
{
	size_t room = size > FEED_BLOCK_BYTES ? size : FEED_BLOCK_BYTES;
	char *bytes;

	if (block->room - block->used >= size)
		return true;
	if (block->used) /* only an empty block may move */
		return false;
	bytes = memory_resize(block->bytes, room);
	if (!bytes)
		return false;
	block->bytes = bytes;
	block->room = room;
	return true;
}

size_t feed_block_row_size(const struct record *record, bool has_texts)
{
	const struct table *table = record_table(record);
	size_t slots = record->deltas ? record->slots : 0;

	return sizeof(struct feed_held) + aligned(table->row_size) +
	       slots * sizeof(int64_t) +
	       (has_texts ? aligned(size_of_texts(table, record->data)) : 0);
}

bool feed_block_add(struct feed_block *block, const struct record *record, size_t size,
		    bool has_texts)
{
	const struct table *table = record_table(record);
	size_t slots = record->deltas ? record->slots : 0;
	struct feed_held *held;
	char *row;

	if (!make_room(block, size))
		return false;
	held = (struct feed_held *)(void *)(block->bytes + block->used);
	*held = (struct feed_held){ table, (uint32_t)size,
				    (uint32_t)aligned(table->row_size), slots };
	row = (char *)(held + 1);
	memcpy(row, record->data, table->row_size);
	if (slots)
		memcpy(row + aligned(table->row_size), record->deltas,
		       slots * sizeof(int64_t));
	if (has_texts)
		copy_texts(table, row,
			   row + aligned(table->row_size) + slots * sizeof(int64_t));
	block->used += size;
	block->rows++;
	return true;
}

/* A call of memcpy() would cost as much again. */
static inline void copy_few(int64_t *to, const int64_t *from, size_t count)
{
	UNROLLED
	for (size_t i = 0; i < count; i++)
		to[i] = from[i];
}

bool feed_block_add_run(struct feed_block *block, const struct run_rows *rows, size_t *at,
			int64_t from_ns, int64_t to_ns)
{
	const struct run *run = rows->run;
	const struct table *table = &tables[RECORD_context_switch];
	size_t slots = run->common.count;
	const struct feed_held head = {
		table,
		(uint32_t)(sizeof(head) + sizeof(struct context_switch_row) +
			   slots * sizeof(int64_t)),
		sizeof(struct context_switch_row),
		slots,
	};

	if (!block->used && !make_room(block, head.size))
		return false;
	for (; *at < rows->to; ++*at) {
		struct feed_held *held;
		struct context_switch_row *row;

		if (run->ts_ns[*at] < from_ns || run->ts_ns[*at] > to_ns)
			continue;
		if (block->room - block->used < head.size)
			break;
		held = (struct feed_held *)(void *)(block->bytes + block->used);
		row = (struct context_switch_row *)(void *)(held + 1);
		*held = head;
		*row = run_rows_get(rows, *at);
		copy_few((int64_t *)(void *)(row + 1), run->deltas + *at * slots, slots);
		block->used += head.size;
		block->rows++;
	}
	return true;
}
