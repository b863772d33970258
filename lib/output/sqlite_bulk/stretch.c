/* stretch.c - a list of stretches, and how much they overlap. */
#include "output/sqlite_bulk/stretch.h"

#include <stdlib.h>

bool stretch_add(struct bulk_stretch **list, size_t *count, struct bulk_stretch stretch)
{
	/* Doubled whenever it is full, at powers of two. */
	if ((*count & (*count - 1)) == 0) {
		struct bulk_stretch *more =
			realloc(*list, (*count ? 2 * *count : 1) * sizeof(*more));

		if (!more)
			return false;
		*list = more;
	}
	(*list)[(*count)++] = stretch;
	return true;
}

static uint64_t first_value(const struct bulk_stretch *block)
{
	struct bulk_key key = { 0, 0 };

	(void)unpack_key(block->bytes, &key);
	return key.value;
}

struct bulk_spread stretch_spread(const struct bulk_stretch *blocks, size_t count)
{
	struct bulk_spread spread = { .least = UINT64_MAX };
	double sum = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t first = first_value(&blocks[i]), last = blocks[i].last_value;

		spread.least = first < spread.least ? first : spread.least;
		spread.most = last > spread.most ? last : spread.most;
		spread.keys += blocks[i].count;
		sum += (double)(last - first) + 1;
	}
	if (count)
		spread.depth = sum / ((double)(spread.most - spread.least) + 1);
	return spread;
}
