/* mutate_perflib.h - mutations of PerfLib bundles, whose checksums stay right. */
#ifndef PERFTAB_MUTATE_PERFLIB_H
#define PERFTAB_MUTATE_PERFLIB_H

#include "mutant.h"

/* A bundle, or a bare block. */
void mutate_perflib_file(struct mutant *m);
/* Sets the checksums of all records right. */
void mutate_perflib_checksums(uint8_t *bytes, size_t size);

#endif
