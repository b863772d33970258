/*
 * rows.h - handwritten rows for the writers, and what came of them.
 *
 * Both outputs are read back into the same form: a line a row, cells separated by commas,
 * texts as 'x' with bytes outside printable ASCII as \xNN, integers as they are, blobs in
 * hexadecimal, NULL. So a CSV file equals a table exactly when the two lines of text are
 * equal.  A CSV file cannot tell an empty blob from NULL: both are NULL here.
 */
#ifndef PERFTAB_ROWS_H
#define PERFTAB_ROWS_H

#include <sqlite3.h>

#include "model/record.h"
#include "model/sink.h"
#include "unit.h"

/* A growing list of records with copies of their rows. */
struct rows {
	struct record *records;
	size_t count, room;
};
void rows_add(struct rows *rows, enum record_kind kind, const void *row);
/* A row of a table that a trace defines itself, which must outlive the list. */
void rows_add_own(struct rows *rows, const struct table *table, const void *row);
/* A context_switch with `slots` deltas that begin at `delta` and rise by 1. */
void rows_add_switch(struct rows *rows, int64_t id, int64_t group_id, size_t slots,
		     int64_t delta);
void rows_add_group(struct rows *rows, int64_t id, int64_t counters);
/* All that is nasty: texts, NULLs, extremes, one row or more in every table. */
void rows_add_nasty(struct rows *rows);

/* Opens the sink, puts all rows, finishes and closes: everything must succeed. */
void rows_write(const struct rows *rows, const struct sink_ops *ops,
		const struct sink_options *options);

/*
 * As if the disk were full: no file may grow above `bytes` while so many switches are
 * written to unit_path(name).  That must end with ST_IO and leave nothing.
 */
void rows_write_limited(const struct sink_ops *ops, const char *name, size_t bytes,
			int64_t switches, struct unit_output *output);

/* The table, its column names first. */
char *rows_of_table(sqlite3 *db, const char *table);
/* <directory>/<table>.csv likewise; NULL: there is none, as of a table without rows. */
char *rows_of_csv(const char *directory, const char *table);
/* Is the file the table, in any order, or missing where that is empty?  Sorts both. */
bool rows_agree(char *csv, char *sql);

/* Are these the same lines, in any order?  (SQLite orders a table by its ids.)  Sorts
 * both. */
bool rows_same(char *a, char *b);

/* The database, which must be one; closed at the end of the program. */
sqlite3 *rows_open_database(const char *path);
/* The first cell of a query's first row as a text, or "NULL"; and that it is this one. */
const char *rows_ask(sqlite3 *db, const char *sql);
void rows_answer(sqlite3 *db, const char *sql, const char *expected);

#endif
