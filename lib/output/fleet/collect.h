/*
 * collect.h - what the tables of a fleet are made of, collected while a trace passes: its
 * counters, names of threads, sums by second, and the totals of the bill.
 */
#ifndef PERFTAB_FLEET_COLLECT_H
#define PERFTAB_FLEET_COLLECT_H

#include "model/sink.h"
#include "output/fleet/seconds.h"
#include "output/fleet/tasks.h"
#include "report/totals.h"

/* A group of counters and what it counted in each second. */
struct fleet_counters {
	int64_t group_id;
	size_t slots;
	struct str *names, *units; /* by slot */
	struct seconds seconds;	   /* values by slot, and then time on a CPU */
	void *switches;		   /* of the writer; NULL: no switch so far */
	struct fleet_counters *next;
};

struct fleet_collector {
	/* Set by the writer before collector_open(). */
	bool no_bill; /* only counters and threads are wanted */
	enum status (*on_switch)(void *context, struct fleet_counters *counters,
				 const struct record *record); /* or NULL */
	/* As on_switch() for collector_put_run(). */
	enum status (*on_run)(void *context, struct fleet_counters *counters,
			      const struct run_rows *rows);
	enum status (*on_bill)(void *context, const struct totals *totals);
	void *context;
	struct error *error;

	/* Of the current trace; forgotten at its end. */
	struct arena arena;
	struct fleet_tasks tasks;
	struct fleet_counters *counters, **last_counters;
	struct map counters_by_group, place_by_counter;
	struct map interrupts;	 /* of read_class() */
	struct second_row *read; /* row for the values of a read; NULL: none */
	struct sink totals;	 /* ops NULL: not open */
	bool has_bill;		 /* false: rows contradict one another */
};

MUST_CHECK enum status collector_open(struct fleet_collector *collector);
/* Adds any row but that of the table trace. */
MUST_CHECK enum status collector_put(struct fleet_collector *collector,
				     const struct record *record);
/* Adds rows of context_switch. */
MUST_CHECK enum status collector_put_run(struct fleet_collector *collector,
					 const struct run_rows *rows);
/* The row of the trace: calls on_bill, unless the trace has no counters. */
MUST_CHECK enum status collector_end(struct fleet_collector *collector,
				     const struct record *record);
/* After collector_end(), and after an error. */
void collector_forget(struct fleet_collector *collector);
void collector_close(struct fleet_collector *collector);

#endif
