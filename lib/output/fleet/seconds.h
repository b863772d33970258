/*
 * seconds.h - what each thread was charged in each second, counted by one group.
 *
 * Seconds that are over wait in a file without a name, so memory does not grow with the
 * trace.  A switch that comes too late gives its second a second row.
 */
#ifndef PERFTAB_FLEET_SECONDS_H
#define PERFTAB_FLEET_SECONDS_H

#include "base/arena.h"
#include "base/map.h"
#include "model/record.h"
#include "output/fleet/spool.h"

#define SECOND_NS UINT64_C(1000000000)

struct second_row {
	int64_t second; /* of the trace's clock */
	int64_t thread_id;
	int64_t class;	  /* enum charge_class */
	int64_t values[]; /* by slot */
};

/* Rows found last are looked at first; threads may share a place. */
#define SECONDS_RECENT 4096

struct seconds {
	size_t slots;
	struct map by_key; /* -> struct second_row */
	struct second_row *recent[CHARGE_CLASSES][SECONDS_RECENT]; /* by thread */
	struct second_row **rows;
	size_t count, room;
	int64_t newest; /* second */
	struct arena arena;
	struct spool spool;
	uint64_t spooled; /* rows */
	struct error *error;
};

void seconds_begin(struct seconds *seconds, size_t slots, struct error *error);
/* The row to add to; NULL with the error set.  Valid until the next call. */
struct second_row *seconds_find_row(struct seconds *seconds, int64_t ts_ns,
				    int64_t thread_id, enum charge_class class);
static inline struct second_row *seconds_row(struct seconds *seconds, int64_t ts_ns,
					     int64_t thread_id, enum charge_class class)
{
	struct second_row *row =
		seconds->recent[class][(uint64_t)thread_id % SECONDS_RECENT];

	if (row && row->thread_id == thread_id &&
	    (uint64_t)ts_ns - (uint64_t)row->second * SECOND_NS < SECOND_NS)
		return row;
	return seconds_find_row(seconds, ts_ns, thread_id, class);
}
/* No more rows: the first one next, in the order of time. */
MUST_CHECK enum status seconds_finish(struct seconds *seconds);
/* Into a row with room for `slots` values; ST_END: that was the last. */
MUST_CHECK enum status seconds_next(struct seconds *seconds, struct second_row *row);
void seconds_release(struct seconds *seconds);

#endif
