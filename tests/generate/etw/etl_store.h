/* The .etl file: whole buffers in the order of the form, and corrections to headers. */
#ifndef ETL_STORE_H
#define ETL_STORE_H

#include <stdio.h>

#include "common/bytes.h"
#include "common/random.h"
#include "etw/forms.h"

struct stored_buffer {
	unsigned cpu;
	struct byte_buf bytes;
};

struct etl_store {
	FILE *file; /* NULL: nothing is kept */
	const char *path;
	enum form_order order;
	struct rng rng;
	uint64_t offset;
	uint64_t buffer_count;
	struct stored_buffer *held;
	size_t held_count;
	size_t held_room;
};

/* path may be NULL. */
void store_open(struct etl_store *store, const char *path, enum form_order order,
		uint64_t seed);

/* Owns the bytes from now on.  Headers keep their place; returns their offset. */
uint64_t store_header(struct etl_store *store, struct byte_buf *bytes);
void store_buffer(struct etl_store *store, struct byte_buf *bytes, unsigned cpu);

/* Writes the buffers that are still held. */
void store_flush(struct etl_store *store);

/* The first bytes of a buffer that is not whole: the end of the file. */
void store_cut(struct etl_store *store, struct byte_buf *bytes, size_t size);

/* Writes over bytes written before. */
void store_correct(struct etl_store *store, uint64_t offset, uint64_t value,
		   size_t count);

void store_close(struct etl_store *store);

#endif
