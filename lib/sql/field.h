/*
 * field.h - a field of a row as a value of SQL, for virtual tables.
 */
#ifndef PERFTAB_SQL_FIELD_H
#define PERFTAB_SQL_FIELD_H

#ifdef PERFTAB_EXTENSION
#include <sqlite3ext.h>
SQLITE_EXTENSION_INIT3
#else
#include <sqlite3.h>
#endif

#include "model/record.h"

/* `lifetime` of texts: SQLITE_STATIC or SQLITE_TRANSIENT.  Without a value it is NULL. */
static inline void sql_result_field(sqlite3_context *context, const char *at,
				    enum field_kind kind,
				    sqlite3_destructor_type lifetime)
{
	struct str text;
	int64_t number;
	double real;

	if (field_is_int(kind)) {
		memcpy(&number, at, sizeof(number));
		if (number != INT_NONE || kind == FIELD_VALUE)
			sqlite3_result_int64(context, number);
		return;
	}
	if (kind == FIELD_REAL) {
		memcpy(&real, at, sizeof(real));
		sqlite3_result_double(context, real); /* NaN becomes NULL */
		return;
	}
	memcpy(&text, at, sizeof(text));
	if (!text.ptr)
		return;
	if (kind == FIELD_BLOB)
		sqlite3_result_blob64(context, text.ptr, text.len, lifetime);
	else
		sqlite3_result_text64(context, text.ptr, text.len, lifetime, SQLITE_UTF8);
}

#endif
