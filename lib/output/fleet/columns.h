/*
 * columns.h - the tables of a fleet: their columns, which are the same in every output,
 * and the rows that the columns are members of.
 *
 * Host and date of a trace are folders in a Parquet tree and the first columns in
 * ClickHouse; a column for each counter follows those of `switch`.
 */
#ifndef PERFTAB_FLEET_COLUMNS_H
#define PERFTAB_FLEET_COLUMNS_H

#include "model/sink.h"
#include "model/wall.h"

enum fleet_type {
	FLEET_TEXT,
	FLEET_INT,
	FLEET_UTC, /* nanoseconds since 1970 */
};

struct fleet_column {
	const char *name;
	enum fleet_type type;
	/* INT_NONE, or a text without ptr, means NULL. */
	bool optional;
	size_t offset; /* in the row, of a struct str or an int64_t */
};

struct fleet_columns {
	const char *name; /* of the table */
	const struct fleet_column *columns;
	size_t count;
};

extern const struct fleet_columns fleet_tables[FLEET_TABLES];

/* Columns that all rows of a trace share. */
struct fleet_trace {
	struct str name; /* the column `trace` */
	struct wall wall;
};

/* A row of `bill` or `bill_by_second`. */
struct fleet_bill_row {
	struct str trace;
	int64_t ts_ns;	 /* of the second; INT_NONE: of the whole trace */
	int64_t utc_ns;	 /* start of the second, or of the trace; INT_NONE: unknown */
	struct str name; /* of the program; ptr NULL: not known */
	int64_t pid;	 /* INT_NONE: none */
	struct str counter, unit;
	int64_t value;
	struct str status; /* charged, idle, with_idle, interrupts, unattributed */
};

/* A row of `switch`, without the counters. */
struct fleet_switch_row {
	struct str trace;
	int64_t ts_ns, utc_ns, cpu;
	struct str process;
	int64_t pid;
	struct str thread;
	int64_t tid;
	struct str next_thread;
	int64_t next_tid, prev_state;
	struct str status, reason;
	int64_t on_cpu_ns, running_ns;
};

/* The columns of `switch`, in their order. */
enum fleet_switch_column {
	SWITCH_TRACE,
	SWITCH_TS,
	SWITCH_UTC,
	SWITCH_CPU,
	SWITCH_PROCESS,
	SWITCH_PID,
	SWITCH_THREAD,
	SWITCH_TID,
	SWITCH_NEXT_THREAD,
	SWITCH_NEXT_TID,
	SWITCH_PREV_STATE,
	SWITCH_STATUS,
	SWITCH_REASON,
	SWITCH_ON_CPU,
	SWITCH_RUNNING,
	SWITCH_COLUMNS
};

static inline struct str fleet_text(const struct fleet_column *column, const void *row)
{
	struct str text;

	memcpy(&text, (const char *)row + column->offset, sizeof(text));
	return text;
}

static inline int64_t fleet_number(const struct fleet_column *column, const void *row)
{
	int64_t number;

	memcpy(&number, (const char *)row + column->offset, sizeof(number));
	return number;
}

#endif
