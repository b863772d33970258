/*
 * xpress.h - the compressions of .etl buffers: plain Xpress LZ77 ([MS-XCA] 2.3, 2.4), and
 * the form with Huffman codes ([MS-XCA] 2.1, 2.2) where libwim is there.
 */
#ifndef PERFTAB_XPRESS_H
#define PERFTAB_XPRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/*
 * Decompresses `size` bytes to at most `room` bytes.  *done is how many came out, also on
 * failure: what was decoded up to there is right.  False: a match reaches before the
 * start, a length is impossible, or more than `room` bytes would come out.
 */
bool xpress_decompress(const uint8_t *from, size_t size, uint8_t *to, size_t room,
		       size_t *done);

/* One block; how several follow each other was never seen. */
#define XPRESS_HUFF_BYTES_MAX ((size_t)65536)
/* The program was built with libwim; else nothing can be decompressed. */
extern const bool xpress_huff_is_there;
/* Decompresses to exactly `room` bytes.  ST_CORRUPT: it is damaged, nothing came out. */
MUST_CHECK enum status xpress_huff_decompress(const uint8_t *from, size_t size,
					      uint8_t *to, size_t room);

#endif
