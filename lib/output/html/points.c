/* points.c - adds values to the buckets of their series, and joins buckets two by two. */
#include "output/html/points.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "base/varint.h"

#define FIRST_SHIFT 20 /* about a millisecond */
#define SHIFT_MAX 62
#define SPAN_MAX 4096
#define POINTS_MAX ((size_t)1 << 20)

void points_begin(struct points *points)
{
	*points = (struct points){ .shift = FIRST_SHIFT,
				   .first = INT64_MAX,
				   .last = INT64_MIN,
				   .count_max = POINTS_MAX };
}

void points_end(struct points *points)
{
	struct points_series *next;

	for (struct points_series *series = points->series; series; series = next) {
		next = series->next;
		free(series->points);
		free(series);
	}
	map_release(&points->by_key);
	points_begin(points);
}

/* The mean of both; the later one is what is left of them. */
static void join(struct point *to, const struct point *from)
{
	double all = (double)to->count + (double)from->count;

	to->mean = (float)(((double)to->mean * (double)to->count +
			    (double)from->mean * (double)from->count) /
			   all);
	to->count += from->count;
}

static void double_series(struct points_series *series)
{
	size_t kept = 0;

	for (size_t i = 0; i < series->count; i++) {
		struct point point = series->points[i];

		point.bucket >>= 1;
		if (kept && series->points[kept - 1].bucket == point.bucket)
			join(&series->points[kept - 1], &point);
		else
			series->points[kept++] = point;
	}
	series->count = kept;
}

static void double_all(struct points *points)
{
	points->count = 0;
	for (struct points_series *s = points->series; s; s = s->next) {
		double_series(s);
		points->count += s->count;
	}
	points->shift++;
	points->first >>= 1;
	points->last >>= 1;
}

static struct points_series *find(struct points *points, const void *of)
{
	struct points_series *series = map_get(&points->by_key, (uint64_t)(uintptr_t)of);

	if (series)
		return series;
	series = memory_alloc_zeroed(1, sizeof(*series));
	if (!series || !map_put(&points->by_key, (uint64_t)(uintptr_t)of, series)) {
		free(series);
		return NULL;
	}
	series->of = of;
	if (!points->tail)
		points->tail = &points->series;
	*points->tail = series;
	points->tail = &series->next;
	return series;
}

static void reach(struct points *points, int64_t ts_ns)
{
	for (;;) {
		int64_t bucket = ts_ns >> points->shift;
		int64_t first = bucket < points->first ? bucket : points->first;
		int64_t last = bucket > points->last ? bucket : points->last;

		if ((last - first < SPAN_MAX && points->count < points->count_max) ||
		    points->shift == SHIFT_MAX || first == last) {
			points->first = first;
			points->last = last;
			return;
		}
		double_all(points);
	}
}

bool points_add(struct points *points, const void *of, int64_t ts_ns, double value)
{
	struct points_series *series = find(points, of);
	struct point point = { .mean = (float)value, .count = 1 };
	struct point *last;

	if (!series)
		return false;
	reach(points, ts_ns > 0 ? ts_ns : 0);
	point.bucket = (ts_ns > 0 ? ts_ns : 0) >> points->shift;
	last = series->count ? &series->points[series->count - 1] : NULL;
	if (last && last->bucket >= point.bucket) {
		join(last, &point);
		return true;
	}
	if (!ARRAY_GROW(series->points, series->room, series->count))
		return false;
	series->points[series->count++] = point;
	points->count++;
	return true;
}

const struct points_series *points_find(const struct points *points, const void *of)
{
	return map_get(&points->by_key, (uint64_t)(uintptr_t)of);
}

void points_pack(const struct points *points, const struct points_series *series,
		 struct bytes *to)
{
	size_t count = series ? series->count : 0;
	int64_t last = points->first;

	varint_put(to, count);
	for (size_t i = 0; i < count; i++) {
		varint_put(to, (uint64_t)(series->points[i].bucket - last));
		last = series->points[i].bucket;
	}
	for (size_t i = 0; i < count; i++)
		varint_put(to, series->points[i].count);
	for (size_t i = 0; i < count; i++) {
		uint32_t bits;
		uint8_t four[4];

		memcpy(&bits, &series->points[i].mean, sizeof(bits));
		for (int b = 0; b < 4; b++)
			four[b] = (uint8_t)(bits >> (8 * b));
		bytes_put(to, four, sizeof(four));
	}
}
