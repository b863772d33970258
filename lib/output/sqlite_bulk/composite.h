/*
 * composite.h - keys of an index over several columns, as one number for the sorter.
 *
 * The leading columns are packed into the number.  The last one, such as a snapshot,
 * mostly ascends with the row ids: its values are kept by row id, a step for each change,
 * and equal numbers come out of the sorter in the order of their row ids.  An index whose
 * rows do not fit this is left to SQLite.
 */
#ifndef PERFTAB_BULK_COMPOSITE_H
#define PERFTAB_BULK_COMPOSITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "output/sqlite_bulk/pack.h"
#include "output/sqlite_bulk/tree.h"

/* Maximum of columns of an index. */
#define BULK_KEY_COLUMNS_MAX 4
/* Maximum of changes of the last column. */
#define BULK_STEPS_MAX ((size_t)1 << 20)

/* The last column has the value from this row on. */
struct bulk_step {
	int64_t rowid, value;
};

struct bulk_composite {
	size_t columns; /* of the index, at least 2 */
	bool is_left;	/* left to SQLite: some rows do not fit */
	bool any;
	int64_t first, last; /* columns of the latest row */
	struct bulk_step *steps;
	size_t step_count, step_room;
	size_t at; /* the step of the entry written last */
};

/*
 * Computes the number of a row's columns; INT64_MIN is NULL.  False: the index is left to
 * SQLite from here on.
 */
bool composite_key(struct bulk_composite *composite, const int64_t *values, int64_t rowid,
		   int64_t *number);
/* Writes the entry of a key; keys come in order. */
MUST_CHECK enum status composite_entry(struct bulk_composite *composite,
				       struct bulk_tree *tree, const struct bulk_key *key,
				       struct error *error);
void composite_release(struct bulk_composite *composite);

#endif
