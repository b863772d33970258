/*
 * mutate_packed.h - mutations of files in gzip or zstd: of the bytes inside, which are
 * packed again, and of the streams around them.
 */
#ifndef PERFTAB_MUTATE_PACKED_H
#define PERFTAB_MUTATE_PACKED_H

#include "mutant.h"

/*
 * Unpacks as far as it can be decoded.  False: neither gzip nor zstd, or there are more
 * than `room` bytes inside.
 */
bool packed_inside(const uint8_t *bytes, size_t size, uint8_t *to, size_t room,
		   size_t *made);
/* A whole file; any bytes else. */
void mutate_packed_file(struct mutant *m);

#endif
