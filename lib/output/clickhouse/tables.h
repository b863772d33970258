/*
 * tables.h - the tables of a fleet (output/fleet/columns.h) as blocks of ClickHouse; host
 * and date, which are folders in a Parquet tree, are the first columns.
 */
#ifndef PERFTAB_CLICKHOUSE_TABLES_H
#define PERFTAB_CLICKHOUSE_TABLES_H

#include "output/clickhouse/native.h"
#include "output/fleet/bill.h"

/* The first columns of every table, before those that every output has. */
enum { NATIVE_COLUMN_HOST, NATIVE_COLUMN_DATE, NATIVE_COLUMN_OTHERS };

/* Of any table, without those of counters. */
#define NATIVE_COLUMNS_MAX (NATIVE_COLUMN_OTHERS + SWITCH_COLUMNS)

/* Columns that all rows of a trace share. */
struct native_trace {
	struct str host; /* ptr NULL: not known */
	int64_t day;	 /* INT_NONE: not known */
	struct fleet_trace trace;
};

/* How many columns the table has, without those of counters. */
size_t native_column_count(enum fleet_table table);
/* Describes so many. */
void native_columns(struct native_column *columns, enum fleet_table table);

/* A row's cells in these columns; the row goes on. */
void native_put_row(struct native_block *block, const struct native_trace *trace,
		    enum fleet_table table, const void *row);

/* Rows for a struct native_bill. */
struct native_bill {
	struct native_block *block;
	const struct native_trace *trace;
	enum fleet_table table;
};
MUST_CHECK enum status native_put_bill(void *context, const struct fleet_bill_row *row);

#endif
