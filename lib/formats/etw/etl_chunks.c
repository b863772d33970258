/*
 * etl_chunks.c - reads the file in chunks, of which the last few are held.
 *
 * The buffers of several CPUs follow one another in the file, and are opened nearly in
 * that order.  Small ones would cost a read each.  Chunks that follow in the file are
 * read ahead by a thread that waits.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/background.h"
#include "base/memory.h"
#include "base/os.h"
#include "formats/etw/etl_layout.h"

/* Requests of this size are reads of their own. */
#define LARGE_BYTES (ETL_WINDOW_BYTES / 4)

/* --- one chunk --- */

/* As many of its bytes as can be read; etl_chunks_read() says why there are no others. */
static void read_chunk(void *context)
{
	struct etl_chunk *chunk = context;
	uint64_t offset = chunk->number * ETL_WINDOW_BYTES;
	size_t done = 0;

	while (done < chunk->size) {
		ptrdiff_t got = os_read_at(chunk->fd, chunk->bytes + done,
					   chunk->size - done, offset + done);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		done += (size_t)got;
	}
	chunk->got = done;
	atomic_store(&chunk->is_read, true);
}

static struct etl_chunk *find_chunk(struct etl_chunks *chunks, uint64_t number)
{
	for (size_t i = 0; i < ETL_CHUNKS; i++)
		if (chunks->all[i].size && chunks->all[i].number == number)
			return &chunks->all[i];
	return NULL;
}

/* The one that was used the longest ago; NULL: all are being read. */
static struct etl_chunk *oldest_chunk(struct etl_chunks *chunks)
{
	struct etl_chunk *oldest = NULL;

	for (size_t i = 0; i < ETL_CHUNKS; i++) {
		struct etl_chunk *chunk = &chunks->all[i];

		if (chunk->size && !atomic_load(&chunk->is_read))
			continue;
		if (!oldest || chunk->turn < oldest->turn)
			oldest = chunk;
	}
	return oldest;
}

/* NULL: out of memory, or there is no place. */
static struct etl_chunk *prepare_chunk(struct etl_chunks *chunks,
				       const struct input *input, uint64_t number)
{
	struct etl_chunk *chunk = oldest_chunk(chunks);
	uint64_t offset = number * ETL_WINDOW_BYTES;
	uint64_t left = input->size > offset ? input->size - offset : 0;

	if (chunk && !chunk->bytes)
		chunk->bytes = memory_alloc_aligned(4096, ETL_WINDOW_BYTES);
	if (!chunk || !chunk->bytes)
		return NULL;
	chunk->fd = input->fd;
	chunk->number = number;
	chunk->size = left < ETL_WINDOW_BYTES ? (size_t)left : ETL_WINDOW_BYTES;
	chunk->turn = ++chunks->turn;
	atomic_store(&chunk->is_read, false);
	chunks->read += chunk->size;
	return chunk;
}

/* --- chunks ahead --- */

void etl_chunks_read_ahead(struct etl_chunks *chunks)
{
	if (!chunks->ahead)
		chunks->ahead = background_start(BACKGROUND_READS);
}

/* Several together, once the half of them is used: waking a thread costs much. */
static void begin_next(struct etl_chunks *chunks, const struct input *input,
		       uint64_t number)
{
	void *begun[ETL_CHUNKS_AHEAD];
	size_t count = 0;

	if (!chunks->ahead || find_chunk(chunks, number + ETL_CHUNKS_AHEAD / 2))
		return;
	for (size_t i = 1; i <= ETL_CHUNKS_AHEAD; i++) {
		bool is_in_file = (number + i) * ETL_WINDOW_BYTES < input->size;
		struct etl_chunk *chunk;

		if (!is_in_file || find_chunk(chunks, number + i))
			continue;
		chunk = prepare_chunk(chunks, input, number + i);
		if (!chunk) /* optional: it is read when it is needed */
			break;
		chunk->job = ++chunks->queued;
		begun[count++] = chunk;
	}
	if (count)
		background_run_each(chunks->ahead, read_chunk, begun, count);
}

/* It is held until the next call. */
static struct etl_chunk *read_or_wait(struct etl_chunks *chunks,
				      const struct input *input, uint64_t number)
{
	struct etl_chunk *chunk = find_chunk(chunks, number);

	if (!chunk) {
		chunk = prepare_chunk(chunks, input, number);
		if (chunk)
			read_chunk(chunk);
	} else if (!atomic_load(&chunk->is_read)) {
		background_wait(chunks->ahead, chunks->queued - chunk->job);
	}
	if (chunk) {
		chunk->turn = ++chunks->turn;
		begin_next(chunks, input, number);
	}
	return chunk;
}

/* --- parts of chunks --- */

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
		const struct etl_chunk *chunk =
			read_or_wait(chunks, input, offset / ETL_WINDOW_BYTES);
		size_t at = offset % ETL_WINDOW_BYTES, part = ETL_WINDOW_BYTES - at;

		if (!chunk)
			return ST_NOMEM;
		part = part < size ? part : size;
		/* Shorter than a moment ago, or an error: what is there of it. */
		if (at + part > chunk->got)
			return input_read_at(input, offset, to, size);
		memcpy(to, chunk->bytes + at, part);
		to += part;
		offset += part;
		size -= part;
	}
	return ST_OK;
}

void etl_chunks_release(struct etl_chunks *chunks)
{
	background_stop(chunks->ahead);
	for (size_t i = 0; i < ETL_CHUNKS; i++)
		free(chunks->all[i].bytes);
	*chunks = (struct etl_chunks){ .turn = 0 };
}
