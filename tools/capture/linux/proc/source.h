/*
 * source.h - a source of counters for Linux: /proc, or saved copies of it.
 *
 * Countersets of our own in the layouts of PerfLib: docs/proc-countersets.md.
 */
#ifndef PERFTAB_PROC_SOURCE_H
#define PERFTAB_PROC_SOURCE_H

#include "capture/perflib/source.h"

/*
 * count 0: this machine, whenever it is asked.  Else each of `trees` is a snapshot, or a
 * folder of snapshots named 1, 2, 3, ...
 */
MUST_CHECK enum status proc_source_open(struct source *source, const char *const *trees,
					size_t count, struct error *error);

#endif
