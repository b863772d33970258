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
 * Decompresses `size` bytes to at most `room` bytes.  Sets *done to the bytes
 * decompressed, also on failure: these are valid.  False: a match reaches before the
 * start, a length is impossible, or more than `room` bytes would come out.
 */
bool xpress_decompress(const uint8_t *from, size_t size, uint8_t *to, size_t room,
		       size_t *done);

/* Maximum of bytes: one block.  Several blocks were never seen. */
#define XPRESS_HUFF_BYTES_MAX ((size_t)65536)
/* Whether the program was built with libwim, which xpress_huff_decompress() needs. */
extern const bool xpress_huff_is_there;
/* Decompresses to exactly `room` bytes.  ST_CORRUPT: damaged, without any output. */
MUST_CHECK enum status xpress_huff_decompress(const uint8_t *from, size_t size,
					      uint8_t *to, size_t room);

#endif
