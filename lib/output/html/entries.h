/* entries.h - values by key: those of a bucket of time (sums.h). */
#ifndef PERFTAB_HTML_ENTRIES_H
#define PERFTAB_HTML_ENTRIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SUMS_VALUES_MAX 16
#define SUMS_KEEP_MAX 32
#define SUMS_REST 0 /* the key of what is not kept apart */

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
void entries_add_values(int64_t *sums, const int64_t *more, size_t count);

/* In the order of their keys. */
bool entries_sort(struct sums_entries *to, size_t width,
		  const struct sums_entries *entries);
/* Two lists in the order of their keys become one. */
bool entries_join(struct sums_entries *to, size_t width, const struct sums_entries *a,
		  const struct sums_entries *b);
/*
 * Sorted, the heaviest by their first value; the others become one, SUMS_REST, which is
 * the first.  `keep`, SUMS_KEEP_MAX at most, is less than there are, and counts it.
 */
bool entries_cut(struct sums_entries *to, size_t width, size_t keep,
		 const struct sums_entries *entries);

#endif
