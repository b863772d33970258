/* entries.h - values by key: those of a bucket of time (sums.h). */
#ifndef PERFTAB_HTML_ENTRIES_H
#define PERFTAB_HTML_ENTRIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SUMS_VALUES_MAX 16
#define SUMS_KEEP_MAX 32
#define SUMS_REST 0 /* the key of the sum of other keys */

/* `width` values of each, SUMS_VALUES_MAX at most.  False below: out of memory. */
struct sums_entries {
	uint64_t *keys;
	int64_t *values;
	size_t count, room;
};

void entries_release(struct sums_entries *entries);
bool entries_reserve(struct sums_entries *entries, size_t width, size_t count);
bool entries_append(struct sums_entries *entries, size_t width, uint64_t key,
		    const int64_t *values);

/* Sorts entries by their keys. */
bool entries_sort(struct sums_entries *to, size_t width,
		  const struct sums_entries *entries);
/* Joins two lists that are sorted by key. */
bool entries_join(struct sums_entries *to, size_t width, const struct sums_entries *a,
		  const struct sums_entries *b);
/*
 * Keeps the entries with the largest first values, sorted by key, and joins the others
 * to SUMS_REST, which is the first.  `keep` counts it; it is less than the number of
 * entries, and at most SUMS_KEEP_MAX.
 */
bool entries_cut(struct sums_entries *to, size_t width, size_t keep,
		 const struct sums_entries *entries);

#endif
