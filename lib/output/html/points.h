/*
 * points.h - values over time of many series: means in buckets of time.
 *
 * As in sums.h all buckets are equally long, and become twice as long when there are too
 * many of them or they need too much memory; but values are real numbers.
 */
#ifndef PERFTAB_HTML_POINTS_H
#define PERFTAB_HTML_POINTS_H

#include "base/bytes.h"
#include "base/map.h"

struct point {
	int64_t bucket;
	float mean;
	uint32_t count; /* of values */
};

struct points_series {
	const void *of;
	struct point *points;
	size_t count, room;
	struct points_series *next; /* in the order of their first values */
};

struct points {
	unsigned int shift;
	int64_t first, last; /* buckets; first > last: there are none */
	size_t count;	     /* of all series */
	size_t count_max;
	struct map by_key;
	struct points_series *series, **tail;
};

void points_begin(struct points *points);
void points_end(struct points *points);
/* Adds a value to the series of `of`.  False: out of memory. */
bool points_add(struct points *points, const void *of, int64_t ts_ns, double value);
/* Returns the series of `of`; NULL: it has none. */
const struct points_series *points_find(const struct points *points, const void *of);
/*
 * Appends a series: a count, then the numbers of the buckets, each the difference to the
 * one before, then their counts, as varints; then means of 4 bytes, the lowest first.
 */
void points_pack(const struct points *points, const struct points_series *series,
		 struct bytes *to);

#endif
