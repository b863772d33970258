/*
 * xpress.h - plain Xpress LZ77, the compression of .etl buffers ([MS-XCA] 2.3, 2.4).
 */
#ifndef PERFTAB_XPRESS_H
#define PERFTAB_XPRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Decompresses `size` bytes to at most `room` bytes.  *done is how many came out, also on
 * failure: what was decoded up to there is right.  False: a match reaches before the
 * start, a length is impossible, or more than `room` bytes would come out.
 */
bool xpress_decompress(const uint8_t *from, size_t size, uint8_t *to, size_t room,
		       size_t *done);

#endif
