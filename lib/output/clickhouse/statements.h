/*
 * statements.h - the statements that create the tables, of one server and of a cluster.
 */
#ifndef PERFTAB_CLICKHOUSE_STATEMENTS_H
#define PERFTAB_CLICKHOUSE_STATEMENTS_H

#include "output/clickhouse/tables.h"

/* `counters` are columns of the table `switch`. */
void native_statements(struct bytes *to, const char *cluster, const char *const *counters,
		       size_t count);

#endif
