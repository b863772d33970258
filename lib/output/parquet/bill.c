/* bill.c - bills as rows of Parquet tables; see bill.h. */
#include "output/parquet/bill.h"

enum bill_column {
	BILL_TRACE,
	BILL_FIRST_UTC,
	BILL_COMM,
	BILL_PROCESS,
	BILL_PID,
	BILL_COUNTER,
	BILL_UNIT,
	BILL_VALUE,
	BILL_STATUS,
	BILL_COLUMNS
};

const struct parquet_column parquet_bill_columns[] = {
	[BILL_TRACE] = { "trace", PARQUET_TEXT, false },
	[BILL_FIRST_UTC] = { "first_utc_ns", PARQUET_UTC, true },
	[BILL_COMM] = { "comm", PARQUET_TEXT, true },
	[BILL_PROCESS] = { "process", PARQUET_TEXT, true },
	[BILL_PID] = { "pid", PARQUET_INT, true },
	[BILL_COUNTER] = { "counter", PARQUET_TEXT, false },
	[BILL_UNIT] = { "unit", PARQUET_TEXT, true },
	[BILL_VALUE] = { "value", PARQUET_INT, false },
	[BILL_STATUS] = { "status", PARQUET_TEXT, false },
};
const size_t parquet_bill_column_count = BILL_COLUMNS;

enum second_column {
	BY_TRACE,
	BY_TS,
	BY_UTC,
	BY_COMM_NAME,
	BY_PROCESS_NAME,
	BY_PID,
	BY_COUNTER,
	BY_UNIT,
	BY_VALUE,
	BY_STATUS,
	BY_COLUMNS
};

const struct parquet_column parquet_second_columns[] = {
	[BY_TRACE] = { "trace", PARQUET_TEXT, false },
	[BY_TS] = { "ts_ns", PARQUET_INT, false },
	[BY_UTC] = { "ts_utc_ns", PARQUET_UTC, true },
	[BY_COMM_NAME] = { "comm", PARQUET_TEXT, true },
	[BY_PROCESS_NAME] = { "process", PARQUET_TEXT, true },
	[BY_PID] = { "pid", PARQUET_INT, true },
	[BY_COUNTER] = { "counter", PARQUET_TEXT, false },
	[BY_UNIT] = { "unit", PARQUET_TEXT, true },
	[BY_VALUE] = { "value", PARQUET_INT, false },
	[BY_STATUS] = { "status", PARQUET_TEXT, false },
};
const size_t parquet_second_column_count = BY_COLUMNS;

enum status parquet_bill_put(void *context, const struct fleet_bill_row *row)
{
	const struct parquet_bill *bill = context;
	struct parquet_table *table = bill->table;
	enum status status = parquet_table_add_row(table);

	if (status != ST_OK)
		return status;
	parquet_set_number(table, BILL_FIRST_UTC, row->utc_ns);
	parquet_set_number(table, BILL_PID, row->pid);
	parquet_set_int(table, BILL_VALUE, row->value);
	return parquet_set_text(table, BILL_TRACE, bill->trace) &&
			       parquet_set_text(table, BILL_COMM, row->name) &&
			       parquet_set_text(table, BILL_PROCESS, row->name) &&
			       parquet_set_text(table, BILL_COUNTER, row->counter) &&
			       parquet_set_text(table, BILL_UNIT, row->unit) &&
			       parquet_set_text(table, BILL_STATUS, str_of(row->status))
		       ? ST_OK
		       : error_nomem(table->file.error);
}

enum status parquet_second_put(void *context, const struct fleet_bill_row *row)
{
	const struct parquet_bill *bill = context;
	struct parquet_table *table = bill->table;
	enum status status = parquet_table_add_row(table);

	if (status != ST_OK)
		return status;
	parquet_set_int(table, BY_TS, row->ts_ns);
	parquet_set_number(table, BY_UTC, row->utc_ns);
	parquet_set_number(table, BY_PID, row->pid);
	parquet_set_int(table, BY_VALUE, row->value);
	return parquet_set_text(table, BY_TRACE, bill->trace) &&
			       parquet_set_text(table, BY_COMM_NAME, row->name) &&
			       parquet_set_text(table, BY_PROCESS_NAME, row->name) &&
			       parquet_set_text(table, BY_COUNTER, row->counter) &&
			       parquet_set_text(table, BY_UNIT, row->unit) &&
			       parquet_set_text(table, BY_STATUS, str_of(row->status))
		       ? ST_OK
		       : error_nomem(table->file.error);
}
