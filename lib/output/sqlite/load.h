/*
 * load.h - loads rows into a database, table by table.
 *
 * Rows are collected in batches, and a second thread loads the full ones while the next
 * is filled.  Two may be full, so that the first thread continues while keys are sorted
 * or pages are written.  There are two loaders: one inserts with SQL; the other
 * bulk-loads rows (bulk.h) and stages those that it cannot load (staging.h).
 */
#ifndef PERFTAB_SQLITE_LOAD_H
#define PERFTAB_SQLITE_LOAD_H

#include <sqlite3.h>

#include "base/background.h"
#include "base/error.h"
#include "output/sqlite/batch.h"
#include "output/sqlite/insert.h"
#include "output/sqlite_bulk/bulk.h"

/* Maximum of full batches. */
#define BATCHES_FULL 2

/* A pair of cache lines; two threads must not write into the same pair. */
#define CACHE_LINES_BYTES 128

/* Rows of one table and width that are being loaded. */
struct load {
	bool has_widths;    /* there may be one for each width */
	bool was_handed;    /* a full batch was handed over */
	int64_t given;	    /* rows so far */
	size_t room;	    /* rows of the next new batch */
	bool grows;	    /* `room` may grow */
	struct batch batch; /* being collected */
	struct load *next;
	char *left_reason; /* why SQLite fills this table; NULL: it does not */
	/* Only for the loading thread: */
	_Alignas(CACHE_LINES_BYTES) struct batch full[BATCHES_FULL]; /* or not made */
	struct batch *taken; /* the one being loaded */
	size_t at, run_at;   /* its next row, its next run */
	int64_t rowid;	     /* of the last row handed over */
	/* Bulk loading: */
	struct bulk_table *table; /* NULL: left to SQLite */
	sqlite3_stmt *staging_insert;
	uint64_t staged_count;
	/* Inserting: */
	struct insert insert;
	int64_t *last_id; /* last row id of the table; NULL: not its first column */
};

/* A job of the loading thread: full[place] of all loads of a table. */
struct handed {
	struct loads *loads;
	struct load *first;
	size_t place;
	enum status status; /* result of all jobs so far */
};

struct loads {
	const char *path;	       /* of the output, for messages */
	sqlite3 *db;		       /* of the output; bulk loading: only at the end */
	struct catalog catalog;	       /* bulk loading: the schema, without rows */
	sqlite3 *staging;	       /* bulk loading: staged rows; NULL: none so far */
	struct bulk *bulk;	       /* bulk loading, else NULL */
	size_t widest;		       /* number of delta columns */
	size_t staging_widest;	       /* number of delta columns of `staging` */
	struct background *background; /* NULL: everything in this thread */
	struct handed handed[BATCHES_FULL];
	size_t handovers;
	size_t grown; /* bytes by which batches have grown */
	/* Of the loading thread until loads_wait(); nothing is loaded after a failure. */
	struct error error;
	/* By table; context_switch: a load by width; last: the trace's own tables. */
	struct load *lists[RECORD_OWN_TABLE + 1];
	int64_t last_ids[RECORD_TABLES]; /* of the rows loaded */
};

/* Returns the load for rows like this one; NULL: none so far. */
struct load *load_find(const struct loads *loads, const struct record *record);
MUST_CHECK enum status load_add(struct loads *loads, const struct record *record,
				struct load **load, struct error *error);
MUST_CHECK enum status load_add_record(struct loads *loads, struct load *load,
				       const struct record *record, struct error *error);
/* The same for rows of a run. */
MUST_CHECK enum status load_add_run(struct loads *loads, struct load *load,
				    const struct run_rows *rows, struct error *error);
/* After the last switch: bulk loading may begin with what needs all of them. */
MUST_CHECK enum status loads_end_switches(struct loads *loads, struct error *error);
/* Waits until all full batches are loaded; returns the first failure. */
MUST_CHECK enum status loads_wait(struct loads *loads, struct error *error);

/* Loads all batches; bulk loading: of tables with enough rows. */
MUST_CHECK enum status loads_flush(struct loads *loads, struct error *error);
/* Bulk loading: inserts the other rows into loads->db when the pages are in place. */
MUST_CHECK enum status loads_insert_rest(struct loads *loads, struct error *error);
void loads_release(struct loads *loads);

/* Returns SQL for the delta column of a slot; free it with sqlite3_free(). */
char *load_delta_column(size_t slot);

/* Sets the error "cannot write <path>: <doing>: <message of SQLite>". */
enum status load_failed(const struct loads *loads, sqlite3 *db, const char *doing,
			struct error *error);

#endif
