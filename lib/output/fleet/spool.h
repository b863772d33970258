/*
 * spool.h - a file without a name for what waits until the end of a trace.
 */
#ifndef PERFTAB_FLEET_SPOOL_H
#define PERFTAB_FLEET_SPOOL_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct spool {
	int fd; /* -1: nothing was written */
	uint64_t written, read;
	struct error *error; /* of the caller */
};

MUST_CHECK enum status spool_write(struct spool *spool, const void *from, size_t size);
/* What was written, from the beginning on. */
MUST_CHECK enum status spool_read(struct spool *spool, void *to, size_t size);
void spool_close(struct spool *spool);

#endif
