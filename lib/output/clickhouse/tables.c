/* tables.c - a fleet's tables as ClickHouse has them; see tables.h. */
#include "output/clickhouse/tables.h"

static enum native_type type_of(const struct fleet_column *column)
{
	if (column->type == FLEET_TEXT)
		return NATIVE_TEXT;
	return column->optional ? NATIVE_NUMBER : NATIVE_INT;
}

size_t native_column_count(enum fleet_table table)
{
	return NATIVE_COLUMN_OTHERS + fleet_tables[table].count;
}

void native_columns(struct native_column *columns, enum fleet_table table)
{
	const struct fleet_columns *fleet = &fleet_tables[table];

	columns[NATIVE_COLUMN_HOST] = (struct native_column){ "host", NATIVE_TEXT };
	columns[NATIVE_COLUMN_DATE] = (struct native_column){ "date", NATIVE_DATE };
	for (size_t i = 0; i < fleet->count; i++)
		columns[NATIVE_COLUMN_OTHERS + i] =
			(struct native_column){ fleet->columns[i].name,
						type_of(&fleet->columns[i]) };
}

void native_put_row(struct native_block *block, const struct native_trace *trace,
		    enum fleet_table table, const void *row)
{
	const struct fleet_columns *fleet = &fleet_tables[table];

	native_put_text(block, NATIVE_COLUMN_HOST, trace->host);
	native_put_date(block, NATIVE_COLUMN_DATE, trace->day);
	for (size_t i = 0; i < fleet->count; i++) {
		const struct fleet_column *column = &fleet->columns[i];

		if (column->type == FLEET_TEXT)
			native_put_text(block, NATIVE_COLUMN_OTHERS + i,
					fleet_text(column, row));
		else if (column->optional)
			native_put_number(block, NATIVE_COLUMN_OTHERS + i,
					  fleet_number(column, row));
		else
			native_put_int(block, NATIVE_COLUMN_OTHERS + i,
				       fleet_number(column, row));
	}
}

enum status native_put_bill(void *context, const struct fleet_bill_row *row)
{
	const struct native_bill *bill = context;

	native_put_row(bill->block, bill->trace, bill->table, row);
	return native_end_row(bill->block);
}
