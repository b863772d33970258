/*
 * load.h - rows on their way into a database, table by table.
 *
 * Rows are collected in batches, and full batches are taken by a second thread while the
 * next is made; there may be two, so that the first thread goes on while a block of keys
 * is sorted, or pages are written.  There are two loaders: one inserts with SQL, the
 * other lays rows down (bulk.h) and puts aside those that cannot be
 * (staging.h).
 */
#ifndef PERFTAB_SQLITE_LOAD_H
#define PERFTAB_SQLITE_LOAD_H

#include <sqlite3.h>

#include "base/background.h"
#include "base/error.h"
#include "output/sqlite/batch.h"
#include "output/sqlite/insert.h"
#include "output/sqlite_bulk/bulk.h"

/* Full batches on their way in, at most. */
#define BATCHES_FULL 2

/* Lines of the cache come in pairs; what two threads write must not lie in one. */
#define CACHE_LINES_BYTES 128

/* Rows of one table and width on their way in. */
struct load {
	bool has_widths;    /* there may be one for each width */
	bool was_handed;    /* at least one was full */
	struct batch batch; /* being collected */
	struct load *next;
	char *left_reason; /* why it is left to SQLite though others are not, or NULL */
	/* Of the thread that takes them: */
	_Alignas(CACHE_LINES_BYTES) struct batch full[BATCHES_FULL]; /* or empty */
	struct batch *taken;					     /* one of them */
	size_t at;						     /* its next row */
	int64_t rowid; /* of the last row handed over */
	/* Laying: */
	struct bulk_table *table; /* NULL: left to SQLite */
	sqlite3_stmt *staging_insert;
	uint64_t staged_count;
	/* Inserting: */
	struct insert insert;
	int64_t *last_id; /* the table's last row id, NULL: it is not the first column */
};

/* What is handed over at once: full[place] of all loads that go together. */
struct handed {
	struct loads *loads;
	struct load *first;
	size_t place;
	enum status status; /* when it is done: of all so far */
};

struct loads {
	const char *path;      /* the output's, for messages */
	sqlite3 *db;	       /* where rows are inserted; laying: at the end */
	sqlite3 *staging;      /* laying: has the schema, and the rows put aside */
	struct bulk *bulk;     /* laying, else NULL */
	size_t widest;	       /* delta columns that there are */
	size_t staging_widest; /* likewise, of the side */
	struct background *background; /* NULL: everything in this thread */
	struct handed handed[BATCHES_FULL];
	size_t handovers;
	/* Of the thread that takes them, until loads_wait(): */
	enum status status; /* of all so far: after a failure nothing is taken */
	struct error error;
	/* A list for each table; of context_switch one for each width, the last one of
	 * the trace's own tables. */
	struct load *lists[RECORD_OWN_TABLE + 1];
	int64_t last_ids[RECORD_TABLES]; /* of the rows that are in */
};

/* The load for rows like this one; NULL: there is none yet. */
struct load *load_find(const struct loads *loads, const struct record *record);
MUST_CHECK enum status load_add(struct loads *loads, const struct record *record,
				struct load **load, struct error *error);
MUST_CHECK enum status load_add_record(struct loads *loads, struct load *load,
				       const struct record *record, struct error *error);
/* Until nothing is on its way in; the failure of what was. */
MUST_CHECK enum status loads_wait(struct loads *loads, struct error *error);

/* Hands over all batches; laying: of tables that have enough rows. */
MUST_CHECK enum status loads_flush(struct loads *loads, struct error *error);
/* Laying: when the pages are in place, inserts the rest into loads->db. */
MUST_CHECK enum status loads_insert_rest(struct loads *loads, struct error *error);
void loads_release(struct loads *loads);

/* SQL for the delta column of a slot; sqlite3_free() */
char *load_delta_column(size_t slot);

/* "cannot write <path>: <doing>: <what SQLite says>" */
enum status load_failed(const struct loads *loads, sqlite3 *db, const char *doing,
			struct error *error);

#endif
