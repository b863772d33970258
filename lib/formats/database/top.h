/*
 * top.h - the processes that cost most, and the sum of all others, from stored totals.
 */
#ifndef PERFTAB_DATABASE_TOP_H
#define PERFTAB_DATABASE_TOP_H

#include "formats/database/pages.h"
#include "model/top.h"

/* Processes with their stored totals, whose tables are walked side by side. */
struct db_top_scan {
	struct db_walk task_walk, summary_walk, charge_walk;
	enum db_step task_step, summary_step, charge_step; /* of the current rows: */
	struct db_top_task {
		int64_t process_id, trace_id, pid;
	} task;
	struct process_summary_row summary;
	struct process_charge_row charge;
	bool is_open;
	/* A scan was over all traces, and they are one after the other: others go on. */
	bool is_in_order;
};

struct db_top {
	struct db_top_scan scan;
	size_t wanted; /* of each counter; 0: none */
	bool is_used;  /* the processes were read: no threads follow */
	/* Of the trace: its only group. */
	size_t group_count;
	int64_t group_id;
	size_t slots;
	int64_t counter_ids[GROUP_COUNTERS_MAX]; /* by slot */
	struct top top;
	/* What comes next. */
	size_t at;
	bool is_named; /* the process's row was given */
	sqlite3_stmt *rows;
	struct process_row row;
	struct process_total_event total;
};

/* Begins a trace; what was of the last one, but the scan, is freed. */
void db_top_begin(struct db_top *top, size_t wanted);
void db_top_release(struct db_top *top);
/* The groups and counters of the trace. */
void db_top_group(struct db_top *top, const struct counter_group_row *row);
void db_top_counter(struct db_top *top, const struct counter_row *row);
/* Reads the processes; false: threads have to be read.  Traces come in their order. */
bool db_top_read(struct db_top *top, const struct db_pages *pages, sqlite3 *db,
		 int64_t trace_id);
/* The next row or sum: ST_OK, ST_END, or ST_CORRUPT: the database contradicts itself. */
enum status db_top_next(struct db_top *top, struct record *out);

#endif
