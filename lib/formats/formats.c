/* formats.c - the list of input formats; those with a magic number come first. */
#include "formats/formats.h"

#define TRACE_FORMATS                                                               \
	&perf_reader, &etl_reader, &xperf_reader, &perflib_reader, &winperf_reader, \
		&pdh_csv_reader

const struct reader_ops *const trace_formats[] = { TRACE_FORMATS, NULL };

const struct reader_ops *const all_formats[] = { TRACE_FORMATS, &database_reader, NULL };
