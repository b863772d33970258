/* rows.c - asks SQLite for the columns of a row. */
#include "formats/database/rows.h"

#include <math.h>
#include <string.h>

void db_rows_columns(sqlite3_str *sql, const struct table *table)
{
	for (size_t i = 0; i < table->field_count; i++)
		sqlite3_str_appendf(sql, "%s\"%w\"", i ? "," : "", table->fields[i].name);
}

void db_rows_decode(sqlite3_stmt *rows, const struct table *table, void *to)
{
	char *row = to;

	for (size_t i = 0; i < table->field_count; i++) {
		const struct field *field = &table->fields[i];
		int type = sqlite3_column_type(rows, (int)i);
		struct str text = STR_NONE;
		int64_t value = field->kind == FIELD_VALUE ? 0 : INT_NONE;

		if (field->kind == FIELD_REAL) {
			double real = type == SQLITE_NULL
					      ? NAN
					      : sqlite3_column_double(rows, (int)i);

			memcpy(row + field->offset, &real, sizeof(real));
			continue;
		}
		if (field_is_int(field->kind)) {
			if (type != SQLITE_NULL)
				value = sqlite3_column_int64(rows, (int)i);
			memcpy(row + field->offset, &value, sizeof(value));
			continue;
		}
		if (type != SQLITE_NULL) {
			text.ptr = (const char *)sqlite3_column_text(rows, (int)i);
			text.len = (size_t)sqlite3_column_bytes(rows, (int)i);
		}
		memcpy(row + field->offset, &text, sizeof(text));
	}
}
