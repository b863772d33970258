/*
 * own_tables.h - tables that traces define themselves: the tracepoints'.
 *
 * A reader describes one by a struct table of its own; what goes to the sinks outlives
 * the reader and has a name that nothing else in the output has.  Traces whose tables
 * agree in name and columns share one.
 */
#ifndef PERFTAB_OWN_TABLES_H
#define PERFTAB_OWN_TABLES_H

#include "base/arena.h"
#include "base/map.h"
#include "model/record.h"

/* More tables than any real trace has; each costs a CSV writer an open file. */
#define OWN_TABLES_MAX 512

struct own_tables {
	struct arena arena;
	struct map of_reader; /* a reader's table -> ours */
	struct own_table *all;
	size_t count;
};

/* Our table for the reader's; NULL: there are too many already, or no memory. */
const struct table *own_table(struct own_tables *own_tables, const struct table *reader);
/* The reader is gone, and its tables with it. */
void own_tables_forget_reader(struct own_tables *own_tables);
void own_tables_release(struct own_tables *own_tables);

#endif
