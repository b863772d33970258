/*
 * intervals.h - the switches and the reads of one trace in a database, with the
 * cumulative values that its tables keep only deltas of.
 */
#ifndef PERFTAB_DATABASE_INTERVALS_H
#define PERFTAB_DATABASE_INTERVALS_H

#include <sqlite3.h>
#include <stdbool.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/map.h"
#include "model/record.h"

#define DB_RECENT 64

struct db_intervals {
	sqlite3 *db; /* borrowed */
	int64_t trace_id;
	bool want_values;
	struct map groups; /* group_id -> struct db_group */
	struct db_group *all_groups;
	struct db_group *last_group; /* of the last switch */
	/* Values of groups that count CPUs, by the low bits of the CPU. */
	struct db_recent {
		const struct db_group *group; /* NULL: none */
		int64_t cpu;
		int64_t *values;
	} recent[DB_RECENT];
	struct arena arena;
	int64_t widest;	     /* most counters of a group */
	sqlite3_stmt *reads; /* at the next row, if there is one */
	bool reads_over;
	struct group_read_row read_row;
	int64_t deltas[GROUP_COUNTERS_MAX];
};

/* Values may be left out of the switches: they are NULL then. */
void db_intervals_init(struct db_intervals *intervals, sqlite3 *db, int64_t trace_id,
		       bool want_values);
void db_intervals_release(struct db_intervals *intervals);

/* Groups come before their switches; false: it is not a valid one. */
bool db_intervals_group(struct db_intervals *intervals,
			const struct counter_group_row *row);
/*
 * Puts deltas, which may be more than the group has, and values of a switch into *out.
 * false: it does not fit its group.
 */
bool db_intervals_switch(struct db_intervals *intervals, const int64_t *deltas,
			 const struct context_switch_row *row, struct record *out);
/* A read comes before the switch of that id; *status: the database failed. */
bool db_intervals_read_is_next(struct db_intervals *intervals, int64_t switch_id,
			       enum status *status);
/* That read.  ST_CORRUPT: it does not fit its group; ST_IO: the database failed. */
MUST_CHECK enum status db_intervals_read(struct db_intervals *intervals,
					 struct record *out);

#endif
