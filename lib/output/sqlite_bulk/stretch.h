/* stretch.h - sorted keys of an index, packed, in memory or in a file. */
#ifndef PERFTAB_BULK_STRETCH_H
#define PERFTAB_BULK_STRETCH_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "output/sqlite_bulk/pack.h"

/* Sorted keys, packed: in memory, or a run in the file, of which a part is in memory. */
struct bulk_stretch {
	uint64_t count;	       /* keys that are left, `key` included */
	struct bulk_key key;   /* merging: the first key */
	const uint8_t *at;     /* the next one */
	const uint8_t *last;   /* after this the buffer of a run must be refilled */
	uint8_t *bytes;	       /* all of it, or a buffer of a run */
	size_t size;	       /* in it */
	uint64_t offset, left; /* of a run: place and size of its rest */
	uint64_t last_value;   /* of a block */
};

struct bulk_stretches {
	struct bulk_stretch *list;
	size_t count;
};

MUST_CHECK enum status stretches_add(struct bulk_stretches *stretches,
				     struct bulk_stretch stretch, struct error *error);
/* Their bytes stay. */
void stretches_release(struct bulk_stretches *stretches);

/* The values of blocks, and how many blocks there are of a value, on average. */
struct bulk_spread {
	uint64_t least, most, keys;
	double depth;
};

struct bulk_spread stretches_spread(const struct bulk_stretches *blocks);

#endif
