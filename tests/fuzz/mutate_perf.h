/*
 * mutate_perf.h - mutations of perf.data: header, attributes, features, records, and
 * records inside compressed ones.
 */
#ifndef PERFTAB_MUTATE_PERF_H
#define PERFTAB_MUTATE_PERF_H

#include "mutant.h"

/* A whole file, in the file or the pipe form; any bytes else. */
void mutate_perf_file(struct mutant *m);
/* Records from `from` to the end of the bytes. */
void mutate_perf_records(struct mutant *m, size_t from);

#endif
