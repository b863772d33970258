/* entries.h - writes the entries of an index over one column. */
#ifndef PERFTAB_BULK_ENTRIES_H
#define PERFTAB_BULK_ENTRIES_H

#include <stddef.h>

#include "base/error.h"
#include "output/sqlite_bulk/pack.h"
#include "output/sqlite_bulk/tree.h"

/* Keys come in order; BULK_KEY_NULL is NULL. */
MUST_CHECK enum status entries_write(struct bulk_tree *tree, const struct bulk_key *keys,
				     size_t count, struct error *error);

#endif
