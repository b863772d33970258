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
#include "model/record.h"

#define FOLDER_VALUE_BYTES 160

/* Where the files of a trace belong, and what they are called. */
struct fleet_place {
	char host[FOLDER_VALUE_BYTES]; /* as in a path */
	char date[16];
	char trace[FOLDER_VALUE_BYTES]; /* name of the files, and in the column `trace` */
};

/* `number` tells inputs of one output apart that are otherwise the same. */
void fleet_place(struct fleet_place *place, const struct trace_row *trace, size_t number);
/* A text as part of a path: all but letters, digits and -._,: become %XX. */
void fleet_escape(char to[FOLDER_VALUE_BYTES], struct str text);
/*
 * Moves a file of the output folder to its place.  `counters` is NULL, or the value of
 * such a folder; `suffix` tells files of a trace apart that have one place.
 */
MUST_CHECK enum status fleet_move(int folder_fd, const char *from, const char *table,
				  const char *counters, const struct fleet_place *place,
				  size_t suffix, struct error *error);

#endif
