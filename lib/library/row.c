/* row.c - the columns of the row at hand. */
#include <stdlib.h>

#include "base/text.h"
#include "library/handle.h"

const char *perftab_table(const struct perftab *trace)
{
	return trace && trace->row.table ? trace->row.table->name : NULL;
}

int perftab_columns(const struct perftab *trace)
{
	if (!trace || !trace->row.table)
		return 0;
	return (int)(trace->row.table->field_count + trace->row.slots);
}

/* delta_0, delta_1, ...: made when they are first asked for. */
static const char *delta_name(struct perftab *trace, size_t slot)
{
	if (slot >= trace->delta_count) {
		size_t count = trace->row.slots;
		const char **names = realloc(trace->delta_names, count * sizeof(*names));

		if (!names)
			return NULL;
		trace->delta_names = names;
		for (; trace->delta_count < count; trace->delta_count++) {
			char name[DELTA_NAME_BYTES];
			struct str kept;

			text_print(name, sizeof(name), "delta_%zu", trace->delta_count);
			kept = arena_str(&trace->arena, str_of(name));
			if (!kept.ptr)
				return NULL;
			names[trace->delta_count] = kept.ptr;
		}
	}
	return trace->delta_names[slot];
}

const char *perftab_column_name(const struct perftab *trace, int column)
{
	const struct table *table = trace ? trace->row.table : NULL;
	size_t index = (size_t)column;

	if (column < 0 || column >= perftab_columns(trace))
		return NULL;
	if (index < table->field_count)
		return table->fields[index].name;
	/* Names do not change the trace. */
	return delta_name((struct perftab *)(uintptr_t)trace, index - table->field_count);
}

int perftab_find(const struct perftab *trace, const char *name)
{
	for (int i = 0; name && i < perftab_columns(trace); i++) {
		const char *column = perftab_column_name(trace, i);

		if (column && strcmp(column, name) == 0)
			return i;
	}
	return -1;
}

/* --- values --- */

struct value {
	enum perftab_type type;
	int64_t integer;
	double real;
	struct str text;
};

static struct value integer_value(int64_t number, bool is_value)
{
	if (number == INT_NONE && !is_value)
		return (struct value){ .type = PERFTAB_NULL };
	return (struct value){ .type = PERFTAB_INTEGER, .integer = number };
}

static struct value field_value(const char *row, const struct field *field)
{
	struct value value = { .type = PERFTAB_NULL };
	int64_t number;

	if (field_is_text(field->kind)) {
		memcpy(&value.text, row + field->offset, sizeof(value.text));
		if (value.text.ptr)
			value.type =
				field->kind == FIELD_TEXT ? PERFTAB_TEXT : PERFTAB_BLOB;
		return value;
	}
	if (field->kind == FIELD_REAL) {
		memcpy(&value.real, row + field->offset, sizeof(value.real));
		if (value.real == value.real) /* a number */
			value.type = PERFTAB_REAL;
		return value;
	}
	memcpy(&number, row + field->offset, sizeof(number));
	return integer_value(number, field->kind == FIELD_VALUE);
}

static struct value value_of(const struct perftab *trace, int column)
{
	const struct feed_row *row;
	size_t index = (size_t)column;

	if (column < 0 || column >= perftab_columns(trace))
		return (struct value){ .type = PERFTAB_NULL };
	row = &trace->row;
	if (index < row->table->field_count)
		return field_value(row->data, &row->table->fields[index]);
	return integer_value(row->deltas[index - row->table->field_count], true);
}

enum perftab_type perftab_type(const struct perftab *trace, int column)
{
	return value_of(trace, column).type;
}

int64_t perftab_int(const struct perftab *trace, int column)
{
	struct value value = value_of(trace, column);

	return value.type == PERFTAB_INTEGER ? value.integer : 0;
}

double perftab_real(const struct perftab *trace, int column)
{
	struct value value = value_of(trace, column);

	return value.type == PERFTAB_REAL ? value.real : 0;
}

const char *perftab_text(const struct perftab *trace, int column, size_t *length)
{
	struct value value = value_of(trace, column);
	bool is_text = value.type == PERFTAB_TEXT || value.type == PERFTAB_BLOB;

	if (length)
		*length = is_text ? value.text.len : 0;
	return is_text ? value.text.ptr : NULL;
}
