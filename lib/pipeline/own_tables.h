/*
 * own_tables.h - tables that traces define, one for each tracepoint.
 *
 * A reader describes such a table by a struct table.  The sinks get a copy that outlives
 * the reader and has a unique name in the output.  Traces with tables of the same name
 * and columns share one.
 */
#ifndef PERFTAB_OWN_TABLES_H
#define PERFTAB_OWN_TABLES_H

#include "base/arena.h"
#include "base/map.h"
#include "model/record.h"

/* Maximum, above that of real traces; each table costs a CSV writer an open file. */
#define OWN_TABLES_MAX 512

struct own_tables {
	struct arena arena;
	struct map of_reader; /* a reader's table -> its copy */
	struct own_table *all;
	size_t count;
};

/* Returns the copy of a reader's table; NULL: too many tables, or out of memory. */
const struct table *own_table(struct own_tables *own_tables, const struct table *reader);
/* Forgets the reader's tables, before it is closed. */
void own_tables_forget_reader(struct own_tables *own_tables);
void own_tables_release(struct own_tables *own_tables);

#endif
