/*
 * folders.h - the tree of a fleet: TABLE/host=HOST/date=DATE/TRACE.parquet, with
 * TABLE/counters=NAMES/... for tables whose columns are the counters.
 *
 * Folders of the form NAME=VALUE become columns in DuckDB, ClickHouse and Spark (Hive's
 * partitions).  Files get their place when the trace is known, at its end.
 */
#ifndef PERFTAB_PARQUET_FOLDERS_H
#define PERFTAB_PARQUET_FOLDERS_H

#include "base/error.h"
#include "base/os.h"
#include "output/fleet/place.h"

/* A tree that is being written. */
struct folders {
	struct os_folder *folder; /* of the caller */
	size_t files;		  /* begun so far */
	struct fleet_place place; /* of the trace that is read; set at its end */
	struct error *error;	  /* of the caller */
};

/* A file of the tree that has no place yet. */
struct folders_file {
	int fd; /* -1: not open */
	char name[32];
};

MUST_CHECK enum status folders_begin(struct folders *folders, struct folders_file *file);
/*
 * Closes a complete file and moves it to its place.  `counters` is NULL, or the value of
 * such a folder; `suffix` is a number for files of a trace that have the same place.
 */
MUST_CHECK enum status folders_finish(struct folders *folders, struct folders_file *file,
				      const char *table, const char *counters,
				      size_t suffix);
/* May be called twice. */
void folders_close(struct folders_file *file);

#endif
