/* readers.c - the list of input formats; those with a magic number come first. */
#include "readers/readers.h"

const struct reader_ops *const trace_formats[] = { &perf_reader, &etl_reader,
						   &xperf_reader, &perflib_reader, NULL };

const struct reader_ops *const all_formats[] = { &perf_reader,	   &etl_reader,
						 &xperf_reader,	   &perflib_reader,
						 &database_reader, NULL };
