/* etl_plain.c - reads chunks of the file and counts their buffers of plain events. */
#include "formats/etw/etl_plain.h"

#include <stdlib.h>

#include "base/background.h"
#include "base/memory.h"
#include "base/os.h"
#include "base/scope.h"

#define PAGE_BYTES ((size_t)4096)
/* So many buffers show which events are plain, and how many buffers are. */
#define BUFFERS_BEFORE 32
/* A rest of the file that is smaller is not worth it. */
#define REST_BYTES (ETL_PLAIN_CHUNKS * ETL_PLAIN_CHUNK_BYTES)

/* --- a chunk, in any thread --- */

static void count_buffer(const struct etl_plain_chunk *chunk, size_t at,
			 struct etl_plain_buffer *buffer)
{
	struct etl_buffer_header header = etl_decode_buffer_header(chunk->bytes + at);
	struct etl_block block = { .raw = NULL };
	const uint8_t *first, *last = NULL;
	struct cursor c;

	*buffer = (struct etl_plain_buffer){ .is_plain = false };
	if (header.size != chunk->stride || (header.flags & ETL_BUFFER_COMPRESSED) ||
	    etl_block_open(chunk->bytes + at, chunk->offset + at, &header, &block,
			   NULL) != ST_OK)
		return;
	c = cursor_over(block.events, block.size, block.offset, false);
	first = c.pos;
	for (;;) {
		const uint8_t *event = c.pos;
		const struct etl_plain *plain = etl_plain_skip(chunk->plain, &c);

		if (!plain)
			break;
		buffer->events[plain - chunk->plain]++;
		last = event;
	}
	if (!last || cursor_left(&c) || !block.is_whole)
		return;
	buffer->is_plain = true;
	buffer->place = etl_place_of(chunk->offset + at, &header);
	buffer->place.events_bytes = (uint32_t)block.size;
	buffer->place.first_ticks = etl_plain_ticks(first);
	buffer->place.last_ticks = etl_plain_ticks(last);
	buffer->place.is_whole = buffer->place.is_timed = true;
}

static void count_chunk(void *context)
{
	struct etl_plain_chunk *chunk = context;
	/* As far into a page as in the file: see input.c. */
	uint8_t *to = chunk->raw + chunk->offset % PAGE_BYTES;

	chunk->bytes =
		os_read_all_at(chunk->fd, to, chunk->size, chunk->offset) ? to : NULL;
	for (size_t i = 0; chunk->bytes && i < chunk->size / chunk->stride; i++)
		count_buffer(chunk, i * chunk->stride, &chunk->buffers[i]);
}

/* --- chunks --- */

static void begin_chunk(struct etl_plain_ahead *ahead, struct etl_plain_chunk *chunk,
			const struct input *in, const struct etl_kinds *kinds)
{
	uint64_t left = in->size - ahead->begun_to;
	size_t most = left < ETL_PLAIN_CHUNK_BYTES ? (size_t)left : ETL_PLAIN_CHUNK_BYTES;

	chunk->offset = ahead->begun_to;
	chunk->size = most / chunk->stride * chunk->stride;
	ahead->begun_to += chunk->size;
	chunk->is_counted = false;
	memcpy(chunk->plain, kinds->plain, sizeof(chunk->plain));
	if (chunk->size)
		background_run(chunk->background, count_chunk, chunk);
}

static bool make_chunk(struct etl_plain_chunk *chunk, const struct input *in,
		       uint64_t stride)
{
	chunk->fd = in->fd;
	chunk->stride = (size_t)stride;
	chunk->raw = memory_alloc_aligned(PAGE_BYTES, ETL_PLAIN_CHUNK_BYTES + PAGE_BYTES);
	chunk->background = chunk->raw ? background_start(BACKGROUND_SHORT) : NULL;
	return chunk->background != NULL;
}

static bool is_worth_it(const struct input *in, uint64_t stride)
{
	return in->fd >= 0 && in->seekable && !scope_current() &&
	       stride >= ETL_PLAIN_BUFFER_BYTES && stride <= ETL_PLAIN_CHUNK_BYTES &&
	       in->size > in->offset && in->size - in->offset >= REST_BYTES;
}

/* Optional: without memory or threads the walk reads all itself. */
static void begin(struct etl_plain_ahead *ahead, const struct input *in, uint64_t stride,
		  const struct etl_kinds *kinds)
{
	bool can = is_worth_it(in, stride);

	if (can)
		ahead->chunks =
			memory_alloc_zeroed(ETL_PLAIN_CHUNKS, sizeof(*ahead->chunks));
	can = ahead->chunks;
	for (size_t i = 0; can && i < ETL_PLAIN_CHUNKS; i++)
		can = make_chunk(&ahead->chunks[i], in, stride);
	ahead->begun_to = in->offset;
	for (size_t i = 0; can && i < ETL_PLAIN_CHUNKS; i++)
		begin_chunk(ahead, &ahead->chunks[i], in, kinds);
	if (!can)
		etl_plain_end(ahead);
}

/* --- the walk --- */

/* The chunk at the offset; NULL: it does not begin there or before. */
static struct etl_plain_chunk *turn_to(struct etl_plain_ahead *ahead,
				       const struct input *in,
				       const struct etl_kinds *kinds)
{
	struct etl_plain_chunk *chunk = &ahead->chunks[ahead->first];

	while (chunk->size && in->offset >= chunk->offset + chunk->size) {
		background_wait(chunk->background, 0);
		begin_chunk(ahead, chunk, in, kinds);
		ahead->first = (ahead->first + 1) % ETL_PLAIN_CHUNKS;
		chunk = &ahead->chunks[ahead->first];
	}
	if (!chunk->size || in->offset < chunk->offset)
		return NULL;
	if (!chunk->is_counted)
		background_wait(chunk->background, 0);
	chunk->is_counted = true;
	return chunk;
}

struct etl_plain_view etl_plain_find(struct etl_plain_ahead *ahead,
				     const struct input *in, uint64_t stride,
				     const struct etl_kinds *kinds)
{
	struct etl_plain_view view = { .bytes = NULL };
	const struct etl_plain_buffer *buffer;
	size_t at;

	if (!ahead->chunks && !ahead->is_over && ++ahead->others >= BUFFERS_BEFORE)
		begin(ahead, in, stride, kinds);
	if (ahead->others > 2 * BUFFERS_BEFORE + ahead->plain)
		etl_plain_end(ahead);
	view.chunk = ahead->chunks ? turn_to(ahead, in, kinds) : NULL;
	if (!view.chunk || !view.chunk->bytes)
		return view;
	at = (size_t)(in->offset - view.chunk->offset);
	view.bytes = view.chunk->bytes + at;
	view.size = view.chunk->size - at;
	buffer = &view.chunk->buffers[at / view.chunk->stride];
	if (at % view.chunk->stride == 0 && buffer->is_plain)
		view.buffer = buffer;
	ahead->plain += view.buffer != NULL;
	ahead->others += !view.buffer;
	return view;
}

void etl_plain_end(struct etl_plain_ahead *ahead)
{
	for (size_t i = 0; ahead->chunks && i < ETL_PLAIN_CHUNKS; i++) {
		background_stop(ahead->chunks[i].background);
		free(ahead->chunks[i].raw);
	}
	free(ahead->chunks);
	*ahead = (struct etl_plain_ahead){ .is_over = true };
}
