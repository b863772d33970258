/*
 * pack_lanes.c - who was on each CPU, in buckets, as shares of a bucket.
 *
 * Two levels, a coarse one that is there at once and the finest that its budget allows.
 * A block is for each CPU a length (a varint, as all numbers) and then tokens: 0 and a
 * count: so many empty buckets; 255 and a count: the last bucket that was not empty,
 * again; else a number of pairs, each a colour and its share of the bucket in 64ths.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/varint.h"
#include "output/html/blocks.h"
#include "output/html/pack.h"

#define SHARE_BITS 6
#define SHARES (1 << SHARE_BITS)
#define SHARE_MIN 2
#define AGAIN 255
#define FINE_BYTES ((size_t)640 << 10)	  /* deflated */
#define FINE_CPU_BYTES ((size_t)20 << 10) /* and for each CPU above 16 */
#define COARSE_BYTES ((size_t)160 << 10)
#define LEVELS_APART 4 /* times as many buckets, or one level will do */

struct tokens {
	struct bytes bytes;
	uint8_t last[1 + 2 * COLOURS];
	size_t last_size;
	uint64_t again;
	int64_t next; /* bucket */
};

static void end_run(struct tokens *tokens)
{
	static const uint8_t again = AGAIN;

	if (!tokens->again)
		return;
	bytes_put(&tokens->bytes, &again, 1);
	varint_put(&tokens->bytes, tokens->again);
	tokens->again = 0;
}

static void put_bucket(struct tokens *tokens, int64_t bucket, const uint8_t *pairs,
		       size_t size)
{
	static const uint8_t none = 0;
	bool same = size == tokens->last_size && memcmp(pairs, tokens->last, size) == 0;

	if (bucket > tokens->next) {
		end_run(tokens);
		bytes_put(&tokens->bytes, &none, 1);
		varint_put(&tokens->bytes, (uint64_t)(bucket - tokens->next));
	}
	tokens->next = bucket + 1;
	if (same) {
		tokens->again++;
		return;
	}
	end_run(tokens);
	bytes_put(&tokens->bytes, pairs, size);
	memcpy(tokens->last, pairs, size);
	tokens->last_size = size;
}

/* Rounded; a bucket is longer than SHARES ns. */
static uint8_t share_of(int64_t ns, unsigned int shift)
{
	uint64_t share = ((uint64_t)ns + ((uint64_t)1 << (shift - SHARE_BITS - 1))) >>
			 (shift - SHARE_BITS);

	return share > SHARES ? SHARES : (uint8_t)share;
}

/*
 * Shares of the colours; what would hardly be seen joins the rest.  The largest is there
 * even if it is small.  0: nothing.
 */
static size_t make_pairs(uint8_t *pairs, int64_t ns[COLOURS], unsigned int shift)
{
	size_t size = 1, most = COLOURS;

	for (size_t s = 0; s < COLOURS; s++)
		if (s != COLOUR_IDLE && ns[s] > 0 &&
		    (most == COLOURS || ns[s] > ns[most]))
			most = s;
	for (size_t s = 0; s < COLOUR_TASKS; s++)
		if (s != most && ns[s] > 0 && share_of(ns[s], shift) < SHARE_MIN) {
			ns[COLOUR_REST] += ns[s];
			ns[s] = 0;
		}
	for (size_t s = 0; s < COLOURS; s++) {
		uint8_t share;

		if (s == COLOUR_IDLE || ns[s] <= 0)
			continue;
		share = share_of(ns[s], shift);
		if (share == 0 && s != most && s != COLOUR_INTERRUPTS)
			continue;
		pairs[size++] = (uint8_t)s;
		pairs[size++] = share ? share : 1;
	}
	pairs[0] = (uint8_t)(size / 2);
	return size > 1 ? size : 0;
}

static bool pack_track(struct tokens *tokens, const struct colours *colours,
		       const struct sums *sums, const struct sums_track *track)
{
	struct sums_reader reader;
	bool failed = false;

	sums_read(&reader, sums, track);
	while (sums_next(&reader, &failed)) {
		int64_t ns[COLOURS] = { 0 };
		uint8_t pairs[1 + 2 * COLOURS];
		size_t size;

		for (size_t i = 0; i < reader.entries.count; i++)
			ns[colours_of_key(colours, reader.entries.keys[i])] +=
				reader.entries.values[i];
		size = make_pairs(pairs, ns, sums->shift);
		if (size)
			put_bucket(tokens, reader.bucket - sums->first, pairs, size);
	}
	end_run(tokens);
	sums_read_end(&reader);
	return !failed && !tokens->bytes.failed;
}

