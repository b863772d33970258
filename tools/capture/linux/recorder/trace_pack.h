/*
 * trace_pack.h - records of the kernel as COMPRESSED records (zstd).
 *
 * One zstd stream over the whole trace, flushed with every record, so that each piece can
 * be unpacked when it is there.
 */
#ifndef PERFTAB_TRACE_PACK_H
#define PERFTAB_TRACE_PACK_H

#include "base/error.h"
#include "capture/linux/recorder/bytes.h"

/* What one record unpacks to at most: fits a record even if it does not shrink. */
#define TRACE_PACK_BYTES ((size_t)56 * 1024)

struct trace_packer;

/* ST_UNSUPPORTED: this program was built without zstd. */
MUST_CHECK enum status trace_packer_open(struct trace_packer **packer, int level,
					 struct error *error);
/* Appends COMPRESSED records that hold these bytes. */
MUST_CHECK enum status trace_packer_put(struct trace_packer *packer, struct bytes *to,
					const uint8_t *from, size_t count,
					struct error *error);
void trace_packer_close(struct trace_packer *packer);

#endif
