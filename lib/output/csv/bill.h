/*
 * bill.h - process_bill.csv: what each process cost, as the view of that name has it.
 *
 * The lines of all traces are kept until the end, when all counters are known.
 */
#ifndef PERFTAB_CSV_BILL_H
#define PERFTAB_CSV_BILL_H

#include "output/csv/columns.h"
#include "output/csv/file.h"

/*
 * With so many the heap gives back what it has free, for the memory of rows does not come
 * from it.  With fewer that costs more, in pages touched again, than it saves.
 */
#define CSV_MANY_PROCESSES 32768

struct csv_bill_line;

struct csv_bill {
	struct sink totals;	 /* collects the rows; ops NULL: not open */
	const struct sink *sink; /* whose file it is */
	struct arena arena;
	struct csv_bill_line *lines, **tail;
	const struct csv_columns *columns;
	size_t processes; /* of the trace at hand, so far */
	bool is_broken;	  /* rows that contradict one another: there is no bill */
};

MUST_CHECK enum status csv_bill_open(struct csv_bill *bill, struct sink *sink,
				     const struct csv_columns *columns);
/* A row of any kind, after csv_columns_on_row(). */
MUST_CHECK enum status csv_bill_on_row(struct csv_bill *bill, struct sink *sink,
				       const struct record *record);
/* Writes the file, unless it would be empty. */
MUST_CHECK enum status csv_bill_write(const struct csv_bill *bill, struct sink *sink,
				      struct os_folder *folder);
void csv_bill_release(struct csv_bill *bill);

#endif
