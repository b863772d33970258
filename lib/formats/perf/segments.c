/* segments.c - maps offsets of a layer back to its input. */
#include <stdlib.h>

#include "base/array.h"
#include "formats/perf/source.h"

/* Drops segments that are no longer needed. */
static void forget(struct perf_segments *segments, uint64_t before)
{
	while (segments->count > 1 && segments->list[segments->first + 1].at <= before) {
		segments->first++;
		segments->count--;
	}
}

bool perf_segment_add(struct perf_segments *segments, uint64_t at, uint64_t source,
		      bool exact, uint64_t forget_before)
{
	struct perf_segment *last =
		segments->count ? &segments->list[segments->first + segments->count - 1]
				: NULL;

	/* The same stretch goes on. */
	if (last && exact && last->exact && source - last->source == at - last->at)
		return true;
	forget(segments, forget_before);
	if (segments->first + segments->count == segments->room &&
	    segments->first > segments->room / 2) {
		memmove(segments->list, segments->list + segments->first,
			segments->count * sizeof(*segments->list));
		segments->first = 0;
	}
	if (!ARRAY_GROW(segments->list, segments->room,
			segments->first + segments->count))
		return false;
	segments->list[segments->first + segments->count++] =
		(struct perf_segment){ at, source, exact };
	return true;
}

uint64_t perf_segment_find(const struct perf_segments *segments, uint64_t at)
{
	size_t low = segments->first, high = segments->first + segments->count;
	const struct perf_segment *found;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (segments->list[middle].at <= at)
			low = middle;
		else
			high = middle;
	}
	if (segments->count == 0)
		return at;
	found = &segments->list[low];
	return found->exact && at >= found->at ? found->source + (at - found->at)
					       : found->source;
}

void perf_segments_release(struct perf_segments *segments)
{
	free(segments->list);
	*segments = (struct perf_segments){ .list = NULL };
}
