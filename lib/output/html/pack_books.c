/*
 * pack_books.c - what each colour counted over time, exactly, group by group.
 *
 * A block is for each colour the number of its buckets, then their numbers (each the
 * difference to the one before), then the values column by column, zigzag: switches or
 * samples, nanoseconds, counters.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/varint.h"
#include "base/wrap.h"
#include "output/html/blocks.h"
#include "output/html/pack.h"

#define PERIOD_BOOK_BLOCK_BYTES ((size_t)330 << 10) /* deflated, of all books */
#define BUCKETS_MIN 16

/* A table of buckets, colours and values. */
struct dense {
	size_t buckets, width;
	int64_t *values;
};

static int64_t *cell(const struct dense *dense, size_t bucket, size_t colour)
{
	return dense->values + (bucket * COLOURS + colour) * dense->width;
}

static bool fill(struct dense *dense, const struct sums *sums,
		 const struct colours *colours)
{
	bool failed = false;

	for (const struct sums_track *track = sums->tracks; track && !failed;
	     track = track->next) {
		struct sums_reader reader;

		sums_read(&reader, sums, track);
		while (sums_next(&reader, &failed))
			for (size_t i = 0; i < reader.entries.count; i++) {
				int64_t *to = cell(
					dense, (size_t)(reader.bucket - sums->first),
					colours_of_key(colours, reader.entries.keys[i]));

				for (size_t v = 0; v < dense->width; v++)
					to[v] = wrap_add(
						to[v],
						reader.entries
							.values[i * dense->width + v]);
			}
		sums_read_end(&reader);
	}
	return !failed;
}

static bool is_empty(const struct dense *dense, size_t bucket, size_t colour)
{
	const int64_t *values = cell(dense, bucket, colour);

	for (size_t v = 0; v < dense->width; v++)
		if (values[v])
			return false;
	return true;
}

static void encode_colour(const struct dense *dense, size_t colour, struct bytes *to)
{
	size_t count = 0, last = 0;

	for (size_t b = 0; b < dense->buckets; b++)
		count += !is_empty(dense, b, colour);
	varint_put(to, count);
	for (size_t b = 0; b < dense->buckets; b++) {
		if (is_empty(dense, b, colour))
			continue;
		varint_put(to, b - last);
		last = b;
	}
	for (size_t v = 0; v < dense->width; v++)
		for (size_t b = 0; b < dense->buckets; b++)
			if (!is_empty(dense, b, colour))
				varint_put(to, varint_zigzag(cell(dense, b, colour)[v]));
}

/* Buckets of even and odd numbers become one. */
static void halve(struct dense *dense, bool first_is_odd)
{
	size_t row = COLOURS * dense->width;
	size_t buckets = (dense->buckets + (first_is_odd ? 1 : 0) + 1) / 2;

	for (size_t b = 0; b < buckets; b++)
		for (size_t v = 0; v < row; v++) {
			size_t right = 2 * b + (first_is_odd ? 0 : 1);
			bool has_left = !first_is_odd || b > 0;
			int64_t sum = 0;

			if (has_left)
				sum = dense->values[(right - 1) * row + v];
			if (right < dense->buckets)
				sum = wrap_add(sum, dense->values[right * row + v]);
			dense->values[b * row + v] = sum;
		}
	dense->buckets = buckets;
}

/* With more than bytes_max it need not be whole, unless it is as short as it gets. */
static bool encode(const struct dense *dense, size_t bytes_max, struct bytes *deflated)
{
	size_t most = dense->buckets > BUCKETS_MIN ? bytes_max : SIZE_MAX;
	struct bytes block = { .data = NULL };
	bool done;

	for (size_t colour = 0; colour < COLOURS; colour++)
		encode_colour(dense, colour, &block);
	done = !block.failed && block_deflate(deflated, block.data, block.size, most);
	bytes_release(&block);
	return done;
}

static bool pack_book(struct packing *packing, struct period_book *book, size_t bytes_max)
{
	static const char *const kinds[] = { "group", "event", "time" };
	struct sums *sums = &book->sums;
	struct bytes deflated = { .data = NULL };
	struct dense dense = { .width = sums->width };
	unsigned int shift;
	int64_t first;
	char id[32];
	bool done = sums_close(sums);

	shift = sums->shift;
	first = sums->first;
	dense.buckets = (size_t)(sums->last - sums->first + 1);
	dense.values = memory_alloc_zeroed(dense.buckets * COLOURS * dense.width,
					   sizeof(*dense.values));
	done = done && dense.values && fill(&dense, sums, packing->colours) &&
	       encode(&dense, bytes_max, &deflated);
	while (done && deflated.size > bytes_max && dense.buckets > BUCKETS_MIN) {
		halve(&dense, (first & 1) != 0);
		first >>= 1;
		shift++;
		done = encode(&dense, bytes_max, &deflated);
	}
	if (done) {
		snprintf(id, sizeof(id), "block%zu", packing->blocks++);
		block_write(packing->to, id, &deflated);
		fprintf(packing->document,
			"{\"of\": \"%s\", \"id\": \"%lld\", \"counters\": %zu, "
			"\"block\": \"%s\", \"shift\": %u, \"first\": \"%lld\", "
			"\"buckets\": %zu}",
			kinds[book->kind], (long long)book->id, book->counters, id, shift,
			(long long)first, dense.buckets);
	}
	bytes_release(&deflated);
	free(dense.values);
	return done;
}

bool pack_books(struct packing *packing)
{
	struct collect *collect = packing->collect;
	const char *comma = "";
	bool done = true;

	fprintf(packing->document, ",\n \"books_left_out\": %s,\n \"books\": [",
		collect->books_are_too_many ? "true" : "false");
	for (size_t rank = 0; rank < collect->book_count && done; rank++) {
		struct period_book *book = collect->books;

		while (collect_rank(collect, (size_t)(book - collect->books)) != rank)
			book++;
		if (!book->sums.track_count)
			continue;
		fputs(comma, packing->document);
		comma = ",\n  ";
		done = pack_book(packing, book,
				 PERIOD_BOOK_BLOCK_BYTES / collect->book_count);
	}
	fputs("]", packing->document);
	return done;
}
