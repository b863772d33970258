/* sums.c - adds to open buckets, encodes closed ones, and joins them two by two. */
#include "output/html/sums.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/wrap.h"
#include "output/html/varint.h"

#define FIRST_SHIFT 10 /* about a microsecond */
#define SHIFT_MAX 62
#define INDEX_ROOM 64 /* a power of two */

void sums_begin(struct sums *sums, struct sums_budget *budget, size_t width, size_t keep,
		uint64_t span_max)
{
	*sums = (struct sums){
		.shift = FIRST_SHIFT,
		.width = width,
		.keep = keep,
		.span_max = span_max,
		.budget = budget,
		.first = INT64_MAX,
		.last = INT64_MIN,
	};
}

static void release(struct sums_entries *entries)
{
	free(entries->keys);
	free(entries->values);
	*entries = (struct sums_entries){ .keys = NULL };
}

void sums_end(struct sums *sums)
{
	struct sums_track *next;

	for (struct sums_track *track = sums->tracks; track; track = next) {
		next = track->next;
		bytes_release(&track->closed);
		release(&track->entries);
		free(track->index);
		free(track);
	}
	map_release(&sums->by_number);
	release(&sums->one);
	release(&sums->other);
	release(&sums->both);
	*sums = (struct sums){ .width = 0 };
}

/* --- entries --- */

static bool make_room(struct sums_entries *entries, size_t width, size_t count)
{
	size_t room = entries->room ? entries->room : 16;
	uint64_t *keys;
	int64_t *values;

	if (count <= entries->room)
		return true;
	while (room < count)
		room *= 2;
	keys = memory_resize(entries->keys, room * sizeof(*keys));
	entries->keys = keys ? keys : entries->keys;
	values = memory_resize(entries->values, room * width * sizeof(*values));
	entries->values = values ? values : entries->values;
	if (!keys || !values)
		return false;
	entries->room = room;
	return true;
}

static void add_all(int64_t *sums, const int64_t *more, size_t count)
{
	for (size_t i = 0; i < count; i++)
		sums[i] = wrap_add(sums[i], more[i]);
}

static bool append(struct sums_entries *entries, size_t width, uint64_t key,
		   const int64_t *values)
{
	if (!make_room(entries, width, entries->count + 1))
		return false;
	entries->keys[entries->count] = key;
	for (size_t v = 0; v < width; v++)
		entries->values[entries->count * width + v] = values[v];
	entries->count++;
	return true;
}

