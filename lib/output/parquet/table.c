/* table.c - collects rows by column and makes row groups of them; see table.h. */
#include "output/parquet/table.h"

#include <stdlib.h>

#include "base/memory.h"
#include "model/record.h"

#define FIRST_ROWS 64

static bool is_text(enum parquet_type type)
{
	return type == PARQUET_TEXT || type == PARQUET_BYTES;
}

enum status parquet_table_begin(struct parquet_table *table, int fd, const char *path,
				const struct parquet_column *columns, size_t count,
				struct parquet_maker *maker, struct error *error)
{
	size_t rows = PARQUET_TABLE_BYTES / (count * (sizeof(int64_t) + 1));

	*table = (struct parquet_table){
		.file = { .fd = fd,
			  .path = path,
			  .columns = columns,
			  .column_count = count,
			  .error = error },
		.maker = maker,
		.rows_max = rows < PARQUET_GROUP_ROWS ? rows : PARQUET_GROUP_ROWS,
		.cells = memory_alloc_zeroed(count, sizeof(*table->cells)),
	};
	return table->cells ? parquet_file_begin(&table->file) : error_nomem(error);
}

/* --- row groups --- */

static enum status flush(struct parquet_table *table)
{
	struct parquet_file *file = &table->file;
	struct parquet_group *group;
	bool made = true;

	if (table->rows == 0)
		return ST_OK;
	group = parquet_file_add_group(file, table->rows);
	for (size_t i = 0; group && made && i < file->column_count; i++) {
		struct parquet_cells *cells = &table->cells[i];
		const struct parquet_values values = {
			.rows = table->rows,
			.is_null = file->columns[i].optional ? cells->is_null : NULL,
			.numbers = cells->numbers,
			.texts = cells->texts,
			.dictionary = cells->dictionary.texts,
			.dictionary_size = cells->dictionary.count,
		};

		made = parquet_file_put_chunk(file, group, i, table->maker, &values);
		dictionary_clear(&cells->dictionary);
	}
	table->rows = 0;
	table->texts_are_full = false;
	return group && made ? parquet_file_flush(file) : error_nomem(file->error);
}

static bool grow(struct parquet_cells *cells, enum parquet_type type, size_t room)
{
	uint8_t *is_null = memory_resize(cells->is_null, room);
	void *values =
		is_text(type)
			? memory_resize(cells->texts, room * sizeof(cells->texts[0]))
			: memory_resize(cells->numbers, room * sizeof(cells->numbers[0]));

	cells->is_null = is_null ? is_null : cells->is_null;
	if (is_text(type))
		cells->texts = values ? values : cells->texts;
	else
		cells->numbers = values ? values : cells->numbers;
	return is_null && values;
}

enum status parquet_table_add_row(struct parquet_table *table)
{
	struct parquet_file *file = &table->file;
	size_t room = table->room ? 2 * table->room : FIRST_ROWS;
	enum status status = ST_OK;

	if (table->rows == table->rows_max || table->texts_are_full)
		status = flush(table);
	if (table->rows == table->room) {
		room = room < table->rows_max ? room : table->rows_max;
		for (size_t i = 0; i < file->column_count; i++)
			if (!grow(&table->cells[i], file->columns[i].type, room))
				return error_nomem(file->error);
		table->room = room;
	}
	table->rows++;
	return status;
}

/* --- cells --- */

void parquet_set_int(struct parquet_table *table, size_t column, int64_t value)
{
	struct parquet_cells *cells = &table->cells[column];

	cells->numbers[table->rows - 1] = value;
	cells->is_null[table->rows - 1] = 0;
}

void parquet_set_real(struct parquet_table *table, size_t column, double value)
{
	int64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	parquet_set_int(table, column, bits);
	table->cells[column].is_null[table->rows - 1] = value != value;
}

void parquet_set_null(struct parquet_table *table, size_t column)
{
	struct parquet_cells *cells = &table->cells[column];

	if (is_text(table->file.columns[column].type))
		cells->texts[table->rows - 1] = 0;
	else
		cells->numbers[table->rows - 1] = 0;
	cells->is_null[table->rows - 1] = 1;
}

bool parquet_set_text(struct parquet_table *table, size_t column, struct str text)
{
	struct parquet_cells *cells = &table->cells[column];
	bool is_utf8 = table->file.columns[column].type == PARQUET_TEXT;
	uint32_t number;

	if (!text.ptr) {
		parquet_set_null(table, column);
		return true;
	}
	number = dictionary_number(&cells->dictionary, text, is_utf8);
	table->texts_are_full |= cells->dictionary.bytes > PARQUET_TABLE_BYTES;
	cells->texts[table->rows - 1] = number;
	cells->is_null[table->rows - 1] = 0;
	return number != DICTIONARY_NONE;
}

void parquet_set_number(struct parquet_table *table, size_t column, int64_t value)
{
	if (value == INT_NONE)
		parquet_set_null(table, column);
	else
		parquet_set_int(table, column, value);
}

/* --- finishing --- */

enum status parquet_table_finish(struct parquet_table *table,
				 const struct parquet_key *keys, size_t count)
{
	enum status status = flush(table);

	return status == ST_OK ? parquet_file_finish(&table->file, keys, count) : status;
}

void parquet_table_release(struct parquet_table *table)
{
	for (size_t i = 0; table->cells && i < table->file.column_count; i++) {
		struct parquet_cells *cells = &table->cells[i];

		dictionary_clear(&cells->dictionary);
		free(cells->numbers);
		free(cells->texts);
		free(cells->is_null);
	}
	free(table->cells);
	table->cells = NULL;
	parquet_file_release(&table->file);
}
