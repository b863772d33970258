/* record.c - the tables and statuses of record.h as data. */
#include "core/record.h"

#define TABLES "core/tables.def"
#define TABLES_AS_FIELDS
#include "core/tables_as.h"

const struct table tables[RECORD_TABLES] = {
#define TABLES "core/tables.def"
#define TABLES_AS_LIST(table)                                                    \
	[RECORD_##table] = { #table, table##_fields,                             \
			     sizeof(table##_fields) / sizeof(table##_fields[0]), \
			     sizeof(struct table##_row) },
#include "core/tables_as.h"
};

const struct charge_status_words charge_status_words[CHARGE_STATUSES] = {
#define STATUS(enumerator, number, name, reason, words) \
	[number] = { name, reason, words },
#include "core/statuses.def"
#undef STATUS
};
