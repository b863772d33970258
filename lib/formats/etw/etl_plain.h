/*
 * etl_plain.h - counts buffers of plain events, ahead of the first walk.
 *
 * Most events of a long recording are switches and samples, which the first walk only
 * counts.  Several threads scan the next chunks of the file: a buffer with nothing else
 * is counted as a whole; of others the walk gets the bytes.
 */
#ifndef PERFTAB_ETL_PLAIN_H
#define PERFTAB_ETL_PLAIN_H

#include "formats/etw/etl_kinds.h"

/* The chunk of the walk, and those that are read and counted meanwhile. */
#define ETL_PLAIN_CHUNKS 4
#define ETL_PLAIN_CHUNK_BYTES BUFFER_SIZE((size_t)512 * 1024, (size_t)32 * 1024)
/* Least size of buffers that are counted ahead. */
#define ETL_PLAIN_BUFFER_BYTES BUFFER_SIZE((size_t)4096, (size_t)1024)
#define ETL_PLAIN_BUFFERS (ETL_PLAIN_CHUNK_BYTES / ETL_PLAIN_BUFFER_BYTES)

struct etl_plain_buffer {
	bool is_plain; /* whole, with plain events alone: `place`, `events` are set */
	struct etl_place place;	     /* without its segment */
	uint32_t events[ETL_PLAINS]; /* counts by index in etl_plain_chunk.plain */
};

/* Buffers of one size that follow one another in the file. */
struct etl_plain_chunk {
	struct background *background;
	bool is_counted; /* the walk has waited for it */
	int fd;
	uint64_t offset;
	size_t size; /* 0: after the end of the file */
	size_t stride;
	uint8_t *raw;
	const uint8_t *bytes; /* in `raw`; NULL: reading failed */
	struct etl_plain plain[ETL_PLAINS];
	struct etl_plain_buffer buffers[ETL_PLAIN_BUFFERS];
};

/* Zeroed at the start. */
struct etl_plain_ahead {
	struct etl_plain_chunk *chunks; /* NULL: none so far */
	size_t first;			/* index of the chunk of the walk */
	uint64_t begun_to;		/* offset of the end of the chunks begun */
	size_t plain, others;		/* buffers so far */
	bool is_over;			/* stopped: no threads or memory, or of no use */
};

/* What the threads found about the buffer at the walk's place. */
struct etl_plain_view {
	const uint8_t *bytes;
	size_t size; /* 0: unknown */
	const struct etl_plain_chunk *chunk;
	const struct etl_plain_buffer *buffer; /* NULL: not plain */
};

/*
 * Call it once for each buffer.  It waits for the chunk and begins others.  `stride`:
 * size of most buffers; 0: unknown.  The view is valid until the next call.
 */
struct etl_plain_view etl_plain_find(struct etl_plain_ahead *ahead,
				     const struct input *in, uint64_t stride,
				     const struct etl_kinds *kinds);
void etl_plain_end(struct etl_plain_ahead *ahead);

#endif
