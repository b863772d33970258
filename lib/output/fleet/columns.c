/* columns.c - names and types of the columns; see columns.h. */
#include "output/fleet/columns.h"

#include <stddef.h>

#include "base/array.h"

#define IN_BILL(member) offsetof(struct fleet_bill_row, member)

/* Who, what and how much: the last columns of both bills. */
#define BILL_COLUMNS                                                \
	{ "comm", FLEET_TEXT, true, IN_BILL(name) },                \
		{ "process", FLEET_TEXT, true, IN_BILL(name) },     \
		{ "pid", FLEET_INT, true, IN_BILL(pid) },           \
		{ "counter", FLEET_TEXT, false, IN_BILL(counter) }, \
		{ "unit", FLEET_TEXT, true, IN_BILL(unit) },        \
		{ "value", FLEET_INT, false, IN_BILL(value) },      \
	{                                                           \
		"status", FLEET_TEXT, false, IN_BILL(status)        \
	}

static const struct fleet_column bill_columns[] = {
	{ "trace", FLEET_TEXT, false, IN_BILL(trace) },
	{ "first_utc_ns", FLEET_UTC, true, IN_BILL(utc_ns) },
	BILL_COLUMNS,
};

static const struct fleet_column second_columns[] = {
	{ "trace", FLEET_TEXT, false, IN_BILL(trace) },
	{ "ts_ns", FLEET_INT, false, IN_BILL(ts_ns) },
	{ "ts_utc_ns", FLEET_UTC, true, IN_BILL(utc_ns) },
	BILL_COLUMNS,
};

#define IN_SWITCH(member) offsetof(struct fleet_switch_row, member)

static const struct fleet_column switch_columns[] = {
	[SWITCH_TRACE] = { "trace", FLEET_TEXT, false, IN_SWITCH(trace) },
	[SWITCH_TS] = { "ts_ns", FLEET_INT, false, IN_SWITCH(ts_ns) },
	[SWITCH_UTC] = { "ts_utc_ns", FLEET_UTC, true, IN_SWITCH(utc_ns) },
	[SWITCH_CPU] = { "cpu", FLEET_INT, false, IN_SWITCH(cpu) },
	[SWITCH_PROCESS] = { "process", FLEET_TEXT, true, IN_SWITCH(process) },
	[SWITCH_PID] = { "pid", FLEET_INT, true, IN_SWITCH(pid) },
	[SWITCH_THREAD] = { "thread", FLEET_TEXT, true, IN_SWITCH(thread) },
	[SWITCH_TID] = { "tid", FLEET_INT, true, IN_SWITCH(tid) },
	[SWITCH_NEXT_THREAD] = { "next_thread", FLEET_TEXT, true,
				 IN_SWITCH(next_thread) },
	[SWITCH_NEXT_TID] = { "next_tid", FLEET_INT, true, IN_SWITCH(next_tid) },
	[SWITCH_PREV_STATE] = { "prev_state", FLEET_INT, true, IN_SWITCH(prev_state) },
	[SWITCH_STATUS] = { "status", FLEET_TEXT, false, IN_SWITCH(status) },
	[SWITCH_REASON] = { "reason", FLEET_TEXT, false, IN_SWITCH(reason) },
	[SWITCH_ON_CPU] = { "on_cpu_ns", FLEET_INT, true, IN_SWITCH(on_cpu_ns) },
	[SWITCH_RUNNING] = { "running_ns", FLEET_INT, true, IN_SWITCH(running_ns) },
};

const struct fleet_columns fleet_tables[FLEET_TABLES] = {
	[FLEET_BILL] = { "bill", bill_columns, ARRAY_COUNT(bill_columns) },
	[FLEET_BILL_BY_SECOND] = { "bill_by_second", second_columns,
				   ARRAY_COUNT(second_columns) },
	[FLEET_SWITCH] = { "switch", switch_columns, ARRAY_COUNT(switch_columns) },
};