/* Two lists in the order of their keys become one. */
static bool join(struct sums_entries *to, size_t width, const struct sums_entries *a,
		 const struct sums_entries *b)
{
	size_t i = 0, k = 0;

	to->count = 0;
	while (i < a->count || k < b->count) {
		bool from_a = i < a->count && (k == b->count || a->keys[i] <= b->keys[k]);
		bool same = from_a && k < b->count && a->keys[i] == b->keys[k];

		if (!append(to, width, from_a ? a->keys[i] : b->keys[k],
			    from_a ? a->values + i * width : b->values + k * width))
			return false;
		if (same)
			add_all(to->values + (to->count - 1) * width,
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
static size_t find_heaviest(const struct sums *sums, const struct sums_entries *entries,
			    struct place *places)
{
	size_t most = sums->keep - 1, found = 0;
	int64_t weights[SUMS_KEEP_MAX];

	for (size_t i = 0; i < entries->count; i++) {
		int64_t weight = entries->values[i * sums->width];
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

/* Of too many entries the lightest become one, SUMS_REST, which is the first. */
static bool cut(const struct sums *sums, const struct sums_entries *entries,
		struct sums_entries *to)
{
	size_t width = sums->width, kept;
	struct place places[SUMS_KEEP_MAX];
	int64_t rest[SUMS_VALUES_MAX] = { 0 };
	bool done;

	kept = find_heaviest(sums, entries, places);
	sort(places, kept);
	for (size_t i = 0; i < entries->count; i++)
		add_all(rest, entries->values + i * width, width);
	for (size_t i = 0; i < kept; i++)
		for (size_t v = 0; v < width; v++)
			rest[v] = wrap_sub(rest[v],
					   entries->values[places[i].at * width + v]);
	to->count = 0;
	done = append(to, width, SUMS_REST, rest);
	for (size_t i = 0; i < kept && done; i++)
		done = append(to, width, places[i].key,
			      entries->values + places[i].at * width);
	return done;
}

static bool is_too_many(const struct sums *sums, const struct sums_entries *entries)
{
	return sums->keep && entries->count > sums->keep;
}

/* --- encoding --- */

static bool encode(const struct sums *sums, struct bytes *to, uint64_t gap,
		   const struct sums_entries *entries)
{
	size_t before = to->size;
	uint64_t last = 0;
	uint8_t *at;

	at = bytes_extend(to,
			  VARINT_BYTES_MAX * (2 + entries->count * (1 + sums->width)));
	if (!at)
		return false;
	at += varint_encode(at, gap);
	at += varint_encode(at, entries->count);
	for (size_t i = 0; i < entries->count; i++) {
		const int64_t *values = entries->values + i * sums->width;

		at += varint_encode(at, entries->keys[i] - last);
		last = entries->keys[i];
		for (size_t v = 0; v < sums->width; v++)
			at += varint_encode(at, varint_zigzag(values[v]));
	}
	to->size = (size_t)(at - to->data);
	sums->budget->used += to->size - before;
	return true;
}

/* The number of the bucket; its entries are added to a list that is in order. */
static bool decode(const struct sums *sums, const uint8_t **at, const uint8_t *end,
		   struct sums_entries *entries)
{
	size_t count = (size_t)varint_decode(at, end);
	uint64_t key = 0;

	entries->count = 0;
	if (!make_room(entries, sums->width, count))
		return false;
	for (size_t i = 0; i < count; i++) {
		key += varint_decode(at, end);
		entries->keys[i] = key;
		for (size_t v = 0; v < sums->width; v++)
			entries->values[i * sums->width + v] =
				varint_signed(varint_decode(at, end));
	}
	entries->count = count;
	return true;
}

/* --- closing and joining --- */

static void swap(struct sums_entries *a, struct sums_entries *b)
{
	struct sums_entries was = *a;

	*a = *b;
	*b = was;
}

/* In the order of their keys, to sums->one. */
static bool sort_entries(struct sums *sums, const struct sums_entries *entries)
{
	struct place few[12], *places = few;
	bool done = true;

	if (is_too_many(sums, entries))
		return cut(sums, entries, &sums->one);
	if (entries->count > sizeof(few) / sizeof(few[0]))
		places = memory_alloc(entries->count * sizeof(*places));
	if (!places)
		return false;
	for (size_t i = 0; i < entries->count; i++)
		places[i] = (struct place){ entries->keys[i], i };
	sort(places, entries->count);
	sums->one.count = 0;
	for (size_t i = 0; i < entries->count && done; i++)
		done = append(&sums->one, sums->width, places[i].key,
			      entries->values + places[i].at * sums->width);
	if (places != few)
		free(places);
	return done;
}

/* Its buckets are at least as long, so all of this one is in one of those. */
static bool pass_on(const struct sums *sums, const struct sums_track *track)
{
	const struct sums_entries *entries = &track->entries;
	bool done = true;

	for (size_t i = 0; i < entries->count && done; i++)
		done = sums_add(sums->coarser, track->number, track->open << sums->shift,
				entries->keys[i], entries->values + i * sums->width);
	return done;
}

static bool close_track(struct sums *sums, struct sums_track *track)
{
	const struct sums_entries *sorted = &track->entries;
	bool done;

	if (track->entries.count == 0)
		return true;
	done = !sums->coarser || pass_on(sums, track);
	if (sorted->count > 1) {
		done = done && sort_entries(sums, sorted);
		sorted = &sums->one;
	}
	done = done && encode(sums, &track->closed,
			      (uint64_t)(track->open - track->last_closed), sorted);
	track->last_closed = track->open;
	track->entries.count = 0;
	if (track->index)
		memset(track->index, 0, track->index_room * sizeof(*track->index));
	return done;
}

bool sums_close(struct sums *sums)
{
	bool done = true;

	for (struct sums_track *track = sums->tracks; track && done; track = track->next)
		done = close_track(sums, track);
	return done;
}

static bool encode_joined(struct sums *sums, struct bytes *to, uint64_t gap)
{
	if (!is_too_many(sums, &sums->one))
		return encode(sums, to, gap, &sums->one);
	return cut(sums, &sums->one, &sums->both) && encode(sums, to, gap, &sums->both);
}

/* Of a track without an open bucket. */
static bool double_track(struct sums *sums, struct sums_track *track)
{
	const uint8_t *at = track->closed.data, *end = at + track->closed.size;
	struct bytes joined = { .data = NULL };
	int64_t from = 0, to = 0, half = -1;
	bool done = true;

	if (track->closed.size == 0)
		return true;
	sums->budget->used -= track->closed.size;
	sums->one.count = 0;
	while (at < end && done) {
		from += (int64_t)varint_decode(&at, end);
		done = decode(sums, &at, end, &sums->other);
		if (done && from >> 1 == half) {
			done = join(&sums->both, sums->width, &sums->one, &sums->other);
			swap(&sums->one, &sums->both);
			continue;
		}
		if (done && half >= 0) {
			done = encode_joined(sums, &joined, (uint64_t)(half - to));
			to = half;
		}
		half = from >> 1;
		swap(&sums->one, &sums->other);
	}
	done = done && encode_joined(sums, &joined, (uint64_t)(half - to));
	bytes_release(&track->closed);
	track->closed = joined;
	track->last_closed = half;
	return done;
}

bool sums_double(struct sums *sums)
{
	bool done = sums_close(sums);

	for (struct sums_track *track = sums->tracks; track && done; track = track->next)
		done = double_track(sums, track);
	sums->shift++;
	if (sums->first <= sums->last) {
		sums->first >>= 1;
		sums->last >>= 1;
	}
	while (done && sums->coarser && sums->coarser->shift < sums->shift)
		done = sums_double(sums->coarser);
	return done;
}

/* --- adding --- */

static struct sums_track *find_track(struct sums *sums, int64_t number)
{
	struct sums_track **recent = &sums->recent[(uint64_t)number % SUMS_RECENT];
	struct sums_track *track = *recent;

	if (track && track->number == number)
		return track;
	track = map_get(&sums->by_number, (uint64_t)number);
	if (!track) {
		track = memory_alloc_zeroed(1, sizeof(*track));
		if (!track || !map_put(&sums->by_number, (uint64_t)number, track)) {
			free(track);
			return NULL;
		}
		track->number = number;
		if (!sums->tracks_tail)
			sums->tracks_tail = &sums->tracks;
		*sums->tracks_tail = track;
		sums->tracks_tail = &track->next;
		sums->track_count++;
	}
	return *recent = track;
}

static size_t hash(uint64_t key, size_t room)
{
	return (size_t)(key * UINT64_C(0x9E3779B97F4A7C15) >> 40) & (room - 1);
}

static bool grow_index(struct sums_track *track)
{
	size_t room = track->index_room ? track->index_room * 2 : INDEX_ROOM;
	uint32_t *index = memory_alloc_zeroed(room, sizeof(*index));

	if (!index)
		return false;
	for (size_t i = 0; i < track->entries.count; i++) {
		size_t at = hash(track->entries.keys[i], room);

		while (index[at])
			at = (at + 1) & (room - 1);
		index[at] = (uint32_t)i + 1;
	}
	free(track->index);
	track->index = index;
	track->index_room = room;
	return true;
}

static bool add_entry(const struct sums *sums, struct sums_track *track, uint64_t key,
		      const int64_t *values)
{
	struct sums_entries *entries = &track->entries;
	size_t at;

	if (entries->count * 2 >= track->index_room && !grow_index(track))
		return false;
	at = hash(key, track->index_room);
	while (track->index[at]) {
		size_t place = track->index[at] - 1;

		if (entries->keys[place] == key) {
			add_all(entries->values + place * sums->width, values,
				sums->width);
			return true;
		}
		at = (at + 1) & (track->index_room - 1);
	}
	if (!append(entries, sums->width, key, values))
		return false;
	track->index[at] = (uint32_t)entries->count;
	return true;
}

bool sums_reach(struct sums *sums, int64_t ts_ns)
{
	for (;;) {
		int64_t bucket = (ts_ns > 0 ? ts_ns : 0) >> sums->shift;
		int64_t first = bucket < sums->first ? bucket : sums->first;
		int64_t last = bucket > sums->last ? bucket : sums->last;

		if ((uint64_t)last - (uint64_t)first < sums->span_max ||
		    sums->shift == SHIFT_MAX) {
			sums->first = first;
			sums->last = last;
			return true;
		}
		if (!sums_double(sums))
			return false;
	}
}

bool sums_is_late(const struct sums *sums, int64_t number, int64_t ts_ns)
{
	const struct sums_track *track = sums->recent[(uint64_t)number % SUMS_RECENT];
	int64_t bucket = (ts_ns > 0 ? ts_ns : 0) >> sums->shift;

	if (!track || track->number != number)
		track = map_get(&sums->by_number, (uint64_t)number);
	return track &&
	       bucket < (track->entries.count ? track->open : track->last_closed);
}

bool sums_add(struct sums *sums, int64_t number, int64_t ts_ns, uint64_t key,
	      const int64_t *values)
{
	struct sums_track *track = find_track(sums, number);
	int64_t bucket = (ts_ns > 0 ? ts_ns : 0) >> sums->shift;

	if (track && track->entries.count && bucket == track->open)
		return add_entry(sums, track, key, values);
	if (!track || !sums_reach(sums, ts_ns))
		return false;
	bucket = (ts_ns > 0 ? ts_ns : 0) >> sums->shift;
	if (track->entries.count && bucket > track->open) {
		if (!close_track(sums, track))
			return false;
		while (sums->budget->used > sums->budget->max &&
		       sums->last > sums->first + 1)
			if (!sums_double(sums))
				return false;
		bucket = (ts_ns > 0 ? ts_ns : 0) >> sums->shift;
	}
	if (track->entries.count == 0)
		track->open = bucket > track->last_closed ? bucket : track->last_closed;
	return add_entry(sums, track, key, values);
}

bool sums_add_time(struct sums *sums, int64_t number, int64_t from_ns, int64_t to_ns,
		   uint64_t key)
{
	struct sums_track *track = find_track(sums, number);
	int64_t ns = to_ns - from_ns;

	if (track && track->entries.count && from_ns >> sums->shift == track->open &&
	    to_ns >> sums->shift == track->open)
		return add_entry(sums, track, key, &ns);
	if (!track || !sums_reach(sums, from_ns) || !sums_reach(sums, to_ns))
		return false;
	while (from_ns < to_ns) {
		int64_t next = ((from_ns >> sums->shift) + 1) << sums->shift;

		ns = (next < to_ns ? next : to_ns) - from_ns;
		if (!sums_add(sums, number, from_ns, key, &ns))
			return false;
		from_ns += ns;
	}
	return true;
}

/* --- reading --- */

void sums_read(struct sums_reader *reader, const struct sums *sums,
	       const struct sums_track *track)
{
	*reader = (struct sums_reader){
		.sums = sums,
		.at = track->closed.data,
		.end = track->closed.data ? track->closed.data + track->closed.size
					  : NULL,
	};
}

bool sums_next(struct sums_reader *reader, bool *failed)
{
	const uint8_t *peek;

	if (reader->at == reader->end)
		return false;
	reader->bucket += (int64_t)varint_decode(&reader->at, reader->end);
	*failed |= !decode(reader->sums, &reader->at, reader->end, &reader->entries);
	/* A bucket that was closed early goes on. */
	while (!*failed && (peek = reader->at) < reader->end &&
	       varint_decode(&peek, reader->end) == 0) {
		reader->at = peek;
		*failed |=
			!decode(reader->sums, &reader->at, reader->end, &reader->more) ||
			!join(&reader->both, reader->sums->width, &reader->entries,
			      &reader->more);
		swap(&reader->entries, &reader->both);
	}
	return !*failed;
}

void sums_read_end(struct sums_reader *reader)
{
	release(&reader->entries);
	release(&reader->more);
	release(&reader->both);
}
