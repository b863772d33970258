/* record.c - the tables and statuses of record.h as data. */
#include "model/record.h"

#include <math.h>

#include "base/array.h"

#define TABLES "model/tables.def"
#define TABLES_AS_FIELDS
#include "model/tables_as.h"

const struct table tables[RECORD_TABLES] = {
#define TABLES "model/tables.def"
#define TABLES_AS_LIST(table)                                                     \
	[RECORD_##table] = { #table, table##_fields, ARRAY_COUNT(table##_fields), \
			     sizeof(struct table##_row) },
#include "model/tables_as.h"
};

const struct charge_status_words charge_status_words[CHARGE_STATUSES] = {
#define STATUS(enumerator, number, name, reason, words, finding) \
	[number] = { name, reason, words },
#include "model/statuses.def"
#undef STATUS
};

void row_clear(const struct table *table, void *row)
{
	const int64_t none = INT_NONE;
	const double nan = NAN;

	memset(row, 0, table->row_size);
	for (size_t i = 0; i < table->field_count; i++) {
		char *field = (char *)row + table->fields[i].offset;

		if (table->fields[i].kind == FIELD_INT)
			memcpy(field, &none, sizeof(none));
		else if (table->fields[i].kind == FIELD_REAL)
			memcpy(field, &nan, sizeof(nan));
	}
}

bool row_copy(struct arena *arena, const struct table *table, void *to, const void *row)
{
	memcpy(to, row, table->row_size);
	for (size_t i = 0; i < table->field_count; i++) {
		struct str *text =
			(struct str *)(void *)((char *)to + table->fields[i].offset);

		if (!field_is_text(table->fields[i].kind) || !text->ptr)
			continue;
		*text = arena_str(arena, *text);
		if (!text->ptr)
			return false;
	}
	return true;
}
