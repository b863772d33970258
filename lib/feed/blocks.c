/* blocks.c - rows with their texts and deltas, one after the other in a block. */
#include "feed/blocks.h"

#include "base/memory.h"

/* In front of each row. */
struct held {
	const struct table *table;
	size_t size; /* of all, this included */
	size_t slots;
};

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

	return sizeof(struct held) + aligned(table->row_size) + slots * sizeof(int64_t) +
	       (has_texts ? aligned(size_of_texts(table, record->data)) : 0);
}

bool feed_block_add(struct feed_block *block, const struct record *record, size_t size,
		    bool has_texts)
{
	const struct table *table = record_table(record);
	size_t slots = record->deltas ? record->slots : 0;
	struct held *held;
	char *row;

	if (!make_room(block, size))
		return false;
	held = (struct held *)(void *)(block->bytes + block->used);
	*held = (struct held){ table, size, slots };
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

bool feed_block_next(const struct feed_block *block, size_t *at, struct feed_row *row)
{
	const struct held *held;

	if (*at >= block->used)
		return false;
	held = (const struct held *)(const void *)(block->bytes + *at);
	*row = (struct feed_row){ .table = held->table,
				  .data = (const char *)(held + 1) };
	row->slots = held->slots;
	if (held->slots)
		row->deltas =
			(const int64_t *)(const void *)(row->data +
							aligned(held->table->row_size));
	*at += held->size;
	return true;
}
