/*
 * etl_plain.h - counts buffers of plain events, ahead of the first walk.
 *
 * Most events of a long recording are switches and samples, which the first walk only
 * counts.  Several threads look through the chunks of the file that come next: a buffer
 * with nothing else is counted as a whole, of others the walk gets the bytes.
 */
#ifndef PERFTAB_ETL_PLAIN_H
#define PERFTAB_ETL_PLAIN_H

#include "formats/etw/etl_kinds.h"

/* One is walked over, the others are read and counted. */
#define ETL_PLAIN_CHUNKS 4
#define ETL_PLAIN_CHUNK_BYTES BUFFER_SIZE((size_t)512 * 1024, (size_t)32 * 1024)
/* Smaller buffers are not counted ahead. */
#define ETL_PLAIN_BUFFER_BYTES BUFFER_SIZE((size_t)4096, (size_t)1024)
#define ETL_PLAIN_BUFFERS (ETL_PLAIN_CHUNK_BYTES / ETL_PLAIN_BUFFER_BYTES)

struct etl_plain_buffer {
	bool is_plain; /* it is whole, and has plain events and no others; then: */
	struct etl_place place;	     /* but for its segment */
	uint32_t events[ETL_PLAINS]; /* how many, as in etl_plain_chunk.plain */
};

/* Buffers of one size that follow one another in the file. */
struct etl_plain_chunk {
	struct background *background;
	bool is_counted; /* the walk has waited for it */
	int fd;
	uint64_t offset;
	size_t size; /* 0: it is after the end of the file */
	size_t stride;
	uint8_t *raw;
	const uint8_t *bytes; /* in that; NULL: they could not be read */
	struct etl_plain plain[ETL_PLAINS];
	struct etl_plain_buffer buffers[ETL_PLAIN_BUFFERS];
};

/* Zeros at the beginning. */
struct etl_plain_ahead {
	struct etl_plain_chunk *chunks; /* NULL: none were begun */
	size_t first;			/* the one that is walked over */
	uint64_t begun_to;		/* in the file */
	size_t plain, others;		/* buffers */
	bool is_over;			/* no threads or memory for it, or not worth it */
};

/* What is known ahead of the buffer at the walk's place. */
struct etl_plain_view {
	const uint8_t *bytes;
	size_t size; /* 0: nothing */
	const struct etl_plain_chunk *chunk;
	const struct etl_plain_buffer *buffer; /* NULL: it is not plain */
};

/*
 * Once for each buffer.  It waits for the chunk and begins others; `stride` is the size
 * that most buffers have, 0: not known.  The view lasts until the next call.
 */
struct etl_plain_view etl_plain_find(struct etl_plain_ahead *ahead,
				     const struct input *in, uint64_t stride,
				     const struct etl_kinds *kinds);
void etl_plain_end(struct etl_plain_ahead *ahead);

#endif
