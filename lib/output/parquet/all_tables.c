/* all_tables.c - writes every table of a trace as it is; see all_tables.h. */
#include "output/parquet/all_tables.h"

#include "base/text.h"
#include "output/parquet/table.h"

struct trace_table {
	const struct table *table;
	struct parquet_column *columns;
	struct parquet_table file;
	struct folders_file begun;
	struct trace_table *next;
};

static struct parquet_column *columns_of(struct all_tables *all,
					 const struct table *table, size_t slots)
{
	static const enum parquet_type types[] = {
		[FIELD_INT] = PARQUET_INT,    [FIELD_VALUE] = PARQUET_INT,
		[FIELD_REAL] = PARQUET_REAL,  [FIELD_TEXT] = PARQUET_TEXT,
		[FIELD_BLOB] = PARQUET_BYTES,
	};
	struct parquet_column *columns =
		arena_alloc(&all->arena, (table->field_count + slots) * sizeof(*columns));
	char *name;

	for (size_t i = 0; columns && i < table->field_count; i++)
		columns[i] = (struct parquet_column){
			.name = table->fields[i].name,
			.type = types[table->fields[i].kind],
			.optional = table->fields[i].kind != FIELD_VALUE,
		};
	for (size_t i = 0; columns && i < slots; i++) {
		name = arena_alloc(&all->arena, 16);
		if (!name)
			return NULL;
		text_print(name, 16, "delta_%zu", i);
		columns[table->field_count + i] = (struct parquet_column){
			.name = name, .type = PARQUET_INT, .optional = true
		};
	}
	return columns;
}

static struct trace_table *find_table(struct all_tables *all, const struct record *record)
{
	struct error *error = all->folders->error;
	const struct table *table = record_table(record);
	bool is_switch = record->kind == RECORD_context_switch;
	size_t slots = is_switch ? record->slots : 0;
	struct trace_table *whole = all->first;

	while (whole && (whole->table != table ||
			 whole->file.file.column_count != table->field_count + slots))
		whole = whole->next;
	if (whole)
		return whole;
	whole = arena_alloc(&all->arena, sizeof(*whole));
	if (!whole || !(whole->columns = columns_of(all, table, slots))) {
		error_nomem(error);
		return NULL;
	}
	whole->table = table;
	whole->begun.fd = -1;
	whole->next = all->first;
	all->first = whole;
	if (folders_begin(all->folders, &whole->begun) != ST_OK ||
	    parquet_table_begin(&whole->file, whole->begun.fd, table->name,
				whole->columns, table->field_count + slots, all->maker,
				error) != ST_OK)
		return NULL;
	/* Many tables fill at the same time: half the memory for each. */
	whole->file.rows_max = (whole->file.rows_max + 1) / 2;
	return whole;
}

static bool set_field(struct parquet_table *file, size_t column, enum field_kind kind,
		      const char *at)
{
	struct str text;
	int64_t number;
	double real;

	if (field_is_text(kind)) {
		memcpy(&text, at, sizeof(text));
		return parquet_set_text(file, column, text);
	}
	memcpy(&number, at, sizeof(number));
	memcpy(&real, at, sizeof(real));
	if (kind == FIELD_REAL)
		parquet_set_real(file, column, real);
	else if (kind == FIELD_VALUE)
		parquet_set_int(file, column, number);
	else
		parquet_set_number(file, column, number);
	return true;
}

enum status all_tables_put(struct all_tables *all, const struct record *record)
{
	struct trace_table *whole = find_table(all, record);
	const char *row = record->data;
	enum status status =
		whole ? parquet_table_add_row(&whole->file) : all->folders->error->status;

	for (size_t i = 0; status == ST_OK && i < whole->table->field_count; i++) {
		const struct field *field = &whole->table->fields[i];
		const char *at = row + field->offset;

		if (!set_field(&whole->file, i, field->kind, at))
			status = error_nomem(all->folders->error);
	}
	for (size_t i = 0; status == ST_OK && record->kind == RECORD_context_switch &&
			   i < record->slots;
	     i++)
		parquet_set_int(&whole->file, whole->table->field_count + i,
				record->deltas[i]);
	return status;
}

/* The list begins with the newest table; those of a name get numbers. */
enum status all_tables_finish(struct all_tables *all, const struct parquet_key *keys,
			      size_t count)
{
	enum status status = ST_OK;

	for (struct trace_table *w = all->first; w && status == ST_OK; w = w->next) {
		size_t number = 0;

		for (const struct trace_table *o = w->next; o; o = o->next)
			number += strcmp(o->table->name, w->table->name) == 0;
		status = parquet_table_finish(&w->file, keys, count);
		if (status == ST_OK)
			status = folders_finish(all->folders, &w->begun, w->table->name,
						NULL, number);
	}
	return status;
}

void all_tables_release(struct all_tables *all)
{
	for (struct trace_table *w = all->first; w; w = w->next) {
		parquet_table_release(&w->file);
		folders_close(&w->begun);
	}
	all->first = NULL;
	arena_release(&all->arena);
}
