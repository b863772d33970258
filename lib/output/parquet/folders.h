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
#include "model/record.h"

#define FOLDER_VALUE_BYTES 160

/* Where the files of a trace belong, and what they are called. */
struct fleet_place {
	char host[FOLDER_VALUE_BYTES]; /* as in a path */
	char date[16];
	char trace[FOLDER_VALUE_BYTES]; /* name of the files, and in the column `trace` */
};

/* `number` is for inputs of one output that are otherwise the same. */
void fleet_place(struct fleet_place *place, const struct trace_row *trace, size_t number);
/* A text as part of a path: all but letters, digits and -._, become %XX. */
void fleet_escape(char to[FOLDER_VALUE_BYTES], struct str text);
/* A tree that is being written. */
struct fleet {
	struct os_folder *folder; /* of the caller */
	size_t files;		  /* begun so far */
	struct fleet_place place; /* of the trace that is read; set at its end */
	struct error *error;	  /* of the caller */
};

/* A file of the tree that has no place yet. */
struct fleet_file {
	int fd; /* -1: not open */
	char name[32];
};

MUST_CHECK enum status fleet_begin(struct fleet *fleet, struct fleet_file *file);
/*
 * Closes a complete file and moves it to its place.  `counters` is NULL, or the value of
 * such a folder; `suffix` is a number for files of a trace that have the same place.
 */
MUST_CHECK enum status fleet_finish(struct fleet *fleet, struct fleet_file *file,
				    const char *table, const char *counters,
				    size_t suffix);
/* May be called twice. */
void fleet_close(struct fleet_file *file);

#endif
