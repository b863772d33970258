/*
 * list_sets.h - the kinds of events of an ETW trace, and what PerfLib data is of.
 */
#ifndef PERFTAB_CONVERT_LIST_SETS_H
#define PERFTAB_CONVERT_LIST_SETS_H

#include "list.h"

/* Names of the columns of an own table, of one row. */
int64_t list_own_int(const struct listing *listing, size_t row, const char *column);
struct str list_own_text(const struct listing *listing, size_t row, const char *column);

/* The name of a provider, by its GUID in braces; ptr NULL: not a common one. */
struct str list_provider_name(struct str guid);

void list_print_events_text(FILE *to, const struct listing *listing);
void list_print_sets_text(FILE *to, const struct listing *listing);
/* Members, each after a comma. */
void list_print_sets_json(FILE *to, const struct listing *listing);

#endif
