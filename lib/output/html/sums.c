/* sums.c - adds to open buckets, encodes closed ones, and joins them. */
#include "output/html/sums.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/varint.h"
#include "model/row_sums.h"

#define FIRST_SHIFT 14 /* 16 us: shorter than most stays of a thread on a CPU */
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

void sums_end(struct sums *sums)
{
	struct sums_track *next;

	for (struct sums_track *track = sums->tracks; track; track = next) {
		next = track->next;
		bytes_release(&track->closed);
		entries_release(&track->entries);
		free(track->index);
		free(track);
	}
	map_release(&sums->by_number);
	entries_release(&sums->one);
	entries_release(&sums->other);
	entries_release(&sums->both);
	*sums = (struct sums){ .width = 0 };
}

/* --- encoding --- */

static bool encode(const struct sums *sums, struct bytes *to, uint64_t gap,
		   const struct sums_entries *entries)
{
	size_t before = to->size;
	uint64_t last = 0;
	uint8_t *at;

	at = bytes_extend(to,
			  LEB128_BYTES_MAX * (2 + entries->count * (1 + sums->width)));
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
	if (!entries_reserve(entries, sums->width, count))
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

static bool is_too_many(const struct sums *sums, const struct sums_entries *entries)
{
	return sums->keep && entries->count > sums->keep;
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

/* Both buckets become one when they are longer by this many bits. */
static void count_step(struct sums *sums, int64_t from, int64_t to)
{
	uint64_t apart = (uint64_t)from ^ (uint64_t)to;

	if (apart)
		sums->steps[63 - __builtin_clzll(apart)]++;
}

static bool close_track(struct sums *sums, struct sums_track *track)
{
	const struct sums_entries *sorted = &track->entries;
	bool done;

	if (track->entries.count == 0)
		return true;
	done = !sums->coarser || pass_on(sums, track);
	if (sorted->count > 1) {
		done = done &&
		       (is_too_many(sums, sorted)
				? entries_cut(&sums->one, sums->width, sums->keep, sorted)
				: entries_sort(&sums->one, sums->width, sorted));
		sorted = &sums->one;
	}
	done = done && encode(sums, &track->closed,
			      (uint64_t)(track->open - track->last_closed), sorted);
	count_step(sums, track->last_closed, track->open);
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
	return entries_cut(&sums->both, sums->width, sums->keep, &sums->one) &&
	       encode(sums, to, gap, &sums->both);
}

/* Of a track without an open bucket. */
static bool widen_track(struct sums *sums, struct sums_track *track, unsigned int bits)
{
	const uint8_t *at = track->closed.data, *end;
	struct bytes joined = { .data = NULL };
	int64_t from = 0, to = 0, wide = -1;
	bool done = true;

	if (track->closed.size == 0)
		return true;
	end = at + track->closed.size;
	sums->budget->used -= track->closed.size;
	sums->one.count = 0;
	while (at < end && done) {
		from += (int64_t)varint_decode(&at, end);
		done = decode(sums, &at, end, &sums->other);
		if (done && from >> bits == wide) {
			done = entries_join(&sums->both, sums->width, &sums->one,
					    &sums->other);
			swap(&sums->one, &sums->both);
			continue;
		}
		if (done && wide >= 0) {
			done = encode_joined(sums, &joined, (uint64_t)(wide - to));
			to = wide;
		}
		wide = from >> bits;
		swap(&sums->one, &sums->other);
	}
	done = done && encode_joined(sums, &joined, (uint64_t)(wide - to));
	bytes_release(&track->closed);
	track->closed = joined;
	track->last_closed = wide;
	return done;
}

static void forget_steps(struct sums *sums, unsigned int bits)
{
	memmove(sums->steps, sums->steps + bits,
		(SUMS_STEPS - bits) * sizeof(*sums->steps));
	memset(sums->steps + SUMS_STEPS - bits, 0, bits * sizeof(*sums->steps));
}

bool sums_widen(struct sums *sums, unsigned int bits)
{
	bool done = sums_close(sums);

	for (struct sums_track *track = sums->tracks; track && done; track = track->next)
		done = widen_track(sums, track, bits);
	forget_steps(sums, bits);
	sums->shift += bits;
	if (sums->first <= sums->last) {
		sums->first >>= bits;
		sums->last >>= bits;
	}
	if (done && sums->coarser && sums->coarser->shift < sums->shift)
		done = sums_widen(sums->coarser, sums->shift - sums->coarser->shift);
	return done;
}

/* How much longer half as many buckets are: twice, and more where most are empty. */
static unsigned int find_half(const struct sums *sums)
{
	size_t all = 0, left;
	unsigned int bits = 0;

	for (size_t i = 0; i < SUMS_STEPS; i++)
		all += sums->steps[i];
	left = all;
	do
		left -= sums->steps[bits++];
	while (left > all / 2 && bits < SHIFT_MAX - sums->shift);
	return bits;
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
			row_add_all(entries->values + place * sums->width, values,
				    sums->width);
			return true;
		}
		at = (at + 1) & (track->index_room - 1);
	}
	if (!entries_append(entries, sums->width, key, values))
		return false;
	track->index[at] = (uint32_t)entries->count;
	return true;
}

bool sums_reach(struct sums *sums, int64_t ts_ns)
{
	int64_t bucket = (ts_ns > 0 ? ts_ns : 0) >> sums->shift;
	int64_t first = bucket < sums->first ? bucket : sums->first;
	int64_t last = bucket > sums->last ? bucket : sums->last;
	unsigned int bits = 0;

	while ((uint64_t)(last >> bits) - (uint64_t)(first >> bits) >= sums->span_max &&
	       sums->shift + bits < SHIFT_MAX)
		bits++;
	if (bits && !sums_widen(sums, bits))
		return false;
	sums->first = first >> bits;
	sums->last = last >> bits;
	return true;
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
			if (!sums_widen(sums, find_half(sums)))
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
		int64_t length = (int64_t)1 << sums->shift;

		length -= from_ns & (length - 1); /* up to the next bucket */
		ns = to_ns - from_ns < length ? to_ns - from_ns : length;
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
			!entries_join(&reader->both, reader->sums->width,
				      &reader->entries, &reader->more);
		swap(&reader->entries, &reader->both);
	}
	return !*failed;
}

void sums_read_end(struct sums_reader *reader)
{
	entries_release(&reader->entries);
	entries_release(&reader->more);
	entries_release(&reader->both);
}
