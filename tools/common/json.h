/*
 * json.h - the values and members that JSON documents are written from.
 *
 * Whatever a trace holds, the document is valid: what cannot stand in JSON is escaped.
 */
#ifndef PERFTAB_JSON_H
#define PERFTAB_JSON_H

#include <stdint.h>
#include <stdio.h>

#include "base/str.h"

void json_text(FILE *to, struct str text); /* null when it is not known */
void json_number(FILE *to, int64_t value); /* null for INT_NONE */

/* A member behind another one: the comma, the name and the value. */
void json_member_text(FILE *to, const char *name, struct str text);
void json_member_number(FILE *to, const char *name, int64_t value);

#endif
