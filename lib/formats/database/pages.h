/*
 * pages.h - the rows of a table, decoded from the pages of the database's file.
 *
 * Ten times as fast as asking SQLite for each column of each row.  Only what every
 * converted database has is decoded here; of all else the caller asks SQLite instead.
 */
#ifndef PERFTAB_DATABASE_PAGES_H
#define PERFTAB_DATABASE_PAGES_H

#include <sqlite3.h>

#include "base/error.h"
#include "model/record.h"

#define DB_DEPTH_MAX 20 /* of a tree of pages; SQLite's own limit */
/* Columns of a table: those of its row and one for each counter. */
#define DB_COLUMNS_MAX (GROUP_COUNTERS_MAX + 64)

/* The file of a database, while a transaction keeps it as it is. */
struct db_pages {
	sqlite3_file *file; /* SQLite's; NULL: it cannot be read here */
	uint32_t page_bytes, usable_bytes;
	uint64_t page_count;
};

/* Where a column goes; one that is not wanted has no place. */
struct db_column {
	enum field_kind kind;
	size_t offset; /* in the row; SIZE_MAX: nowhere */
	bool is_rowid;
};

/* The same for a row of numbers. */
struct db_number {
	size_t place; /* offset, or that of a number without use */
	int64_t none; /* for NULL */
};

struct db_level {
	uint8_t *page;
	uint32_t head; /* where its header begins */
	uint32_t at, cells;
};

/* The rows of one table in the order of their rowids. */
struct db_walk {
	const struct db_pages *pages;
	struct db_column *columns; /* as the table has them */
	struct db_number *numbers; /* likewise */
	size_t column_count;
	size_t wanted_count; /* columns up to the last one that is wanted */
	size_t rowid_column; /* SIZE_MAX: there is none */
	bool is_numbers;     /* nothing else is wanted */
	struct db_level levels[DB_DEPTH_MAX];
	size_t depth;	 /* levels in use; the last one may be a leaf */
	uint64_t visits; /* pages read: a circle of pages has no end */
	int64_t rowid;	 /* of the last row */
	bool any;	 /* there was one */
};

enum db_step { DB_ROW, DB_END, DB_UNFIT, DB_OTHER /* see table_walk.h */ };

/* Begins a transaction.  `file` stays NULL where SQLite has to read. */
void db_pages_open(struct db_pages *pages, sqlite3 *db);
/*
 * Of a table, into its row; and its columns delta_0 and so on, `delta_count` of them, as
 * 64-bit numbers from the offset `deltas` of the row on, with room for one more.
 * False: SQLite has to read it.
 */
bool db_walk_begin(struct db_walk *walk, const struct db_pages *pages, sqlite3 *db,
		   const struct table *table, size_t deltas, size_t delta_count);
/*
 * The next row.  Texts are valid until the next call.  DB_UNFIT: SQLite has to read those
 * after walk->rowid, or to find out what is wrong.
 */
enum db_step db_walk_next(struct db_walk *walk, void *row);
/* After a row: it will be the next one again. */
void db_walk_back(struct db_walk *walk);
void db_walk_end(struct db_walk *walk);

#endif
