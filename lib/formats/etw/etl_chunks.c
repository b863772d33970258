/*
 * etl_chunks.c - reads the file in chunks, of which the last few are held.
 *
 * The buffers of several CPUs follow one another in the file, and are opened nearly in
 * that order.  Small ones would cost a read each.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "formats/etw/etl_layout.h"

/* Requests of this size are reads of their own. */
#define LARGE_BYTES (ETL_WINDOW_BYTES / 4)

static struct etl_chunk *find_chunk(struct etl_chunks *chunks, uint64_t number)
{
	struct etl_chunk *oldest = chunks->all;

	for (size_t i = 0; i < ETL_CHUNKS; i++) {
		struct etl_chunk *chunk = &chunks->all[i];

		if (chunk->size && chunk->number == number)
			return chunk;
		if (chunk->turn < oldest->turn)
			oldest = chunk;
	}
	oldest->size = 0;
	oldest->number = number;
	return oldest;
}

static enum status fill_chunk(struct etl_chunks *chunks, struct etl_chunk *chunk,
			      struct input *input)
{
	uint64_t offset = chunk->number * ETL_WINDOW_BYTES;
	uint64_t left = input->size > offset ? input->size - offset : 0;
	size_t size = left < ETL_WINDOW_BYTES ? (size_t)left : ETL_WINDOW_BYTES;
	enum status status;

	if (!chunk->bytes)
		chunk->bytes = memory_alloc_aligned(4096, ETL_WINDOW_BYTES);
	if (!chunk->bytes)
		return ST_NOMEM;
	status = input_read_at(input, offset, chunk->bytes, size);
	chunk->size = status == ST_OK ? size : 0;
	chunks->read += size;
	return status;
}

/* Where the order of buffers is such that most of the bytes are read in vain. */
static bool is_wasteful(const struct etl_chunks *chunks)
{
	return chunks->read > 2 * (chunks->asked + ETL_CHUNKS * ETL_WINDOW_BYTES);
}

enum status etl_chunks_read(struct etl_chunks *chunks, struct input *input,
			    uint64_t offset, uint8_t *to, size_t size)
{
	if (size >= LARGE_BYTES || input->fd < 0 || is_wasteful(chunks))
		return input_read_at(input, offset, to, size);
	chunks->asked += size;
	while (size > 0) {
		struct etl_chunk *chunk = find_chunk(chunks, offset / ETL_WINDOW_BYTES);
		size_t at = offset % ETL_WINDOW_BYTES, part = ETL_WINDOW_BYTES - at;
		enum status status =
			chunk->size ? ST_OK : fill_chunk(chunks, chunk, input);

		part = part < size ? part : size;
		/* Shorter than a moment ago: what is there of it. */
		if (status == ST_TRUNCATED ||
		    (status == ST_OK && at + part > chunk->size))
			return input_read_at(input, offset, to, size);
		if (status != ST_OK)
			return status;
		chunk->turn = ++chunks->turn;
		memcpy(to, chunk->bytes + at, part);
		to += part;
		offset += part;
		size -= part;
	}
	return ST_OK;
}

void etl_chunks_release(struct etl_chunks *chunks)
{
	for (size_t i = 0; i < ETL_CHUNKS; i++)
		free(chunks->all[i].bytes);
	*chunks = (struct etl_chunks){ .turn = 0 };
}
