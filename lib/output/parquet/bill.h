/*
 * bill.h - the tables `bill` and `bill_by_second`: a row for each counter, program and
 * status, in the same columns for every trace.
 */
#ifndef PERFTAB_PARQUET_BILL_H
#define PERFTAB_PARQUET_BILL_H

#include "output/fleet/bill.h"
#include "output/parquet/table.h"

extern const struct parquet_column parquet_bill_columns[];
extern const size_t parquet_bill_column_count;
extern const struct parquet_column parquet_second_columns[];
extern const size_t parquet_second_column_count;

struct parquet_bill {
	struct parquet_table *table;
	struct str trace;
};

/* Rows for a struct parquet_bill. */
MUST_CHECK enum status parquet_bill_put(void *context, const struct fleet_bill_row *row);
MUST_CHECK enum status parquet_second_put(void *context,
					  const struct fleet_bill_row *row);

#endif
