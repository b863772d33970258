/*
 * write_compressed.h - records of the kernel as COMPRESSED records (zstd).
 *
 * One zstd stream over the whole trace, flushed with every record, so that each piece can
 * be unpacked when it is there.
 */
#ifndef PERFTAB_PERF_WRITE_COMPRESSED_H
#define PERFTAB_PERF_WRITE_COMPRESSED_H

#include "base/bytes.h"
#include "base/error.h"

/* The most that one record decompresses to: fits a record even if it does not shrink. */
#define PERF_COMPRESS_BYTES ((size_t)56 * 1024)

struct perf_compressor;

/* ST_UNSUPPORTED: this program was built without zstd. */
MUST_CHECK enum status perf_compressor_open(struct perf_compressor **compressor,
					    int level, struct error *error);
/* Appends COMPRESSED records that hold these bytes. */
MUST_CHECK enum status perf_compressor_write(struct perf_compressor *compressor,
					     struct bytes *to, const uint8_t *from,
					     size_t count, struct error *error);
void perf_compressor_close(struct perf_compressor *compressor);

#endif
