/*
 * formats.h - every input format.  To add one, see CONTRIBUTING.md.
 */
#ifndef PERFTAB_FORMATS_H
#define PERFTAB_FORMATS_H

#include "model/reader.h"

extern const struct reader_ops perf_reader;
extern const struct reader_ops etl_reader;
extern const struct reader_ops xperf_reader;
extern const struct reader_ops perflib_reader;
extern const struct reader_ops winperf_reader;
extern const struct reader_ops pdh_csv_reader;
extern const struct reader_ops database_reader;

/* Those with a magic number come first. */
#define TRACE_FORMATS                                                               \
	&perf_reader, &etl_reader, &xperf_reader, &perflib_reader, &winperf_reader, \
		&pdh_csv_reader

/* Ends with NULL. */
extern const struct reader_ops *const trace_formats[]; /* traces alone */
extern const struct reader_ops *const all_formats[];   /* and databases of perftab */

#endif
