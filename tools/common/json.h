/*
 * json.h - the values and members that JSON documents are written from.
 *
 * Whatever a trace holds, the document is valid: what cannot stand in JSON is escaped.
 */
#ifndef PERFTAB_JSON_H
#define PERFTAB_JSON_H

#include <stdint.h>
#include <stdio.h>

#include "model/record.h"

void json_text(FILE *to, struct str text); /* null when it is not known */
void json_number(FILE *to, int64_t value); /* null for INT_NONE */

/* A member after another one: the comma, the name and the value. */
void json_member_text(FILE *to, const char *name, struct str text);
void json_member_number(FILE *to, const char *name, int64_t value);

/*
 * Columns of a row as members, without braces: names separated by blanks, as in
 * "pid name comm=process_name", where the last member has another name than its column.
 */
void json_table_members(FILE *to, const struct table *table, const void *row,
			const char *columns);
/* The same as one object. */
void json_table_row(FILE *to, const struct table *table, const void *row,
		    const char *columns);

#endif
