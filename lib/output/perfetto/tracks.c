/* tracks.c - adds a delta to the bucket of its time; see tracks.h. */
#include "output/perfetto/tracks.h"

#define FIRST_SHIFT 20 /* about a millisecond */

static struct track *find(struct tracks *tracks, uint64_t key, int64_t counter_id,
			  int64_t cpu)
{
	struct track *track = map_get(&tracks->by_key, key);

	while (track && (track->counter_id != counter_id || track->cpu != cpu))
		track = track->other;
	return track;
}

static struct track *new_track(struct tracks *tracks, uint64_t key, int64_t ts_ns)
{
	struct track *track = arena_alloc(&tracks->arena, sizeof(*track));

	if (!track)
		return NULL;
	track->other = map_get(&tracks->by_key, key);
	if (!map_put(&tracks->by_key, key, track))
		return NULL;
	track->shift = FIRST_SHIFT;
	track->begin_ns = ts_ns;
	if (!tracks->last)
		tracks->last = &tracks->first;
	*tracks->last = track;
	tracks->last = &track->next;
	tracks->count++;
	return track;
}

static void halve(struct track *track)
{
	for (size_t i = 0; i < TRACK_BUCKETS / 2; i++)
		track->sums[i] = (int64_t)((uint64_t)track->sums[2 * i] +
					   (uint64_t)track->sums[2 * i + 1]);
	for (size_t i = TRACK_BUCKETS / 2; i < TRACK_BUCKETS; i++)
		track->sums[i] = 0;
	track->used = (track->used + 1) / 2;
	track->shift++;
}

bool tracks_add(struct tracks *tracks, int64_t counter_id, int64_t cpu, int64_t ts_ns,
		int64_t delta)
{
	uint64_t key = (uint64_t)counter_id << 16 ^ (uint64_t)cpu, bucket;
	struct track *track = find(tracks, key, counter_id, cpu);

	if (!track && tracks->count == TRACKS_MAX) {
		tracks->full = true;
		return true;
	}
	if (!track) {
		track = new_track(tracks, key, ts_ns);
		if (!track)
			return false;
		track->counter_id = counter_id;
		track->cpu = cpu;
	}
	bucket =
		ts_ns > track->begin_ns ? (uint64_t)ts_ns - (uint64_t)track->begin_ns : 0;
	while (bucket >> track->shift >= TRACK_BUCKETS)
		halve(track);
	bucket >>= track->shift;
	track->sums[bucket] = (int64_t)((uint64_t)track->sums[bucket] + (uint64_t)delta);
	if (bucket >= track->used)
		track->used = (size_t)bucket + 1;
	return true;
}

void tracks_release(struct tracks *tracks)
{
	map_release(&tracks->by_key);
	arena_release(&tracks->arena);
	*tracks = (struct tracks){ .first = NULL };
}
