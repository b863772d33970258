/*
 * table_walk.h - a walk over a table, for one trace after another.
 *
 * A converter writes the rows of one trace after those of another.  The first walk is
 * over the whole table and finds out whether that holds; then each further one goes on
 * where the last one ended, so that many traces cost no more than two walks.
 */
#ifndef PERFTAB_DATABASE_TABLE_WALK_H
#define PERFTAB_DATABASE_TABLE_WALK_H

#include "formats/database/id_range.h"
#include "formats/database/pages.h"
#include "formats/database/stages.h"

/* Consecutive ids of one trace. */
struct db_span {
	int64_t first, last, trace_id;
};

/* Of which trace an id is: the ids of one kind, of all traces. */
struct db_owners {
	struct db_span *spans; /* in the order of their ids, and of their traces; */
	bool is_mixed;	       /* or there is no such order, and nothing is known */
	size_t count, room;
	size_t recent; /* where the last one was found */
};

struct db_table_walk {
	struct db_walk walk;
	enum of_what of; /* what the rows are of, by the column at id_offset, */
	size_t id_offset;
	enum of_what gives; /* and the ids that they give, or OF_IDS */
	size_t delta_count;
	bool has_begun;	  /* it can be walked */
	bool has_ended;	  /* a walk was over the whole table: */
	bool is_empty;	  /* it has no rows, */
	bool is_in_order; /* or those of each trace are after those of the one before */
	int64_t trace_id; /* of the last row of the first walk */
	struct db_owners *owners; /* by of_what; borrowed */
};

/*
 * Begins the rows of one trace, or goes on to them.  Traces come in the order of their
 * numbers.  `owners` has OF_IDS of them, or is NULL where only one trace is read; the
 * other arguments are those of db_walk_begin().  False: SQLite has to read the table.
 */
bool db_table_walk_begin(struct db_table_walk *walk, const struct db_pages *pages,
			 sqlite3 *db, struct db_owners *owners, enum record_kind kind,
			 enum of_what of, size_t deltas, size_t delta_count);
/* The next row; DB_OTHER: it is not of what has the ids `ids`, which are consecutive. */
enum db_step db_table_walk_next(struct db_table_walk *walk, const struct id_range *ids,
				void *row);
/* The trace has no more rows, or SQLite reads the others. */
void db_table_walk_leave(struct db_table_walk *walk);
void db_table_walk_release(struct db_table_walk *walk);

void db_owners_release(struct db_owners *owners);

#endif
