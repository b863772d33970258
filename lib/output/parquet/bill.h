/*
 * bill.h - the tables `bill` and `bill_by_second`: a row for each counter, program and
 * status, in the same columns for every trace.
 */
#ifndef PERFTAB_PARQUET_BILL_H
#define PERFTAB_PARQUET_BILL_H

#include "output/fleet/bill.h"
#include "output/parquet/table.h"

/* The column of a fleet's table as Parquet has it. */
struct parquet_column parquet_column_of(const struct fleet_column *column);

struct parquet_bill {
	struct parquet_table *table;
	const struct fleet_columns *columns;
};

/* A row for a struct parquet_bill. */
MUST_CHECK enum status parquet_bill_put(void *context, const struct fleet_bill_row *row);

#endif
