/* record.c - the tables and statuses of record.h as data. */
#include "core/record.h"

#define TABLE(table) static const struct field table##_fields[] = {
#define INT(table, field) { #field, FIELD_INT, offsetof(struct table##_row, field) },
#define VALUE(table, field) { #field, FIELD_VALUE, offsetof(struct table##_row, field) },
#define TEXT(table, field) { #field, FIELD_TEXT, offsetof(struct table##_row, field) },
#define BLOB(table, field) { #field, FIELD_BLOB, offsetof(struct table##_row, field) },
#define END(table) \
	}          \
	;
#include "core/tables.def"
#undef TABLE
#undef INT
#undef VALUE
#undef TEXT
#undef BLOB
#undef END

const struct table tables[RECORD_TABLES] = {
#define TABLE(table)                                                             \
	[RECORD_##table] = { #table, table##_fields,                             \
			     sizeof(table##_fields) / sizeof(table##_fields[0]), \
			     sizeof(struct table##_row) },
#define INT(table, field)
#define VALUE(table, field)
#define TEXT(table, field)
#define BLOB(table, field)
#define END(table)
#include "core/tables.def"
#undef TABLE
#undef INT
#undef VALUE
#undef TEXT
#undef BLOB
#undef END
};

const struct charge_status_words charge_status_words[CHARGE_STATUSES] = {
#define STATUS(enumerator, number, name, reason, words) \
	[number] = { name, reason, words },
#include "core/statuses.def"
#undef STATUS
};
