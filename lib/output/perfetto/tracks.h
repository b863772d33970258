/*
 * tracks.h - counters over time, of each CPU: sums of deltas in buckets of one length.
 *
 * The buckets of a track become twice as long when its time is over: memory does not grow
 * with the trace.
 */
#ifndef PERFTAB_PERFETTO_TRACKS_H
#define PERFTAB_PERFETTO_TRACKS_H

#include "base/arena.h"
#include "base/map.h"

#define TRACK_BUCKETS 512
#define TRACKS_MAX 16384 /* of 4 KiB each */

struct track {
	int64_t counter_id, cpu;
	int64_t begin_ns;    /* of the first bucket */
	unsigned int shift;  /* a bucket has 2^shift ns */
	size_t used;	     /* up to the last bucket that anything fell into */
	struct track *next;  /* in the order they were seen */
	struct track *other; /* with the same key */
	int64_t sums[TRACK_BUCKETS];
};

struct tracks {
	struct map by_key;
	struct track *first, **last;
	size_t count;
	bool full; /* there were more than TRACKS_MAX */
	struct arena arena;
};

/* False: out of memory. */
bool tracks_add(struct tracks *tracks, int64_t counter_id, int64_t cpu, int64_t ts_ns,
		int64_t delta);
void tracks_release(struct tracks *tracks);

#endif
