/*
 * spool.h - a file without a name for what waits until the end of a trace.
 *
 * Small pieces are written and read together; what fits one buffer needs no file.
 */
#ifndef PERFTAB_FLEET_SPOOL_H
#define PERFTAB_FLEET_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct spool {
	int fd;			/* -1: nothing is in the file */
	uint64_t written, read; /* in the file */
	uint8_t *buffer;	/* bytes to be written, or that were read: [at, end) */
	size_t at, end;
	bool is_read;
	struct error *error; /* of the caller */
};

MUST_CHECK enum status spool_write(struct spool *spool, const void *from, size_t size);
/* What was written, from the beginning on; nothing can be written then. */
MUST_CHECK enum status spool_read(struct spool *spool, void *to, size_t size);
void spool_close(struct spool *spool);

#endif
