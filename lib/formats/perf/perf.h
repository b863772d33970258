/*
 * perf.h - the reader of perf.data: its parts.
 *
 * Layouts: tools/perf/Documentation/perf.data-file-format.txt and
 * include/uapi/linux/perf_event.h of the Linux kernel; docs/formats/perf-data.md
 * describes them.
 *
 *   layout.h       numbers of the format, which the writer (write.h) shares
 *   open.c         the file from the outside in: sections.c, attrs.c, features.c
 *   catalog.h      events, ids and groups from these
 *   source.h       the input, or layers above it that make one stream of records
 *   walk.h         from record to record: walk.c; lookahead.c finds task records and
 *                  damage ahead, resync.c gets past damage
 *   sample.h       samples: sample_fast.c for plain switches, sample.c for all others
 *   sums.h         sums of plain switches by a second thread
 *   records.h      all other records
 *   tracepoints.h  formats of tracepoints, and their rows
 *   file_symbols.h names of functions by simpleperf
 *   rows.h         rows of the trace as a whole, and the queue of all rows
 *
 * A part is a struct.  A function gets the parts that it may touch; functions that need
 * most of them, or the reader's findings and options, get the reader.
 */
#ifndef PERFTAB_PERF_H
#define PERFTAB_PERF_H

#include "formats/perf/file_symbols.h"
#include "formats/perf/rows.h"
#include "formats/perf/sample.h"
#include "formats/perf/walk.h"

struct perf_sums;

struct perf {
	struct perf_source source;
	struct perf_catalog catalog;
	struct perf_walk walk;
	struct perf_rows rows;
	struct perf_dsos dsos;
	struct perf_scratch scratch;
	struct perf_sums *sums;	   /* sums.h; NULL: none are made */
	struct findings *findings; /* the reader's */
};

/* scope.c: finds the scope, once, before the first group is used. */
void perf_find_scope(struct perf *perf);

/* trace_rows.c: emits the row of the trace, with all that is known by then. */
void perf_emit_trace(struct perf *perf);

#endif
