/*
 * range.h - finds the range of times of a trace before it is analyzed.
 */
#ifndef PERFTAB_ANALYZE_RANGE_H
#define PERFTAB_ANALYZE_RANGE_H

#include "model/reader.h"

/*
 * Reads all of `path`, which must be a file, for its trace row; without texts.  A
 * database costs next to nothing.  The error says why if it fails.
 */
MUST_CHECK enum status range_read(const char *path, const struct reader_options *options,
				  struct trace_row *trace, struct error *error);

#endif
