/*
 * sums.h - sums of integers by key, in buckets of time, of several tracks (CPUs).
 *
 * All buckets are equally long, 2^shift ns of the trace's clock.  When there are too many
 * of them, or they need too much memory, two or more become one: memory does not grow
 * with the trace, it is read once, and no sum is rounded.  The last bucket of a track is
 * open; the others are encoded: a number, a count, and the entries by their keys.
 */
#ifndef PERFTAB_HTML_SUMS_H
#define PERFTAB_HTML_SUMS_H

#include "base/bytes.h"
#include "base/map.h"
#include "output/html/entries.h"

#define SUMS_STEPS 64

struct sums_track {
	int64_t number;
	struct bytes closed;
	int64_t last_closed; /* bucket, 0: there is none */
	int64_t open;	     /* bucket; if it has entries */
	struct sums_entries entries;
	uint32_t *index; /* hash table of entries, 0: free, else 1 + its place */
	size_t index_room;
	struct sums_track *next;
};

/* The memory that several sums may use together. */
struct sums_budget {
	size_t used, max;
};

/* Entries of the cache of tracks: as many as most machines have CPUs. */
#define SUMS_RECENT 64

struct sums {
	unsigned int shift;
	size_t width; /* values of an entry, SUMS_VALUES_MAX at most */
	size_t keep;  /* entries of a bucket, the heaviest by the first value; 0: all */
	uint64_t span_max; /* buckets from the first to the last */
	struct sums_budget *budget;
	/* Other sums that get the entries of a closed bucket before the cut; or NULL. */
	struct sums *coarser;
	int64_t first, last; /* buckets; first > last: there are none */
	/* [i]: neighbours in a track that join once buckets are longer by i + 1 bits. */
	size_t steps[SUMS_STEPS];
	struct map by_number;
	struct sums_track *tracks, **tracks_tail;
	struct sums_track *recent[SUMS_RECENT]; /* by number */
	size_t track_count;
	struct sums_entries one, other, both; /* for joining buckets */
};

void sums_begin(struct sums *sums, struct sums_budget *budget, size_t width, size_t keep,
		uint64_t span_max);
void sums_end(struct sums *sums);

/*
 * Adds to the bucket of a time.  In a track that is past that bucket already it goes to
 * the open one.  Negative times count as 0.  False: out of memory.
 */
bool sums_add(struct sums *sums, int64_t track, int64_t ts_ns, uint64_t key,
	      const int64_t *values);
/* For one value: adds the parts of a time, from 0 on, to the buckets they are in. */
bool sums_add_time(struct sums *sums, int64_t track, int64_t from_ns, int64_t to_ns,
		   uint64_t key);
/* Returns whether the track would add it to a later bucket. */
bool sums_is_late(const struct sums *sums, int64_t track, int64_t ts_ns);
/* Makes buckets long enough for this time to have one.  False: out of memory. */
bool sums_reach(struct sums *sums, int64_t ts_ns);
/* Closes the open buckets; add nothing between reading. */
bool sums_close(struct sums *sums);
/* Joins two buckets to one, with 2 bits four, and so on. */
bool sums_widen(struct sums *sums, unsigned int bits);

/* --- reading, after sums_close() --- */

struct sums_reader {
	const struct sums *sums;
	const uint8_t *at, *end;
	int64_t bucket; /* of the entries */
	struct sums_entries entries, more, both;
};

void sums_read(struct sums_reader *reader, const struct sums *sums,
	       const struct sums_track *track);
/* Reads the next bucket that is not empty.  False: no more, or *failed is set. */
bool sums_next(struct sums_reader *reader, bool *failed);
void sums_read_end(struct sums_reader *reader);

#endif
