/* bill.c - bills as rows of Parquet tables; see bill.h. */
#include "output/parquet/bill.h"

struct parquet_column parquet_column_of(const struct fleet_column *column)
{
	static const enum parquet_type types[] = {
		[FLEET_TEXT] = PARQUET_TEXT,
		[FLEET_INT] = PARQUET_INT,
		[FLEET_UTC] = PARQUET_UTC,
	};

	return (struct parquet_column){ column->name, types[column->type],
					column->optional };
}

enum status parquet_bill_put(void *context, const struct fleet_bill_row *row)
{
	const struct parquet_bill *bill = context;
	struct parquet_table *table = bill->table;
	enum status status = parquet_table_add_row(table);

	for (size_t i = 0; i < bill->columns->count && status == ST_OK; i++) {
		const struct fleet_column *column = &bill->columns->columns[i];

		if (column->type == FLEET_TEXT) {
			if (!parquet_set_text(table, i, fleet_text(column, row)))
				status = error_nomem(table->file.error);
		} else if (column->optional) {
			parquet_set_number(table, i, fleet_number(column, row));
		} else {
			parquet_set_int(table, i, fleet_number(column, row));
		}
	}
	return status;
}
