/*
 * bill.h - process_bill.csv: what each process cost, as the view of that name has it.
 *
 * The lines of all traces are kept until the end, when all counters are known.  Those of
 * a trace are in the order of its report; of one pid the process that was met first is
 * the first.
 */
#ifndef PERFTAB_CSV_BILL_H
#define PERFTAB_CSV_BILL_H

#include "output/csv/columns.h"
#include "output/csv/file.h"
#include "output/csv/tasks.h"
#include "report/view.h"

/* A line of the bill: a process, or one of the lines apart from processes. */
struct csv_bill_line {
	struct csv_bill_line *next;
	enum line_kind kind;
	bool is_seen; /* it has switches or reads */
	int64_t process_id, pid, threads, switches, on_cpu_ns;
	int64_t values[]; /* by counter */
};

struct csv_bill_trace {
	struct csv_bill_trace *next;
	int64_t trace_id;
	struct csv_bill_line *lines, **tail;
	size_t line_count;
	size_t counters;
	size_t column_of[]; /* by counter */
};

struct csv_bill {
	struct sink totals; /* of groups, CPUs and statuses; ops NULL: not open */
	struct arena arena;
	struct csv_bill_trace *traces, **traces_tail;
	const struct csv_columns *columns;
	const struct csv_tasks *tasks;
	bool is_broken; /* rows that contradict one another: there is no bill */

	/* Of the current trace; NULL: no sums so far. */
	struct csv_bill_trace *trace;
	struct csv_bill_line *with_idle, *interrupts, *last;
	/* With several groups: process by thread, and threads that ran by process. */
	struct map process_of, ran;
	int64_t last_thread_id; /* of the last thread that ran */
};

MUST_CHECK enum status csv_bill_open(struct csv_bill *bill, struct sink *sink,
				     const struct csv_columns *columns,
				     const struct csv_tasks *tasks);
/*
 * A row of any kind, after the columns and tasks have it.  Sums of CPUs come before those
 * of threads, and these before those of processes, as from ledger_report().
 */
MUST_CHECK enum status csv_bill_on_row(struct csv_bill *bill, struct sink *sink,
				       const struct record *record);
/* Writes the file, unless it would be empty. */
MUST_CHECK enum status csv_bill_write(const struct csv_bill *bill, struct sink *sink,
				      struct os_folder *folder);
void csv_bill_release(struct csv_bill *bill);

#endif
