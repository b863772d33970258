/* stretch.c - a list of stretches, and how much they overlap. */
#include "output/sqlite_bulk/stretch.h"

#include <stdlib.h>

enum status stretches_add(struct bulk_stretches *stretches, struct bulk_stretch stretch,
			  struct error *error)
{
	size_t count = stretches->count;

	/* Doubled whenever it is full, at powers of two. */
	if ((count & (count - 1)) == 0) {
		struct bulk_stretch *more =
			realloc(stretches->list, (count ? 2 * count : 1) * sizeof(*more));

		if (!more)
			return error_nomem(error);
		stretches->list = more;
	}
	stretches->list[stretches->count++] = stretch;
	return ST_OK;
}

void stretches_release(struct bulk_stretches *stretches)
{
	free(stretches->list);
	*stretches = (struct bulk_stretches){ NULL, 0 };
}

static uint64_t first_value(const struct bulk_stretch *block)
{
	struct bulk_key key = { 0, 0 };

	(void)unpack_key(block->bytes, &key);
	return key.value;
}

struct bulk_spread stretches_spread(const struct bulk_stretches *blocks)
{
	struct bulk_spread spread = { .least = UINT64_MAX };
	double sum = 0;

	for (size_t i = 0; i < blocks->count; i++) {
		const struct bulk_stretch *block = &blocks->list[i];
		uint64_t first = first_value(block), last = block->last_value;

		spread.least = first < spread.least ? first : spread.least;
		spread.most = last > spread.most ? last : spread.most;
		spread.keys += block->count;
		sum += (double)(last - first) + 1;
	}
	if (blocks->count)
		spread.depth = sum / ((double)(spread.most - spread.least) + 1);
	return spread;
}
