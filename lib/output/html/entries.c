/* entries.c - lists of values by key: joined, sorted and cut. */
#include "output/html/entries.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/memory.h"
#include "model/row_sums.h"

void entries_release(struct sums_entries *entries)
{
	free(entries->keys);
	free(entries->values);
	*entries = (struct sums_entries){ .keys = NULL };
}

bool entries_reserve(struct sums_entries *entries, size_t width, size_t count)
{
	size_t room = entries->room;

	if (count <= entries->room)
		return true;
	if (!ARRAY_GROW(entries->keys, room, count - 1))
		return false;
	entries->values = array_grow(entries->values, &entries->room, count - 1,
				     width * sizeof(*entries->values));
	return count <= entries->room;
}

bool entries_append(struct sums_entries *entries, size_t width, uint64_t key,
		    const int64_t *values)
{
	if (!entries_reserve(entries, width, entries->count + 1))
		return false;
	entries->keys[entries->count] = key;
	for (size_t v = 0; v < width; v++)
		entries->values[entries->count * width + v] = values[v];
	entries->count++;
	return true;
}

bool entries_join(struct sums_entries *to, size_t width, const struct sums_entries *a,
		  const struct sums_entries *b)
{
	size_t i = 0, k = 0;

	to->count = 0;
	while (i < a->count || k < b->count) {
		bool from_a = i < a->count && (k == b->count || a->keys[i] <= b->keys[k]);
		bool same = from_a && k < b->count && a->keys[i] == b->keys[k];

		if (!entries_append(to, width, from_a ? a->keys[i] : b->keys[k],
				    from_a ? a->values + i * width
					   : b->values + k * width))
			return false;
		if (same)
			row_add_all(to->values + (to->count - 1) * width,
				    b->values + k * width, width);
		i += from_a;
		k += !from_a || same;
	}
	return true;
}

/* --- the order of an open bucket, and what it keeps --- */

struct place {
	uint64_t key;
	size_t at;
};

static int by_key(const void *a, const void *b)
{
	uint64_t x = ((const struct place *)a)->key, y = ((const struct place *)b)->key;

	return x < y ? -1 : x > y;
}

static void sort(struct place *places, size_t count)
{
	if (count > 12) {
		qsort(places, count, sizeof(*places), by_key);
		return;
	}
	for (size_t i = 1; i < count; i++) {
		struct place place = places[i];
		size_t k = i;

		for (; k > 0 && places[k - 1].key > place.key; k--)
			places[k] = places[k - 1];
		places[k] = place;
	}
}

/* The places of the heaviest entries; SUMS_REST is not one of them. */
static size_t find_heaviest(const struct sums_entries *entries, size_t width, size_t most,
			    struct place *places)
{
	size_t found = 0;
	int64_t weights[SUMS_KEEP_MAX];

	for (size_t i = 0; i < entries->count; i++) {
		int64_t weight = entries->values[i * width];
		size_t k = found;

		if (entries->keys[i] == SUMS_REST ||
		    (found == most && weight <= weights[most - 1]))
			continue;
		for (; k > 0 && weights[k - 1] < weight; k--)
			if (k < most) {
				weights[k] = weights[k - 1];
				places[k] = places[k - 1];
			}
		weights[k] = weight;
		places[k] = (struct place){ entries->keys[i], i };
		found += found < most;
	}
	return found;
}

bool entries_cut(struct sums_entries *to, size_t width, size_t keep,
		 const struct sums_entries *entries)
{
	size_t kept;
	struct place places[SUMS_KEEP_MAX];
	int64_t rest[SUMS_VALUES_MAX] = { 0 };
	bool done;

	kept = find_heaviest(entries, width, keep - 1, places);
	sort(places, kept);
	for (size_t i = 0; i < entries->count; i++)
		row_add_all(rest, entries->values + i * width, width);
	for (size_t i = 0; i < kept; i++)
		for (size_t v = 0; v < width; v++)
			rest[v] = wrap_sub(rest[v],
					   entries->values[places[i].at * width + v]);
	to->count = 0;
	done = entries_append(to, width, SUMS_REST, rest);
	for (size_t i = 0; i < kept && done; i++)
		done = entries_append(to, width, places[i].key,
				      entries->values + places[i].at * width);
	return done;
}

bool entries_sort(struct sums_entries *to, size_t width,
		  const struct sums_entries *entries)
{
	struct place few[12], *places = few;
	bool done = true;

	if (entries->count > ARRAY_COUNT(few))
		places = memory_alloc(entries->count * sizeof(*places));
	if (!places)
		return false;
	for (size_t i = 0; i < entries->count; i++)
		places[i] = (struct place){ entries->keys[i], i };
	sort(places, entries->count);
	to->count = 0;
	for (size_t i = 0; i < entries->count && done; i++)
		done = entries_append(to, width, places[i].key,
				      entries->values + places[i].at * width);
	if (places != few)
		free(places);
	return done;
}
