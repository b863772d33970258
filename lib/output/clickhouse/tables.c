/* tables.c - columns of the tables, and rows of bills; see tables.h. */
#include "output/clickhouse/tables.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum bill_column {
	BILL_FIRST_UTC = OF_OTHERS,
	BILL_COMM,
	BILL_PROCESS,
	BILL_PID,
	BILL_COUNTER,
	BILL_UNIT,
	BILL_VALUE,
	BILL_STATUS
};

static const struct native_column bill_columns[] = {
	[OF_HOST] = { "host", NATIVE_TEXT },
	[OF_DATE] = { "date", NATIVE_DATE },
	[OF_TRACE] = { "trace", NATIVE_TEXT },
	[BILL_FIRST_UTC] = { "first_utc_ns", NATIVE_NUMBER },
	[BILL_COMM] = { "comm", NATIVE_TEXT },
	[BILL_PROCESS] = { "process", NATIVE_TEXT },
	[BILL_PID] = { "pid", NATIVE_NUMBER },
	[BILL_COUNTER] = { "counter", NATIVE_TEXT },
	[BILL_UNIT] = { "unit", NATIVE_TEXT },
	[BILL_VALUE] = { "value", NATIVE_INT },
	[BILL_STATUS] = { "status", NATIVE_TEXT },
};

enum second_column {
	BY_TS = OF_OTHERS,
	BY_UTC,
	BY_COMM_NAME,
	BY_PROCESS_NAME,
	BY_PID,
	BY_COUNTER,
	BY_UNIT,
	BY_VALUE,
	BY_STATUS
};

static const struct native_column second_columns[] = {
	[OF_HOST] = { "host", NATIVE_TEXT },
	[OF_DATE] = { "date", NATIVE_DATE },
	[OF_TRACE] = { "trace", NATIVE_TEXT },
	[BY_TS] = { "ts_ns", NATIVE_INT },
	[BY_UTC] = { "ts_utc_ns", NATIVE_NUMBER },
	[BY_COMM_NAME] = { "comm", NATIVE_TEXT },
	[BY_PROCESS_NAME] = { "process", NATIVE_TEXT },
	[BY_PID] = { "pid", NATIVE_NUMBER },
	[BY_COUNTER] = { "counter", NATIVE_TEXT },
	[BY_UNIT] = { "unit", NATIVE_TEXT },
	[BY_VALUE] = { "value", NATIVE_INT },
	[BY_STATUS] = { "status", NATIVE_TEXT },
};

/* In the order in which switches.c fills them. */
static const struct native_column switch_columns[] = {
	{ "host", NATIVE_TEXT },	 { "date", NATIVE_DATE },
	{ "trace", NATIVE_TEXT },	 { "ts_ns", NATIVE_INT },
	{ "ts_utc_ns", NATIVE_NUMBER },	 { "cpu", NATIVE_INT },
	{ "process", NATIVE_TEXT },	 { "pid", NATIVE_NUMBER },
	{ "thread", NATIVE_TEXT },	 { "tid", NATIVE_NUMBER },
	{ "next_thread", NATIVE_TEXT },	 { "next_tid", NATIVE_NUMBER },
	{ "prev_state", NATIVE_NUMBER }, { "status", NATIVE_TEXT },
	{ "reason", NATIVE_TEXT },	 { "on_cpu_ns", NATIVE_NUMBER },
	{ "running_ns", NATIVE_NUMBER },
};

const struct native_table native_tables[FLEET_TABLES] = {
	[FLEET_BILL] = { "bill", "host, date, counter, process", bill_columns,
			 COUNT(bill_columns) },
	[FLEET_BILL_BY_SECOND] = { "bill_by_second", "host, date, counter, ts_ns",
				   second_columns, COUNT(second_columns) },
	[FLEET_SWITCH] = { "switch", "host, date, trace, cpu, ts_ns", switch_columns,
			   COUNT(switch_columns) },
};

void native_put_trace(struct native_block *block, const struct native_trace *trace)
{
	native_put_text(block, OF_HOST, trace->host);
	native_put_date(block, OF_DATE, trace->day);
	native_put_text(block, OF_TRACE, trace->trace);
}

enum status native_put_bill(void *context, const struct fleet_bill_row *row)
{
	const struct native_bill *bill = context;
	struct native_block *block = bill->block;

	native_put_trace(block, bill->trace);
	native_put_number(block, BILL_FIRST_UTC, row->utc_ns);
	native_put_text(block, BILL_COMM, row->name);
	native_put_text(block, BILL_PROCESS, row->name);
	native_put_number(block, BILL_PID, row->pid);
	native_put_text(block, BILL_COUNTER, row->counter);
	native_put_text(block, BILL_UNIT, row->unit);
	native_put_int(block, BILL_VALUE, row->value);
	native_put_text(block, BILL_STATUS, str_of(row->status));
	return native_end_row(block);
}

enum status native_put_second(void *context, const struct fleet_bill_row *row)
{
	const struct native_bill *bill = context;
	struct native_block *block = bill->block;

	native_put_trace(block, bill->trace);
	native_put_int(block, BY_TS, row->ts_ns);
	native_put_number(block, BY_UTC, row->utc_ns);
	native_put_text(block, BY_COMM_NAME, row->name);
	native_put_text(block, BY_PROCESS_NAME, row->name);
	native_put_number(block, BY_PID, row->pid);
	native_put_text(block, BY_COUNTER, row->counter);
	native_put_text(block, BY_UNIT, row->unit);
	native_put_int(block, BY_VALUE, row->value);
	native_put_text(block, BY_STATUS, str_of(row->status));
	return native_end_row(block);
}
