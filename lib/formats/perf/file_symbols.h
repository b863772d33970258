/*
 * file_symbols.h - names of functions by simpleperf: rows of file_symbol.
 *
 * Two generations: records KERNEL_SYMBOL, DSO and SYMBOL among the others, and the header
 * features FILE and FILE2.  Their names and layouts: simpleperf's record_file_format.h.
 */
#ifndef PERFTAB_PERF_FILE_SYMBOLS_H
#define PERFTAB_PERF_FILE_SYMBOLS_H

#include "formats/perf/rows.h"

/* Maximum of files of an input. */
#define PERF_DSOS_MAX 65536u

/* Files of DSO records, by their numbers. */
struct perf_dsos {
	struct map by_id; /* struct perf_dso */
	uint32_t count;
};

/* False: the record or feature ends within one of its fields. */
bool perf_decode_kernel_symbols(struct perf_rows *rows, struct cursor *c);
bool perf_decode_dso(struct perf_rows *rows, struct perf_dsos *dsos, struct cursor *c);
bool perf_decode_dso_symbol(struct perf_rows *rows, const struct perf_dsos *dsos,
			    struct cursor *c);
/* FEATURE_FILE or FEATURE_FILE2. */
bool perf_decode_files(struct perf_rows *rows, unsigned int feature, struct cursor c);

#endif
