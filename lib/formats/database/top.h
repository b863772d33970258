/*
 * top.h - the processes that cost most, and the sum of all others, from stored totals.
 */
#ifndef PERFTAB_DATABASE_TOP_H
#define PERFTAB_DATABASE_TOP_H

#include "formats/database/pages.h"
#include "model/top.h"

struct db_top {
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
