/*
 * twin.h - two databases of the same rows: one bulk-loaded, one inserted by SQLite.
 *
 * Whatever can be asked of the two must be answered alike.  Used by the unit tests of
 * lib/output/sqlite_bulk/bulk.c and by its fuzz target; knows no test framework.
 */
#ifndef PERFTAB_TWIN_H
#define PERFTAB_TWIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/record.h"

/* A table named by the layout, in a database of its own. */
struct twin {
	const char *directory; /* holds the two files, a.db and b.db */
	const struct table *table;
	bool has_id;	   /* the first column is INTEGER PRIMARY KEY */
	uint64_t not_null; /* a bit for each of the first 64 columns */
	uint64_t indexed;  /* likewise */
	size_t wide[4];	   /* columns of one index more */
	size_t wide_count; /* 0: there is none */
	size_t page_bytes;
	int reserved;	     /* bytes at the end of each page */
	uint32_t lock_byte;  /* 0: SQLite's own */
	size_t memory_bytes; /* for sorting; 0: plenty */
	bool modify;	     /* an ordinary client changes the bulk-loaded one */
	const char *rows;    /* one after the other, as the layout says */
	size_t count;
	const int64_t *rowids; /* NULL: 1, 2, ... */
	size_t run_rows; /* not 0: rows of context_switch, so many at once as columns */
	bool has_cpus;	 /* which are of several CPUs */
	/* Out: */
	size_t left;	    /* rows that were not written */
	size_t runs;	    /* that were loaded as columns */
	size_t depth;	    /* pages from the root of the table to a leaf */
	size_t index_depth; /* of the first index; 0: there is none */
	uint64_t spilled;   /* bytes of runs */
	bool is_reindexed;  /* the wide index was left */
	char text[1024];    /* what is different or went wrong */
};

/* Makes both, compares them and removes them; false: twin->text says what is wrong. */
bool twin_run(struct twin *twin);

#endif
