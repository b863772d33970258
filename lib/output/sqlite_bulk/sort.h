/* sort.h - sorts keys in memory. */
#ifndef PERFTAB_BULK_SORT_H
#define PERFTAB_BULK_SORT_H

#include <stdbool.h>
#include <stddef.h>

#include "output/sqlite_bulk/pack.h"

bool sort_is_done(const struct bulk_key *keys, size_t count);
/*
 * Sorts by value; equal values keep their order, which is that of their row ids.  The
 * sorted keys are in *keys afterwards, which may have been exchanged with *scratch.
 */
void sort_keys(struct bulk_key **keys, struct bulk_key **scratch, size_t count);

#endif
