/*
 * bill.h - rows of the tables `bill` and `bill_by_second`: what a process was charged by
 * a counter, in the whole trace and in each second of its clock.
 */
#ifndef PERFTAB_FLEET_BILL_H
#define PERFTAB_FLEET_BILL_H

#include "model/wall.h"
#include "output/fleet/collect.h"

struct fleet_bill_row {
	int64_t ts_ns;	 /* of the second; INT_NONE: of the whole trace */
	int64_t utc_ns;	 /* when that, or the trace, began; INT_NONE: not known */
	struct str name; /* of the program; ptr NULL: not known */
	int64_t pid;	 /* INT_NONE: of none */
	struct str counter, unit;
	int64_t value;
	const char *status; /* charged, idle, with_idle, interrupts, unattributed */
};

/* Writes a row; not ST_OK ends the table. */
typedef enum status (*fleet_put_bill)(void *context, const struct fleet_bill_row *row);

MUST_CHECK enum status fleet_bill_rows(const struct totals *totals,
				       const struct wall *wall, fleet_put_bill put,
				       void *context, struct error *error);
/* In the order of the counters and of time; once a trace. */
MUST_CHECK enum status fleet_second_rows(struct fleet_collector *collector,
					 const struct totals *totals,
					 const struct wall *wall, fleet_put_bill put,
					 void *context, struct error *error);

#endif
