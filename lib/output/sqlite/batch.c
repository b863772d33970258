/* batch.c - collects rows of a table, with their texts, in memory. */
#include "output/sqlite/batch.h"

#include <stdlib.h>

static void find_texts(struct batch *batch)
{
	const struct table *table = batch->table;

	for (size_t i = 0; i < table->field_count; i++) {
		if (!field_is_text(table->fields[i].kind))
			continue;
		if (!batch->text_to)
			batch->text_from = i;
		batch->text_to = i + 1;
	}
}

bool batch_init(struct batch *batch, const struct table *table, size_t slots, size_t room)
{
	*batch = (struct batch){ .table = table, .slots = slots, .room = room };
	find_texts(batch);
	batch->row_bytes = table->row_size + slots * sizeof(int64_t);
	batch->rows = malloc(room * batch->row_bytes);
	if (table == &tables[RECORD_context_switch])
		batch->runs = malloc(BATCH_RUNS * sizeof(*batch->runs));
	if (batch->rows && (batch->runs || table != &tables[RECORD_context_switch]))
		return true;
	batch_release(batch);
	return false;
}

/* The row's texts are valid only as long as the record: they are copied. */
static __attribute__((noinline)) bool copy_texts(struct batch *batch, char *row)
{
	for (size_t i = batch->text_from; i < batch->text_to; i++) {
		const struct field *field = &batch->table->fields[i];
		struct str text;

		if (!field_is_text(field->kind))
			continue;
		memcpy(&text, row + field->offset, sizeof(text));
		if (!text.ptr)
			continue;
		batch->text_bytes += text.len;
		text = arena_str(&batch->texts, text);
		if (!text.ptr)
			return false;
		memcpy(row + field->offset, &text, sizeof(text));
	}
	return true;
}

bool batch_add_row(struct batch *batch, const struct record *record, char *row)
{
	memcpy(row, record->data, batch->table->row_size);
	return copy_texts(batch, row);
}

size_t batch_add_run(struct batch *batch, const struct run_rows *rows, size_t at)
{
	const int64_t *deltas = rows->run->deltas + at * batch->slots;
	char *to = batch->rows + batch->count * batch->row_bytes;

	for (; at < rows->to && !batch_is_full(batch); at++, batch->count++) {
		struct context_switch_row row = run_rows_get(rows, at);

		memcpy(to, &row, sizeof(row));
		to += sizeof(row);
		for (size_t i = 0; i < batch->slots; i++, to += sizeof(*deltas))
			memcpy(to, deltas++, sizeof(*deltas));
	}
	return at;
}

bool batch_add_columns(struct batch *batch, const struct run_rows *rows,
		       bool is_for_other)
{
	size_t count = rows->to - rows->from;
	size_t used = batch->count + batch->run_rows;

	if (batch->run_count == BATCH_RUNS || count > batch->room - used)
		return false;
	batch->run_rows += count;
	run_columns_keep(&batch->runs[batch->run_count++],
			 batch->rows + (batch->room - batch->run_rows) * batch->row_bytes,
			 is_for_other, rows);
	return true;
}

void batch_run_row(const struct batch *batch, const struct run_columns *run, size_t at,
		   char *row)
{
	const struct context_switch_row values = run_columns_row(run, at);

	memcpy(row, &values, sizeof(values));
	memcpy(row + sizeof(values), run->deltas + at * batch->slots,
	       batch->slots * sizeof(*run->deltas));
}

void batch_clear(struct batch *batch)
{
	batch->count = batch->run_count = batch->run_rows = 0;
	batch->text_bytes = 0;
	arena_release(&batch->texts);
}

void batch_release(struct batch *batch)
{
	batch_clear(batch);
	free(batch->rows);
	free(batch->runs);
	batch->rows = NULL;
	batch->runs = NULL;
}
