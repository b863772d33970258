/* turns.c - pairs each time a thread left its CPU with the next time it came to one. */
#include "output/folded/turns.h"

#include <stdlib.h>
#include <string.h>

#include "base/wrap.h"

#define FIRST_ROOM 8

bool turns_full(const struct turns *turns, size_t *wanted_room)
{
	*wanted_room = !turns->room		  ? FIRST_ROOM
		       : turns->room >= TURNS_MAX ? 0
						  : turns->room * 2;
	return turns->count == turns->room;
}

void turns_add(struct turns *turns, int64_t ts_ns, void *left_at)
{
	turns->turns[turns->count++] = (struct turn){ ts_ns, left_at };
}

/* At one time a thread comes before it leaves. */
static int by_time(const void *left, const void *right)
{
	const struct turn *a = left, *b = right;

	if (a->ts_ns != b->ts_ns)
		return a->ts_ns < b->ts_ns ? -1 : 1;
	return (a->left_at != NULL) - (b->left_at != NULL);
}

/*
 * A switch and a SWITCH record may both know that the thread came: the earlier one
 * counts.  Where it left twice the time between is not known.
 */
void turns_settle(struct turns *turns, bool all, turns_away_fn *away, void *context)
{
	size_t settled = all ? turns->count : turns->count / 2, kept;
	const struct turn *out = NULL;

	if (!settled)
		return;
	qsort(turns->turns, turns->count, sizeof(turns->turns[0]), by_time);
	for (size_t i = 0; i < settled; i++) {
		const struct turn *turn = &turns->turns[i];

		if (!turn->left_at && out)
			away(context, out->left_at, wrap_sub(turn->ts_ns, out->ts_ns));
		out = turn->left_at ? turn : NULL;
	}
	kept = turns->count - settled;
	if (out && !all)
		turns->turns[0] = *out;
	memmove(turns->turns + (out && !all), turns->turns + settled,
		kept * sizeof(turns->turns[0]));
	turns->count = kept + (out && !all);
}
