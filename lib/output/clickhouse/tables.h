/*
 * tables.h - the tables in ClickHouse, which are those of the Parquet tree; host and
 * date, which are folders there, are the first columns.
 */
#ifndef PERFTAB_CLICKHOUSE_TABLES_H
#define PERFTAB_CLICKHOUSE_TABLES_H

#include "model/sink.h"
#include "model/wall.h"
#include "output/clickhouse/native.h"
#include "output/fleet/bill.h"

struct native_table {
	const char *name;
	const char *order; /* what it is sorted by */
	const struct native_column *columns;
	size_t column_count; /* without those of counters */
};

extern const struct native_table native_tables[FLEET_TABLES];

/* The first columns of every table. */
enum { OF_HOST, OF_DATE, OF_TRACE, OF_OTHERS };

/* What all rows of a trace have. */
struct native_trace {
	struct str host; /* ptr NULL: not known */
	int64_t day;	 /* INT_NONE: not known */
	struct str trace;
	struct wall wall;
};

void native_put_trace(struct native_block *block, const struct native_trace *trace);

/* Rows for a struct native_bill. */
struct native_bill {
	struct native_block *block;
	const struct native_trace *trace;
};
MUST_CHECK enum status native_put_bill(void *context, const struct fleet_bill_row *row);
MUST_CHECK enum status native_put_second(void *context, const struct fleet_bill_row *row);

#endif
