/*
 * bill.h - the tables `bill` and `bill_by_second`: a row for each counter, program and
 * status, in the same columns for every trace.
 */
#ifndef PERFTAB_PARQUET_BILL_H
#define PERFTAB_PARQUET_BILL_H

#include "output/parquet/seconds.h"
#include "output/parquet/switches.h"
#include "output/parquet/table.h"
#include "report/totals.h"

/* A group of counters and what it counted in each second. */
struct parquet_counters {
	int64_t group_id;
	size_t slots;
	struct str *names, *units;	   /* by slot */
	struct seconds seconds;		   /* values by slot, and then time on a CPU */
	struct parquet_switches *switches; /* NULL: no switch so far */
	struct parquet_counters *next;
};

extern const struct parquet_column parquet_bill_columns[];
extern const size_t parquet_bill_column_count;
extern const struct parquet_column parquet_second_columns[];
extern const size_t parquet_second_column_count;

MUST_CHECK enum status parquet_bill_write(struct parquet_table *table,
					  const struct totals *totals,
					  const struct parquet_ending *ending);
/* `has_time`: of this group the time on a CPU counts, too. */
MUST_CHECK enum status parquet_seconds_write(struct parquet_table *table,
					     struct parquet_counters *counters,
					     bool has_time,
					     const struct parquet_ending *ending);

#endif