static int by_number(const void *a, const void *b)
{
	int64_t x = (*(const struct sums_track *const *)a)->number;
	int64_t y = (*(const struct sums_track *const *)b)->number;

	return x < y ? -1 : x > y;
}

/* To be freed; NULL: out of memory. */
static struct sums_track **sorted_tracks(const struct sums *sums)
{
	struct sums_track **tracks =
		memory_alloc((sums->track_count + 1) * sizeof(struct sums_track *));
	size_t count = 0;

	for (struct sums_track *track = sums->tracks; track && tracks;
	     track = track->next)
		tracks[count++] = track;
	if (tracks)
		qsort(tracks, count, sizeof(struct sums_track *), by_number);
	return tracks;
}

static bool pack_level(const struct packing *packing, const struct sums *sums,
		       struct sums_track *const *tracks, size_t bytes_max,
		       struct bytes *deflated)
{
	struct bytes block = { .data = NULL };
	bool done = true;

	for (size_t i = 0; i < sums->track_count && done; i++) {
		struct tokens tokens = { .last_size = 0 };

		done = pack_track(&tokens, packing->colours, sums, tracks[i]);
		varint_put(&block, tokens.bytes.size);
		bytes_put(&block, tokens.bytes.data, tokens.bytes.size);
		bytes_release(&tokens.bytes);
	}
	done = done && !block.failed &&
	       block_deflate(deflated, block.data, block.size, bytes_max);
	bytes_release(&block);
	return done;
}

/* The finest that fits; from here on all entries of buckets that are joined are kept. */
static bool write_level(struct packing *packing, struct sums *sums, size_t bytes_max)
{
	struct sums_track **tracks = sorted_tracks(sums);
	struct bytes deflated = { .data = NULL };
	char id[32];
	bool done = tracks && sums_close(sums);

	sums->keep = 0;
	while (done) {
		bool is_last = sums->last <= sums->first;

		done = pack_level(packing, sums, tracks, is_last ? SIZE_MAX : bytes_max,
				  &deflated);
		if (is_last || deflated.size <= bytes_max)
			break;
		done = done && sums_widen(sums, 1);
	}
	if (done) {
		snprintf(id, sizeof(id), "block%zu", packing->blocks++);
		block_write(packing->to, id, &deflated);
		fprintf(packing->document,
			"{\"block\": \"%s\", \"shift\": %u, \"first\": \"%lld\", "
			"\"buckets\": %lld}",
			id, sums->shift, (long long)sums->first,
			(long long)(sums->last - sums->first + 1));
	}
	bytes_release(&deflated);
	free(tracks);
	return done;
}

bool pack_lanes(struct packing *packing)
{
	struct lanes *lanes = collect_lanes(packing->collect);
	struct sums *sums = &lanes->sums;
	size_t more = sums->track_count > 16 ? sums->track_count - 16 : 0;
	struct sums_track **tracks;
	bool done;

	if (!sums->track_count)
		return true;
	tracks = sorted_tracks(sums);
	done = tracks != NULL;
	fprintf(packing->document, ",\n \"lanes\": {\"left_out\": %s, \"cpus\": [",
		lanes->are_too_many ? "true" : "false");
	for (size_t i = 0; done && i < sums->track_count; i++)
		fprintf(packing->document, i ? ", %lld" : "%lld",
			(long long)tracks[i]->number);
	free(tracks);
	fputs("], \"levels\": [", packing->document);
	done = done && write_level(packing, sums, FINE_BYTES + more * FINE_CPU_BYTES);
	if (done && (sums->last - sums->first) / LEVELS_APART >
			    lanes->coarse.last - lanes->coarse.first) {
		fputs(", ", packing->document);
		done = write_level(packing, &lanes->coarse, COARSE_BYTES);
	}
	fputs("]}", packing->document);
	return done;
}
