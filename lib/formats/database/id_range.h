/*
 * id_range.h - the ids of one kind of thing of a trace.  Where they are consecutive,
 * whether a row is of the trace needs no look into another table.
 */
#ifndef PERFTAB_DATABASE_ID_RANGE_H
#define PERFTAB_DATABASE_ID_RANGE_H

#include <stdbool.h>
#include <stdint.h>

struct id_range {
	int64_t first, last, count;
};

/* Each id once. */
static inline void id_range_add(struct id_range *ids, int64_t id)
{
	if (ids->count == 0 || id < ids->first)
		ids->first = id;
	if (ids->count == 0 || id > ids->last)
		ids->last = id;
	ids->count++;
}

/* There are no ids of others between them. */
static inline bool id_range_is_whole(const struct id_range *ids)
{
	return ids->count == 0 ||
	       (uint64_t)ids->last - (uint64_t)ids->first == (uint64_t)ids->count - 1;
}

static inline bool id_range_has(const struct id_range *ids, int64_t id)
{
	return ids->count && id >= ids->first && id <= ids->last;
}

#endif
