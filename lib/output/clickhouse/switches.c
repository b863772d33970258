/* switches.c - rows that wait for the names of threads; see switches.h. */
#include "output/clickhouse/switches.h"

#include <stdlib.h>

#include "base/memory.h"

#define CELLS_BYTES ((size_t)1 << 20)

/* A waiting row: the cells, how many counters were read, the counters. */
enum { FILLED = FLEET_CELLS, CELLS };

static size_t row_cells(const struct native_switches *switches)
{
	return CELLS + switches->slots;
}

enum status native_switches_begin(struct native_switches *switches, size_t slots,
				  struct error *error)
{
	*switches = (struct native_switches){
		.slots = slots,
		.rows_max = CELLS_BYTES / ((CELLS + slots) * sizeof(int64_t)),
		.spool = { .fd = -1, .error = error },
		.error = error,
	};
	if (switches->rows_max == 0)
		switches->rows_max = 1;
	switches->cells =
		memory_alloc(switches->rows_max * row_cells(switches) * sizeof(int64_t));
	return switches->cells ? ST_OK : error_nomem(error);
}

static enum status flush(struct native_switches *switches)
{
	size_t bytes = switches->rows * row_cells(switches) * sizeof(int64_t);

	switches->spooled += switches->rows;
	switches->rows = 0;
	return bytes ? spool_write(&switches->spool, switches->cells, bytes) : ST_OK;
}

enum status native_switches_add(struct native_switches *switches,
				const struct record *record)
{
	const struct context_switch_row *row = RECORD_DATA(record, context_switch);
	size_t filled = record->slots < switches->slots ? record->slots : switches->slots;
	int64_t *at = switches->cells + switches->rows++ * row_cells(switches);

	fleet_cells_put(at, 1, row);
	at[FILLED] = (int64_t)filled;
	for (size_t i = 0; i < switches->slots; i++)
		at[CELLS + i] = i < filled ? record->deltas[i] : 0;
	return switches->rows == switches->rows_max ? flush(switches) : ST_OK;
}

/* --- ending --- */

static void put_counters(struct native_block *block, const int64_t *cells, size_t slots)
{
	size_t column = native_column_count(FLEET_SWITCH);

	/* A delta may have the number that means "not known" elsewhere. */
	for (size_t i = 0; i < slots; i++) {
		struct native_cells *to = &block->cells[column + i];
		uint8_t is_null = (int64_t)i >= cells[FILLED];

		bytes_put(&to->nulls, &is_null, 1);
		native_put_int(block, column + i, cells[CELLS + i]);
	}
}

static enum status put_row(struct native_block *block, const int64_t *cells, size_t slots,
			   const struct native_trace *trace,
			   const struct fleet_tasks *tasks)
{
	const struct fleet_switch_row row = fleet_switch_of(cells, &trace->trace, tasks);

	native_put_row(block, trace, FLEET_SWITCH, &row);
	put_counters(block, cells, slots);
	return native_end_row(block);
}

enum status native_switches_end(struct native_switches *switches,
				struct native_block *block,
				const struct native_trace *trace,
				const struct fleet_tasks *tasks)
{
	size_t size = row_cells(switches);
	enum status status = flush(switches);

	while (switches->spooled && status == ST_OK) {
		size_t rows = switches->spooled < switches->rows_max
				      ? (size_t)switches->spooled
				      : switches->rows_max;

		status = spool_read(&switches->spool, switches->cells,
				    rows * size * sizeof(int64_t));
		for (size_t i = 0; i < rows && status == ST_OK; i++)
			status = put_row(block, switches->cells + i * size,
					 switches->slots, trace, tasks);
		switches->spooled -= rows;
	}
	return status;
}

void native_switches_release(struct native_switches *switches)
{
	free(switches->cells);
	spool_close(&switches->spool);
	*switches = (struct native_switches){ .spool = { .fd = -1 } };
}
