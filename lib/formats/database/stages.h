/*
 * stages.h - which rows of a trace are read, in which order, and how a query finds them.
 */
#ifndef PERFTAB_DATABASE_STAGES_H
#define PERFTAB_DATABASE_STAGES_H

#include "model/reader.h"

/* Which rows of a table are of a trace; ?1 is its trace_id. */
enum of_what {
	OF_TRACE,
	OF_COUNTERS,
	OF_GROUPS,
	OF_PROCESSES,
	OF_THREADS,
	OF_INTERRUPTS,
	OF_IDS, /* how many there are of those */
	OF_TRACE_LEFT = OF_IDS,
};

struct db_of_what {
	const char *column;
	const char *where;
	enum record_kind kind; /* whose rows give these ids, each one at `offset` */
	size_t offset;
};
extern const struct db_of_what db_of_whats[];

/* The ids that the rows of a table give; OF_IDS: none. */
enum of_what db_ids_of_table(enum record_kind kind);

/* What comes of each trace, in this order. */
struct db_stage {
	enum record_kind kind;
	enum db_wanted {
		ALWAYS,
		SWITCHES_ONLY,
		TOTALS_ONLY,
		TOP_ONLY, /* of the processes that cost most, */
		THREADS,  /* or of every process and thread, */
		THREAD_TOTALS,
		VALUES_ONLY,
		FRAMES_ONLY,
	} wanted;
	enum of_what of;
};
extern const struct db_stage db_stages[];
extern const size_t db_stage_count;

bool db_stage_is_wanted(size_t stage, const struct reader_options *options,
			bool is_top_used);

#endif
