/*
 * top.h - the processes that cost most, and the sum of all others, from stored totals.
 *
 * Tens of thousands of processes become a bill of 25 lines.  Which lines those are
 * depends on the counter that sorts them, so the first of each counter are kept, and
 * those of time on a CPU; the first by their cost, then by their pid.
 */
#ifndef PERFTAB_DATABASE_TOP_H
#define PERFTAB_DATABASE_TOP_H

#include "formats/database/pages.h"

struct top_process;

struct db_top {
	size_t wanted; /* of each counter; 0: none */
	bool is_used;  /* the processes were read: no threads follow */
	/* Of the trace: its only group. */
	size_t group_count;
	int64_t group_id;
	size_t slots;
	int64_t counter_ids[GROUP_COUNTERS_MAX]; /* by slot */
	/* The processes that were kept, each of `process_bytes`. */
	char *processes;
	size_t process_bytes, count, room;
	struct top_process *rest; /* the sum of the others */
	int64_t rest_count;
	struct top_bound *bounds; /* by key: the last one that counts as first */
	bool has_bounds;
	/* What comes next. */
	size_t at;
	bool is_named; /* the process's row was given */
	sqlite3_stmt *rows;
	struct process_row row;
	struct process_total_event total;
};

/* Begins a trace; what was of the last one is freed. */
void db_top_begin(struct db_top *top, size_t wanted);
void db_top_end(struct db_top *top);
/* The groups and counters of the trace. */
void db_top_group(struct db_top *top, const struct counter_group_row *row);
void db_top_counter(struct db_top *top, const struct counter_row *row);
/* Reads the processes; false: threads have to be read. */
bool db_top_read(struct db_top *top, const struct db_pages *pages, sqlite3 *db,
		 int64_t trace_id);
/* The next row or sum: ST_OK, ST_END, or ST_CORRUPT: the database contradicts itself. */
enum status db_top_next(struct db_top *top, struct record *out);

#endif
