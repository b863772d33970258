/*
 * bill.h - rows of the tables `bill` and `bill_by_second`: what a process was charged by
 * a counter, in the whole trace and in each second of its clock.
 */
#ifndef PERFTAB_FLEET_BILL_H
#define PERFTAB_FLEET_BILL_H

#include "output/fleet/collect.h"
#include "output/fleet/columns.h"

/* Writes a row; not ST_OK ends the table. */
typedef enum status fleet_put_bill_fn(void *context, const struct fleet_bill_row *row);

MUST_CHECK enum status fleet_bill_rows(const struct totals *totals,
				       const struct fleet_trace *trace,
				       fleet_put_bill_fn *put, void *context,
				       struct error *error);
/* In the order of the counters and of time; once a trace. */
MUST_CHECK enum status fleet_second_rows(struct fleet_collector *collector,
					 const struct totals *totals,
					 const struct fleet_trace *trace,
					 fleet_put_bill_fn *put, void *context,
					 struct error *error);

#endif
